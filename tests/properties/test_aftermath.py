"""Whatever is evicted, deleted or lost: owners have no more pods than they ask for, nothing goes without a recorded
end, and the run repeats exactly, also saved and restored between any two steps."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scheduler_core.api.objects import ClusterObjects, JobSpec, OwnerReference, Pod, Workload
from scheduler_core.controllers.templates import ordinal_template, owner_reference
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from tests.properties.causes import check_causes, everything
from tests.properties.strategies import NODE_NAMES, nodes, pods
from tests.seeds import how_many

SECOND = 1_000_000
KINDS = ["ReplicaSet", "StatefulSet", "DaemonSet", "Job"]


@st.composite
def workloads(draw, name: str) -> Workload:
    template = msgspec.structs.replace(draw(pods("")), scheduling_gates=(), scheduler_name="default-scheduler")
    kind = draw(st.sampled_from(KINDS))
    job = None
    if kind == "Job":
        job = JobSpec(
            completions=draw(st.sampled_from([1, 3, None])),
            parallelism=draw(st.integers(1, 2)),
            backoff_limit=draw(st.sampled_from([0, 6])),
            replaces_failed_only=draw(st.booleans()),
        )
    replicas = draw(st.integers(1, 3))
    return Workload(
        kind=kind, name=name, template=template, replicas=replicas, is_parallel=draw(st.booleans()), job=job
    )


def pods_of(workload: Workload) -> list[Pod]:
    """The pods that the loader would have made, but for those of DaemonSets: nodes get these as they come."""
    if workload.kind == "DaemonSet":
        return []
    count = min(workload.job.parallelism, workload.job.completions or 9) if workload.job else workload.replicas
    templates = [workload.template] * count
    if workload.kind == "StatefulSet":
        templates = [ordinal_template(workload, i) for i in range(count)]
    owner = (owner_reference(workload),)
    return [
        msgspec.structs.replace(template, name=f"{workload.name}-{i}", owner_references=owner)
        for i, template in enumerate(templates)
    ]


@st.composite
def histories(draw) -> RunInputs:
    """A cluster with workloads, some of which only their pods tell, and what comes and goes there."""
    all_workloads = [draw(workloads(f"w{i}")) for i in range(draw(st.integers(1, 3)))]
    there = [pod for workload in all_workloads for pod in pods_of(workload)]
    static = msgspec.structs.replace(draw(pods("static")), owner_references=(OwnerReference("Node", "n"),))
    there.append(msgspec.structs.replace(static, node_name="node-0", scheduling_gates=()))
    stated = [workload for workload in all_workloads if draw(st.booleans())]
    initial = draw(st.lists(nodes(), min_size=1, max_size=3, unique_by=lambda node: node.name))
    entries, now = [], 0
    for i in range(draw(st.integers(1, 8))):
        now += draw(st.sampled_from([1, 3_000, SECOND, 20 * SECOND, 90 * SECOND]))
        what = draw(st.sampled_from(["preemptor", "preemptor", "node", "node goes", "deleted", "terminates", "owned"]))
        some = there[draw(st.integers(0, len(there) - 1))]
        if what == "preemptor":
            entries.append(("put", msgspec.structs.replace(draw(pods(f"hi-{i}")), priority=1000)))
        elif what == "node":
            entries.append(("put", draw(nodes())))
        elif what == "node goes":
            name = draw(st.sampled_from(NODE_NAMES))
            entries.append(("delete", msgspec.structs.replace(draw(nodes()), name=name)))
        elif what == "deleted":
            entries.append(("delete", some))
        elif what == "terminates":
            entries.append(("put", msgspec.structs.replace(some, deletion_timestamp=1.0)))
        else:
            entries.append(("put", msgspec.structs.replace(some, name=f"more-{i}")))
        entries[-1] = TimelineEntry(now, *entries[-1])
    policies = Policies(
        victims=draw(st.sampled_from(["grace", "at_once"])),
        job_running_us=draw(st.sampled_from([None, 20 * SECOND])),
        max_replacements=3,
    )
    return RunInputs(
        objects=ClusterObjects(nodes=initial, pods=there, workloads=stated),
        schedule="timeline",
        timeline=Timeline.of(entries),
        policies=policies,
        seed=draw(st.integers(0, 3)),
        max_cycles=300,
        max_virtual_us=3600 * SECOND,
    )


class Watch:
    """Looks at a run after each step; ``allowed`` is how many active pods each set may have."""

    def __init__(self, session: RunSession) -> None:
        self.world = session.simulation.world
        self.ownership = session.simulation.aftermath.ownership
        self.seen: dict[str, str] = {key: pod.uid for key, pod in self.world.pods.items()}
        self.ended: set[tuple[str, str]] = set()
        session.simulation.observers.append(self.observe)

    def observe(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.ObjectChanged) and event.kind == "Pod" and event.action == "deleted":
            assert event.cause or event.entry is not None, f"{event.key} went without a cause"
            self.ended.add((event.key, self.seen[event.key]))

    def after_step(self) -> None:
        for key, pod in self.world.pods.items():
            before = self.seen.get(key)
            assert before in (None, pod.uid) or (key, before) in self.ended, f"{key} was replaced without an end"
            self.seen[key] = pod.uid
        for key, uid in self.seen.items():
            assert key in self.world.pods or (key, uid) in self.ended, f"{key} vanished"
        for key, owned in self.ownership.owned.items():
            active = [self.world.pods[pod] for pod in owned.pods if self.world.pods[pod].deletion_timestamp is None]
            assert owned.terminating == len(owned.pods) - len(active)
            if owned.workload.kind == "ReplicaSet":
                brought = sum(pod.name.startswith("more-") for pod in active)
                assert len(active) <= self.ownership.desired_pods(key, ()) + brought, f"{key} has too many pods"


@pytest.mark.slow
@given(inputs=histories())
@settings(
    max_examples=how_many(20, 60),
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_owners_keep_their_pods_and_nothing_vanishes(inputs: RunInputs) -> None:
    session = RunSession.start(inputs)
    watch = Watch(session)
    while session.simulation.step():
        watch.after_step()
    watch.after_step()
    check_causes(*everything(session))
    assert _hash(inputs) == session.recording_hash()
    assert _interrupted(inputs) == session.recording_hash()


def _hash(inputs: RunInputs) -> str:
    session = RunSession.start(inputs)
    session.advance()
    return session.recording_hash()


def _interrupted(inputs: RunInputs) -> str:
    """The hash of a run that is saved and restored after every step."""
    session = RunSession.start(inputs)
    while session.simulation.step():
        chunk = session.cut_chunk()
        if chunk is not None:
            assert chunk.keyframe is not None
            session = RunSession.resume(inputs, chunk.keyframe)
    return session.recording_hash()
