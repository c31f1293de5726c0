"""The first event in which two recordings differ, difference without reading what they share.

A chunk's header has the hash of all events up to its end, so equal hashes at a place where chunks of both recordings
end prove that everything before is the same. Such places are bisected; only what lies behind the last equal one is
read.
"""

from __future__ import annotations

from scheduler_core.recording.reader import RecordingReader

BATCH = 1024


def first_difference(a: RecordingReader, b: RecordingReader, end_a: int, end_b: int) -> int | None:
    """The first seq at which the event or its cause differs, or only one has an event before its end; None for none.

    Causes are compared where both recordings have them.
    """
    limit = min(end_a, end_b)
    for first in range(shared_prefix(a, b, limit), limit, BATCH):
        last = min(first + BATCH, limit) - 1
        difference = _difference(a, b, first, last)
        if difference is not None:
            return difference
    return None if end_a == end_b else limit


def _difference(a: RecordingReader, b: RecordingReader, first: int, last: int) -> int | None:
    events = zip(a.events(first, last), b.events(first, last), strict=True)
    causes = zip(a.causes(first, last), b.causes(first, last), strict=True)
    for ((seq, mine), (_, other)), (cause, other_cause) in zip(events, causes, strict=True):
        if mine != other or (cause != other_cause and None not in (cause, other_cause)):
            return seq
    return None


def shared_prefix(a: RecordingReader, b: RecordingReader, limit: int) -> int:
    """The last place up to ``limit`` at which chunks of both end and the hashes are the same, 0 where there is none."""
    low, high, equal_until = 0, a.store.n_chunks(), 0
    while low < high:
        middle = (low + high) // 2
        index = middle
        while index >= low and (same := _same_until(a, b, index, limit)) is None:
            index -= 1
        if index >= low and not same:
            high = index
            continue
        if index >= low:
            equal_until = a.store.header(index).end_seq
        low = middle + 1
    return equal_until


def _same_until(a: RecordingReader, b: RecordingReader, index: int, limit: int) -> bool | None:
    """Whether both have the same events up to the end of this chunk of the first; None where hashes cannot tell."""
    header = a.store.header(index)
    end = header.end_seq
    if end > limit:
        return None
    other = b.store.chunk_for_seq(end - 1)
    if other is None or other.end_seq != end or other.format_version != header.format_version:
        return None
    return header.hash == other.hash
