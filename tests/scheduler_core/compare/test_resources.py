"""The formulas, counted by hand on small clusters and node by node on runs."""

from __future__ import annotations

import pytest

from scheduler_core.api.resources import pod_requests
from scheduler_core.compare.resources import NONE, ResourceUse, resource_differences, resource_use
from scheduler_core.explain.outcomes import tally_recording
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.compare.pairs import pair, recorded
from tests.scheduler_core.explain.outcomes.summed_runs import inputs_of


def used(inputs: RunInputs) -> dict[str, ResourceUse]:
    return resource_use(tally_recording(inputs, recorded(inputs)))


def test_share_balance_packing_and_fragmentation_by_hand() -> None:
    nodes = [make_node("full", cpu="4", memory="8Gi"), make_node("empty", cpu="2", memory="8Gi")]
    pods = [
        make_pod("a", cpu="3", memory="2Gi", node_name="full"),
        make_pod("wide", cpu="3", memory="1Gi"),
    ]
    use = used(inputs_of(nodes, pods))
    # 3 of 6 cpus; 0.75 on one node and 0 on the other; one node is in use; both pods need 3 where 1 and 2 are free.
    assert use["cpu"] == ResourceUse(share=0.5, deviation=0.375, packing=0.75, fragmentation=1.0)
    assert use["memory"] == ResourceUse(share=2 / 16, deviation=0.125, packing=0.25, fragmentation=1.0)


def test_fragmentation_counts_pods_as_often_as_they_come() -> None:
    nodes = [make_node("one", cpu="4"), make_node("two", cpu="2")]
    pods = [make_pod(f"small-{i}", cpu="1", memory="0", node_name="one") for i in range(3)]
    use = used(inputs_of(nodes, [*pods, make_pod("wide", cpu="2", memory="0", scheduler_name="none")]))
    # Free are 1 and 2: the three small pods can use both, the wide one (a quarter of the pods) not the 1.
    assert use["cpu"].fragmentation == pytest.approx(0.25 * 1 / 3)


def test_a_resource_that_no_node_has_is_unknown() -> None:
    pod = make_pod("a", extended={"example.com/gpu": "1"})
    assert used(inputs_of([make_node("n")], [pod]))["example.com/gpu"] == NONE


def test_a_full_cluster_has_no_fragmentation_to_tell() -> None:
    use = used(inputs_of([make_node("n", cpu="1")], [make_pod("a", cpu="1", node_name="n")]))
    assert (use["cpu"].share, use["cpu"].fragmentation) == (1.0, None)


def test_resources_of_either_side_are_listed_and_mirror() -> None:
    mine, other = {"cpu": ResourceUse(share=1.0)}, {"gpu": ResourceUse(share=0.5)}
    there, back = resource_differences(mine, other), resource_differences(other, mine)
    assert [(one.resource, one.a.share, one.b.share) for one in there] == [("cpu", 1.0, None), ("gpu", None, 0.5)]
    assert [one.swapped() for one in back] == there


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sums_over_nodes_of_a_run(seed: int) -> None:
    run, _ = pair(seed)
    tally = tally_recording(run.inputs, run.reader)
    state = run.reader.state_at(run.reader.head_seq())
    for name, use in resource_use(tally).items():
        shares, total, whole = [], 0, 0
        for node in state.nodes:
            size = tally.objects.nodes[node].allocatable.get(name, 0)
            pods = [pod for pod, place in state.placements.items() if place.node == node]
            amount = sum(pod_requests(tally.objects.pods[pod]).get(name, 0) for pod in pods)
            if size:
                shares.append((amount / size, bool(pods), amount, size))
                total, whole = total + amount, whole + size
        mean = sum(share for share, *_ in shares) / len(shares)
        in_use = [one for one in shares if one[1]]
        assert use.share == pytest.approx(total / whole)
        assert use.deviation == pytest.approx((sum((one[0] - mean) ** 2 for one in shares) / len(shares)) ** 0.5)
        assert use.packing == pytest.approx(sum(one[2] for one in in_use) / sum(one[3] for one in in_use))
