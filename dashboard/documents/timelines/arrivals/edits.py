"""Edits of the entries in an interval of a timeline: shift, stretch, remove, repeat, add. Each gives new entries.

Entries that an edit leaves alone are shared with those before it. They keep their places in the list, so an edit taken
back by its opposite gives the same timeline: entries of one time come in the order of the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dashboard.clusters.by_hand.copies import check_size, make_copy, names_for
from dashboard.clusters.revisions.object_keys import object_key
from dashboard.common.pages.numbers import plural
from dashboard.common.problems import Problem
from scheduler_core.simulate import MAX_TIMELINE_ENTRIES, TimelineError, entry_time, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
    from dashboard.documents.timelines.arrivals.rows import ArrivalRow

Entries = list[Mapping[str, Any]]
MOST_COPIES = 1_000
MOST_REPEATED_BYTES = 128 << 20
"""Of all entries that a repetition makes, as JSON: 200,000 of 670 bytes."""


@dataclass(frozen=True)
class ArrivalTarget:
    """What an edit is made on: the entries with their rows, those that are meant, and whether the deletions of what
    arrives among them follow.
    """

    entries: Sequence[Mapping[str, Any]]
    rows: Sequence[ArrivalRow]
    choice: ArrivalChoice
    with_ends: bool = False

    def chosen(self) -> list[ArrivalRow]:
        """Return the rows that are meant; raises Problem if there is none."""
        rows = self.choice.of(self.rows)
        if not rows:
            raise Problem("No entry is in this choice, so there is nothing to change. Choose another interval.")
        return rows

    def ends(self, chosen: Sequence[ArrivalRow]) -> dict[int, ArrivalRow]:
        """Return for the index of each deletion that follows the arrival that it ends; {} if none follows."""
        if not self.with_ends:
            return {}
        indexes = {row.place for row in chosen}
        last: dict[Key, ArrivalRow] = {}
        ends = {}
        for row in self.rows:
            if not row.is_end:
                last[row.key] = row
            elif (arrival := last.pop(row.key, None)) is not None and arrival.place in indexes:
                ends[row.place] = arrival
        return ends


@dataclass(frozen=True)
class EditedTimeline:
    """The new entries, the edit in words, the choice that its result is in, and the indexes of entries that are new."""

    entries: Entries
    name: str
    choice: ArrivalChoice
    fresh: list[int] = field(default_factory=list)


def shifted(target: ArrivalTarget, by: int) -> EditedTimeline:
    """Return the timeline with the chosen entries later by some microseconds, or earlier; raises Problem."""
    chosen = target.chosen()
    if not by:
        raise Problem("Shift by: 0 changes nothing. Write a time such as 5s, or -5s for earlier.")
    entries, n = _retimed(target, chosen, lambda row: row.at + by, f"shifted by {_signed(by)}")
    choice, end = target.choice, target.choice.end
    moved = choice.moved(max(0, choice.start + by), None if end is None else max(1, end + by))
    if choice.end is None and not choice.start:
        moved = choice
    return EditedTimeline(entries, f"Shift {_named(n, choice)} by {_signed(by)}", moved)


def stretched(target: ArrivalTarget, factor: float) -> EditedTimeline:
    """Return the timeline with the chosen entries `factor` times as far from the beginning of the interval."""
    chosen, choice = target.chosen(), target.choice
    if factor == 1:
        raise Problem("Stretch by: 1 changes nothing. Write a factor such as 2, or 0.5 for closer together.")

    def time_after(row: ArrivalRow) -> int:
        return choice.start + round((row.at - choice.start) * factor)

    entries, n = _retimed(target, chosen, time_after, f"stretched by {factor:g}")
    end = None if choice.end is None else choice.start + max(1, round((choice.end - choice.start) * factor))
    return EditedTimeline(entries, f"Stretch {_named(n, choice)} by {factor:g}", choice.moved(choice.start, end))


def without(target: ArrivalTarget) -> EditedTimeline:
    """Return the timeline without the chosen entries."""
    chosen = target.chosen()
    gone = {row.place for row in chosen} | target.ends(chosen).keys()
    entries = [entry for index, entry in enumerate(target.entries) if index not in gone]
    return EditedTimeline(entries, f"Remove {_named(len(gone), target.choice)}", target.choice)


@dataclass(frozen=True)
class Repetition:
    """How often the chosen entries come again, how long after one another, and under which names."""

    count: int
    every: int
    pattern: str


def repeated(target: ArrivalTarget, repetition: Repetition) -> EditedTimeline:
    """Return the timeline with copies of the chosen arrivals: `{name}` of the pattern is the name of the original,
    and the last # the number of the copy. Raises Problem.

    A copied pod waits for a node and has no owner, as copies in the editor of a cluster.
    """
    chosen = target.chosen()
    ends = target.ends(chosen)
    arrivals = [row for row in chosen if not row.is_end]
    if not arrivals:
        raise Problem("Only deletions are in this choice: there is no object to repeat. Choose what arrives.")
    originals = dict.fromkeys(row.key for row in arrivals)
    meant = {row.place for row in chosen} | ends.keys()
    copied = [row for row in target.rows if row.place in meant and row.key in originals]
    total = len(target.entries) + repetition.count * len(copied)
    if total > MAX_TIMELINE_ENTRIES:
        raise Problem(
            f"Copies: {repetition.count:,} of {plural(len(copied), 'entry', 'entries')} make {total:,} entries, more"
            f" than the {MAX_TIMELINE_ENTRIES:,} allowed. Repeat fewer."
        )
    check_size((dict(target.entries[row.place]) for row in copied), repetition.count, MOST_REPEATED_BYTES)
    names = _names(target, list(originals), repetition)
    made = []
    for number in range(repetition.count):
        for row in copied:
            at = row.at + (number + 1) * repetition.every
            raw = make_copy(target.entries[row.place]["object"], names[row.key][number], {})
            made.append((at, {"at": time_text(at), "action": row.action, "object": raw}))
    words = f"Repeat {_named(len(copied), target.choice)} {plural(repetition.count, 'time')}"
    return _merged(target, made, f"{words} every {time_text(repetition.every)}")


def added(target: ArrivalTarget, at: int, action: str, objects: Sequence[Mapping[str, Any]]) -> EditedTimeline:
    """Return the timeline with one more entry for each of the objects, all of one kind."""
    made = [(at, {"at": time_text(at), "action": action, "object": dict(raw)}) for raw in objects]
    first = object_key(objects[0]).label
    more = f" and {plural(len(made) - 1, 'more', 'more')}" if len(made) > 1 else ""
    return _merged(target, made, f"Add at {time_text(at)}: {action} {first}{more}")


# ---------------------------------------------------------------- small steps


def _retimed(
    target: ArrivalTarget, chosen: Sequence[ArrivalRow], time_after: Callable[[ArrivalRow], int], done: str
) -> tuple[Entries, int]:
    """Return the entries at their new times, and how many have one; a deletion that follows keeps its distance."""
    times = {row.place: time_after(row) for row in chosen}
    for index, arrival in (ends := target.ends(chosen)).items():
        times[index] = entry_time(target.entries[index]) + times[arrival.place] - arrival.at
    by_index = {row.place: row for row in target.rows if row.place in ends} | {row.place: row for row in chosen}
    entries = list(target.entries)
    for index, at in times.items():
        if at < 0:
            raise Problem(_too_early(by_index.values(), by_index[index], done))
        entries[index] = {**entries[index], "at": time_text(at)}
        try:
            entry_time(entries[index])
        except TimelineError:
            named = f"entries[{index}].at: {by_index[index].key.label}, {done}"
            raise Problem(f"{named}, would come later than a timeline can say.") from None
    return entries, len(times)


def _too_early(rows: Any, row: ArrivalRow, done: str) -> str:
    first = min(one.at for one in rows)
    most = f"Shift by -{time_text(first)} at the earliest" if first else "The first of these entries is at 0s already"
    return (
        f"entries[{row.place}].at: {row.key.label} at {time_text(row.at)}, {done}, would come before 0s. {most},"
        " or choose a later interval."
    )


def _names(target: ArrivalTarget, originals: Sequence[Key], repetition: Repetition) -> dict[Key, list[str]]:
    """Return the names of the copies of each object, none of which the timeline has."""
    taken: dict[tuple[str, str], set[str]] = {}
    for row in target.rows:
        taken.setdefault(row.key[:2], set()).add(row.key.name)
    names = {}
    for key in originals:
        pattern = repetition.pattern.replace("{name}", key.name)
        names[key] = names_for(pattern, repetition.count, taken[key[:2]])
        taken[key[:2]].update(names[key])
    return names


def _merged(target: ArrivalTarget, made: Sequence[tuple[int, dict[str, Any]]], name: str) -> EditedTimeline:
    """Return the entries with new ones: after those of their time where the list is in order of time, else at its
    end.
    """
    at_place = {row.place: row.at for row in target.rows}
    lines: list[tuple[int, bool, Mapping[str, Any]]] = [
        (at_place[place], False, entry) for place, entry in enumerate(target.entries)
    ]
    is_ordered = all(one[0] <= other[0] for one, other in pairwise(lines))
    lines += [(at, True, entry) for at, entry in made]
    if is_ordered:
        lines.sort(key=lambda line: line[0])
    if len(lines) > MAX_TIMELINE_ENTRIES:
        raise Problem(f"entries: {len(lines):,} are more than the {MAX_TIMELINE_ENTRIES:,} allowed.")
    fresh = [index for index, line in enumerate(lines) if line[1]]
    return EditedTimeline([line[2] for line in lines], name, target.choice, fresh)


def _named(count: int, choice: ArrivalChoice) -> str:
    parts = [plural(count, "entry", "entries")]
    parts += [f"of {choice.owner or choice.namespace}"] if choice.owner or choice.namespace else []
    return " ".join(parts + ([choice.interval] if choice.interval else []))


def _signed(us: int) -> str:
    return f"{'-' if us < 0 else '+'}{time_text(abs(us))}"
