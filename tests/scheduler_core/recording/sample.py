"""Generated runs for the tests of recordings: a plausible sequence of events and frames from a seed.

The same steps can be fed to several recorders, cut into chunks anywhere between cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from scheduler_core.framework.contracts.normalizers import CUSTOM, DEFAULT, IDENTITY, MIN_MAX, SPREAD
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.framework.preemption.decision import encode, pack
from scheduler_core.recording import Chunk, Frame, MemoryStore, OverlayEntry, Recorder, RunState
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILTERS = ("NodeName", "TaintToleration", "NodeResourcesFit")
SCORES = ("NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "Outside")
WEIGHTS = (1, 2, 2, 5)
TEXTS: tuple[tuple[str, ...], ...] = (
    (),
    ("Insufficient cpu",),
    ("Insufficient cpu", "Insufficient memory"),
    ("node(s) had untolerated taint {key: value}",),
    ("节点不可用",),
)
NOT_VISITED, PASSED = -2, -1


@dataclass
class FrameDraft:
    """A frame whose reasons are indexes into TEXTS; ``for_recorder`` gives them the ids of a recorder's table."""

    cycle: int
    template: int
    codes: NDArray[np.uint8]
    texts: NDArray[np.int64]
    visited: NDArray[np.bool_]
    raw: NDArray[np.int64]
    custom: NDArray[np.int64]
    overlay: tuple[OverlayEntry, ...] = ()

    def for_recorder(self, recorder: Recorder, order: Sequence[int] = range(len(TEXTS))) -> Frame:
        """The frame; ``order`` is the order in which the texts are interned, so the ids that they get."""
        for i in order:
            recorder.reasons.intern(TEXTS[i])
        ids = np.array([recorder.reasons.intern(text) for text in TEXTS], dtype=np.int32)
        n = self.codes.shape[1]
        refusing = self.codes != 0
        decisive = np.where(refusing.any(axis=0), refusing.argmax(axis=0), PASSED).astype(np.int16)
        decisive[~self.visited] = NOT_VISITED
        feasible = decisive == PASSED
        feasible[[entry.row for entry in self.overlay]] = False
        raw = np.where(feasible, self.raw, 0)
        scored = int(feasible.sum()) > 1
        return Frame(
            cycle=self.cycle,
            template=self.template,
            n_rows=n,
            filter_plugins=FILTERS,
            codes=self.codes,
            reasons=ids[self.texts],
            decisive=decisive,
            overlay=self.overlay,
            score_plugins=SCORES if scored else (),
            weights=WEIGHTS if scored else (),
            normalizations=_normalizations(raw, feasible, np.where(feasible, self.custom, 0)) if scored else (),
            raw=raw if scored else raw[:0],
            reason_table=recorder.reasons.entries,
        )


def _normalizations(
    raw: NDArray[np.int64], feasible: NDArray[np.bool_], custom: NDArray[np.int64]
) -> tuple[Normalization, ...]:
    rows = raw[:, feasible]
    return (
        Normalization(DEFAULT, (int(rows[0].max()),)),
        Normalization(SPREAD, (int(rows[1].min()), int(rows[1].max()))),
        Normalization(MIN_MAX, (int(rows[2].min()), int(rows[2].max()))),
        Normalization(CUSTOM, (), custom),
    )


Step = ev.AnyEvent | FrameDraft


