"""Saving timelines with a history."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from dashboard.documents.actions import DOING, NewText, create_named
from dashboard.documents.models import Timeline, TimelineRevision
from dashboard.documents.timelines.checking import check_timeline_beside
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.masking.secrets import mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision

PART_ENTRIES = 200
"""Some milliseconds of writing YAML."""


def save_timeline(
    member: Member,
    timeline: Timeline | None,
    new: NewText,
    revision: Revision | None = None,
    *,
    keeps_values: bool = True,
) -> TimelineRevision:
    """Save the timeline as a new revision, of a new timeline if `timeline` is None; return it.

    Its objects are checked against the cluster `revision`. Raises as `prepare_timeline`, which reads outside of
    transactions.
    """
    base = read_contents(revision).manifests if revision else ()
    return prepare_timeline(member, timeline, new, base, keeps_values=keeps_values)()


def prepare_timeline(
    member: Member, timeline: Timeline | None, new: NewText, base: Iterable[Any] = (), *, keeps_values: bool = True
) -> Callable[[], TimelineRevision]:
    """Read the text, with its objects checked against a cluster's manifests; return what saves it, in one transaction.

    The text is kept as it was typed. Secrets in its objects are masked as in imports, and the text is not kept, unless
    `keeps_values`. Raises as `save_config`.
    """
    require(member, Role.EDITOR, DOING)
    checked = check_timeline_beside(new.text, base)
    if checked.raw is None:
        raise BadObjects(checked.findings)
    if not keeps_values:
        for entry in checked.raw["entries"]:
            mask(entry["object"])
    return partial(store_timeline, member, timeline, new, checked.raw, new.text if keeps_values else "")


def store_timeline(
    member: Member, timeline: Timeline | None, new: NewText, raw: dict[str, Any], text: str = ""
) -> TimelineRevision:
    """Store entries that are known to be valid as a new revision and return it; `new.text` is ignored.

    `text` is what a person typed for them, "" where nobody did.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        is_new = timeline is None
        target = timeline or create_named(member, Timeline, new.name, "timeline")
        saving = Saving(member.user, new.message.strip()[:500], expected=new.base)
        saved = store.save_timeline(target, raw, saving, text)
        verb = "timeline.created" if is_new else "timeline.saved"
        audit.record(member.workspace, member.user, verb, f"{target.name} r{saved.number}", entries=saved.n_entries)
    return saved


def timeline_text(revision: TimelineRevision) -> str:
    """Return the timeline as it was typed, else as YAML."""
    return store.read_typed_text(revision) or entries_text(revision)


def text_parts(revision: TimelineRevision) -> Iterator[str]:
    """Return what `timeline_text` returns in parts, each made when it is asked for."""
    typed = store.read_typed_text(revision)
    return iter([typed]) if typed else _entry_parts(store.read_timeline(revision)["entries"])


def _entry_parts(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for at in range(0, len(entries), PART_ENTRIES):
        text = entries_as_text(entries[at : at + PART_ENTRIES])
        yield text.partition("\n")[2] if at else text


def entries_text(revision: TimelineRevision) -> str:
    """Return the entries of a revision as YAML."""
    return dump_yaml([store.read_timeline(revision)])


def entries_as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return entries as YAML."""
    return dump_yaml([{"entries": list(entries)}])
