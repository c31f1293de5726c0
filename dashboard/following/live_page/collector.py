"""The state of a collector in words: whether it follows, since when it is silent, what it says is missing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from django.db.models import Sum
from django.utils import timezone

from dashboard.accounts.tokens.actions import open_tokens
from dashboard.following.receiving.scopes import SCOPE
from scheduler_core.manifests.bundle.model import BundleMeta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.clusters.models import Following

SILENT_AFTER = timedelta(seconds=60)
SHOWN_GAPS = 20
DAY = 86_400.0
TITLES = {
    "NO_RIGHTS": "no right",
    "NOT_SERVED": "not served",
    "WATCH_EXPIRED": "410",
    "SERVER_AWAY": "no answer",
    "STOPPED": "restart",
    "DISK_FULL": "disk full",
    "CUT": "cut",
    "NO_CONFIGURATION": "configuration",
    "LIST_FAILED": "not listed",
    "OTHER": "other",
}
"""Gaps that a bundle names (manifests/bundle/model.py), in a word."""
LASTING = ("NO_RIGHTS", "NOT_SERVED", "NO_CONFIGURATION", "LIST_FAILED")
"""Gaps that are no time: a kind, or the configuration, is missing as a whole."""

State = Literal["begins", "following", "silent", "stopped"]
_KEY_LENGTH = 10


@dataclass(frozen=True)
class CollectorState:
    """`since` when it is so; `why` in words, "" where nothing more is to say."""

    state: State
    since: datetime | None
    why: str = ""


@dataclass(frozen=True)
class ShownGap:
    """A gap: between which moments (`until` None: it lasts), in which kind, why."""

    code: str
    title: str
    text: str
    kind: str
    since: datetime
    until: datetime | None

    @property
    def is_lasting(self) -> bool:
        """Return whether something is missing as a whole."""
        return self.code in LASTING


def collector_state(following: Following) -> CollectorState:
    """Return how the collector is now."""
    last = following.last_piece_at
    has_token = any(
        f"{SCOPE}:{following.cluster.slug}" in token.scopes for token in open_tokens(following.cluster.workspace)
    )
    if following.is_ended or not has_token:
        why = "the collection was closed" if following.is_ended else "no token for it is in use"
        return CollectorState("stopped", last, why)
    if last is not None and timezone.now() - last > SILENT_AFTER:
        return CollectorState("silent", last)
    if not following.generation:
        return CollectorState("begins", following.began_at, "the first listing is not whole yet")
    return CollectorState("following", following.began_at)


def bundle_meta(following: Following) -> BundleMeta | None:
    """Return what the bundle says of itself as of its latest piece, None before the first."""
    return msgspec.convert(following.meta, BundleMeta) if following.meta else None


def gaps(following: Following) -> list[ShownGap]:
    """Return what is, or may be, missing of the last day and what is missing as a whole, newest first."""
    oldest = timezone.now().timestamp() - DAY
    shown = [gap for gap in _gaps(following) if gap.is_lasting or (gap.until or timezone.now()).timestamp() > oldest]
    return sorted(shown, key=lambda gap: (not gap.is_lasting, gap.since), reverse=True)


def _gaps(following: Following) -> Iterator[ShownGap]:
    meta = bundle_meta(following)
    for gap in meta.gaps if meta is not None else ():
        until = None if gap.until is None else moment(gap.until)
        yield ShownGap(gap.code, TITLES[gap.code], gap.text, gap.kind, moment(gap.since), until)
    collections = list(following.collections.all()[:SHOWN_GAPS])
    for newer, older in pairwise(collections):
        if older.last_piece_at is not None:
            text = "Another collection took over; what came and went between is not known."
            yield ShownGap("STOPPED", TITLES["STOPPED"], text, "", older.last_piece_at, newer.began_at)


def row_key(text: str) -> str:
    """Return what names the row of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


def moment(seconds: float) -> datetime:
    """Return a time in seconds since 1970, kept within what a page can show."""
    return datetime.fromtimestamp(min(max(seconds, 0.0), 4e9), UTC)


def facts(following: Following) -> dict[str, Any]:
    """Return what is known of the collector: program, kinds, namespaces, what was received in the last day."""
    meta = bundle_meta(following)
    since = timezone.now() - timedelta(days=1)
    received = following.pieces.filter(received_at__gte=since).aggregate(size=Sum("size"))["size"] or 0
    return {
        "program": meta.collector if meta else "",
        "n_kinds": sum(one.can_list for one in meta.kinds) if meta else 0,
        "namespaces": list(meta.namespaces) if meta else [],
        "pseudonyms": bool(meta and meta.pseudonyms),
        "configuration_of": meta.configuration_of if meta else "",
        "received_bytes": received,
        "n_pieces": following.next_number,
        "token": following.token_name,
    }
