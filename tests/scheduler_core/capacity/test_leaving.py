from __future__ import annotations

import pytest

from scheduler_core.api.objects import OwnerReference, Volume
from scheduler_core.capacity.leaving import drain, unneeded
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.capacity.clusters import budget, resting, web

NODES = [make_node("a"), make_node("b"), make_node("c", cpu="1")]


def test_pods_of_a_drained_node_move_in_the_queues_order():
    pods = [web("low", node="a"), web("high", node="a", priority=10)]
    answer = drain(resting(NODES, pods), ["a"])
    assert [(one.pod, one.source) for one in answer.moves] == [("default/high", "a"), ("default/low", "a")]
    assert {one.target for one in answer.moves} <= {"b", "c"}


def test_what_finds_no_node_stays_pending():
    answer = drain(resting(NODES[:1], [web("w", node="a")]), ["a"])
    assert [one.pod for one in answer.pending] == ["default/w"]
    assert answer.moves == ()


def test_where_a_pod_of_another_scheduler_goes_is_not_known():
    cluster = resting(NODES, [web("w", node="a", scheduler_name="other")])
    assert [(one.pod, one.codes) for one in drain(cluster, ["a"]).pending] == [("default/w", ("OTHER_SCHEDULER",))]
    assert [(one.name, one.codes) for one in unneeded(cluster) if one.needed] == [("a", ("OTHER_SCHEDULER",))]


def test_several_nodes_leave_together():
    pods = [web("one", "4", "a"), web("two", "4", "b")]
    answer = drain(resting([*NODES, make_node("d", cpu="5")], pods), ["a", "b"])
    assert [(one.pod, one.target) for one in answer.moves] == [("default/one", "d")]
    assert [(one.pod, one.codes[0]) for one in answer.pending] == [("default/two", "SHORT_CPU")]


@pytest.mark.parametrize(("pod", "code"), [
    (make_pod("bare", node_name="a"), "EVICT_NO_CONTROLLER"),
    (web("data", node="a", volumes=(Volume(name="v", source="emptyDir"),)), "EVICT_LOCAL_STORAGE"),
])  # fmt: skip
def test_a_pod_that_may_not_be_evicted_blocks(pod, code):
    answer = drain(resting(NODES, [pod]), ["a"])
    assert [(one.pod, one.code) for one in answer.blocked] == [(pod.key, code)]


def test_a_budget_that_allows_none_blocks():
    answer = drain(resting(NODES, [web("w", node="a")], [budget(0)]), ["a"])
    assert [(one.pod, one.budget) for one in answer.blocked] == [("default/w", "default/web")]


def test_a_drain_asks_a_budget_again_once_a_pod_runs_elsewhere():
    pods = [web("one", node="a"), web("two", node="a")]
    assert len(drain(resting(NODES, pods, [budget(1)]), ["a"]).moves) == 2


def test_pods_of_daemon_sets_go_with_their_node():
    owner = (OwnerReference("DaemonSet", "agent", "u", controller=True, api_version="apps/v1"),)
    answer = drain(resting(NODES, [web("agent-a", node="a", owner_references=owner)]), ["a"])
    assert (answer.stay, answer.moves) == (("default/agent-a",), ())


def test_a_node_is_not_needed_whose_pods_fit_elsewhere():
    pods = [web("one", "3", "a"), web("two", "3", "b")]
    needs = {one.name: one for one in unneeded(resting(NODES, pods))}
    assert {name: one.needed for name, one in needs.items()} == {"a": True, "b": True, "c": False}
    assert (needs["a"].pod, needs["a"].codes) == ("default/one", ("SHORT_CPU",))


def test_an_autoscaler_takes_all_pods_of_a_node_together():
    pods = [web("one", node="a"), web("two", node="a")]
    (a, *_) = unneeded(resting(NODES, pods, [budget(1)]))
    assert (a.needed, a.codes) == (True, ("EVICT_BUDGET",))


def test_an_annotation_keeps_a_pod_where_it_is():
    (a, *_) = unneeded(resting(NODES, [web("w", node="a", annotations={"karpenter.sh/do-not-disrupt": "true"})]))
    assert a.codes == ("EVICT_KEPT",)


def test_a_node_that_is_not_there_is_no_question():
    with pytest.raises(KeyError):
        drain(resting(NODES), ["d"])
