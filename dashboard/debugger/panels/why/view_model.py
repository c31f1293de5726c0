"""Why the cycle went as it did: the winner against the runner-up, the groups of refusals, the preemption."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import cpu, memory, signed, virtual_time
from dashboard.debugger.labels import CRITERION_LABELS, listed, plural, split_key
from dashboard.debugger.panels.matrix.view_model import FrameView, Group, groups_of
from scheduler_core.recording.vocabulary import CRITERIA, DRAW, NOT_STARTED, PRIORITY_SHIFT
from scheduler_core.simulate import EPOCH

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import Facts
    from dashboard.debugger.inputs.node_usage import Usage
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from scheduler_core.recording.events import PreemptionDecided, Refusal, VictimSet
    from scheduler_core.recording.state import RunState

BAND_NODES = 60
SHOWN_GROUPS = 60
SHOWN_CANDIDATES = 100
SHOWN_TIES = 8


# ---------------------------------------------------------------- the waterfall


@dataclass(frozen=True)
class Bar:
    """One node's points from a plugin; `share` 0..100 of the longest bar."""

    points: int
    share: float
    raw: int
    norm: int


@dataclass(frozen=True)
class Fall:
    """One plugin's line: points of each node shown, and the winner's lead; x and width are percents of the drop."""

    plugin: str
    weight: int
    bars: list[Bar]
    lead: int | None
    x: float
    width: float
    decided: bool
    kind: str

    @property
    def lead_words(self) -> str:
        """Return the lead with its sign."""
        return signed(self.lead) if self.lead is not None else ""


@dataclass(frozen=True)
class Contestant:
    """A node of the comparison: mark is win, second (the other one that is compared) or pinned.

    `tied` nodes have its total, itself included.
    """

    node: str
    mark: str
    total: int
    rank: int
    tied: int


@dataclass
class Waterfall:
    """The comparison of a scheduled pod; where the best total was had by several nodes, no plugin decided."""

    nodes: list[Contestant]
    falls: list[Fall]
    sentence: str
    lead: int | None
    best: int
    ties: list[str] = field(default_factory=list)
    n_ties: int = 1
    n_feasible: int = 0

    @property
    def is_tie(self) -> bool:
        """Return whether the winner was drawn among equals."""
        return self.n_ties > 1

    @property
    def others(self) -> int:
        """Return how many nodes beside the named second one have its total, the winner not counted."""
        named = next((node for node in self.nodes if node.mark == "second"), None)
        return named.tied - 1 - self.is_tie if named else 0


def waterfall(cycle: CycleView, view: FrameView, pinned: str) -> Waterfall | None:
    """Return winner, runner-up and the pinned node plugin by plugin; None where nothing was scored."""
    selected = cycle.selected
    if selected is None or cycle.scored is None or selected.node not in view.row_of:
        return None
    picked = [(selected.node, "win"), (selected.second, "second")]
    if (
        pinned in view.row_of
        and view.row_of[pinned] in view.feasible
        and pinned not in (selected.node, selected.second)
    ):
        picked.append((pinned, "pinned"))
    rows = [(view.row_of[name], mark) for name, mark in picked if name in view.row_of]
    falls = _falls(cycle, view, [row for row, _ in rows])
    lead = cycle.margin
    return Waterfall(
        nodes=[_contestant(view, row, mark) for row, mark in rows],
        falls=falls,
        sentence=_sentence(cycle, falls, lead),
        lead=lead,
        best=100 * sum(view.frame.weights),
        ties=_ties(view, selected.node, selected.total),
        n_ties=selected.tie_count,
        n_feasible=len(view.feasible),
    )


def _contestant(view: FrameView, row: int, mark: str) -> Contestant:
    total = int(view.totals[row])
    rank, tied = view.standing(total)
    return Contestant(view.names[row], mark, total, rank, tied)


def _falls(cycle: CycleView, view: FrameView, rows: list[int]) -> list[Fall]:
    frame = view.frame
    scored = cycle.scored.plugins if cycle.scored and not cycle.is_tie else ()
    decided = {score.plugin: score.decided for score in scored}
    points = np.array([view.values(i, "points")[rows] for i in range(len(frame.score_plugins))], dtype=np.int64)
    longest = max(int(points.max(initial=0)), 1)
    leads = points[:, 0] - points[:, 1] if len(rows) > 1 else None
    edges = np.concatenate(([0], np.cumsum(leads))) if leads is not None else np.zeros(len(points) + 1)
    low, span = float(edges.min()), max(float(edges.max() - edges.min()), 1.0)
    found = []
    for i, plugin in enumerate(frame.score_plugins):
        bars = [
            Bar(int(p), 100 * max(int(p), 0) / longest, int(frame.raw[i][row]), int(view.normalized(i)[row]))
            for p, row in zip(points[i], rows, strict=True)
        ]
        left, right = sorted((float(edges[i]), float(edges[i + 1])))
        lead = int(leads[i]) if leads is not None else None
        x, width = 100 * (left - low) / span, 100 * (right - left) / span
        kind = frame.normalizations[i].kind
        found.append(Fall(plugin, frame.weights[i], bars, lead, x, width, decided.get(plugin, False), kind))
    return found


