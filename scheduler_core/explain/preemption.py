"""Why preemption did not help a pod: for each node, which pods would have had to go, or why eviction could not help.

The reference dry-runs only nodes whose refusal evictions may mend; of the others the refusal itself is the answer. On a
node of the dry run pods of lower priority go; where there are none, or the pod is still refused without them, the pods
that hold what is missing are named, least important first, with their priority.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidates.state_edits import leaving
from scheduler_core.explain.remedies.situation import RemedySituation
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.preemption.decision import NotCandidates, PreemptionDecision, unpack

NEVER, NOT_MENDED, NO_LOWER, STILL_REFUSED = "policy", "not mended by evictions", "no pod of lower priority", "refused"
NOT_EXAMINED = "not examined"
FAILED = "the dry run failed"
"""In particular where only an extender refuses the pod: then it needs no victim, which the reference takes for an
error."""
BY_EXTENDER = "taken away by an extender"
"""A candidate that no extender's answer has, or all of them where a call failed: then ``reasons`` has its text."""
SHOWN_NODES = 5


class InTheWay(msgspec.Struct, frozen=True):
    """A pod that would have had to go, with its priority; ``is_lower``: preemption may evict it."""

    pod: str
    priority: int
    is_lower: bool


class NodeAnswer(msgspec.Struct, frozen=True):
    """One node: pods that would have had to go for the pod to have room (empty where room is not what is missing, or no
    set of them is enough)."""

    node: str
    in_the_way: tuple[InTheWay, ...] = ()


class RefusingNodes(msgspec.Struct, frozen=True):
    """Nodes with the same answer: ``why`` is one of this module's constants, ``plugin`` and ``reasons`` who refuses
    (for STILL_REFUSED without the pods of lower priority). ``nodes`` are the first of ``n_nodes``."""

    why: str
    plugin: str
    reasons: tuple[str, ...]
    n_nodes: int
    nodes: tuple[NodeAnswer, ...]


class RankedCandidate(msgspec.Struct, frozen=True):
    """A node on which preemption would help, with its victims and how many of them violate a disruption budget."""

    node: str
    victims: tuple[str, ...]
    violations: int


class PreemptionAnswer(msgspec.Struct, frozen=True):
    """``helped``: a node was nominated, ``nominated``. ``message`` is what keeps the pod from preempting at all, or
    what the plugin said. ``candidates`` are all nodes on which it would help, ``groups`` all others, the largest of
    them first."""

    pod: str
    helped: bool
    nominated: str
    message: str
    priority: int
    groups: tuple[RefusingNodes, ...] = ()
    candidates: tuple[RankedCandidate, ...] = ()


def why_no_preemption(trials: Trials, pod: str) -> PreemptionAnswer:
    """The answer for the pod on the state of the trials. Raises KeyError where the state has no such pod, ValueError
    where a node fits, so that nothing is preempted."""
    trial = trials.attempt(pod)
    if trial.is_scheduled:
        raise ValueError(f"{pod} fits on {trial.node}, nothing is preempted")
    decision = trial.preemption
    if decision is None or trial.outcome is None:
        return PreemptionAnswer(pod, False, "", "no plugin of the profile preempts", trial.pod.priority)
    chosen = decision.chosen
    is_told = decision.eligible and (bool(decision.calls) or not decision.failed)  # else the message is all there is
    groups = [] if not is_told else _groups(RemedySituation(trials, trial), trial, decision)
    return PreemptionAnswer(
        pod=pod,
        helped=chosen is not None,
        nominated=chosen.node if chosen is not None else "",
        message=decision.message,
        priority=trial.pod.priority,
        groups=tuple(sorted(groups, key=lambda group: (-group.n_nodes, group.why, group.plugin, group.reasons))),
        candidates=tuple(RankedCandidate(one.node, one.victims, one.violations) for one in decision.candidates),
    )


def _groups(situation: RemedySituation, trial: Trial, decision: PreemptionDecision) -> list[RefusingNodes]:
    examined = {one.node for one in decision.candidates}
    groups: list[RefusingNodes] = []
    if taken := [one.node for one in unpack(decision.before) if one.node not in examined]:
        examined.update(taken)
        groups.append(_group(situation, BY_EXTENDER, "", (decision.message,) if decision.failed else (), taken))
    for one in decision.not_candidates:
        names = [trial.names[row] for row in _rows(one)]
        examined.update(names)
        groups.append(_group(situation, _why(one), one.plugin, one.reasons, names))
    others: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for name in trial.row_of:
        if name not in examined:
            status = trial.refused_whole or trial.status(name)
            others.setdefault(_answer(status), []).append(name)
    return [*groups, *(_group(situation, *key, names) for key, names in others.items())]


def _answer(status: Status) -> tuple[str, str, tuple[str, ...]]:
    """The answer for a node that the dry run did not examine."""
    why = NOT_MENDED if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE else NOT_EXAMINED
    return why, status.plugin, status.reasons


def _why(one: NotCandidates) -> str:
    if one.code == Code.ERROR:
        return FAILED
    return STILL_REFUSED if one.plugin else NO_LOWER


def _rows(one: NotCandidates) -> list[int]:
    bits = np.unpackbits(np.frombuffer(one.rows, dtype=np.uint8))
    rows: list[int] = np.flatnonzero(bits).tolist()
    return rows


def _group(
    situation: RemedySituation, why: str, plugin: str, reasons: tuple[str, ...], names: list[str]
) -> RefusingNodes:
    shown = (NodeAnswer(name, tuple(_in_the_way(situation, why, name))) for name in sorted(names)[:SHOWN_NODES])
    return RefusingNodes(why, plugin, reasons, len(names), tuple(shown))


def _in_the_way(situation: RemedySituation, why: str, name: str) -> Iterator[InTheWay]:
    if why in (NOT_MENDED, FAILED, BY_EXTENDER):
        return
    row, short = situation.base.row_of[name], situation.shortages
    missing = short.missing(np.array([row]))[:, 0]
    lacking = {short.resources[j]: int(missing[j]) for j in np.flatnonzero(missing).tolist()}
    if not lacking:
        return
    on: Iterable[PodInfo] = situation.trials.simulation.context.cluster.pods_on(row).values()
    for info in leaving(list(on), lacking, situation):
        yield InTheWay(info.key, info.pod.priority, info.pod.priority < situation.pod.priority)
