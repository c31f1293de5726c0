from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.taints import Toleration
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.queue.cluster_events import ASSIGNED_POD_ADD
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    IN_FLIGHT,
    OUTSIDE,
    SECOND,
    UNSCHEDULABLE,
    QueueProfile,
    QueueSettings,
)
from tests.scheduler_core.queue.queue_helpers import (
    HINTS,
    NODE_ADD,
    NODE_LABEL,
    POD_DELETE,
    PROFILE,
    Harness,
    by_priority,
    gate,
    node,
    pod,
)


@pytest.fixture
def house():
    return Harness()


def last_moves(house, n=1):
    return [(m.pod.split("/")[1], m.source, m.target, m.event, m.plugin) for m in house.moves[-n:]]


# ---- activeQ


def test_pods_are_popped_by_priority_then_in_order_of_arrival(house):
    house.add(pod("a"), pod("b", 5), pod("c"), pod("d", 5))
    assert house.names(ACTIVE) == ["b", "d", "a", "c"]
    assert [house.popped() for _ in range(5)] == ["b", "d", "a", "c", None]


def test_a_pop_counts_the_attempt_and_the_cycle(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    assert (queued.attempts, queued.cycle, house.queue.scheduling_cycle) == (1, 1, 1)
    assert house.names(IN_FLIGHT) == ["a"]
    assert last_moves(house, 2) == [
        ("a", OUTSIDE, ACTIVE, "UnschedulablePodAdd", ""),
        ("a", ACTIVE, IN_FLIGHT, "Popped", ""),
    ]


def test_a_pod_may_be_taken_out_of_turn_unless_it_is_gated_or_does_not_wait(house):
    house.add(pod("a", 9), pod("b"), pod("gated", scheduling_gates=("g",)))
    queued = house.queue.take("default/b")
    assert (queued.attempts, queued.cycle, house.names(IN_FLIGHT), house.names(ACTIVE)) == (1, 1, ["b"], ["a"])
    assert house.queue.take("default/b") is None
    assert house.queue.take("default/gated") is None
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",)) == UNSCHEDULABLE
    assert house.queue.take("default/b").unschedulable_plugins == ()


def test_a_pod_of_a_profile_that_does_not_exist_is_refused(house):
    with pytest.raises(ValueError, match=r"default/a.*'nobody'"):
        house.queue.add(pod("a", scheduler_name="nobody"))


def test_each_profile_has_its_own_gates_and_hints():
    open_gate = QueueProfile(by_priority, lambda pod: gate(pod("x")) if callable(pod) else gate(pod), HINTS)
    closed = QueueProfile(by_priority, lambda p: gate(pod("x", scheduling_gates=("g",))), ())
    house = Harness(profiles={"default-scheduler": open_gate, "closed": closed})
    house.add(pod("a"), pod("b", scheduler_name="closed"))
    assert (house.names(ACTIVE), house.names(GATED)) == (["a"], ["b"])


# ---- failures and backoff


def test_a_refused_pod_waits_for_an_event_that_its_plugin_likes(house):
    house.add(pod("a"))
    assert house.fail("a", "Fit") == UNSCHEDULABLE
    house.advance(2)
    house.queue.move_all(NODE_ADD, None, node("small"))
    assert house.names(UNSCHEDULABLE) == ["a"]
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert last_moves(house) == [("a", UNSCHEDULABLE, ACTIVE, "NodeAdd", "Fit")]


def test_an_event_during_backoff_leads_to_backoff_and_the_flush_to_active(house):
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.names(BACKOFF) == ["a"]
    assert house.moves[-1].backoff_until == 1 * SECOND
    assert house.queue.next_backoff_flush() == 2 * SECOND
    house.clock = 2 * SECOND - 1
    house.queue.flush_backoff_completed()
    assert house.names(BACKOFF) == ["a"]
    house.clock = 2 * SECOND
    house.queue.flush_backoff_completed()
    assert last_moves(house) == [("a", BACKOFF, ACTIVE, "BackoffComplete", "")]
    assert house.queue.next_backoff_flush() is None


def test_when_active_is_empty_the_head_of_backoff_is_popped_early(house):
    house.add(pod("a"), pod("b", 9))
    house.fail("b", "Fit")
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.queue.can_pop
    assert house.popped() == "b"
    assert last_moves(house) == [("b", BACKOFF, IN_FLIGHT, "PopFromBackoffQ", "")]


def test_without_popping_from_backoff_the_queue_waits():
    house = Harness(QueueSettings(pop_from_backoff=False))
    house.add(pod("a"))
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert not house.queue.can_pop
    assert house.popped() is None


def test_after_an_error_the_pod_sits_out_its_backoff(house):
    house.add(pod("a"))
    assert house.fail("a") == ERROR_BACKOFF
    assert house.popped() is None
    house.clock = house.queue.next_backoff_flush()
    house.queue.flush_backoff_completed()
    assert house.popped() == "a"


def test_errors_in_a_row_and_refusals_are_counted_apart(house):
    house.add(pod("a"))
    house.fail("a")
    house.advance(60)
    house.queue.flush_backoff_completed()
    house.fail("a")
    queued = house.queue.entries(ERROR_BACKOFF)[0]
    assert (queued.error_count, queued.unschedulable_count, queued.backoff_until) == (2, 0, 62 * SECOND)
    house.advance(60)
    house.queue.flush_backoff_completed()
    house.fail("a", "Fit")
    assert (queued.error_count, queued.unschedulable_count, queued.attempts) == (0, 1, 3)


def test_the_timestamp_is_renewed_by_a_failure_and_by_nothing_else(house):
    house.add(pod("a"))
    house.advance(5)
    house.fail("a", "Fit")
    house.advance(5)
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.queue.get("default/a").timestamp == 5 * SECOND


def test_pods_that_fail_at_the_same_moment_keep_the_order_of_their_failures(house):
    house.add(pod("a"), pod("b"))
    a, b = house.queue.pop(), house.queue.pop()
    for queued in (b, a):
        house.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), queued.pod)
    house.advance(2)
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.names(ACTIVE) == ["b", "a"]


