"""How far a request can change before the winner does: determined by trials.

Scores follow requests by formulas with integer divisions, not all of them monotone, and every node has limits of its
own, so no closed form is used and no amount is passed over: from the request on, each step up and each step down is
tried until the winner is another. A step is a round amount; there are the fewer of them the more nodes each trial asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.edited_objects import asking_for, asking_for_more
from scheduler_core.explain.rivals.model import RequestRange

FINE = 10
"""A step is at most the request divided by this; what the steps do not reach then is not tried."""
MOST_STEPS, LEAST_STEPS = 200, 100
"""A scale has at most this many steps; LEAST_STEPS where nodes are many."""
_NODE_STEPS = 200_000
"""At most this many nodes times steps are tried."""
_BYTES = ("memory", "ephemeral-storage")


def request_ranges(
    trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False
) -> tuple[RequestRange, ...]:
    """The range of each of the pod's requests in which the winner stays, on the state that its cycle found.

    Resources whose requests cannot be changed (overhead, pod-level requests hold them) are left out. Empty where no
    node was found, and where the attempt as it is asks extenders for what is not on the run's tape. Raises KeyError
    where the state has no such pod.
    """
    base = trials.attempt(pod)
    if not base.is_scheduled or base.unanswered.any:
        return ()
    requests = sorted((name, amount) for name, amount in pod_requests(base.pod).items() if amount > 0)
    searches = [_Search(trials, base.pod, name, amount, base.tied) for name, amount in requests]
    searches = [one for one in searches if one.can_change]
    # One step of each in turn, so that what the time allows is the nearest of all.
    walks = [walk for one in searches for walk in (one.walk(-1), one.walk(1))]
    while walks and not out_of_time():
        walks = [walk for walk in walks if next(walk, None)]
    return tuple(one.range_so_far() for one in searches)


def scale_step(resource: str, request: int, largest: int, n_nodes: int) -> int:
    """The round amount in which a request is moved on a scale to the ``largest`` node: 1, 2 or 5 times a power of ten,
    of bytes a power of two and a mebibyte at least.

    >>> scale_step("cpu", 600, 8000, 7), scale_step("memory", 2 << 30, 32 << 30, 7) >> 20, scale_step("gpus", 1, 8, 7)
    (50, 128, 1)
    """
    least_step = max(1, -(-largest // steps_for(n_nodes)))
    finest = 1 << 20 if resource in _BYTES or resource.startswith("hugepages-") else 1
    step = _round_up(resource, least_step)
    while step > finest and step * FINE > request:
        # 5, 2 and 1 are each at least two fifths of the one before.
        step = max(finest, _round_up(resource, step * 2 // 5 if finest == 1 else step // 2))
    return max(finest, step)


def steps_for(n_nodes: int) -> int:
    """How many steps a scale has at most."""
    return max(LEAST_STEPS, min(MOST_STEPS, _NODE_STEPS // max(n_nodes, 1)))


def _round_up(resource: str, amount: int) -> int:
    if resource in _BYTES or resource.startswith("hugepages-"):
        return 1 << max(0, amount - 1).bit_length()
    power: int = 10 ** (len(str(amount)) - 1)
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= amount)


def edited(pod: Pod, resource: str, amount: int) -> Pod | None:
    """The pod with another request of the resource; None where something else decides on it."""
    lower = asking_for(pod, resource, amount)
    return asking_for_more(pod, resource, amount) if lower is None else lower


class _Search:
    """Trials of one pod with other requests of one resource."""

    def __init__(self, trials: Trials, pod: Pod, resource: str, request: int, tied: tuple[str, ...]) -> None:
        self._trials, self._pod, self._resource, self._tied = trials, pod, resource, tied
        nodes = [node for node in trials.simulation.context.cluster.table.nodes if node is not None]
        largest = max((node.allocatable.get(resource, 0) for node in nodes), default=0)
        largest = max(largest, request)
        self.step = scale_step(resource, request, largest, len(nodes))
        reach = min(largest, request + self.step * steps_for(len(nodes)))
        self._is_whole = reach >= largest
        # One step beyond the largest node at least, so that the end of what fits lies on the scale.
        self.limit = request + max(0, -((request - reach - 1) // self.step)) * self.step
        self.request, self.lowest = request, request % self.step
        self._ends = {-1: request, 1: request}
        self._beyond = dict[int, tuple[str, ...]]()
        self._has_ended = {-1: False, 1: False}
        self._n_tried = 0
        self._unanswered = {-1: "", 1: ""}

    @property
    def can_change(self) -> bool:
        """Whether the pod's request can be edited both ways."""
        return all(edited(self._pod, self._resource, max(0, self.request + by)) for by in (-self.step, self.step))

    def walk(self, sign: int) -> Iterator[bool]:
        """Try step after step one way until the winner is another; yields True for each that keeps it."""
        amount = self.request + sign * self.step
        while self.lowest <= amount <= self.limit:
            tied = self._tried(amount, sign)
            if self._unanswered[sign]:
                break
            if tied is None or tied != self._tied:
                self._beyond[sign] = tied or ()
                break
            self._ends[sign] = amount
            yield True
            amount += sign * self.step
        self._has_ended[sign] = True

    def _tried(self, amount: int, sign: int) -> tuple[str, ...] | None:
        """The nodes of the best total at the amount; None where the request cannot be that."""
        pod = edited(self._pod, self._resource, amount)
        self._n_tried += 1
        if pod is None:
            return None
        trial = self._trials.attempt(pod.key, Changes(pod=pod))
        self._unanswered[sign] = trial.unanswered.any
        return trial.tied

    def range_so_far(self) -> RequestRange:
        """What was found so far."""
        return RequestRange(
            resource=self._resource,
            request=self.request,
            least=self._ends[-1],
            most=self._ends[1],
            step=self.step,
            limit=self.limit,
            below=self._beyond.get(-1, ()),
            above=self._beyond.get(1, ()),
            n_tried=self._n_tried,
            in_time=all(self._has_ended.values()),
            lowest=self.lowest,
            is_whole=self._is_whole,
            unanswered=(self._unanswered[-1], self._unanswered[1]),
        )
