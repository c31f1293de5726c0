"""How far a request may move until the winner changes: found by trials.

Scores follow requests by formulas with integer divisions, and every node has limits of its own, so no closed form is
used: amounts between are tried first, then the border between one that keeps the winner and one that does not is
halved until they lie one step apart. Both ends were therefore tried.
"""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.remedies.edits import asking_for, asking_for_more
from scheduler_core.explain.rivals.model import RequestRange

PROBES = 8
STEPS = {"memory": 1 << 20, "ephemeral-storage": 1 << 20}


def request_ranges(
    trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False
) -> tuple[RequestRange, ...]:
    """The range of each of the pod's requests in which the winner stays, on the state that its cycle found.

    Resources whose requests cannot be changed (overhead, pod-level requests hold them) are left out. Empty where no
    node was found. Raises KeyError where the state has no such pod.
    """
    base = trials.attempt(pod)
    if not base.is_scheduled:
        return ()
    found = []
    for resource, request in sorted(pod_requests(base.pod).items()):
        search = _Search(trials, base.pod, resource, base.tied, out_of_time)
        if request > 0 and search.can_change(request):
            found.append(search.run(request))
    return tuple(found)


class _Search:
    """Trials of one pod with other requests of one resource."""

    def __init__(
        self, trials: Trials, pod: Pod, resource: str, tied: tuple[str, ...], out_of_time: Callable[[], bool]
    ) -> None:
        self._trials, self._pod, self._resource, self._tied = trials, pod, resource, tied
        self._out_of_time = out_of_time
        self._found: dict[int, tuple[str, ...]] = {}
        self._late = False
        self.step = STEPS.get(resource, 1)

    def can_change(self, request: int) -> bool:
        """Whether the pod's request can be edited both ways."""
        return self._edited(max(0, request - self.step)) is not None and self._edited(request + self.step) is not None

    def run(self, request: int) -> RequestRange:
        """The range around the request."""
        nodes = self._trials.simulation.context.cluster.table.nodes
        limit = max(node.allocatable.get(self._resource, 0) for node in nodes if node is not None)
        limit = request + max(0, limit - request) // self.step * self.step
        least = self._edge(request, request % self.step, -1)
        most = self._edge(request, limit, 1)
        return RequestRange(
            resource=self._resource,
            request=request,
            least=least,
            most=most,
            step=self.step,
            limit=limit,
            below=self._found.get(least - self.step, ()),
            above=self._found.get(most + self.step, ()),
            n_tried=len(self._found),
            in_time=not self._late,
        )

    def _edge(self, request: int, end: int, sign: int) -> int:
        """The last amount on the way to ``end`` that keeps the winner."""
        keeps, steps = request, abs(end - request) // self.step
        for i in range(1, PROBES + 1):
            amount = (
                request + sign * (steps * i * i // (PROBES * PROBES)) * self.step
            )  # closer ones are nearer together
            if amount == keeps:
                continue
            if self._late or not self._keeps(amount):
                return self._halved(keeps, amount)
            keeps = amount
        return keeps

    def _halved(self, keeps: int, changes: int) -> int:
        while not self._late and abs(changes - keeps) > self.step:
            middle = keeps + (changes - keeps) // (2 * self.step) * self.step
            if middle in (keeps, changes):
                middle = keeps + (self.step if changes > keeps else -self.step)
            if self._keeps(middle):
                keeps = middle
            elif not self._late:
                changes = middle
        return keeps

    def _keeps(self, amount: int) -> bool:
        if amount not in self._found:
            edited = None if self._out_of_time() else self._edited(amount)
            if edited is None:
                self._late = True
                return False
            self._found[amount] = self._trials.attempt(edited.key, Changes(pod=edited)).tied
        return self._found[amount] == self._tied

    def _edited(self, amount: int) -> Pod | None:
        lower = asking_for(self._pod, self._resource, amount)
        return asking_for_more(self._pod, self._resource, amount) if lower is None else lower
