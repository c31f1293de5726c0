"""A scheduler's log followed in its own order: each attempt on the state that the attempts before it left.

A dump shows where pods are at the end. So everything that the log binds, or sees come, is taken out first, and comes
back when the log says so: a pod after the attempt that it was bound by, as the scheduler assumes it then, before the
binding is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from scheduler_core.api.objects import Node
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.trials.rescheduling import Rescheduler, rescheduling
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.agreement.answer import session, without_nodes
from scheduler_core.explain.agreement.logs import LoggedAttempt, LogProblems, LogStep, in_attempts, log_steps
from scheduler_core.explain.agreement.scores import PodScores, ScoreAgreement, scores_of_bound, scores_of_waiting
from scheduler_core.extenders.calls import ExtenderSource

ReadLines = Callable[[], Iterable[str]]
"""Gives the lines of a log from its beginning; called twice."""


class LogOrder(msgspec.Struct):
    """What a log says as a whole. ``bound``: {(pod, number of its attempt): node}, 0 before its first one;
    ``attempts``: how many each pod has; ``came``: pods with a node that an informer saw; ``late_nodes`` came after the
    first attempt."""

    bound: dict[tuple[str, int], str] = {}
    attempts: dict[str, int] = {}
    came: set[str] = set()
    late_nodes: set[str] = set()

    def note(self, one: LogStep | LoggedAttempt) -> None:
        """Take in the next thing that the log says."""
        if isinstance(one, LoggedAttempt):
            self.attempts[one.pod] = one.number
        elif one.kind == "bound":
            self.bound[one.pod, self.attempts.get(one.pod, 0)] = one.node
        elif one.kind == "pod_came":
            self.came.add(one.pod)
        elif one.kind == "node_came" and self.attempts:
            self.late_nodes.add(one.node)

    def pods(self) -> set[str]:
        """All pods that the log speaks of."""
        return {*self.attempts, *self.came, *(pod for pod, _ in self.bound)}

    def bound_pods(self) -> set[str]:
        """The pods that the log says to be bound."""
        return {pod for pod, _ in self.bound}


def log_agreement(
    inputs: RunInputs,
    read_lines: ReadLines,
    extenders: ExtenderSource | None = None,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> ScoreAgreement:
    """The scores of a log beside ours, in the log's order; ``tell`` is called with (attempts followed, all attempts).

    ``extenders`` answers for those of the configuration. Raises ProfileError, and what ``read_lines`` raises.
    """
    problems, order = LogProblems(), LogOrder()
    for one in _read(read_lines, problems):
        order.note(one)
    late = [node for node in inputs.objects.nodes if node.name in order.late_nodes]
    trials = session(without_nodes(inputs, order.late_nodes) if late else inputs, extenders)
    with rescheduling(trials) as rescheduler:
        replay, n_attempts = _Replay(trials, rescheduler, order, late), sum(order.attempts.values())
        for one in _read(read_lines, LogProblems()):
            replay.follow(one)
            if isinstance(one, LoggedAttempt):
                tell(replay.n_followed, n_attempts)
        replay.end()
    pods = {pod.key for pod in inputs.objects.pods}
    return ScoreAgreement(
        pods=tuple(replay.compared.values()),
        problems=tuple(problems.first),
        n_problems=problems.count,
        n_absent=len(order.bound_pods() - pods),
    )


def _read(read_lines: ReadLines, problems: LogProblems) -> Iterator[LogStep | LoggedAttempt]:
    return in_attempts(log_steps(read_lines(), problems))


class _Replay:
    """Follows a log on a state of its own; ``compared`` has the scores of each pod's last attempt that has some."""

    def __init__(self, trials: Trials, rescheduler: Rescheduler, order: LogOrder, late: Iterable[Node]) -> None:
        self._trials, self._rescheduler, self._order = trials, rescheduler, order
        self._cluster, self._pods = trials.simulation.context.cluster, trials.simulation.world.pods
        self._late = {node.name: node for node in late}
        self._bound_in_log, self._decided = order.bound_pods(), set(trials.simulation.decided.nodes)
        self._off: set[str] = set()
        self.home = {key: node for key in order.pods() if (node := self._cluster.node_of(key)) is not None}
        for key in self.home:
            self._take_off(key)
        self.n_followed = 0
        self.compared: dict[str, PodScores] = {}

    def follow(self, one: LogStep | LoggedAttempt) -> None:
        """Carry out the next thing that the log says."""
        if isinstance(one, LoggedAttempt):
            self.n_followed += 1
            if one.scores:
                self.compared[one.pod] = self._compare(one)
            self._put(one.pod, self._node_after(one))
        elif one.kind == "bound":
            self._put(one.pod, one.node)
        elif one.kind == "pod_came" and one.pod not in self._bound_in_log:
            self._put(one.pod, self.home.get(one.pod, ""))
        elif one.kind == "pod_went" and one.pod in self.home:
            self._take_off(one.pod)
        elif one.kind == "node_came" and one.node in self._late:
            self._cluster.put_node(self._late.pop(one.node))

    def end(self) -> None:
        """Have every pod off its node, from where it goes back to the one that the dump has."""
        for key in self.home:
            self._take_off(key)
            self._put(key, self.home[key])

    def _compare(self, attempt: LoggedAttempt) -> PodScores:
        if attempt.pod not in self.home:
            return scores_of_waiting(self._trials, attempt.pod, attempt.scores)
        self._take_off(attempt.pod)
        return scores_of_bound(self._trials, self._rescheduler, attempt.pod, attempt.scores)

    def _node_after(self, attempt: LoggedAttempt) -> str:
        """The node that the pod has after the attempt, "" for none. In a log without bindings, and of a pod that the
        dump shows at PreBind, the last attempt counts."""
        if self._order.bound and attempt.pod not in self._decided:
            return self._order.bound.get((attempt.pod, attempt.number), "")
        return self.home.get(attempt.pod, "") if attempt.number == self._order.attempts[attempt.pod] else ""

    def _take_off(self, key: str) -> None:
        if key not in self._off:
            self._off.add(key)
            self._rescheduler.take_off(key)

    def _put(self, key: str, node: str) -> None:
        """Have the pod on this node where the dump has it on one; "" leaves it as it is."""
        if key not in self.home or not node or self._cluster.node_of(key) == node:
            return
        self._take_off(key)
        self._off.discard(key)
        self._rescheduler.put_back(key, node)
