"""What is requested of each node, followed and counted anew."""

from __future__ import annotations

from random import Random

from dashboard.clusters.revisions import object_store
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs import facts, node_usage
from dashboard.debugger.inputs.layout import LastUsage
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.documents import store
from dashboard.documents.models import Timeline
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import cluster_of, pod


def test_usage_is_what_placements_request(plain_run):
    use = usage_at(facts.facts_of(plain_run), plain_run, state_at(plain_run, plain_run.head.seq))
    assert use.names == [f"node-{n}" for n in range(5)]
    assert int(use.cpu.sum()) == sum(100 * (n % 4 + 1) for n in range(30))
    assert int(use.pods.sum()) == 30
    assert set(use.whole("cpu").tolist()) == {16_000}
    empty = usage_at(facts.facts_of(plain_run), plain_run, state_at(plain_run, 0))
    assert int(empty.cpu.sum()) == 0


def test_usage_followed_from_any_moment_to_any_other_is_that_of_all_placements(run, monkeypatch):
    monkeypatch.setattr(node_usage, "FOLLOWED_SHARE", 10)
    run_facts, random = facts.facts_of(run), Random(1)
    for seq in [0, run.head.seq, *(random.randrange(run.head.seq) for _ in range(40))]:
        state = state_at(run, seq)
        followed = usage_at(run_facts, run, state)
        assert usage_at(run_facts, run, state) is followed
        run_facts.last_usage = None
        counted = usage_at(run_facts, run, state)
        assert followed.requested.tolist() == counted.requested.tolist()
        run_facts.last_usage = LastUsage(state.placements, state.made, followed, (run.pk, run.created_at), seq)


def test_every_resource_is_counted_that_a_pod_requests(execute):
    gpu = {"metadata": {"name": "gpu"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "8"}}}
    devices = {"nvidia.com/gpu": "3", "example.com/none": "1"}
    asks = {"resources": {"requests": {"cpu": "1", **devices}, "limits": devices}}
    pods = [pod(name, nodeName="gpu", containers=[{"name": "c", **asks}]) for name in ("a", "b")]
    run = execute([{"apiVersion": "v1", "kind": "Node", **gpu}, *pods], slug="gpu", schedule="pending")
    run_facts, state = facts.facts_of(run), state_at(run, 0)
    use = usage_at(run_facts, run, state)
    assert run_facts.requested_resources == {"cpu", "memory", "pods", "nvidia.com/gpu", "example.com/none"}
    assert (use.used("nvidia.com/gpu").tolist(), use.whole("nvidia.com/gpu").tolist()) == ([6], [8])
    assert (use.used("example.com/none").tolist(), use.whole("example.com/none").tolist()) == ([2], [0])
    assert (use.pods.tolist(), use.used("nobody/asks").tolist()) == ([2], [0])


def test_numbers_in_names_sort_as_numbers():
    assert sorted(["n-10", "n-2", "m", "n-2a", "n"], key=node_usage.natural) == ["m", "n", "n-2", "n-2a", "n-10"]


def test_a_pod_made_anew_counts_with_the_size_of_its_moment(execute, workspace):
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    entries = [
        {"at": "10s", "action": "delete", "object": pod("pod-0")},
        {"at": "20s", "action": "add", "object": pod("pod-0", "700m")},
    ]
    revision = store.save_timeline(timeline, {"entries": entries}, object_store.Saving(None))
    run = execute(cluster_of(2, 2), slug="anew", schedule="timeline", timeline=revision)
    run_facts = facts.facts_of(run)
    assert int(usage_at(run_facts, run, state_at(run, run.head.seq)).cpu.sum()) == 700 + 200


def test_sums_above_64_bits_read_as_the_largest_and_the_map_has_no_negative_bar(execute):
    huge = str(2**62)
    pods = [pod(f"huge-{n}", nodeName="node-0", containers=[{"name": "c", **_asking(huge)}]) for n in range(3)]
    run = execute([*cluster_of(2, 0), *pods, pod("small")], slug="huge", schedule="pending")
    run_facts = facts.facts_of(run)
    for seq in (run.head.seq, 0, run.head.seq):
        use = usage_at(run_facts, run, state_at(run, seq))
        assert use.memory.tolist()[0] == 2**63 - 1
    meters = [meter for group in page_of(run).map.card_groups for card in group.cards for meter in card.meters]
    assert [meter.share for meter in meters if meter.text.startswith("memory")] == [100.0, 0.0]


def _asking(memory):
    return {"resources": {"requests": {"memory": memory}}}