def test_a_plugin_that_waited_skips_the_backoff(house):
    house.add(pod("a"))
    house.fail("a", "Fit", pending=("Permit",))
    house.queue.move_all(ASSIGNED_POD_ADD, None, pod("other", node_name="n"))
    assert last_moves(house) == [("a", UNSCHEDULABLE, ACTIVE, "AssignedPodAdd", "Permit")]


def test_a_pod_that_is_back_in_the_queue_already_only_ends_its_attempt(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.add(msgspec.structs.replace(pod("a"), uid="again"))
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",)) == OUTSIDE
    assert (house.names(ACTIVE), house.names(IN_FLIGHT)) == (["a"], [])


# ---- events while a pod is in flight


def test_an_event_during_the_attempt_is_replayed_after_it(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), pod("a")) == BACKOFF
    assert last_moves(house) == [("a", IN_FLIGHT, BACKOFF, "ScheduleAttemptFailure", "Fit")]
    assert house.moves[-1].in_flight_event == "NodeAdd"


def test_an_event_before_the_pop_is_not_replayed(house):
    house.add(pod("a"))
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.fail("a", "Fit") == UNSCHEDULABLE


def test_an_event_that_does_not_help_leaves_the_pod_unschedulable(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("small"))
    house.queue.move_all(NODE_LABEL, node("big"), node("big"))
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), pod("a")) == UNSCHEDULABLE


