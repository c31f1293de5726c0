"""A preemption: its candidates, the criteria that chose among them, and the victims."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import cpu, grouped, memory
from dashboard.debugger.labels import CRITERION_LABELS, split_key
from scheduler_core.profiles.names import PREEMPTION
from scheduler_core.recording.times import clock
from scheduler_core.recording.vocabulary import CRITERIA, DRAW, NOT_STARTED, ONLY, PRIORITY_SHIFT, address_of_extender
from scheduler_core.simulate import EPOCH

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import Facts
    from scheduler_core.recording.events import ExtendersPreempted, PreemptionDecided, Refusal, VictimSet
    from scheduler_core.recording.state import RunState
SHOWN_CANDIDATES = 100
DEFAULT = PREEMPTION


@dataclass(frozen=True)
class VictimPod:
    """A victim or reprieved pod, with what it asks for as text ("" unknown); `uid` is "" for the first of its name."""

    key: str
    name: str
    requests: str
    uid: str = ""

    @property
    def thing(self) -> str:
        """Return what a comment on it is about."""
        return f"what becomes of {self.name}"


@dataclass(frozen=True)
class Value:
    """A candidate's value of a criterion.

    `look` marks the criterion that eliminated the candidate (is-cut) and the one that decided (is-key).
    """

    text: str
    look: str
    title: str = ""


@dataclass(frozen=True)
class CandidateNode:
    """A candidate node: `out` is the number of the criterion that eliminated it (0: chosen, or lost the final draw).

    `values` are those of the criteria, in their order.
    """

    node: str
    victims: list[VictimPod]
    reprieved: list[VictimPod]
    violations: int
    highest: int
    sum: int
    raw_sum: int
    count: int
    start: str
    is_chosen: bool
    out: int
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class FunnelStep:
    """A criterion of the funnel; `before_share` and `after_share` are percents of all candidates."""

    number: int
    label: str
    before: int
    after: int
    before_share: float
    after_share: float
    decided: bool
    used: bool

    @property
    def look(self) -> str:
        """Return the class of its line: the one that decided is lit, one that changed nothing is off."""
        if self.decided:
            return "is-lit"
        return "is-off" if not self.used or self.before == self.after else ""

    @property
    def drops(self) -> int:
        """Return how many candidates it eliminated."""
        return self.before - self.after

    @property
    def effect(self) -> str:
        """Return what it did to the candidates."""
        if self.decided:
            return "decided"
        if not self.used:
            return "not needed"
        return f"drops {grouped(self.drops)}" if self.drops else "same"


@dataclass
class PreemptionPanel:
    """A preemption as the page shows it; `plugin` is the one whose rules it followed, "" unknown."""

    event: PreemptionDecided
    plugin: str
    candidates: list[CandidateNode]
    n_candidates: int
    steps: list[FunnelStep]
    chosen: CandidateNode | None
    decided: str
    key_step: int
    not_candidates: list[Refusal]
    n_not: int
    unhelpful: int
    # How many candidates the plugin itself had, and what extenders made of them; both say nothing where none was asked.
    n_shown: int = 0
    extenders: list[ExtenderAnswer] = field(default_factory=list)

    @property
    def state(self) -> str:
        """Return what came of it; each has a partial of its name in templates/debugger/preemption/."""
        if not self.event.eligible:
            return "not_eligible"
        return "nominated" if self.chosen else "no_candidate"

    @property
    def template(self) -> str:
        """Return the partial of its state."""
        return f"debugger/preemption/_{self.state}.html"

    @property
    def how(self) -> str:
        """Return how the node was chosen, as a sentence."""
        ways = {ONLY: "It was the only candidate.", DRAW: "All criteria tied; the run's seed drew it."}
        return ways.get(self.event.criterion, f"Decided by: {self.decided.lower()}.")

    @property
    def is_search_drawn(self) -> bool:
        """Return whether the plugin has the run draw the node at which its search begins."""
        return self.plugin == DEFAULT

    @property
    def n_tried(self) -> int:
        """Return on how many nodes the dry run was done: it ends once it has found enough candidates."""
        return max(self.n_candidates, self.n_shown) + self.n_not


def preemption_panel(
    event: PreemptionDecided, plugin: str, n_nodes: int, facts: Facts | None, state: RunState
) -> PreemptionPanel:
    """Return the preemption with the chosen candidate first, then the others from the last eliminated to the first."""
    ruled_out = event.eliminations()
    key_step = next((i for i, step in enumerate(event.steps, 1) if step.criterion == event.criterion), 0)
    candidates = [_candidate(one, event, ruled_out.get(one.node, 0), facts, state) for one in event.candidates]
    candidates = [replace(one, values=_values(one, key_step)) for one in candidates]
    candidates.sort(key=lambda one: (not one.is_chosen, -(one.out or 99), one.node))
    not_candidates = list(event.not_candidates)
    return PreemptionPanel(
        event=event,
        plugin=plugin,
        candidates=candidates[:SHOWN_CANDIDATES],
        n_candidates=len(candidates),
        steps=_steps(event),
        chosen=next((one for one in candidates if one.is_chosen), None),
        decided=CRITERION_LABELS.get(event.criterion, event.criterion),
        key_step=key_step,
        not_candidates=not_candidates,
        n_not=sum(refusal.count for refusal in not_candidates),
        unhelpful=max(n_nodes - event.potential, 0) if event.eligible else 0,
    )


def _candidate(
    one: VictimSet, event: PreemptionDecided, out: int, facts: Facts | None, state: RunState
) -> CandidateNode:
    return CandidateNode(
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


def _values(one: CandidateNode, key_step: int) -> tuple[Value, ...]:
    """What the criteria compare, in their order; those that the deciding one compared are its last round."""

    def look(number: int) -> str:
        cut = " is-cut" if one.out == number else ""
        return cut + (" is-key" if key_step == number and one.out in (0, key_step) else "")

    counted = f"counted as {grouped(one.raw_sum)}: each victim adds 2^31"
    texts = (
        (grouped(one.violations), ""),
        (grouped(one.highest), ""),
        (grouped(one.sum), counted),
        (str(one.count), ""),
        (one.start, ""),
    )
    return tuple(Value(text, look(i), title) for i, (text, title) in enumerate(texts, start=1))


def _start(micros: int, epoch: float) -> str:
    """A start within the run as virtual time, one before it as a date."""
    if micros == NOT_STARTED:
        return "not started"
    since = micros - int(epoch * 1_000_000)
    if since >= 0:
        return clock(since)
    return f"{datetime.fromtimestamp(micros / 1_000_000, UTC):%Y-%m-%d %H:%M:%S}" if micros else "unknown"


def _victim(key: str, facts: Facts | None, state: RunState) -> VictimPod:
    pod = facts.pod(key, state) if facts else None
    requests = f"priority {grouped(pod.priority)}, cpu {cpu(pod.cpu)}, memory {memory(pod.memory)}" if pod else ""
    return VictimPod(key, split_key(key)[1], requests, state.uids.get(key, ""))


def _steps(event: PreemptionDecided) -> list[FunnelStep]:
    total = max(len(event.candidates), 1)
    used = {step.criterion: step for step in event.steps}
    last = event.steps[-1].after if event.steps else len(event.candidates)

    def step_of(number: int, name: str, before: int, after: int) -> FunnelStep:
        return FunnelStep(
            number=number,
            label=CRITERION_LABELS[name],
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


# ---------------------------------------------------------------- extenders


@dataclass(frozen=True)
class ExtenderAnswer:
    """What an extender made of the candidates that it was shown: those that it gave up, victims that it spared, or how
    its call failed.
    """

    address: str
    n_shown: int
    gone: list[str]
    spared: list[tuple[str, str]]
    error: str
    is_ignored: bool


def answers_to(shown: ExtendersPreempted) -> list[ExtenderAnswer]:
    """Return what extenders made of the candidates that they were shown, in the order in which they were asked."""
    left = {one.node: one.victims for one in shown.candidates}
    answers = []
    for call in shown.calls:
        returned = left if call.error else {one.node: one.victims for one in call.returned if one.victims}
        answers.append(
            ExtenderAnswer(
                address=address_of_extender(call.name),
                n_shown=len(left),
                gone=sorted(left.keys() - returned.keys()),
                spared=[
                    (split_key(pod)[1], node)
                    for node, victims in sorted(left.items())
                    for pod in victims
                    if node in returned and pod not in returned[node]
                ],
                error=call.error,
                is_ignored=call.ignored,
            )
        )
        left = returned
    return answers
