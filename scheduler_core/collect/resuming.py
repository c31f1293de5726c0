"""What an earlier collection had seen, read again from its journal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import msgspec

from scheduler_core.collect.journal import FILES, CollectionState, Journal
from scheduler_core.collect.listing import pages
from scheduler_core.collect.recording import ChangeRecorder, WatchTarget, seen_in
from scheduler_core.collect.seen import version_number
from scheduler_core.collect.server.requests import (
    AnswerTooLarge,
    Away,
    Denied,
    Gone,
    NotServed,
    Refused,
    Requester,
)
from scheduler_core.manifests.bundle.model import OBJECTS, BundleGap, Change, ListedObject
from scheduler_core.manifests.model import LoadError

_listed = msgspec.json.Decoder(ListedObject).decode
_change = msgspec.json.Decoder(Change).decode


def restore(journal: Journal, state: CollectionState, targets: Iterable[WatchTarget]) -> None:
    """Put what the journal has into the targets, each with the version from which it is watched on. Raises LoadError,
    which names file and line, for a line that is none of a bundle.

    The lines are newer than the state, or as old: what a watch wrote after the state was saved moves its version on.
    """
    by_kind: dict[str, list[tuple[str, WatchTarget]]] = {}
    for target in targets:
        by_kind.setdefault(target.kind.kind, []).append((target.written_namespace, target))
        target.is_listed = target.key in state.listed
        target.version = state.versions.get(target.key, "") if target.is_listed else ""
    for name in FILES:
        for number, line in enumerate(journal.lines(name), start=1):
            try:
                _take(line, is_listed=name == OBJECTS, by_kind=by_kind)
            except msgspec.MsgspecError as problem:
                raise LoadError(
                    f"{journal.folder / name}: this is no line of a bundle: {problem}", line=number
                ) from None


def unlisted(targets: Iterable[WatchTarget], state: CollectionState) -> list[BundleGap]:
    """The gaps of what the collection of the state had not listed whole, though it had other kinds: what is listed now
    counts as there from the beginning. They end when it is listed."""
    return [
        BundleGap(
            code="STOPPED",
            text=f"{target.words} were not listed whole before the collection was stopped: those that are listed after "
            "it count as there from the beginning",
            kind=target.kind.kind,
            namespace=target.written_namespace,
            since=state.meta.began,
        )
        for target in targets
        if state.listed and not target.is_listed
    ]


def _take(line: bytes, *, is_listed: bool, by_kind: dict[str, list[tuple[str, WatchTarget]]]) -> None:
    change = None if is_listed else _change(line)
    kind, key, new = seen_in(_listed(line).object if change is None else change.object)
    for namespace, target in by_kind.get(kind, ()):
        if namespace and namespace != key[0]:
            continue
        if change is not None and change.type == "DELETED":
            target.seen.objects.pop(key, None)
            if not target.is_listed:
                target.seen.gone.add(key)
        else:
            target.seen.objects[key] = new
        if change is None:
            target.n_listed += 1
        elif target.version and not change.relisted and version_number(change.rv) > version_number(target.version):
            target.version = change.rv


async def learn_names(
    recorder: ChangeRecorder, requester: Requester, targets: Iterable[WatchTarget], limit: int
) -> None:
    """Read the names that sentences of later changes may have, for pseudonyms; nothing is written."""
    for target in targets:
        with contextlib.suppress(Away, Denied, NotServed, Gone, Refused, AnswerTooLarge):
            async for page in pages(requester, target, limit):
                for raw in page.objects:
                    recorder.learn_names(target, raw)
