"""What is requested of each node, followed and counted anew."""

from __future__ import annotations

from random import Random

import numpy as np

from dashboard.clusters.models import Timeline
from dashboard.clusters.revisions import object_store
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs import facts, node_usage
from dashboard.debugger.inputs.layout import LastUsage, NodeUse
from dashboard.debugger.inputs.node_usage import usage_at, uses_of
from tests.dashboard.run_helpers import cluster_of, pod


def test_usage_is_what_placements_request(plain_run):
    use = usage_at(facts.facts_of(plain_run), state_at(plain_run, plain_run.head.seq))
    assert use.names == [f"node-{n}" for n in range(5)]
    assert int(use.cpu.sum()) == sum(100 * (n % 4 + 1) for n in range(30))
    assert int(use.pods.sum()) == 30
    assert set(use.cpu_whole.tolist()) == {16_000}
    empty = usage_at(facts.facts_of(plain_run), state_at(plain_run, 0))
    assert int(empty.cpu.sum()) == 0


def test_usage_followed_from_any_moment_to_any_other_is_that_of_all_placements(run, monkeypatch):
    monkeypatch.setattr(node_usage, "FOLLOWED_SHARE", 10)
    known, random = facts.facts_of(run), Random(1)
    for seq in [0, run.head.seq, *(random.randrange(run.head.seq) for _ in range(40))]:
        state = state_at(run, seq)
        followed = usage_at(known, state)
        assert usage_at(known, state) is followed
        known.last_usage = None
        counted = usage_at(known, state)
        for column in ("cpu", "memory", "pods"):
            assert getattr(followed, column).tolist() == getattr(counted, column).tolist()
        known.last_usage = LastUsage(state.placements, state.made, followed)


def test_uses_of_single_nodes_are_those_of_the_whole(run):
    found = facts.facts_of(run)
    for seq in (*range(0, run.head.seq + 1, 5), 0):
        state = state_at(run, seq)
        each, use = uses_of(found, state, [*state.nodes, "nowhere"]), usage_at(found, state)
        columns = np.array([use.cpu, use.memory, use.cpu_whole, use.memory_whole, use.pods])
        assert each == {name: NodeUse(*column) for name, column in zip(use.names, columns.T.tolist(), strict=True)}


def test_a_pod_made_anew_counts_with_the_size_of_its_moment(execute, workspace):
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    entries = [
        {"at": "10s", "action": "delete", "object": pod("pod-0")},
        {"at": "20s", "action": "add", "object": pod("pod-0", "700m")},
    ]
    revision = object_store.save_timeline(timeline, {"entries": entries}, object_store.Saving(None))
    run = execute(cluster_of(2, 2), slug="anew", schedule="timeline", timeline=revision)
    found = facts.facts_of(run)
    assert int(usage_at(found, state_at(run, run.head.seq)).cpu.sum()) == 700 + 200
