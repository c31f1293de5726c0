from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.taints import Toleration
from scheduler_core.queue.snapshot import SavedLogEntry, SavedObject, load_object, save_object
from scheduler_core.queue.types import ACTIVE, SECOND
from tests.scheduler_core.queue.queue_helpers import NODE_ADD, POD_DELETE, Harness, node, pod


def busy_house():
    """A queue with a pod in every lane, two in flight with events between, and nominations."""
    house = Harness()
    house.add(*(pod(name) for name in ("backoff", "error", "refused", "flying", "late")))
    house.fail("backoff", "Fit")
    house.queue.move_all(NODE_ADD, None, node("big"))
    house.fail("error")
    house.fail("refused", "Affinity", pending=("Permit",))
    house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("small"))
    house.queue.move_all(POD_DELETE, pod("gone", node_name="n"), None)
    house.queue.pop()
    house.add(pod("gated", scheduling_gates=("g",)), pod("active", 3), pod("active2"))
    house.queue.add_nominated(pod("refused"), "n1")
    house.queue.add_nominated(pod("flying"), "n1")
    return house


def encoded(house):
    """The queue's state as it is read from a keyframe."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(house.queue.dump()))


def test_a_state_survives_encoding_and_restores_every_place_in_order():
    house = busy_house()
    state = encoded(house)
    copy = Harness()
    copy.pods = dict(house.pods)
    copy.queue.load(state, house.pods)
    assert encoded(copy) == state
    assert copy.queue.lengths() == house.queue.lengths()
    assert min(house.queue.lengths().values()) > 0
    for lane in house.queue.lengths():
        assert copy.names(lane) == house.names(lane)
    assert copy.moves == []


def play(house):
    """What the queue does next: flushes, pops, failures with replayed events; names and moves."""
    house.clock = max(house.clock, 10 * SECOND)
    flying = {queued.pod.name: queued for queued in house.queue.in_flight()}
    house.queue.add_unschedulable_if_not_present(flying["flying"], ("Fit",), (), house.pods["default/flying"])
    house.queue.update(pod("late"), pod("late", tolerations=(Toleration("k"),)))
    house.queue.add_unschedulable_if_not_present(flying["late"], ("Tolerations",), (), pod("late"))
    house.queue.flush_backoff_completed()
    house.clock = 400 * SECOND
    house.queue.flush_unschedulable_leftover()
    return [house.popped() for _ in range(9)], [msgspec.structs.astuple(move) for move in house.moves]


def test_a_restored_queue_goes_on_exactly_like_the_original():
    house = busy_house()
    copy = Harness()
    copy.pods = dict(house.pods)
    copy.queue.load(house.queue.dump(), house.pods)
    copy.clock = house.clock
    house.moves.clear()
    popped, moves = play(house)
    assert (popped, moves) == play(copy)
    assert len(moves) > 10


def test_loading_replaces_whatever_was_there():
    copy = busy_house()
    copy.queue.load(Harness().queue.dump(), {})
    assert sum(copy.queue.lengths().values()) == 0
    assert list(copy.queue.nominator) == []


def test_a_missing_pod_is_named():
    house = Harness()
    house.add(pod("a"))
    with pytest.raises(ValueError, match="no pod default/a"):
        Harness().queue.load(house.queue.dump(), {})


def test_a_state_of_another_shape_is_refused():
    with pytest.raises(msgspec.ValidationError):
        Harness().queue.load({"cycle": "many"}, {})


def test_loading_at_time_zero_keeps_the_first_attempt_at_zero():
    house = Harness()
    house.add(pod("a"))
    house.queue.load(house.queue.dump(), house.pods)
    assert house.queue.entries(ACTIVE)[0].initial_attempt_timestamp == 0


def test_an_object_is_loaded_as_it_was_saved():
    assert load_object(save_object(node("n"))) == node("n")


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        (lambda: load_object(SavedObject("Teapot", {})), "queue state: unknown kind 'Teapot'"),
        (lambda: SavedLogEntry().restored(), "queue state: a log entry without pod and event"),
    ],
)
def test_words(load, sentence):
    with pytest.raises(ValueError) as refused:  # noqa: PT011 -- the sentence is compared
        load()
    assert str(refused.value) == sentence
