"""Whatever is rolled out, under whatever strategy and quota: a controller's own deletions leave what its strategy
promises, no pod takes a quota over, and a rollout that has come to its end left no pod of an older template."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts.deployments import max_unavailable
from scheduler_core.controllers.rollouts.pods_seen import amount
from scheduler_core.engine.kubelet_rules import KubeletRule
from scheduler_core.simulate import RunInputs, RunSession
from tests.scheduler_core.engine.consequences.rollout_runs import inputs_of, node, rolling, workload
from tests.seeds import how_many

IMAGES = ("app:1", "app:2", "app:3", "app:bad")
AMOUNTS = (0, 1, 2, "25%", "50%")


@st.composite
def strategies(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A strategy that the API server takes."""
    surge, unavailable = draw(st.sampled_from(AMOUNTS)), draw(st.sampled_from(AMOUNTS))
    if kind == "Deployment":
        return {"strategy": rolling(surge, 1 if surge == unavailable == 0 else unavailable)}
    if kind == "DaemonSet":
        surge = 0 if unavailable else surge or 1
        return {"updateStrategy": rolling(surge, unavailable)}
    partition = draw(st.sampled_from([0, 0, 1]))
    order = draw(st.sampled_from(["OrderedReady", "Parallel"]))
    return {"updateStrategy": {"rollingUpdate": {"partition": partition}}, "podManagementPolicy": order}


@st.composite
def histories(draw: st.DrawFn) -> RunInputs:
    """A workload whose template changes and which grows while its pods start, some never, under a quota."""
    kind = draw(st.sampled_from(["Deployment", "StatefulSet", "DaemonSet"]))
    spec: dict[str, Any] = {"kind": kind, **draw(strategies(kind))}
    if kind != "DaemonSet":
        spec["replicas"] = draw(st.integers(1, 4))
    nodes = [node(f"n{i}", draw(st.sampled_from(["8", "250m"]))) for i in range(draw(st.integers(1, 3)))]
    quota = {
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"pods": str(draw(st.integers(1, 7)))}},
    }  # fmt: skip
    entries, now, sized = [], 0, dict(spec)
    for _ in range(draw(st.integers(1, 4))):
        now += draw(st.sampled_from([1, 8, 70]))
        if kind != "DaemonSet" and draw(st.booleans()):
            sized["replicas"] = draw(st.integers(sized["replicas"], 4))  # scaled down, a Deployment keeps no minimum
        changed = workload(image=draw(st.sampled_from(IMAGES)), **sized)
        entries.append({"at": f"{now}s", "action": "update", "object": changed})
    return inputs_of(
        [*nodes, *([quota] if draw(st.booleans()) else []), workload(**spec)],
        entries,
        quotas="play",
        kubelets=(
            KubeletRule(ready_after=draw(st.sampled_from([0, 2])), grace=draw(st.sampled_from([0, 5]))),
            KubeletRule(image="app:bad", ready_after="never"),
        ),
    )


class RolloutWatch:
    """Looks at the workload after each step."""

    def __init__(self, session: RunSession) -> None:
        self.simulation = session.simulation
        self.aftermath = session.simulation.aftermath
        assert self.aftermath.owners is not None
        self.owners = self.aftermath.owners
        self.available: dict[str, str] = {}
        self.used: dict[str, int] = {}

    def workload(self) -> Workload:
        several = [
            *self.owners.deployments.values(),
            *(one.workload for one in self.aftermath.ownership.owned.values()),
        ]
        return next(one for one in several if one.kind in ("Deployment", "StatefulSet", "DaemonSet"))

    def least(self, of: Workload) -> int:
        """Pods that the strategy keeps available where they are."""
        if of.kind == "Deployment":
            return of.replicas - max_unavailable(of)
        if of.kind == "StatefulSet":  # a Parallel one begins a further update from its last pod again
            return 0 if of.is_parallel else of.replicas - 1
        assert of.rollout is not None
        size = len(dict(self.owners.all_nodes()))
        if amount(of.rollout.max_surge, size, rounds_up=True):
            return size
        return size - max(1, amount(of.rollout.max_unavailable, size, rounds_up=True))

    def after_step(self) -> None:
        keys = self.aftermath.ownership.owned
        seen = [one for key in keys for one in self.owners.seen(key)]
        ready = {one.pod.key: one.pod.uid for one in seen if one.is_ready and not one.is_terminating}
        lost = [key for key, uid in self.available.items() if ready.get(key) != uid]
        if lost:
            assert len(ready) >= self.least(self.workload())
        self.available = ready
        for book in self.aftermath.admission.ledger.of("default"):
            used = dict(book.used)
            assert all(now <= max(book.quota.hard[name], self.used.get(name, 0)) for name, now in used.items())
            self.used = used

    def at_end(self) -> None:
        of, unfinished = self.workload(), self.owners.rollouts()
        event(f"{of.kind}, {unfinished[0].waits_for if unfinished else 'rolled out'}")
        images = {pod.containers[0].image for pod in self.simulation.world.pods.values()}
        if not unfinished:
            assert images <= {of.template.containers[0].image}


@pytest.mark.slow
@given(inputs=histories())
@settings(
    max_examples=how_many(25, 400),
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_rollouts_keep_what_they_promise(inputs: RunInputs) -> None:
    session = RunSession.start(inputs)
    watch = RolloutWatch(session)
    while session.simulation.step():
        watch.after_step()
    watch.at_end()