def test_the_pods_own_update_during_the_attempt_is_replayed_with_its_new_version(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    new = pod("a", tolerations=(Toleration("k"),))
    house.queue.update(pod("a"), new)
    assert house.names(IN_FLIGHT) == ["a"]
    assert house.queue.add_unschedulable_if_not_present(queued, ("Tolerations",), (), new) == BACKOFF
    assert queued.pod is new


def test_the_strongest_answer_to_several_events_counts(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("big"))
    house.queue.move_all(ASSIGNED_POD_ADD, None, pod("x", node_name="n"))
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",), ("Permit",), pod("a")) == ACTIVE
    assert (house.moves[-1].plugin, house.moves[-1].in_flight_event) == ("Permit", "AssignedPodAdd")


def test_activation_of_a_pod_in_flight_has_it_retried(house):
    house.add(pod("a"), pod("b"))
    a, b = house.queue.pop(), house.queue.pop()
    house.queue.activate([pod("a"), pod("unknown")])
    assert house.queue.add_unschedulable_if_not_present(a, ("Fit",), (), pod("a")) == BACKOFF
    assert house.queue.add_unschedulable_if_not_present(b, ("Fit",), (), pod("b")) == UNSCHEDULABLE


def test_done_ends_the_attempt_by_entry_pod_or_name(house):
    house.add(pod("a"), pod("b"), pod("c"))
    a, _, _ = (house.queue.pop() for _ in range(3))
    house.queue.done(a)
    house.queue.done(pod("b"))
    house.queue.done("default/c")
    house.queue.done("default/never-seen")
    assert house.names(IN_FLIGHT) == []
    assert last_moves(house) == [("c", IN_FLIGHT, OUTSIDE, "Done", "")]


def test_a_pod_deleted_in_flight_stays_there_until_its_attempt_ends(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.delete(pod("a"))
    assert house.names(IN_FLIGHT) == ["a"]
    house.queue.done(queued)
    assert house.queue.lengths() == dict.fromkeys(house.queue.lengths(), 0)


# ---- gates


def test_a_gated_pod_waits_for_its_gates_alone(house):
    gated = pod("a", scheduling_gates=("g",))
    house.add(gated)
    assert last_moves(house) == [("a", OUTSIDE, GATED, "UnschedulablePodAdd", "")]
    assert house.moves[-1].gated_by == "Gates"
    house.queue.move_all(POD_DELETE, pod("x", node_name="n"), None)
    house.queue.activate([gated])
    house.advance(1000)
    house.queue.flush_unschedulable_leftover()
    assert house.names(GATED) == ["a"]
    assert house.queue.next_unschedulable_flush() is None
    house.queue.update(gated, pod("a"))
    assert last_moves(house) == [
        ("a", GATED, ACTIVE, "UnschedulablePodUpdatePodSchedulingGatesEliminated", "Gates"),
    ]


def test_an_unschedulable_pod_may_be_gated_on_its_way():
    shut = []
    profile = QueueProfile(by_priority, lambda p: gate(pod("x", scheduling_gates=tuple(shut))), HINTS)
    house = Harness(profiles={"default-scheduler": profile})
    house.add(pod("a"))
    house.fail("a", "Fit")
    shut.append("g")
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert last_moves(house) == [("a", UNSCHEDULABLE, GATED, "NodeAdd", "Fit")]
    assert house.queue.lengths()[UNSCHEDULABLE] == 0
    assert house.queue.get("default/a").unschedulable_plugins == ("Fit", "Gates")
    shut.clear()
    house.advance(60)
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.names(GATED) == ["a"], "the event is not about its gate"


@pytest.mark.parametrize(("pop_from_backoff", "lane"), [(True, ACTIVE), (False, GATED)])
def test_gates_are_asked_on_the_way_into_backoff_or_else_on_the_way_out(pop_from_backoff, lane):
    shut = []
    profile = QueueProfile(by_priority, lambda p: gate(pod("x", scheduling_gates=tuple(shut))), HINTS)
    house = Harness(QueueSettings(pop_from_backoff=pop_from_backoff), {"default-scheduler": profile})
    house.add(pod("a"))
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    shut.append("g")
    house.clock = house.queue.next_backoff_flush()
    house.queue.flush_backoff_completed()
    assert house.names(lane) == ["a"]


def test_an_activation_out_of_backoff_asks_no_gate_again_and_one_of_an_unschedulable_pod_does():
    shut = []
    profile = QueueProfile(by_priority, lambda p: gate(pod("x", scheduling_gates=tuple(shut))), HINTS)
    house = Harness(profiles={"default-scheduler": profile})
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    house.fail("b", "Fit")
    shut.append("g")
    house.queue.activate([pod("a"), pod("b")])
    assert (house.names(ACTIVE), house.names(GATED)) == (["a"], ["b"])


def test_a_gate_that_hears_of_everything_is_tried_by_the_leftover_timer():
    shut = ["g"]
    everything = EventWithHint(ClusterEvent(Resource.WILDCARD, ActionType.ALL))
    profile = QueueProfile(
        by_priority, lambda p: gate(pod("x", scheduling_gates=tuple(shut))), (("Gates", everything),)
    )
    house = Harness(profiles={"default-scheduler": profile})
    house.add(pod("a"))
    assert house.queue.next_unschedulable_flush() == 330 * SECOND
    shut.clear()
    house.clock = 330 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.names(ACTIVE) == ["a"]


# ---- updates and deletions of waiting pods


def test_an_update_in_active_keeps_the_place_unless_the_order_changes(house):
    house.add(pod("a"), pod("b"), pod("c"))
    house.queue.update(pod("a"), pod("a", labels={"x": "y"}))
    assert house.names(ACTIVE) == ["a", "b", "c"]
    house.queue.update(pod("c"), pod("c", 7))
    assert house.names(ACTIVE) == ["c", "a", "b"]
    assert house.queue.entries(ACTIVE)[1].pod.labels == {"x": "y"}


def test_an_update_that_its_plugin_likes_moves_an_unschedulable_pod(house):
    house.add(pod("a"))
    house.fail("a", "Tolerations")
    house.queue.update(pod("a"), pod("a", labels={"x": "y"}))
    assert house.names(UNSCHEDULABLE) == ["a"]
    house.queue.update(pod("a", labels={"x": "y"}), pod("a", tolerations=(Toleration("k"),)))
    assert last_moves(house) == [
        ("a", UNSCHEDULABLE, BACKOFF, "UnschedulablePodUpdatePodToleration", "Tolerations"),
    ]


@pytest.mark.parametrize(("pop_from_backoff", "lane"), [(True, BACKOFF), (False, ACTIVE)])
def test_the_first_event_of_an_update_that_makes_the_pod_available_decides(pop_from_backoff, lane):
    labels = EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE_POD_LABEL))
    tolerations = EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE_POD_TOLERATION))
    profile = QueueProfile(by_priority, gate, (("Labels", labels), ("Permit", tolerations)))
    house = Harness(QueueSettings(pop_from_backoff=pop_from_backoff), {"default-scheduler": profile})
    house.add(pod("a"))
    house.fail("a", "Labels", pending=("Permit",))
    house.queue.update(pod("a"), pod("a", labels={"x": "y"}, tolerations=(Toleration("k"),)))
    assert house.names(lane) == ["a"]


