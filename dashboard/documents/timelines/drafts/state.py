"""What a draft of a timeline holds: the entries of its base with its operations, and their rows, kept by content."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import zstandard

from dashboard.common.lru_cache import LruCache
from dashboard.documents.timelines.actions import entries_as_text, timeline_text
from dashboard.documents.timelines.arrivals.hunks import EntryCounts, Hunk, applied, count_entries, hunks_between
from dashboard.documents.timelines.arrivals.rows import StoredEntries, read_entries, rows_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.documents.models import TimelineDraft, TimelineOperation

# Of the longest timelines two states are remembered: the newest, and the one that Undo leads to.
KEPT_ENTRIES = 450_000


class DraftedEntries(NamedTuple):
    """The entries of a draft and those of its base; what the draft leaves alone is shared by both."""

    base: StoredEntries
    now: StoredEntries

    @property
    def hunks(self) -> list[Hunk]:
        """Return all that differs from the base."""
        return hunks_between(self.base.entries, self.now.entries)


_cache: LruCache[DraftedEntries] = LruCache(KEPT_ENTRIES, lambda drafted: 1 + len(drafted.now.entries))


class OpenedTimeline:
    """A draft that is opened to be read and edited; each part of what it holds is read once."""

    def __init__(self, draft: TimelineDraft) -> None:
        self.draft = draft
        self.operations: list[TimelineOperation] = list(draft.operations.defer("hunks", "text").order_by("number"))
        self._entries: DraftedEntries | None = None

    @property
    def applied(self) -> list[TimelineOperation]:
        """Return the operations that are not undone, in their order."""
        return [one for one in self.operations if not one.is_undone]

    @property
    def undoable(self) -> TimelineOperation | None:
        """Return the operation that Undo takes back."""
        return next(reversed(self.applied), None)

    @property
    def redoable(self) -> TimelineOperation | None:
        """Return the operation that Redo brings back."""
        return next((one for one in self.operations if one.is_undone), None)

    @property
    def entries(self) -> DraftedEntries:
        """Return what it holds; costs what its operations change where it was read before."""
        if self._entries is None:
            self._entries = _read(self.draft, self.applied)
        return self._entries

    @property
    def counts(self) -> EntryCounts:
        """Return how many entries differ from the base."""
        return count_entries(self.entries.hunks)

    @property
    def text(self) -> str:
        """Return the text of the last operation where somebody typed it, else the entries as YAML."""
        last = self.undoable
        if last is None:
            return timeline_text(self.draft.base)
        return read_text(last) or entries_as_text(self.entries.now.entries)

    @property
    def typed_text(self) -> str:
        """Return the text that somebody typed for just these entries, "" where nobody did."""
        return read_text(self.undoable) if self.undoable else ""


def _read(draft: TimelineDraft, operations: Sequence[TimelineOperation]) -> DraftedEntries:
    """Return the entries after these operations, made of the longest list of them that is kept."""
    keys = [_key(draft, operations[:count]) for count in range(len(operations) + 1)]
    first = next((count for count in range(len(operations), 0, -1) if _cache.peek(keys[count]) is not None), 0)

    def make() -> DraftedEntries:
        state = _cache.peek(keys[first]) if first else None
        if state is None:
            base = read_entries(draft.base)
            state = DraftedEntries(base, base)
        for one in operations[first:]:
            hunks = read_hunks(one)
            entries = applied(state.now.entries, hunks)
            state = DraftedEntries(state.base, StoredEntries(entries, rows_after(state.now, hunks, entries)))
        return state

    return _cache.get(keys[-1], make) if operations else make()


def _key(draft: TimelineDraft, operations: Sequence[TimelineOperation]) -> tuple[int, str, str]:
    chain = hashlib.sha256("".join(one.sha256 for one in operations).encode()).hexdigest()
    return draft.timeline.workspace_id, draft.base.sha256, chain


def packed(value: Any) -> bytes:
    """Return hunks, or a text, as an operation keeps them."""
    return zstandard.ZstdCompressor(level=3).compress(msgspec.json.encode(value))


def read_hunks(operation: TimelineOperation) -> list[Hunk]:
    """Return what an operation changes."""
    return msgspec.json.decode(zstandard.ZstdDecompressor().decompress(bytes(operation.hunks)), type=list[Hunk])


def read_text(operation: TimelineOperation) -> str:
    """Return the text that somebody typed with an operation, "" where nobody did."""
    packed_text = bytes(operation.text)
    return msgspec.json.decode(zstandard.ZstdDecompressor().decompress(packed_text), type=str) if packed_text else ""
