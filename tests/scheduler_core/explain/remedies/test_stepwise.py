"""Where one change is not enough, several are found together, each an answer to what the engine still refuses."""

from __future__ import annotations

import msgspec

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import ClusterObjects, PersistentVolume, PersistentVolumeClaim, Volume
from scheduler_core.explain.remedies.ranking import Ranks
from scheduler_core.explain.remedies.search import remedies, search
from scheduler_core.explain.remedies.stepwise import NodeWalks
from scheduler_core.explain.sessions import at_cycle, at_seq
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import pod_of, recorded
from tests.scheduler_core.explain.remedies.proposed import changed

ZONE = "topology.kubernetes.io/zone"


def trials_of(nodes, pods, **objects):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods, **objects))
    reader = recorded(inputs)
    return at_cycle(reader, inputs, 1), pod_of(reader, 1)


def far_volume():
    affinity = NodeSelector((NodeSelectorTerm((Requirement(ZONE, "In", ("a",)),)),))
    bound = {"pv.kubernetes.io/bind-completed": "yes"}
    claim = PersistentVolumeClaim(name="data", volume_name="disk", annotations=bound, access_modes=("ReadWriteOnce",))
    return {
        "persistent_volume_claims": [claim],
        "persistent_volumes": [PersistentVolume(name="disk", node_affinity=affinity, phase="Bound")],
    }


def test_room_a_volume_and_a_taint_are_answered_together():
    node = make_node("b1", cpu="2", labels={ZONE: "b"}, taints=["gpu:NoSchedule"])
    pod = make_pod("p", cpu="4", volumes=(Volume(name="v", claim_name="data"),))
    trials, key = trials_of([node], [pod], **far_volume())
    several = {tuple(edit.code for edit in one.edits): one for one in remedies(trials, key).verified}
    three = several["TOLERATE", "DROP_VOLUME", "REQUEST_LESS"]
    # 2 cpu of 2, a toleration, and a volume done without, after which the pod is another one
    assert (three.size, three.node, three.actor) == (5.0, "b1", "storage")
    assert three.text.count(" and ") == 2
    assert ("UNTAINT_NODE", "MOVE_VOLUME_ZONE", "GROW_NODE") in {codes[:3] for codes in several}


def test_a_missing_claim_on_a_full_node_takes_two_changes():
    on = make_pod("x", cpu="4", node_name="n")
    pod = make_pod("p", cpu="2", volumes=(Volume(name="v", claim_name="data"),), preemption_policy="Never")
    trials, key = trials_of([make_node("n", cpu="4")], [on, pod])
    codes = [[edit.code for edit in one.edits] for one in remedies(trials, key).verified]
    assert ["DROP_VOLUME", "EVICT_POD"] in codes
    assert any({*several} == {"CREATE_CLAIM", "EVICT_POD"} for several in codes)


def test_the_state_is_as_it_was_behind_the_walks():
    trials, key = trials_of([make_node("b1", cpu="2", labels={ZONE: "b"})], [make_pod("p", cpu="4")])
    before = trials.attempt(key).events
    assert list(NodeWalks(trials, key, Ranks()).walks(lambda: False))
    assert trials.attempt(key).events == before


def test_nodes_of_the_first_reading_are_walked_to_first():
    nodes = [make_node("a", cpu="2", taints=["gpu:NoSchedule"]), make_node("b", cpu="1", taints=["disk:NoSchedule"])]
    trials, key = trials_of(nodes, [make_pod("p", cpu="4", preemption_policy="Never")])
    for first, second in (("a", "b"), ("b", "a")):
        ranks = Ranks({first: 0, second: 1})
        assert next(NodeWalks(trials, key, ranks).walks(lambda: False))[1].node == first


def test_without_time_no_walk_is_begun():
    trials, key = trials_of([make_node("n", cpu="1")], [make_pod("p", cpu="2")])
    assert list(NodeWalks(trials, key, Ranks()).walks(lambda: True)) == []


def test_a_gated_pod_needs_its_gates_off_and_room():
    gated = make_pod("p", cpu="4", scheduling_gates=("quota", "review"))
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("n", cpu="2")], pods=[gated, make_pod("o")]))
    reader = recorded(inputs)
    outcome = search(at_seq(reader, inputs, reader.head_seq()), "default/p")
    assert outcome.failure.endswith("[quota review]")
    enough = [one for one in outcome.tried if one.remedy.status == "verified"]
    assert enough
    assert all("REMOVE_GATE" in [edit.code for edit in one.remedy.edits] for one in enough)
    assert all(one.changes.pod.scheduling_gates == () for one in enough)


def test_a_gated_pod_that_has_room_needs_its_gates_off_only():
    gated = make_pod("p", scheduling_gates=("quota",))
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("n")], pods=[gated, make_pod("o")]))
    reader = recorded(inputs)
    answer = remedies(at_seq(reader, inputs, reader.head_seq()), "default/p")
    assert not answer.fits
    assert changed(answer.verified[0]) == [("REMOVE_GATE", "quota", "")]
    assert msgspec.json.decode(msgspec.json.encode(answer), type=type(answer)) == answer