def test_an_update_of_an_unknown_pod_adds_it(house):
    house.queue.update(pod("a"), pod("a", labels={"x": "y"}))
    assert last_moves(house) == [("a", OUTSIDE, ACTIVE, "UnschedulablePodUpdate", "")]


@pytest.mark.parametrize("lane", [ACTIVE, BACKOFF, ERROR_BACKOFF, UNSCHEDULABLE, GATED])
def test_a_deleted_pod_leaves_any_lane(house, lane):
    house.add(pod("a", scheduling_gates=("g",) if lane == GATED else ()))
    if lane in (BACKOFF, UNSCHEDULABLE):
        house.fail("a", "Fit")
    if lane == BACKOFF:
        house.queue.move_all(NODE_ADD, None, node("big"))
    if lane == ERROR_BACKOFF:
        house.fail("a")
    assert house.names(lane) == ["a"]
    house.queue.delete(pod("a"))
    assert last_moves(house) == [("a", lane, OUTSIDE, "UnschedulablePodDelete", "")]
    assert len(house.queue) == 0
    assert house.popped() is None


def test_activation_moves_a_pod_out_of_backoff_and_unschedulable(house):
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    house.fail("b")
    house.queue.activate([pod("b"), pod("a")])
    assert house.names(ACTIVE) == ["a", "b"]
    assert last_moves(house) == [("a", UNSCHEDULABLE, ACTIVE, "ForceActivate", "")]


# ---- events


def test_a_precheck_keeps_pods_where_they_are(house):
    house.add(pod("low", 1), pod("high", 9))
    house.fail("high", "Fit")
    house.fail("low", "Fit")
    house.queue.move_all(POD_DELETE, pod("x", node_name="n"), None, lambda waiting: waiting.priority <= 5)
    assert (house.names(UNSCHEDULABLE), house.names(BACKOFF)) == (["high"], ["low"])


def test_an_event_that_no_plugin_registered_is_not_even_remembered(house):
    house.add(pod("a"))
    house.queue.pop()
    house.queue.move_all(ClusterEvent(Resource.CSI_NODE, ActionType.ADD), None, None)
    assert [entry.key for entry in house.queue.in_flight_log()] == ["default/a"]


# ---- timers


def test_pods_that_were_unschedulable_for_five_minutes_are_tried_again(house):
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    house.clock = 30 * SECOND
    house.fail("b", "Fit")
    house.clock = 300 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.names(UNSCHEDULABLE) == ["a", "b"]
    house.clock = house.queue.next_unschedulable_flush()
    assert house.clock == 330 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert last_moves(house) == [("a", UNSCHEDULABLE, ACTIVE, "UnschedulableTimeout", "")]
    assert house.names(UNSCHEDULABLE) == ["b"]


