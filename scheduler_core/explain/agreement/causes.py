"""Why the real node and the engine's may differ: each likely cause is tried if a state without it can be made.

Whatever refuses the real node now, and other pods, may be younger than the binding: so the decision is repeated without
them. A search that samples nodes is started where the real node has the best chance. What a snapshot cannot show is
reported as unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.rescheduling import Rescheduler
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.model import BoundPod, CauseKind, LikelyCause, NodeRefusal
from scheduler_core.explain.agreement.sampling import SampledSearch
from scheduler_core.profiles.obstacle_kinds import kinds_by_plugin

StandingOf = Callable[[Pod, Trial], BoundPod]
"""Where the pod's node stands in a trial."""
MOST_TRIED = 100
"""At most this many differing pods have causes tried that take attempts of their own: up to four, of 50 ms each at
1,500 nodes."""
_HINDERING = ("NoSchedule", "NoExecute")
_OF_THE_NODE: tuple[CauseKind, ...] = ("cordon", "taints")
_CAUSE_OF: dict[str, CauseKind] = {
    "CORDONED": "cordon",
    "TAINT_UNTOLERATED": "taints",
    "SELECTOR_NO_MATCH": "labels",
    "NODE_NAME": "labels",
    "SHORT_CPU": "room",
    "PORT_TAKEN": "room",
    "AFFINITY_NO_POD": "pods",
    "SPREAD_SKEW": "pods",
    "CLAIM_MISSING": "volumes",
    "VOLUME_EXCLUSIVE": "volumes",
    "VOLUME_TOPOLOGY": "volumes",
    "VOLUME_LIMIT": "volumes",
    "DEVICE_NONE": "missing",
}
"""What a plugin's refusal comes from, by the first kind of obstacle that it declares."""
_MISSING = ("not found", "non-existent")


