"""Since when a run has a node, and until when: for nodes that a cycle did not have."""

from __future__ import annotations

from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader


def absence(reader: RecordingReader, node: str, seq: int) -> str:
    """Why the state after the first ``seq`` events does not have the node, "" where it has it."""
    if node in reader.state_at(seq).nodes:
        return ""
    gone, came = None, None
    for number, event in reader.events_of(0, reader.head_seq(), ev.ObjectChanged):
        if event.kind == "Node" and event.key == node:
            if number < seq and event.action == "deleted":
                gone = (number, event.at)
            if number >= seq and event.action == "added" and came is None:
                came = (number, event.at)
    parts = [f"deleted at {clock(gone[1])} (seq {gone[0]:,})"] if gone else []
    if came:
        parts.append(f"{'again ' if gone else ''}added at {clock(came[1])} (seq {came[0]:,}), after this cycle")
    return f"did not exist then: {'; '.join(parts)}" if parts else "the run has no node of this name"


def clock(us: int) -> str:
    """Virtual time as hours, minutes and seconds: "00:05:30.971"."""
    seconds, micro = divmod(us, 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micro // 1000:03}"