def _sentence(cycle: CycleView, falls: list[Fall], lead: int | None) -> str:
    if lead is None:
        return "It was the only node that fitted."
    if lead == 0:
        n = cycle.selected.tie_count if cycle.selected else 2
        return f"{plural(n, 'node')} had the same total; one was drawn from the run's seed."
    gains = sorted((fall for fall in falls if (fall.lead or 0) > 0), key=lambda fall: -(fall.lead or 0))
    losses = [fall for fall in falls if (fall.lead or 0) < 0]
    words = f"The lead of {lead} comes from {listed([f'{f.plugin} ({f.lead_words})' for f in gains])}"
    if losses:
        words += f", less {listed([f'{f.plugin} ({f.lead_words})' for f in losses])}"
    return words + "."


def _ties(view: FrameView, drawn: str, total: int) -> list[str]:
    """The drawn node, then its equals by name."""
    rows = view.feasible[view.totals[view.feasible] == total]
    return sorted((view.names[int(row)] for row in rows), key=lambda name: (name != drawn, name))[:SHOWN_TIES]


# ---------------------------------------------------------------- nothing fits


@dataclass(frozen=True)
class Block:
    """A part of the band: a node or a share of them, x and width in percent."""

    meaning: str
    x: float
    width: float


@dataclass(frozen=True)
class Lack:
    """A group of refusals with what its nodes are short of, in words."""

    group: Group
    short: str


@dataclass
class Refusals:
    """Nodes by their first refusal."""

    groups: list[Lack]
    n_groups: int
    n_nodes: int
    may_change: int
    unresolvable: int
    feasible: int
    unvisited: int
    band: list[Block]
    n_filters: int


def refusals(cycle: CycleView, view: FrameView, usage: Usage | None, need: tuple[int, int] | None) -> Refusals:
    """Return the groups of refused nodes; `need` is the pod's (cpu, memory), to say how much is missing.

    `usage` has the nominated pods counted in that the filter phase counted.
    """
    groups = groups_of(view, view.refused) if len(view.refused) else []
    unresolvable = sum(group.count for group in groups if group.meaning == "unres")
    may_change = len(view.refused) - unresolvable
    n_nodes = view.rows.n_present
    return Refusals(
        groups=[Lack(group, _short(group, usage, need)) for group in groups[:SHOWN_GROUPS]],
        n_groups=len(groups),
        n_nodes=n_nodes,
        may_change=may_change,
        unresolvable=unresolvable,
        feasible=len(view.feasible),
        unvisited=n_nodes - int(view.visited.sum()),
        band=_band(len(view.feasible), may_change, unresolvable, n_nodes - int(view.visited.sum())),
        n_filters=len(view.frame.filter_plugins),
    )


def _band(feasible: int, may_change: int, unresolvable: int, unvisited: int) -> list[Block]:
    """One block per node where they are few, else shares."""
    parts = [("bound", feasible), ("unsched", may_change), ("unres", unresolvable), ("none", unvisited)]
    total = sum(count for _, count in parts)
    blocks, x = [], 0.0
    for meaning, count in parts:
        each = count if total <= BAND_NODES else min(count, 1)
        for _ in range(each):
            width = 100 * count / each / total
            blocks.append(Block(meaning, x, max(width - (0.6 if total <= BAND_NODES else 0.2), 0.2)))
            x += width
    return blocks


def _short(group: Group, usage: Usage | None, need: tuple[int, int] | None) -> str:
    """How much the group's nodes lack, for refusals of NodeResourcesFit."""
    if usage is None or need is None or group.plugin != "NodeResourcesFit":
        return ""
    rows = [usage.index[name] for name in group.names if name in usage.index]
    words = []
    for asked, used, whole, form, name in (
        (need[0], usage.cpu, usage.cpu_whole, cpu, "cpu"),
        (need[1], usage.memory, usage.memory_whole, memory, "memory"),
    ):
        gaps = asked - (whole[rows] - used[rows])
        gaps = gaps[gaps > 0]
        if len(gaps) and name in group.reason:
            low, high = form(int(gaps.min())), form(int(gaps.max()))
            words.append(f"{low} {name}" if low == high else f"{low} to {high} {name}")
    return f"short by {' and '.join(words)}" if words else ""


# ---------------------------------------------------------------- preemption


@dataclass(frozen=True)
class Victim:
    """A victim or reprieved pod, with what it asks for in words ("" unknown); `uid` is "" for the first of its name."""

    key: str
    name: str
    words: str
    uid: str = ""


