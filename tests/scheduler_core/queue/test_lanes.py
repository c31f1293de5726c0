from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.api.objects import Pod
from scheduler_core.queue.lanes import Lane
from scheduler_core.queue.types import QueuedPod


def queued(name, order=1):
    return QueuedPod(Pod(name=name), f"default/{name}", 0, order)


def test_pods_leave_by_key_then_by_order_of_arrival():
    lane = Lane()
    for ticket, (name, key, order) in enumerate([("late", 2, 1), ("second", 1, 3), ("first", 1, 2)], start=1):
        lane.push(queued(name, order), key, ticket)
    assert [q.pod.name for q in lane] == ["first", "second", "late"]
    assert [lane.pop().pod.name for _ in range(3)] == ["first", "second", "late"]
    assert lane.pop() is None


def test_a_discarded_pod_is_seen_no_more_and_may_come_back_with_another_key():
    lane = Lane()
    moved, other = queued("moved", 1), queued("other", 2)
    lane.push(moved, 1, 1)
    lane.push(other, 2, 2)
    lane.discard(moved)
    assert (len(lane), lane.peek()) == (1, other)
    lane.push(moved, 3, 3)
    assert [q.pod.name for q in lane] == ["other", "moved"]
    assert len(lane) == 2


def test_peek_leaves_the_pod_in_place():
    lane = Lane()
    assert lane.peek() is None
    only = queued("only")
    lane.push(only, 1, 1)
    assert lane.peek() is only
    assert len(lane) == 1


def test_many_discards_do_not_fill_the_heap():
    lane = Lane()
    only = queued("only")
    for ticket in range(1, 10_000):
        lane.push(only, ticket, ticket)
        lane.discard(only)
    assert len(lane._heap) < 200
    assert not lane


@given(st.lists(st.tuples(st.sampled_from(["push", "pop", "discard"]), st.integers(0, 5)), max_size=60))
def test_a_lane_behaves_like_a_sorted_list(steps):
    lane, model = Lane(), []
    for ticket, (step, number) in enumerate(steps, start=1):
        if step == "push":
            pod = queued(str(ticket), ticket)
            lane.push(pod, number, ticket)
            model.append((number, ticket, pod))
            model.sort(key=lambda item: item[:2])
        elif step == "pop":
            expected = model.pop(0)[2] if model else None
            assert lane.pop() is expected
        elif model:
            lane.discard(model.pop(number % len(model))[2])
        assert [item[2] for item in model] == list(lane)
        assert len(lane) == len(model)
