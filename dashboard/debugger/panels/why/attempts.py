"""A pod's attempts, and what changed in the cluster between one and the next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

from dashboard.common.lru_cache import LruCache
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.labels import OUTCOMES, event_words, listed, plural, seconds
from dashboard.debugger.panels.cycle_list import reason_texts
from dashboard.runs import queries
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.runs.models import Cycle, PluginVerdict, QueueMove, Run
    from dashboard.runs.queries import PodHistory

# So many attempts are listed, those around the one that is looked at.
SHOWN = 8
# So many events between attempts are read per page; over longer stretches only time and verdicts are compared.
MOST_EVENTS = 40_000
NAMED = 2
KEPT = 256
# What tells of objects: the others are left out while reading.
_TOLD = (ev.ObjectChanged, ev.Bound)
_LEFT_OUT = tuple(kind for kind in get_args(ev.AnyEvent) if kind not in _TOLD)
# Moves that bring no pod back by themselves.
_QUIET = ("Popped", "BackoffComplete", "PopFromBackoffQ", "Done", "ScheduleAttemptFailure")


@dataclass(frozen=True)
class Change:
    """What went on in the cluster between two attempts: `lines` say it, none where nothing of that kind happened.

    `span` is the virtual time between them; `is_read` tells whether the events between them were read at all.
    `verdicts` says how the refusals differ: "" where either attempt refused no node.
    """

    span: str
    lines: tuple[str, ...]
    verdicts: str
    is_read: bool = True


@dataclass(frozen=True)
class Attempt:
    """One attempt: `woken` is what brought the pod back for it, `refused` who refused in one line.

    `change` is what went on since the attempt before, None for the first that is listed.
    """

    number: int
    cycle: int
    at: int
    meaning: str
    word: str
    woken: str
    refused: str
    is_here: bool
    change: Change | None


@dataclass(frozen=True)
class AttemptLog:
    """The attempts around the one that is looked at, of `total`."""

    attempts: list[Attempt]
    total: int

    @property
    def place_text(self) -> str:
        """Return which of them are listed: "tried once", "6 attempts", "attempts 3 to 10 of 40"."""
        if self.total == 1:
            return "tried once"
        if len(self.attempts) == self.total:
            return plural(self.total, "attempt")
        first, last = self.attempts[0].number, self.attempts[-1].number
        return f"attempts {grouped(first)} to {grouped(last)} of {grouped(self.total)}"


def attempt_log(run: Run, history: PodHistory, cycle: int) -> AttemptLog:
    """Return the attempts of a pod around that of a cycle; raises RecordingError for what cannot be read."""
    cycles = history.cycles
    here = next((i for i, one in enumerate(cycles) if one.number == cycle), len(cycles) - 1)
    first = max(min(here - SHOWN // 2, len(cycles) - SHOWN), 0)
    shown = cycles[first : first + SHOWN]
    numbers = [one.number for one in shown]
    verdicts, texts = queries.verdicts_among(run, numbers), reason_texts(run, numbers)
    changes = [None, *(_change(run, pair, verdicts) for pair in pairwise(shown))] if shown else []
    found = [
        _attempt(one, _woken(history.moves, one), texts.get(one.number, ""), one.number == cycle, change)
        for one, change in zip(shown, changes, strict=True)
    ]
    return AttemptLog(found, len(cycles))


def _attempt(cycle: Cycle, woken: str, refused: str, is_here: bool, change: Change | None) -> Attempt:
    meaning, word = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    told = refused if cycle.outcome != "scheduled" else f"on {cycle.node}"
    return Attempt(
        number=cycle.attempt,
        cycle=cycle.number,
        at=cycle.at_us,
        meaning=meaning,
        word=word,
        woken=woken,
        refused=told or cycle.message,
        is_here=is_here,
        change=change,
    )


def _woken(moves: Sequence[QueueMove], cycle: Cycle) -> str:
    """What brought the pod back for the cycle, past the backoff that it sat out; "" where that is not recorded."""
    before = [move for move in moves if move.seq < cycle.first_seq and move.event not in _QUIET and move.target]
    if not before:
        return ""
    move = before[-1]
    hint = f", hint of {move.plugin}" if move.plugin else ""
    return f"{event_words(move.event)}{hint}"


def _change(run: Run, pair: tuple[Cycle, Cycle], verdicts: dict[int, list[PluginVerdict]]) -> Change:
    before, after = pair
    span = seconds(after.at_us - before.at_us)
    told = _difference(verdicts.get(before.number, []), verdicts.get(after.number, []))
    if after.first_seq - before.last_seq > MOST_EVENTS:
        return Change(span, (), told, is_read=False)
    return Change(span, _between(run, before.last_seq + 1, after.first_seq), told)


# ---------------------------------------------------------------- verdicts


def _difference(before: list[PluginVerdict], after: list[PluginVerdict]) -> str:
    """How the refusals of two attempts differ, in numbers of nodes."""
    if not before or not after:
        return ""
    counts, later = _counts(before), _counts(after)
    if counts == later:
        total = sum(counts.values())
        return f"The same plugins refused {'the one node' if total == 1 else f'as many of the {grouped(total)} nodes'}."
    by_plugin, by_plugin_later = _by_plugin(counts), _by_plugin(later)
    changed = [
        f"{plugin} {grouped(by_plugin.get(plugin, 0))} to {grouped(by_plugin_later.get(plugin, 0))}"
        for plugin in dict.fromkeys((*by_plugin, *by_plugin_later))
        if by_plugin.get(plugin, 0) != by_plugin_later.get(plugin, 0)
    ]
    if not changed:
        return "The same plugins refused as many nodes, for other reasons."
    return f"Nodes refused: {listed(changed)}."


def _counts(verdicts: list[PluginVerdict]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for one in verdicts:
        found[one.plugin, one.reasons] += one.nodes
    return found


def _by_plugin(counts: Counter[tuple[str, str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for (plugin, _), nodes in counts.items():
        found[plugin] = found.get(plugin, 0) + nodes
    return found


# ---------------------------------------------------------------- objects

_kept: LruCache[tuple[str, ...]] = LruCache(KEPT)


def _between(run: Run, first: int, end: int) -> tuple[str, ...]:
    """What happened to nodes and to pods on nodes from event `first` to before `end`; kept, as it never changes."""
    return _kept.get((run.pk, run.created_at, first, end), lambda: _read(run, first, end))


def _read(run: Run, first: int, end: int) -> tuple[str, ...]:
    events = recordings.read(run.pk, lambda reader: list(reader.events_without(_LEFT_OUT, first, end)))
    nodes: dict[str, list[str]] = {}
    bound, left = 0, Counter[str]()
    for _, _, event in events:
        if isinstance(event, ev.Bound):
            bound += 1
        elif isinstance(event, ev.ObjectChanged) and event.kind == "Node":
            nodes.setdefault(event.action, []).append(event.key)
        elif isinstance(event, ev.ObjectChanged) and event.kind == "Pod" and event.action == "deleted":
            left["were preempted" if event.cause.startswith("preempted") else "were deleted"] += 1
        elif isinstance(event, ev.ObjectChanged) and event.cause == "completed":
            left["completed"] += 1
    lines = [_nodes(action, nodes[action]) for action in ("added", "updated", "deleted") if action in nodes]
    lines += [f"{plural(count, 'pod')} {_verb(words, count)}" for words, count in sorted(left.items())]
    if bound:
        lines.append(f"{plural(bound, 'pod')} bound")
    return tuple(lines)


def _verb(words: str, count: int) -> str:
    return words.replace("were ", "was ") if count == 1 else words


def _nodes(action: str, names: list[str]) -> str:
    """Which nodes: "node x added", "3 nodes updated: a, b, …"."""
    several = list(dict.fromkeys(names))
    if len(several) == 1:
        return f"node {several[0]} {action}"
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(several) > NAMED else ""
    return f"{plural(len(several), 'node')} {action}: {', '.join(several[:NAMED])}{more}"