@dataclass(frozen=True)
class Candidate:
    """A candidate node: `out` is the number of the criterion that threw it out (0: chosen or drawn against)."""

    node: str
    victims: list[Victim]
    reprieved: list[Victim]
    violations: int
    highest: int
    sum: int
    raw_sum: int
    count: int
    start: str
    is_chosen: bool
    out: int


@dataclass(frozen=True)
class Step:
    """A criterion of the funnel; `before_share` and `after_share` are percents of all candidates."""

    number: int
    words: str
    before: int
    after: int
    before_share: float
    after_share: float
    decided: bool
    used: bool

    @property
    def drops(self) -> int:
        """Return how many candidates it threw out."""
        return self.before - self.after


@dataclass
class Theatre:
    """A preemption as the page shows it."""

    event: PreemptionDecided
    candidates: list[Candidate]
    n_candidates: int
    steps: list[Step]
    chosen: Candidate | None
    decided: str
    key_step: int
    not_candidates: list[Refusal]
    n_not: int
    unhelpful: int

    @property
    def n_tried(self) -> int:
        """Return on how many nodes the dry run was: it ends where it has found enough candidates."""
        return self.n_candidates + self.n_not

    @property
    def last_round(self) -> tuple[int, ...]:
        """Return the `out` of the candidates that the deciding criterion compared."""
        return (0, self.key_step)


def theatre(event: PreemptionDecided, n_nodes: int, facts: Facts | None, state: RunState) -> Theatre:
    """Return the preemption with its candidates in the order in which they fell, the chosen one first."""
    ruled_out = event.eliminations()
    candidates = [_candidate(one, event, ruled_out.get(one.node, 0), facts, state) for one in event.candidates]
    candidates.sort(key=lambda one: (not one.is_chosen, -(one.out or 99), one.node))
    not_candidates = list(event.not_candidates)
    return Theatre(
        event=event,
        candidates=candidates[:SHOWN_CANDIDATES],
        n_candidates=len(candidates),
        steps=_steps(event),
        chosen=next((one for one in candidates if one.is_chosen), None),
        decided=CRITERION_LABELS.get(event.criterion, event.criterion),
        key_step=next((i for i, step in enumerate(event.steps, 1) if step.criterion == event.criterion), 0),
        not_candidates=not_candidates,
        n_not=sum(refusal.count for refusal in not_candidates),
        unhelpful=max(n_nodes - event.potential, 0) if event.eligible else 0,
    )


def _candidate(one: VictimSet, event: PreemptionDecided, out: int, facts: Facts | None, state: RunState) -> Candidate:
    return Candidate(
        node=one.node,
        victims=[_victim(pod, facts, state) for pod in one.victims],
        reprieved=[_victim(pod, facts, state) for pod in one.reprieved],
        violations=one.violations,
        highest=one.highest_priority,
        sum=one.priority_sum - PRIORITY_SHIFT * len(one.victims),
        raw_sum=one.priority_sum,
        count=len(one.victims),
        start=_start(one.latest_start, facts.epoch if facts else EPOCH),
        is_chosen=one.node == event.nominated_node,
        out=out,
    )


def _start(micros: int, epoch: float) -> str:
    """A start within the run as virtual time, one before it as a date."""
    if micros == NOT_STARTED:
        return "not started"
    since = micros - int(epoch * 1_000_000)
    if since >= 0:
        return virtual_time(since, 1_000_000)
    return f"{datetime.fromtimestamp(micros / 1_000_000, UTC):%Y-%m-%d %H:%M:%S}" if micros else "unknown"


def _victim(key: str, facts: Facts | None, state: RunState) -> Victim:
    pod = facts.pod(key, state) if facts else None
    words = f"priority {pod.priority}, cpu {cpu(pod.cpu)}, memory {memory(pod.memory)}" if pod else ""
    return Victim(key, split_key(key)[1], words, state.uids.get(key, ""))


def _steps(event: PreemptionDecided) -> list[Step]:
    total = max(len(event.candidates), 1)
    used = {step.criterion: step for step in event.steps}
    last = event.steps[-1].after if event.steps else len(event.candidates)

    def step_of(number: int, name: str, before: int, after: int) -> Step:
        return Step(
            number=number,
            words=CRITERION_LABELS[name],
            before=before,
            after=after,
            before_share=100 * before / total,
            after_share=100 * after / total,
            decided=event.criterion == name,
            used=name in used or name == DRAW,
        )

    steps = [
        step_of(number, name, used[name].before if name in used else last, used[name].after if name in used else last)
        for number, name in enumerate(CRITERIA, start=1)
    ]
    if event.criterion == DRAW:
        steps.append(step_of(len(CRITERIA) + 1, DRAW, last, 1))
    return steps
