"""What happened to a claim in a run: each change of it that is recorded, in words."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.api.objects import ResourceClaim
from scheduler_core.explain.devices.cells import places_text
from scheduler_core.explain.devices.model import ClaimChange
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object
from scheduler_core.recording.reader import RecordingReader

_KIND, _MOST = "ResourceClaim", 60


def changes_of_claim(reader: RecordingReader, key: str, seq: int) -> tuple[ClaimChange, ...]:
    """The changes of the claim in the first ``seq`` events, the newest first; at most 60."""
    changes = [
        (number, event)
        for number, event in reader.select_events(0, seq, ev.ObjectChanged)
        if event.kind == _KIND and event.key == key
    ]
    said = [ClaimChange(number, event.at, text) for number, event, text in _in_words(changes)]
    return tuple(reversed(said))[:_MOST]


def _in_words(changes: list[tuple[int, ev.ObjectChanged]]) -> Iterator[tuple[int, ev.ObjectChanged, str]]:
    before: ResourceClaim | None = None
    for number, event in changes:
        now = decode_object(_KIND, event.object) if event.object else None
        if event.action == "deleted":
            yield number, event, "deleted"
        elif now is None:
            yield number, event, "changed by the timeline or by somebody"
        else:
            yield number, event, "; ".join(_changed(before, now)) or event.cause or "changed"
        before = now


def _changed(before: ResourceClaim | None, now: ResourceClaim) -> Iterator[str]:
    had, has = before.allocation if before else None, now.allocation
    if before is None and has is None and not now.reserved_for:
        yield "made, without devices"
    if has is not None and had is None:
        yield f"got {plural(len(has.devices), 'device')} on {places_text(has.node_selector)}"
    if has is None and had is not None:
        yield "lost its devices, which wakes the pods that wait for devices"
    users, others = (
        {one.name for one in now.reserved_for},
        {one.name for one in before.reserved_for} if before else set(),
    )
    if users - others:
        yield f"reserved for {listed(sorted(users - others), 'and')}"
    if others - users:
        yield f"no longer reserved for {listed(sorted(others - users), 'and')}"
    if now.deletion_timestamp is not None and (before is None or before.deletion_timestamp is None):
        yield "is being deleted, and stays as long as it is reserved"
