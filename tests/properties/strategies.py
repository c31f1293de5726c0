"""What generated clusters are made of: few names and values, so that everything collides."""

from __future__ import annotations

from hypothesis import strategies as st

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    Affinity,
    Container,
    ContainerPort,
    Node,
    Pod,
    PodAffinityTerm,
    PodDisruptionBudget,
    TopologySpreadConstraint,
    WorkloadSelector,
)
from scheduler_core.api.taints import Taint, Toleration

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
NODE_NAMES = [f"node-{i}" for i in range(5)]
APPS = ["web", "db"]
GROUP_LABEL, GROUP = "scheduling.x-k8s.io/pod-group", "gang"
labels = st.fixed_dictionaries({"app": st.sampled_from(APPS)}, optional={GROUP_LABEL: st.just(GROUP)})


def app_is(app: str) -> LabelSelector:
    return LabelSelector((Requirement("app", "In", (app,)),))


@st.composite
def nodes(draw) -> Node:
    name = draw(st.sampled_from(NODE_NAMES))
    size = {"cpu": draw(st.sampled_from([1000, 2000])), "memory": 4 << 30, "pods": draw(st.integers(2, 6))}
    own = {HOSTNAME: name, "disk": draw(st.sampled_from(["ssd", "hdd"]))}
    if draw(st.booleans()):
        own[ZONE] = draw(st.sampled_from("ab"))
    taints = (Taint("dedicated", "gpu"),) if draw(st.integers(0, 3)) == 0 else ()
    cordoned = draw(st.integers(0, 7)) == 0
    return Node(name=name, labels=own, taints=taints, unschedulable=cordoned, allocatable=size, capacity=size)


@st.composite
def pods(draw, name: str) -> Pod:
    requests = {"cpu": draw(st.sampled_from([0, 200, 700, 1500])), "memory": draw(st.sampled_from([0, 1 << 30]))}
    ports = (ContainerPort(8080, 8080),) if draw(st.integers(0, 4)) == 0 else ()
    return Pod(
        name=name,
        labels=draw(labels),
        priority=draw(st.sampled_from([0, 0, 10, 100])),
        containers=(Container("main", requests=requests, ports=ports),),
        tolerations=(Toleration("dedicated", "Exists"),) if draw(st.booleans()) else (),
        node_selector={"disk": "ssd"} if draw(st.integers(0, 4)) == 0 else {},
        affinity=draw(affinities()) if draw(st.integers(0, 2)) == 0 else None,
        topology_spread_constraints=(draw(spreads()),) if draw(st.integers(0, 3)) == 0 else (),
        scheduling_gates=("gate",) if draw(st.integers(0, 9)) == 0 else (),
        termination_grace_period_seconds=draw(st.sampled_from([1, 30])),
        preemption_policy="Never" if draw(st.integers(0, 9)) == 0 else "PreemptLowerPriority",
        scheduler_name="somebody-else" if draw(st.integers(0, 19)) == 0 else "default-scheduler",
    )


@st.composite
def affinities(draw) -> Affinity:
    term = PodAffinityTerm(draw(st.sampled_from([HOSTNAME, ZONE])), app_is(draw(st.sampled_from(APPS))))
    return Affinity(pod_required=(term,)) if draw(st.booleans()) else Affinity(anti_required=(term,))


@st.composite
def spreads(draw) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(
        topology_key=draw(st.sampled_from([HOSTNAME, ZONE])),
        max_skew=draw(st.integers(1, 2)),
        when_unsatisfiable=draw(st.sampled_from(["DoNotSchedule", "ScheduleAnyway"])),
        label_selector=app_is(draw(st.sampled_from(APPS))),
    )


@st.composite
def budgets(draw) -> PodDisruptionBudget:
    app = draw(st.sampled_from(APPS))
    return PodDisruptionBudget(name=app, selector=app_is(app), disruptions_allowed=draw(st.integers(0, 2)))


@st.composite
def services(draw) -> WorkloadSelector:
    return WorkloadSelector(kind="Service", name="service", selector=app_is(draw(st.sampled_from(APPS))))
