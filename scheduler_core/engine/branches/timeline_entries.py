"""Changes of a branch as entries of a timeline, so that an ordinary run decides the same.

A change comes between two steps of the engine, at the virtual time of that moment. An entry of a timeline comes first
of all that its moment has. So where something else happened at the moment of the change before it, such as a
scheduling cycle, the entry comes a microsecond later.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.engine.timelines import entry_time, timeline_from_raw
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording.events import AnyEvent, CreationRefused, CycleStarted, ObjectChanged, QueueMove
from scheduler_core.workloads.timeline import Action

Raw = Mapping[str, Any]


class EntryMoment(msgspec.Struct, frozen=True):
    """When entries come in the place of changes: at virtual time ``at``, after a number of entries of the timeline.

    ``is_later``: a microsecond after the changes themselves. ``is_among``: the run does more at this very moment, and
    one that follows the timeline may do that in another order.
    """

    at: int
    n_before: int
    is_later: bool = False
    is_among: bool = False


class RecordedPlace(msgspec.Struct, frozen=True):
    """Where changes lie in the recording of their branch: at seq ``seq`` and virtual time ``at``.

    ``events`` are all of that time, each with the seq of its cause; ``first`` is the seq of the first of them.
    """

    seq: int
    at: int
    first: int
    events: Sequence[tuple[AnyEvent, int | None]]


class MovedChange(msgspec.Struct, frozen=True):
    """A change of an object in its file form, and when its entry comes."""

    moment: EntryMoment
    action: Action
    manifest: Raw


def entry_moment(place: RecordedPlace) -> EntryMoment:
    """The moment for changes at this place."""
    n_before, are_of_inputs, is_of_clock = 0, list[bool](), True
    before = place.events[: place.seq - place.first]
    for event, cause in before:
        if isinstance(event, ObjectChanged | CreationRefused) and event.entry is not None:
            n_before = max(n_before, event.entry + 1)
        follows = cause is not None and cause >= place.first and are_of_inputs[cause - place.first]
        are_of_inputs.append(not isinstance(event, CycleStarted) and (follows or _is_input(event, cause)))
        is_of_clock = is_of_clock and not isinstance(event, CycleStarted)
    if all(are_of_inputs):
        return EntryMoment(place.at, n_before)
    if not _more_follows(place):
        return EntryMoment(place.at + 1, n_before, is_later=True)
    return EntryMoment(place.at + (not is_of_clock), n_before, is_later=not is_of_clock, is_among=True)


def _more_follows(place: RecordedPlace) -> bool:
    """Whether a cycle, or anything that would come without the changes, comes after them at their very moment."""
    behind = place.events[place.seq - place.first :]
    return any(
        isinstance(event, CycleStarted) or (cause is not None and cause < place.seq and not _is_input(event, cause))
        for event, cause in behind
    )


def _is_input(event: AnyEvent, cause: int | None) -> bool:
    if isinstance(event, ObjectChanged | CreationRefused) and (event.entry is not None or event.change is not None):
        return True
    return isinstance(event, QueueMove) and event.at == 0 and cause == NO_CAUSE


def timeline_with(raw: Raw, base: Sequence[Raw], changes: Sequence[MovedChange], without: Collection[int]) -> Raw:
    """The timeline ``raw`` with these changes, and without the entries of these indexes in order of time.

    ``base`` as of timeline_from_raw. Raises TimelineError where the changes cannot be read as entries.
    """
    entries = raw.get("entries") or ()
    times = [entry_time(one) for one in entries]
    order = sorted(range(len(entries)), key=times.__getitem__)
    lines = [(times[i], index, dict(entries[i])) for index, i in enumerate(order) if index not in without]
    for change in changes:
        place = next((i for i, line in enumerate(lines) if not _comes_before(line, change.moment)), len(lines))
        entry = {"at": time_text(change.moment.at), "action": _WORDS[change.action], "object": dict(change.manifest)}
        lines.insert(place, (change.moment.at, -1, entry))
    made = {"entries": [entry for _, _, entry in lines]}
    timeline_from_raw(made, base)
    return made


_WORDS = {"put": "update", "delete": "delete"}


def _comes_before(line: tuple[int, int, Any], moment: EntryMoment) -> bool:
    at, index, _ = line
    return at < moment.at or (at == moment.at and index < moment.n_before)


def time_text(us: int) -> str:
    """Virtual time as timelines have it: "3s", "0.25s"."""
    whole, part = divmod(us, 1_000_000)
    return f"{whole}s" if not part else f"{whole}.{part:06d}".rstrip("0") + "s"