@dataclass
class Sample:
    """A generated run. ``steps`` hold events and frame drafts in order; ``rows`` maps nodes to rows at the start."""

    seed: int
    n_nodes: int = 6
    rng: Random = field(init=False)
    steps: list[Step] = field(default_factory=list)
    at: int = 0
    cycle: int = 0
    pods: int = 0

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.rows = {f"node-{i}": i for i in range(self.n_nodes)}
        self.initial = RunState.initial(self.rows, {"kube-system/dns": "node-0"})
        self.live = dict(self.rows)
        self.waiting: list[str] = []
        self.bound: list[str] = ["kube-system/dns"]
        self.drafts: dict[int, FrameDraft] = {}

    def emit(self, step: Step) -> None:
        self.steps.append(step)

    def run(self, cycles: int) -> Sample:
        """Generate so many cycles with what happens between them."""
        for _ in range(cycles):
            self.at += self.rng.randrange(3)
            self._between()
            self._one_cycle()
        return self

    def _between(self) -> None:
        chance = self.rng.random()
        if chance < 0.1:
            self._node_comes()
        elif chance < 0.2 and len(self.live) > 2:
            name = self.rng.choice(sorted(self.live))
            self.emit(ev.ObjectChanged(at=self.at, kind="Node", key=name, action="deleted", row=self.live.pop(name)))
        elif chance < 0.3 and self.bound:
            pod = self.bound.pop(self.rng.randrange(len(self.bound)))
            self.emit(ev.ObjectChanged(at=self.at, kind="Pod", key=pod, action="deleted", cause="completed"))
        while self.waiting and self.rng.random() < 0.4:
            pod = self.waiting.pop(0)
            self._move(pod, "unschedulable", "backoff", "NodeAdd", plugin="NodeResourcesFit", backoff_until=self.at + 5)
            self._move(pod, "backoff", "active", "BackoffComplete")
            self._move(pod, "active", "", "PodDelete")

    def _node_comes(self) -> None:
        free = next(row for row in range(len(self.live) + 1) if row not in self.live.values())
        name = f"node-{self.at}-{self.cycle}"
        self.live[name] = free
        self.emit(ev.ObjectChanged(at=self.at, kind="Node", key=name, action="added", row=free))

    def _move(self, pod: str, source: str, target: str, event: str, **more: object) -> None:
        self.emit(ev.QueueMove(at=self.at, pod=pod, source=source, target=target, event=event, **more))  # type: ignore[arg-type]

    def _one_cycle(self) -> None:
        self.cycle += 1
        pod, template = f"team/pod-{self.pods}", self.rng.randrange(3)
        self.pods += 1
        self.emit(ev.ObjectChanged(at=self.at, kind="Pod", key=pod, action="added", entry=self.pods))
        priority = self.rng.choice([0, 0, 100])
        self._move(pod, "", "active", "PodAdd", priority=priority, timestamp=self.at)
        self._move(pod, "active", "in_flight", "Popped", priority=priority, timestamp=self.at, attempts=1)
        self.emit(
            ev.CycleStarted(
                at=self.at, cycle=self.cycle, pod=pod, attempt=1, profile="default-scheduler", priority=priority,
                template=template, n_nodes=len(self.live),
            )
        )  # fmt: skip
        if self.rng.random() < 0.1:
            self._refused_before_filter(pod)
            return
        self.emit(ev.PointFinished(at=self.at, cycle=self.cycle, point="PreFilter"))
        draft = self._draft(template)
        if self.rng.random() < 0.6:
            self._scheduled(pod, draft)
        else:
            self._failed(pod, draft)

    def _refused_before_filter(self, pod: str) -> None:
        status = ev.PluginStatus("NodeAffinity", 3, ("node(s) didn't match Pod's node affinity/selector",))
        self.emit(ev.PointFinished(at=self.at, cycle=self.cycle, point="PreFilter", statuses=(status,)))
        self._move(pod, "in_flight", "unschedulable", "ScheduleAttemptFailure", plugins=("NodeAffinity",))
        self.waiting.append(pod)
        self._finished(pod, "unschedulable")

    def _finished(self, pod: str, outcome: str, node: str = "") -> None:
        message = "" if node else f"0/{len(self.live)} nodes are available"
        self.emit(ev.CycleFinished(at=self.at, cycle=self.cycle, pod=pod, outcome=outcome, node=node, message=message))

    def _scheduled(self, pod: str, draft: FrameDraft) -> None:
        node, at, cycle = self.rng.choice(sorted(self.live)), self.at, self.cycle
        self.emit(ev.NodesFiltered(at=at, cycle=cycle, visited=len(self.live), feasible=2))
        self.emit(draft)
        summary = ev.ScoreSummary("NodeResourcesFit", 1, IDENTITY, (), 90, 90, 80, 80, 0, 90, 41.5, True)
        self.emit(ev.NodesScored(at=at, cycle=cycle, plugins=(summary,)))
        self.emit(
            ev.HostSelected(at=at, cycle=cycle, node=node, total=90, second="node-1", second_total=80, ties=b"\x80")
        )
        self.emit(ev.Reserved(at=at, cycle=cycle, pod=pod, node=node))
        held = self.rng.random() < 0.2
        if held:
            self.emit(
                ev.PermitWaiting(at=at, cycle=cycle, pod=pod, node=node, plugins=("Coscheduling",), deadline=at + 9)
            )
        self._finished(pod, "scheduled", node)
        if held:
            self.at += 1
            self.emit(ev.PermitDecided(at=self.at, cycle=cycle, pod=pod, plugin="Coscheduling", allowed=True))
        self._move(pod, "in_flight", "", "Done")
        if self.rng.random() < 0.1:
            self.emit(ev.Unreserved(at=self.at, cycle=cycle, pod=pod, node=node, reason="binding failed"))
            return
        self.emit(ev.Bound(at=self.at, cycle=cycle, pod=pod, node=node))
        self.bound.append(pod)

    def _failed(self, pod: str, draft: FrameDraft) -> None:
        at, cycle = self.at, self.cycle
        refusal = ev.Refusal("NodeResourcesFit", 2, ("Insufficient cpu",), len(self.live))
        self.emit(ev.NodesFiltered(at=at, cycle=cycle, visited=len(self.live), feasible=0, refusals=(refusal,)))
        self.emit(draft)
        if self.bound and self.rng.random() < 0.5:
            victim, node = self.rng.choice(self.bound), self.rng.choice(sorted(self.live))
            chosen = ev.VictimSet(node, (victim,), 1, ("team/spared",))
            self.emit(
                ev.PreemptionDecided(
                    at=at, cycle=cycle, pod=pod, eligible=True, nominated_node=node,
                    packed=pack([encode(chosen)]), chosen=chosen, criterion="only",
                )
            )  # fmt: skip
            cause = f"preempted by {pod}"
            self.emit(ev.ObjectChanged(at=at, kind="Pod", key=victim, action="updated", cause=cause))
            self.emit(ev.Nominated(at=at, pod=pod, node=node))
        self._move(pod, "in_flight", "unschedulable", "ScheduleAttemptFailure", plugins=("NodeResourcesFit",))
        self.waiting.append(pod)
        self._finished(pod, "unschedulable")

    def _draft(self, template: int) -> FrameDraft:
        """The template's last frame with a few cells changed; a new one where the number of rows changed."""
        n = max(self.live.values()) + 1
        draft = self.drafts.get(template)
        if draft is None or draft.codes.shape[1] != n:
            draft = self._fresh_draft(template, n)
        codes, texts, raw = draft.codes.copy(), draft.texts.copy(), draft.raw.copy()
        for _ in range(2):
            plugin, row = self.rng.randrange(len(FILTERS)), self.rng.randrange(n)
            codes[plugin, row] = self.rng.choice([0, 0, 0, 2, 3])
            texts[plugin, row] = self.rng.randrange(1, len(TEXTS)) if codes[plugin, row] else 0
            raw[self.rng.randrange(len(SCORES)), row] = self.rng.choice([0, 7, 100, 200, 70_000, 2**40])
        visited = np.zeros(n, dtype=bool)
        visited[list(self.live.values())] = True
        codes[:, ~visited], texts[:, ~visited] = 0, 0
        overlay: tuple[OverlayEntry, ...] = ()
        if self.rng.random() < 0.2:
            row = self.rng.choice(sorted(self.live.values()))
            overlay = (OverlayEntry(row, "NodeResourcesFit", 2, ("Insufficient memory",)),)
        draft = replace(draft, cycle=self.cycle, codes=codes, texts=texts, raw=raw, visited=visited, overlay=overlay)
        self.drafts[template] = draft
        return draft

    def _fresh_draft(self, template: int, n: int) -> FrameDraft:
        return FrameDraft(
            cycle=self.cycle,
            template=template,
            codes=np.zeros((len(FILTERS), n), dtype=np.uint8),
            texts=np.zeros((len(FILTERS), n), dtype=np.int64),
            visited=np.ones(n, dtype=bool),
            raw=np.array([[self.rng.randrange(100) for _ in range(n)] for _ in SCORES], dtype=np.int64),
            custom=np.array([self.rng.randrange(101) for _ in range(n)], dtype=np.int64),
        )