def test_a_time_out_of_gated_pods_alone_is_remembered_for_pods_in_flight(house):
    house.add(pod("g", scheduling_gates=("g",)), pod("a"))
    house.advance(301)
    queued = house.queue.pop()
    house.queue.flush_unschedulable_leftover()
    assert house.names(GATED) == ["g"]
    house.queue.add_unschedulable_if_not_present(queued, ("Fit",))
    assert last_moves(house)[-1] == ("a", IN_FLIGHT, BACKOFF, "ScheduleAttemptFailure", "")
    assert house.moves[-1].in_flight_event == "UnschedulableTimeout"


def test_gated_pods_that_wait_for_less_than_the_stay_time_nobody_out(house):
    house.add(pod("g", scheduling_gates=("g",)), pod("a"))
    house.advance(300)
    queued = house.queue.pop()
    house.queue.flush_unschedulable_leftover()
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",)) == UNSCHEDULABLE


def test_the_leftover_timer_is_announced_for_gated_pods_once_for_each_pod_that_is_in_flight(house):
    house.add(pod("g", scheduling_gates=("g",)), pod("a"), pod("b"))
    assert house.queue.next_unschedulable_flush() is None
    house.queue.pop()
    assert house.queue.next_unschedulable_flush() == 330 * SECOND
    house.clock = 330 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.queue.next_unschedulable_flush() is None
    house.queue.pop()
    assert house.queue.next_unschedulable_flush() == 330 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.queue.next_unschedulable_flush() is None
    house.queue.done("default/a")
    house.queue.done("default/b")
    assert house.queue.next_unschedulable_flush() is None


# ---- nominations


def test_nominated_pods_are_given_in_the_version_of_the_queue(house):
    house.add(pod("a"))
    house.fail("a", "Fit")
    house.queue.add_nominated(pod("a"), "n1")
    assert house.queue.nominated_pods("n1") == [pod("a")]
    new = pod("a", nominated_node_name="n1")
    house.pods[new.key] = new
    house.queue.update(pod("a"), new)
    assert house.queue.nominated_pods("n1")[0] is new
    assert house.queue.nominated_node(new) == "n1"
    house.queue.delete(new)
    assert house.queue.nominated_pods("n1") == []


def test_a_move_leaves_the_nomination_alone_whatever_the_status_says(house):
    stale = pod("a", nominated_node_name="n1")
    house.add(stale)
    house.fail("a", "Fit")
    house.queue.add_nominated(stale, "n2")
    house.advance(5)
    house.queue.move_all(NODE_ADD, None, node("big"))
    assert house.names(ACTIVE) == ["a"]
    assert house.queue.nominated_node(stale) == "n2"


def test_a_new_pod_with_a_nomination_in_its_status_is_nominated_unless_gated(house):
    house.add(pod("a", nominated_node_name="n1"), pod("b", nominated_node_name="n1", scheduling_gates=("g",)))
    assert [p.name for p in house.queue.nominated_pods("n1")] == ["a"]


# ---- looking


def test_an_unknown_lane_is_an_error(house):
    with pytest.raises(ValueError, match="no lane 'limbo'"):
        house.queue.entries("limbo")


def test_a_queue_without_profiles_is_an_error():
    with pytest.raises(ValueError, match="at least one profile"):
        type(Harness().queue)(lambda: 0, {}, QueueSettings(), print)


def test_the_profile_of_the_helpers_is_the_one_in_use(house):
    assert PROFILE.hints == HINTS
    assert house.queue.settings == QueueSettings()


# ---- events that no plugin registered for

UNHEARD = ClusterEvent(Resource.CSI_NODE, ActionType.ADD)


@pytest.fixture
def older():
    assert UNHEARD.resource not in {registered.event.resource for _, registered in HINTS}
    return Harness(QueueSettings(mode="move-cycle"))


def test_in_the_older_queue_it_moves_the_pods_that_no_plugin_refused_and_no_others(older):
    older.add(pod("nobodys", 1), pod("refused"))
    assert (older.fail("nobodys"), older.fail("refused", "Fit")) == (UNSCHEDULABLE, UNSCHEDULABLE)
    older.queue.move_all(UNHEARD)
    assert (older.names(BACKOFF), older.names(UNSCHEDULABLE)) == (["nobodys"], ["refused"])


def test_in_the_older_queue_it_is_a_move_request_during_an_attempt(older):
    older.add(pod("a"))
    queued = older.queue.pop()
    older.queue.move_all(UNHEARD)
    assert older.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), queued.pod) == BACKOFF


def test_with_hints_it_is_not_heard(house):
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    queued = house.queue.pop()
    house.queue.move_all(UNHEARD)
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), queued.pod) == UNSCHEDULABLE
    assert house.names(UNSCHEDULABLE) == ["a", "b"]
