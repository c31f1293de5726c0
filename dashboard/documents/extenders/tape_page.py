"""What the page of a tape says: when and of what it was recorded, whom it asks, and its calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.problems import Problem
from dashboard.documents.extenders.answering import AnswersError, kept_tape, tape_header

if TYPE_CHECKING:
    from dashboard.documents.models import ExtenderTapeRevision
    from scheduler_core.extenders.tape.blocks import TapedExtender
    from scheduler_core.extenders.tape.reader import ListedCall

VERBS = ("filter", "prioritize", "preempt", "bind")
# After the year 9999 there are no dates.
_LATEST = 253_402_300_799


class VerbCounts(NamedTuple):
    """A verb of an extender, and how many calls of it are on the tape, and how many of these failed."""

    verb: str
    path: str
    calls: int
    failed: int


class ExtenderLine(NamedTuple):
    """An extender as it was asked: its place in the configuration, its address without user and password."""

    number: int
    address: str
    by_name: bool
    managed: tuple[str, ...]
    verbs: list[VerbCounts]


@dataclass(frozen=True)
class TapePage:
    """What a tape says of itself; `recorded_at` None and `source` "" where it says nothing."""

    recorded_at: datetime | None
    source: str
    n_nodes: int
    cluster: str
    extenders: list[ExtenderLine]

    @classmethod
    def of(cls, revision: ExtenderTapeRevision) -> TapePage:
        """Return what the tape of a revision says, from what was stored when it was taken in."""
        header = tape_header(revision)
        recorded_at = datetime.fromtimestamp(header.recorded_at, UTC) if 0 < header.recorded_at < _LATEST else None
        counts = {(extender, verb): (calls, failed) for extender, verb, calls, failed in revision.counts}
        lines = [_line(i, one, counts) for i, one in enumerate(header.extenders)]
        return cls(recorded_at, header.source, header.n_nodes, header.cluster[:12], lines)


def listed_calls(revision: ExtenderTapeRevision, text: str) -> list[ListedCall]:
    """Return the calls on a tape of pods with this text in their name; raises Problem for one that is damaged."""
    try:
        tape, lock = kept_tape(revision)
    except AnswersError as problem:
        raise Problem(f"{problem}.", title="This tape cannot be read") from problem
    with lock:
        return tape.listed(text)


def _line(index: int, one: TapedExtender, counts: dict[tuple[int, str], tuple[int, int]]) -> ExtenderLine:
    verbs = [
        VerbCounts(verb, path, *counts.get((index, verb), (0, 0)))
        for verb in VERBS
        if (path := getattr(one, f"{verb}_verb"))
    ]
    return ExtenderLine(index, public_address(one.url_prefix), one.node_cache_capable, one.managed_resources, verbs)


def public_address(url: str) -> str:
    """Return an address without its user and password."""
    scheme, separator, rest = url.partition("//")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}" if separator else url