class Causes:
    """Finds likely causes of differences; each method leaves the state as it was.

    ``tell`` is called before every attempt, and may end everything by an exception."""

    def __init__(
        self, trials: Trials, rescheduler: Rescheduler, standing_of: StandingOf, tell: Callable[[], None]
    ) -> None:
        self._trials, self._rescheduler, self._standing_of, self._tell = trials, rescheduler, standing_of, tell
        self._cluster = trials.simulation.context.cluster
        self._n_tried = 0

    def of_all(self, decided: Sequence[BoundPod], pods: Sequence[Pod], *, snapshot: bool) -> list[BoundPod]:
        """The same pods, those that differ with their likely causes. On a ``snapshot`` each is decided again without
        all pods that were made after it: the youngest pods go first, so each goes once."""
        by_key = {pod.key: pod for pod in pods}
        older = dict(self._among_older(decided, pods)) if snapshot else {}
        return [
            msgspec.structs.replace(one, causes=tuple(self._causes(one, by_key[one.pod], older.get(one.pod), snapshot)))
            if one.differs
            else one
            for one in decided
        ]

    def _among_older(
        self, decided: Iterable[BoundPod], pods: Sequence[Pod]
    ) -> Iterator[tuple[str, tuple[int, BoundPod]]]:
        """(pod, (younger pods, its standing without them)) of those that differ and have younger ones."""
        differing = {one.pod for one in decided if one.differs}
        dated = sorted((pod for pod in pods if pod.creation_timestamp is not None), key=_created, reverse=True)
        n_younger = 0
        for _, group in groupby(dated if differing else (), key=_created):
            same_age = list(group)
            for pod in same_age if n_younger else ():
                if pod.key in differing:
                    yield pod.key, (n_younger, self._tried(pod, Changes()))
            for pod in same_age:
                self._rescheduler.take_off(pod.key)
            n_younger += len(same_age)
        self._rescheduler.put_all_back()

    def _tried(self, pod: Pod, changes: Changes) -> BoundPod:
        """The pod's standing with the changes made."""
        self._tell()
        self._rescheduler.take_off(pod.key)
        try:
            return self._standing_of(pod, self._rescheduler.attempt(pod.key, changes))
        finally:
            self._rescheduler.put_back(pod.key)

    def _causes(
        self, one: BoundPod, pod: Pod, older: tuple[int, BoundPod] | None, snapshot: bool
    ) -> Iterator[LikelyCause]:
        if older is not None and older[1].agrees:
            yield LikelyCause("arrivals", tried=True, younger=older[0], lead=older[1].lead, then=older[1].standing)
        # in a given order younger pods are not there yet, and the state of the moment is gone by now
        may_try = snapshot and self._n_tried < MOST_TRIED
        if one.standing == "refused":
            self._n_tried += 1
            yield from self._refusals(one, pod, may_try=may_try)
        elif older is None or not older[1].agrees:
            self._n_tried += 1
            sampling = list(self._sampling(one, pod, may_try=may_try))
            yield from sampling
            if not any(cause.explains for cause in sampling):
                yield LikelyCause("unknown", younger=older[0] if older is not None else 0, tried=older is not None)

    # ---------------------------------------------------------------- refusals

    def _refusals(self, one: BoundPod, pod: Pod, *, may_try: bool) -> Iterator[LikelyCause]:
        """What refuses the real node, each with the standing that the node has without it."""
        kinds = tuple(dict.fromkeys(_cause_kind(refusal) for refusal in one.refusals))
        if not kinds:
            return
        without = self._without(pod, kinds) if may_try else None
        for kind in kinds:
            if without is None:
                yield LikelyCause(kind)
            else:
                yield LikelyCause(
                    kind,
                    tried=True,
                    then=without.standing,
                    rank=without.rank,
                    fitting=without.n_fitting,
                    beside=tuple(other for other in kinds if other != kind),
                )

    def _without(self, pod: Pod, kinds: Iterable[CauseKind]) -> BoundPod:
        """The pod's standing with its node as it may have been: without cordon and taints, and let through by the
        filters that look at other things."""
        node = self._cluster.table.nodes[self._cluster.table.row_of[pod.node_name]]
        assert node is not None
        nodes = (_opened(node, pod),) if any(kind in _OF_THE_NODE for kind in kinds) else ()
        admitted = (pod.node_name,) if any(kind not in _OF_THE_NODE for kind in kinds) else ()
        return self._tried(pod, Changes(nodes=nodes, admitted=admitted))

    # ---------------------------------------------------------------- sampling

    def _sampling(self, one: BoundPod, pod: Pod, *, may_try: bool) -> Iterator[LikelyCause]:
        """That a real scheduler scores some of the fitting nodes only, tried from the likeliest beginnings."""
        search = SampledSearch.of(self._trials, pod, one.n_fitting)
        if search is None:
            return
        tried = None
        if may_try:
            self._rescheduler.take_off(pod.key)
            try:
                trial = self._rescheduler.attempt(pod.key)
            finally:
                self._rescheduler.put_back(pod.key)
            tried = search.likeliest(trial, pod.node_name, lambda changes: self._tried(pod, changes))
        yield search.cause(tried)


def _opened(node: Node, pod: Pod) -> Node:
    """The node without a cordon and without taints that keep the pod away."""
    other_taints = [
        taint
        for taint in node.taints
        if taint.effect not in _HINDERING or any(one.tolerates(taint) for one in pod.tolerations)
    ]
    return msgspec.structs.replace(node, unschedulable=False, taints=tuple(other_taints))


def _cause_kind(refusal: NodeRefusal) -> CauseKind:
    if any(word in reason for reason in refusal.reasons for word in _MISSING):
        return "missing"
    declared = kinds_by_plugin().get(refusal.plugin, ())
    return next((_CAUSE_OF[kind.code] for kind in declared if kind.code in _CAUSE_OF), "unknown")


def _created(pod: Pod) -> float:
    return pod.creation_timestamp or 0.0