Cut = Callable[[int], bool]


@dataclass
class Recorded:
    """What recording a sample gave: the store, the recorder at its end, and every frame as it was handed over."""

    store: MemoryStore
    recorder: Recorder
    frames: dict[int, Frame]


def cause_in_sample(seq: int) -> int:
    """What the recorder is told to have caused the event of that seq: the start, or one of the three events before."""
    return seq - seq % 4 if seq % 4 else NO_CAUSE


def record(
    sample: Sample,
    cut: Cut = lambda cycle: False,
    resume: Cut = lambda cycle: False,
    order: Sequence[int] = range(len(TEXTS)),
) -> Recorded:
    """Record the steps; cut a chunk before each cycle that ``cut`` names, and go on from its keyframe where told."""
    recorder = Recorder(state=sample.initial.copy())
    store = MemoryStore(recorder.keyframe({"engine": 0}))
    frames: dict[int, Frame] = {}
    for step in sample.steps:
        if isinstance(step, ev.CycleStarted) and cut(step.cycle):
            store.add(recorder.cut_chunk({"before": step.cycle}))
            if resume(step.cycle) and store.chunks:
                keyframe = store.chunks[-1].keyframe
                assert keyframe is not None
                recorder = Recorder.from_keyframe(keyframe, start=sample.initial.placements)
        if isinstance(step, FrameDraft):
            frames[step.cycle] = step.for_recorder(recorder, order)
            recorder.frame(frames[step.cycle])
        else:
            recorder.event(step, cause_in_sample(recorder.head_seq))
    store.add(recorder.cut_chunk({"end": True}))
    return Recorded(store, recorder, frames)


def frame_facts(frame: Frame) -> tuple[object, ...]:
    """A frame as comparable values, with reasons as texts."""
    texts = [[frame.reason_table[i] for i in row] for row in frame.reasons.tolist()]
    normals = [(n.kind, tuple(n.params)) for n in frame.normalizations]
    raw = np.zeros_like(frame.raw)  # what the engine's own frames hold on rows that are not feasible means nothing
    raw[:, frame.feasible()] = frame.raw[:, frame.feasible()]
    return (
        frame.cycle, frame.template, frame.n_rows, frame.filter_plugins, frame.codes.tolist(), texts,
        frame.decisive.tolist(), tuple(frame.overlay), frame.score_plugins, frame.weights, normals, raw.tolist(),
        [frame.normalized(i).tolist() for i in range(len(frame.score_plugins))], frame.totals().tolist(),
    )  # fmt: skip


def only_events(steps: Iterable[Step]) -> list[ev.AnyEvent]:
    """The events among the steps."""
    return [step for step in steps if not isinstance(step, FrameDraft)]


def sizes(chunks: Iterable[Chunk]) -> list[int]:
    """Events per chunk."""
    return [chunk.n_events for chunk in chunks]
