from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.recording import (
    Keyframe,
    RecordingError,
    RunState,
    apply,
    decode_keyframe,
    encode_keyframe,
    lanes,
)
from scheduler_core.recording import events as ev
from scheduler_core.recording.state import REDUCERS, Placement
from tests.scheduler_core.recording.sample import Sample, only_events, record


def fold(*steps, state=None):
    state = state or RunState.initial({"node-0": 0, "node-1": 1}, {"kube-system/dns": "node-0"})
    for step in steps:
        apply(state, step)
    return state


def move(pod, source, target, at=0, **more):
    return ev.QueueMove(at=at, pod=pod, source=source, target=target, event=more.pop("event", "PodAdd"), **more)


def pod_changed(pod, action, at=0, **more):
    return ev.ObjectChanged(at=at, kind="Pod", key=pod, action=action, **more)


STARTED = ev.CycleStarted(
    at=1, cycle=1, pod="a/x", attempt=2, profile="default-scheduler", priority=0, template=0, n_nodes=2
)
RESERVED = ev.Reserved(at=1, cycle=1, pod="a/x", node="node-1")


def test_every_event_type_has_a_reducer():
    assert set(REDUCERS) == set(ev.AnyEvent.__args__)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), every=st.integers(1, 30))
def test_folding_the_events_from_any_keyframe_gives_the_next(seed, every):
    sample = Sample(seed).run(40)
    recorded = record(sample, cut=lambda cycle: cycle % every == 0)
    state = sample.initial.copy()
    chunks = recorded.store.chunks
    keyframes = {c.end_seq: decode_keyframe(c.keyframe, start=sample.initial.placements).state for c in chunks}
    for event in only_events(sample.steps):
        apply(state, event)
        assert state.seq not in keyframes or state == keyframes[state.seq]
    assert state == recorded.recorder.state


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_pod_is_in_one_place_and_survives_encoding(seed):
    sample = Sample(seed).run(30)
    state = sample.initial.copy()
    for event in only_events(sample.steps):
        apply(state, event)
        assert not set(state.gone) & {p for p, where in state.placements.items() if where.bound}
    queue_lanes = lanes(state)
    listed = [pod for lane in msgspec.structs.astuple(queue_lanes) for pod, _ in lane]
    assert sorted(listed) == sorted(state.queue)
    again = decode_keyframe(encode_keyframe(Keyframe(state, {"x": [1]})))
    assert again.state == state
    assert list(again.state.queue) == list(state.queue), "the order of arrival is part of the state"


def test_a_pod_goes_through_the_lanes_to_its_node():
    state = fold(move("a/x", "", "active"), move("a/x", "active", "in_flight", attempts=1), STARTED)
    assert state.queue["a/x"].lane == "in_flight"
    assert (state.current.cycle, state.current.pod, state.current.attempt, state.current.point) == (1, "a/x", 2, "")
    fold(ev.PointFinished(at=1, cycle=1, point="PreFilter"), state=state)
    assert state.current.point == "PreFilter"
    fold(ev.HostSelected(at=1, cycle=1, node="node-1"), RESERVED, state=state)
    assert state.placements["a/x"] == Placement("node-1", False, 1, 1)
    fold(
        ev.CycleFinished(at=1, cycle=1, pod="a/x", outcome="scheduled", node="node-1"),
        move("a/x", "in_flight", "", at=1),
        ev.Bound(at=2, cycle=1, pod="a/x", node="node-1"),
        state=state,
    )
    assert state.placements["a/x"] == Placement("node-1", True, 1, 2)
    assert (state.current, state.queue, state.counts.bound, state.counts.scheduled) == (None, {}, 1, 1)
    assert (state.seq, state.at, state.cycle) == (9, 2, 1)


def test_points_of_an_earlier_cycles_binding_leave_the_open_cycle_alone():
    state = fold(STARTED, ev.CycleFinished(at=1, cycle=1, pod="a/x", outcome="scheduled", node="node-1"))
    second = msgspec.structs.replace(STARTED, cycle=2, pod="a/y")
    fold(second, ev.PointFinished(at=1, cycle=1, point="PreBind"), state=state)
    assert (state.current.cycle, state.current.point) == (2, "")


def test_an_assumption_is_taken_back():
    state = fold(RESERVED, ev.Unreserved(at=1, cycle=1, pod="a/x", node="node-1", reason="no"))
    assert set(state.placements) == {"kube-system/dns"}


def test_a_deleted_pod_leaves_its_node_but_an_assumed_one_waits_to_be_taken_back():
    state = fold(pod_changed("kube-system/dns", "deleted", cause="completed"), RESERVED)
    assert (set(state.placements), state.gone) == ({"a/x"}, {"kube-system/dns": "completed"})
    fold(pod_changed("a/x", "deleted"), state=state)
    assert "a/x" in state.placements
    fold(ev.Unreserved(at=1, cycle=1, pod="a/x", node="node-1", reason="the pod was deleted"), state=state)
    assert state.placements == {}


def test_a_pod_made_anew_is_no_longer_gone():
    state = fold(pod_changed("a/x", "deleted"), pod_changed("a/x", "added", node="node-1"))
    assert (state.gone, state.placements["a/x"].node) == ({}, "node-1")


