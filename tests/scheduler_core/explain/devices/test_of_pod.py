"""Why the claims of a pod get no devices: nodes by what they lack, and who has the devices."""

from __future__ import annotations

from scheduler_core.explain.devices import devices_of_pod
from tests.scheduler_core.explain.devices.worlds import claim, gpu, pod, pool_slice, scene_at, scene_end, world


def test_nodes_are_grouped_by_what_they_lack_the_nearest_first():
    here = scene_at(9)
    answer = devices_of_pod(here, here.pods["ml/tune-2"])
    assert [(one.says, one.n_nodes) for one in answer.groups] == [
        ("1 gpu short", 2),
        ("1 nic short", 1),
        ("2 gpu short and 1 nic short", 2),
    ]
    first = answer.groups[0].nodes[0]
    assert (first.node, first.could, first.codes) == ("gpu-1", (1, 1), ("DEVICE_IN_USE",))
    assert first.says == "tune-0 has 2, serve-0 has 1"
    assert sum(one.n_nodes for one in answer.groups) == 5


def test_who_has_the_devices_is_said_by_owner():
    here = scene_at(9)
    answer = devices_of_pod(here, here.pods["ml/tune-2"])
    assert [(one.owner, one.n_devices) for one in answer.holding] == [
        ("ml/tune-*", 6),
        ("ml/serve-*", 2),
        ("ml/embed-*", 1),
    ]
    assert "preemption frees no devices" in answer.holding[1].says
    assert answer.n_held == 9


def test_a_class_that_is_missing_has_no_funnel():
    here = scene_end()
    answer = devices_of_pod(here, here.pods["ml/encode-0"])
    assert [one.is_hopeless for one in answer.claims] == [True]
    assert (answer.funnels, answer.groups) == ((), ())


def test_a_pod_without_claims_has_no_answer_and_other_nodes_have_no_picture():
    asking = claim("c", 2)
    here = world([pool_slice("a", [gpu(0)])], [asking], [pod("p", "c"), pod("q")], nodes=("b",))
    assert devices_of_pod(here, here.pods["ml/q"]) is None
    answer = devices_of_pod(here, here.pods["ml/p"])
    assert [[one.node for one in group.nodes] for group in answer.groups] == [["a"], ["b"]]
    assert answer.groups[1].nodes[0].cells == ()
