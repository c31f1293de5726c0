"""Whatever happens to a cluster, and in whatever order: promises hold at every decision, and runs repeat exactly.

A state machine makes up the history (pods, nodes, services and budgets that come, change and go); at its end the
history runs, watched at every step, then again, and once more interrupted and resumed.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from scheduler_core.api.objects import ClusterObjects, ElasticQuota, Pod, PodGroup
from scheduler_core.explain.outcomes import tally_recording
from scheduler_core.profiles.presets import PRESETS, find_preset
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from tests.properties.causes import check_causes, everything
from tests.properties.strategies import GROUP, NODE_NAMES, budgets, labels, nodes, pods, services
from tests.properties.watcher import Watcher
from tests.seeds import how_many

SECOND = 1_000_000
NAMES = [f"pod-{i}" for i in range(15)]
QUOTA = ElasticQuota(name="quota", min={"cpu": 6000, "memory": 1 << 40}, max={"cpu": 5000, "memory": 1 << 40})


class History(RuleBasedStateMachine):
    """Makes up a timeline; ``teardown`` runs it."""

    @initialize(
        initial=st.lists(nodes(), min_size=2, max_size=4, unique_by=lambda node: node.name),
        victims=st.sampled_from(["grace", "at_once"]),
        search=st.sampled_from(["all", "configured"]),
        order=st.sampled_from(["queue", "queue", "listed"]),
        preset=st.sampled_from([*PRESETS, "default", "coscheduling"]),
        min_member=st.integers(1, 4),
        seed=st.integers(0, 3),
        every=st.integers(1, 9),
    )
    def begin(self, initial, victims, search, order, preset, min_member, seed, every):
        self.now = 0
        self.entries: list[TimelineEntry] = []
        self.pods: dict[str, Pod] = {}
        self.nodes = {node.name: node for node in initial}
        self.initial = initial
        self.preset = find_preset(preset)
        chosen = Policies(victims=victims, node_search=search, attempt_order=order)
        self.policies = self.preset.applied_to(chosen)
        self.seed, self.every = seed, every
        self.groups = [PodGroup(name=GROUP, min_member=min_member, schedule_timeout_seconds=5)]

    def add(self, action, obj):
        self.entries.append(TimelineEntry(self.now, action, obj))

    def put(self, pod):
        self.pods[pod.name] = pod
        self.add("put", pod)

    def some_pod(self, data):
        return self.pods[data.draw(st.sampled_from(sorted(self.pods)))] if self.pods else None

    @rule(microseconds=st.sampled_from([1, 1_000, 4_000, SECOND, 20 * SECOND, 400 * SECOND]))
    def time_passes(self, microseconds):
        self.now += microseconds

    @rule(data=st.data(), count=st.integers(1, 4))
    def pods_come(self, data, count):
        free = [name for name in NAMES if name not in self.pods]  # names of deleted pods come again
        for name in free[:count]:
            self.put(data.draw(pods(name)))

    @rule(data=st.data())
    def placed_pod_comes(self, data):
        if self.nodes:
            pod = data.draw(pods(f"placed-{len(self.entries)}"))
            node = data.draw(st.sampled_from(sorted(self.nodes)))
            self.put(msgspec.structs.replace(pod, node_name=node, phase="Running", scheduling_gates=()))

    @rule(data=st.data(), labels=labels)
    def pod_is_relabelled(self, data, labels):
        pod = self.some_pod(data)
        if pod is not None:
            self.put(msgspec.structs.replace(pod, labels=labels))

    @rule(data=st.data())
    def pod_is_ungated(self, data):
        pod = self.some_pod(data)
        if pod is not None:
            self.put(msgspec.structs.replace(pod, scheduling_gates=()))

    @rule(data=st.data(), node=st.sampled_from([*NODE_NAMES, "nowhere"]))
    def pod_is_nominated(self, data, node):
        pod = self.some_pod(data)
        if pod is not None and not pod.node_name:
            self.put(msgspec.structs.replace(pod, nominated_node_name=node))

    @rule(data=st.data(), completes=st.booleans())
    def pod_goes(self, data, completes):
        pod = self.some_pod(data)
        if pod is None:
            return
        del self.pods[pod.name]
        if completes:
            self.add("put", msgspec.structs.replace(pod, phase="Succeeded"))
        else:
            self.add("delete", pod)

    @rule(node=nodes())
    def node_comes_or_changes(self, node):
        self.nodes[node.name] = node
        self.add("put", node)

    @rule(name=st.sampled_from(NODE_NAMES))
    def node_goes(self, name):
        if name in self.nodes and len(self.nodes) > 1:
            self.add("delete", self.nodes.pop(name))

    @rule(service=services(), comes=st.booleans())
    def service_changes(self, service, comes):
        self.add("put" if comes else "delete", service)

    @rule(budget=budgets())
    def budget_changes(self, budget):
        self.add("put", budget)

    def inputs(self):
        return RunInputs(
            objects=ClusterObjects(nodes=list(self.initial), pod_groups=self.groups, elastic_quotas=[QUOTA]),
            schedule="timeline",
            timeline=Timeline.of(self.entries),
            configuration=self.preset.configuration(),
            policies=self.policies,
            seed=self.seed,
            max_cycles=400,
        )

    def teardown(self):
        if not hasattr(self, "entries"):
            return
        inputs = self.inputs()
        watched = RunSession.start(inputs, registry())
        watcher = Watcher(watched, budgets_are_spent=self.preset.name != "generic-preemption-2020")
        while watched.simulation.step():
            watcher.after_step()
        assert run(inputs) == watched.recording_hash()
        check_causes(*everything(watched))
        check_waits(inputs)
        assert interrupted(inputs, self.every) == watched.recording_hash()


@cache
def registry():
    """The plugins of the tree, and the examples from outside of it."""
    plugins = in_tree()
    for folder, name in (("coscheduling", "Coscheduling"), ("capacity_scheduling", "CapacityScheduling")):
        sys.path.append(str(Path(__file__).parents[2] / "examples" / folder))
        plugins = plugins.with_plugin(name, getattr(import_module(f"schedscope_{folder}"), name))
    return plugins


def run(inputs):
    session = RunSession.start(inputs, registry())
    session.advance()
    return session.recording_hash()


def check_waits(inputs):
    """The parts of each pod's wait add up to it, at the end and wherever it is looked at before."""
    session = RunSession.start(inputs, registry())
    store = MemoryStore(session.initial_keyframe())
    session.advance()
    store.add(session.cut_chunk())
    reader = RecordingReader(store)
    for until in (reader.head_seq() // 2, reader.head_seq()):
        tally = tally_recording(inputs, reader, until)
        for record in tally.records:
            if record.came >= 0:
                assert sum(record.spent.until(tally.state.at)) == record.wait(tally.state.at), record.pod


def interrupted(inputs, every):
    """The hash of a run that is saved and restored again and again, between any two steps."""
    session = RunSession.start(inputs, registry())
    going = True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            session = RunSession.resume(inputs, chunk.keyframe, registry())
    return session.recording_hash()


History.TestCase.settings = settings(
    max_examples=how_many(20, 60),
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestHistory = pytest.mark.slow(History.TestCase)
