"""The queue board: which pods are in which lane, in which order, and what is said of each."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.lanes.board import LANES, BoardQuery, board, lane_page
from scheduler_core.recording.state import CycleInProgress, Placement, QueueEntry, RunState

IN_FLIGHT = "in_flight"
S = 1_000_000


def lane(state, name, **query):
    return next(one for one in board(state, None, BoardQuery(**query)) if one.name == name)


@pytest.mark.parametrize("current", ["default/a", "default/b", "default/c"])
def test_the_pod_whose_cycle_it_is_stands_first_in_flight(current):
    names = ["default/a", "default/b", "default/c"]
    state = RunState(
        seq=9,
        queue={name: QueueEntry(IN_FLIGHT, timestamp=i, attempts=1) for i, name in enumerate(names)},
        placements={name: Placement("n", False, cycle=1) for name in names if name != current},
        current=CycleInProgress(4, current, 1, "default-scheduler", "Filter"),
    )
    flying = lane(state, "flying")
    assert [pod.key for pod in flying.pods] == [current, *(name for name in names if name != current)]
    assert [pod.is_cursor for pod in flying.pods] == [True, False, False]
    assert [pod.note for pod in flying.pods] == ["Filter", "n", "n"]


def test_every_lane_is_there_whoever_is_in_it():
    for state in (RunState(), RunState(queue={"default/a": QueueEntry("backoff", backoff_until=2 * S)})):
        assert tuple(one.name for one in board(state, None)) == LANES
    assert len({one.none_text for one in board(RunState(), None)}) == len(LANES)


@pytest.fixture
def waiting():
    """A state at 10 s with 120 active pods, the first of which came at 0 s, and two that were refused."""
    queue = {f"shop/web-{n}": QueueEntry("active", timestamp=n, since=n * S // 12, priority=5) for n in range(120)}
    queue["shop/api-0"] = QueueEntry(
        "unschedulable", since=3 * S, attempts=2, plugins=("NodeAffinity", "NodeResourcesFit")
    )
    queue["shop/api-1"] = QueueEntry("unschedulable", since=10 * S, attempts=1, plugins=("NodeAffinity",))
    return RunState(seq=1, at=10 * S, queue=queue)


def test_a_row_says_its_place_and_how_long_it_waits(waiting):
    active = lane(waiting, "active")
    assert [(pod.place, pod.waits) for pod in active.pods[:2]] == [(1, "10 s"), (2, "9.9 s")]
    assert "priority 5" in active.pods[0].title
    refused = lane(waiting, "unschedulable").pods
    assert [(pod.key, pod.waits, pod.note) for pod in refused] == [
        ("shop/api-0", "7 s", "NodeAffinity +1"),
        ("shop/api-1", "0 s", "NodeAffinity"),
    ]
    assert "NodeAffinity, NodeResourcesFit" in refused[0].title
    assert "2 times" in refused[0].title
    assert [pod.is_moved for pod in refused] == [False, True]


def test_the_filter_narrows_all_lanes_and_places_stay(waiting):
    active = lane(waiting, "active", text="WEB-11")
    assert active.count_text == "11 of 120"
    assert [pod.place for pod in active.pods[:3]] == [12, 111, 112]
    refused = lane(waiting, "unschedulable", text="web-11")
    assert (refused.count_text, "2 pods" in refused.none_text) == ("0 of 2", True)
    assert lane(waiting, "gated", text="web-11").none_text == lane(RunState(), "gated").none_text


def test_pages_of_a_filtered_lane_follow_each_other(waiting):
    pages = [lane_page(waiting, None, "active", page, BoardQuery("web-")) for page in (1, 2, 3, 4)]
    assert [len(page.pods) for page in pages] == [50, 50, 20, 0]
    assert [(page.more, page.following) for page in pages] == [(70, 50), (20, 20), (0, 0), (0, 0)]
    assert pages[1].pods[0].place == 51


def test_only_the_selected_pod_is_marked_and_only_with_its_uid(waiting):
    def marked(**query):
        return [pod.key for one in board(waiting, None, BoardQuery(**query)) for pod in one.pods if pod.is_selected]

    assert marked(pod="shop/api-1") == ["shop/api-1"]
    assert marked(pod="shop/api-1", uid="another") == []


def test_pods_after_an_error_share_the_lane_of_those_that_back_off():
    queue = {
        "default/late": QueueEntry("backoff", since=0, backoff_until=8 * S),
        "default/broken": QueueEntry("error_backoff", since=0, backoff_until=4 * S),
    }
    backoff = lane(RunState(seq=1, at=2 * S, queue=queue), "backoff")
    assert [(pod.key, pod.note, pod.share) for pod in backoff.pods] == [
        ("default/broken", "2 s", 0.5),
        ("default/late", "6 s", 0.75),
    ]
    assert "after an error" in backoff.pods[0].title
    assert "after an error" not in backoff.pods[1].title


def test_the_selected_pod_is_on_the_first_page_wherever_it_stands(waiting):
    query = BoardQuery(pod="shop/web-99")
    pages = [lane_page(waiting, None, "active", page, query).pods for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [50, 50, 20]
    assert (pages[0][-1].key, pages[0][-1].place, pages[0][-1].is_selected) == ("shop/web-99", 100, True)
    others = [pod.place for page in pages for pod in page if not pod.is_selected]
    assert others == [n for n in range(1, 121) if n != 100]
    another = lane_page(waiting, None, "active", 1, BoardQuery(pod="shop/web-99", uid="second"))
    assert [pod.place for pod in another.pods] == list(range(1, 51))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("flying", "no pod is being scheduled or bound"),
        ("active", "no pod is ready to be scheduled"),
        ("gated", "no pod has a scheduling gate"),
    ],
)
def test_words_of_an_empty_lane(name, sentence):
    assert lane(RunState(), name).none_text == sentence


def test_words(waiting):
    title = lane(waiting, "unschedulable").pods[0].title
    assert "tried 2 times" in title
    assert "refused by NodeAffinity, NodeResourcesFit, wakes on Node label change or add" in title
    assert lane(waiting, "unschedulable", text="web-11").none_text == "none of 2 pods matches"