def test_the_end_of_an_old_attempt_leaves_the_new_pod_of_that_name_alone():
    state = fold(move("a/x", "active", "in_flight"), pod_changed("a/x", "deleted"), move("a/x", "", "active"))
    fold(move("a/x", "in_flight", "", event="Done"), state=state)
    assert state.queue["a/x"].lane == "active"


def test_a_victim_terminates_and_then_is_gone():
    cause = "preempted by a/x"
    state = fold(pod_changed("kube-system/dns", "updated", cause=cause))
    assert state.terminating == {"kube-system/dns": cause}
    assert "kube-system/dns" in state.placements
    fold(pod_changed("kube-system/dns", "deleted", cause=cause), state=state)
    assert (state.terminating, state.placements, state.gone) == ({}, {}, {"kube-system/dns": cause})


def test_permit_holds_a_pod_until_it_is_decided():
    held = ev.PermitWaiting(at=1, cycle=1, pod="a/x", node="node-1", plugins=("Coscheduling",), deadline=9)
    state = fold(held)
    assert (state.waiting["a/x"].deadline, state.waiting["a/x"].plugins) == (9, ("Coscheduling",))
    fold(ev.PermitDecided(at=2, cycle=1, pod="a/x", plugin="Coscheduling", allowed=True), state=state)
    assert state.waiting == {}


def test_nominations_end_when_cleared_assumed_or_deleted():
    nominated = ev.Nominated(at=0, pod="a/x", node="node-1")
    assert fold(nominated).nominations == {"a/x": "node-1"}
    assert fold(nominated, ev.Nominated(at=0, pod="a/x", node="")).nominations == {}
    assert fold(nominated, RESERVED).nominations == {}
    assert fold(nominated, pod_changed("a/x", "deleted")).nominations == {}


def test_preemptions_count_the_victims_of_the_chosen_node():
    decided = ev.PreemptionDecided(
        at=0, cycle=1, pod="a/x", eligible=True, nominated_node="n", chosen=ev.VictimSet("n", ("a/2", "a/3"))
    )
    state = fold(decided, ev.PreemptionDecided(at=0, cycle=2, pod="a/y", eligible=False))
    assert (state.counts.preemptions, state.counts.victims) == (1, 2)


def test_nodes_keep_their_rows():
    node = ev.ObjectChanged(at=0, kind="Node", key="node-2", action="added", row=2)
    gone = ev.ObjectChanged(at=0, kind="Node", key="node-0", action="deleted", row=0)
    state = fold(node, gone, ev.ObjectChanged(at=0, kind="Service", key="a/s", action="added"))
    assert state.nodes == {"node-1": 1, "node-2": 2}
    assert state.names_by_row() == ["", "node-1", "node-2"]
    assert RunState().names_by_row() == []


def test_the_last_event_says_why_the_run_ended():
    assert fold(ev.RunFinished(at=5, reason="nothing left", cycles=1, bound=1, pending=0)).finished == "nothing left"


def test_a_copy_is_independent():
    state = fold(move("a/x", "", "active"))
    copy = state.copy()
    fold(move("a/x", "active", "in_flight"), RESERVED, ev.Bound(at=1, cycle=1, pod="a/x", node="node-1"), state=copy)
    assert (state.queue["a/x"].lane, set(state.placements), state.counts.bound) == ("active", {"kube-system/dns"}, 0)


def test_lanes_are_in_the_order_in_which_pods_leave_them():
    state = fold(
        move("a/late", "", "active", timestamp=9),
        move("a/early", "", "active", timestamp=1),
        move("a/high", "", "active", timestamp=20, priority=5),
        move("a/twin", "", "active", timestamp=1),
        move("a/b2", "", "backoff", backoff_until=7),
        move("a/b1", "", "backoff", backoff_until=3),
        move("a/e1", "", "error_backoff", backoff_until=3),
        move("a/u2", "", "unschedulable"),
        move("a/u1", "", "unschedulable"),
        move("a/g", "", "gated", gated_by="SchedulingGates"),
    )
    fold(
        move("a/early", "active", "unschedulable"), move("a/early", "unschedulable", "active", timestamp=1), state=state
    )
    queue_lanes = lanes(state)
    assert [pod for pod, _ in queue_lanes.active] == ["a/high", "a/twin", "a/early", "a/late"]
    assert [pod for pod, _ in queue_lanes.backoff] == ["a/b1", "a/b2"]
    assert [pod for pod, _ in queue_lanes.unschedulable] == ["a/u2", "a/u1"]
    assert ([p for p, _ in queue_lanes.error_backoff], [p for p, _ in queue_lanes.gated], queue_lanes.in_flight) == (
        ["a/e1"], ["a/g"], [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: apply(RunState(), ev.Event(at=0)), "event 0: no reducer for Event"),
        (lambda: lanes(fold(move("a/x", "", "limbo"))), "pod a/x: unknown queue lane 'limbo'"),
    ],
)
def test_words(read, sentence):
    with pytest.raises(RecordingError) as refused:
        read()
    assert str(refused.value) == sentence
