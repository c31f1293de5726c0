"""The reason by which pending pods are grouped, from the refusals of their last attempt."""

from __future__ import annotations

import pytest

from scheduler_core.explain.outcomes.reasons import Reason, cover, refused
from scheduler_core.recording.events import Refusal

FIT = "NodeResourcesFit"


def lacking(count, *resources, code=2):
    return Refusal(FIT, code, tuple(f"Insufficient {name}" for name in resources), count)


@pytest.mark.parametrize(
    ("refusals", "expected"),
    [
        ([lacking(3, "cpu")], ("cpu",)),
        ([lacking(123, "gpu"), lacking(8, "cpu")], ("gpu", "cpu")),
        ([lacking(123, "gpu"), lacking(8, "cpu", "gpu")], ("gpu",)),
        ([lacking(1, "cpu"), lacking(1, "memory")], ("cpu", "memory")),
        ([Refusal(FIT, 2, ("Too many pods",), 4)], ("pods",)),
        ([], ()),
    ],
)
def test_the_fewest_resources_that_are_short_everywhere(refusals, expected):
    assert cover(refusals) == expected


def test_nodes_that_the_selector_excludes_do_not_count():
    reason = refused([Refusal("NodeAffinity", 3, ("did not match",), 900), lacking(4, "cpu")], (), "here")
    assert (reason.sort, reason.where, reason.what, reason.plugins) == ("room", "here", ("cpu",), (FIT,))


def test_the_plugin_that_refuses_most_of_the_allowed_nodes_gives_the_reason():
    taint = Refusal("TaintToleration", 3, ("untolerated taint {a: b}",), 5)
    reason = refused([taint, lacking(4, "cpu")], (), "")
    assert (reason.sort, reason.what) == ("plugin", ("TaintToleration", "untolerated taint {a: b}"))
    assert reason.plugins == ("TaintToleration", FIT)


def test_more_than_half_of_the_nodes_too_small_is_a_question_of_size():
    assert refused([lacking(5, "cpu", code=3), lacking(4, "gpu")], (), "").sort == "size"
    assert refused([lacking(4, "cpu", code=3), lacking(5, "gpu")], (), "").sort == "room"
    assert refused([lacking(5, "cpu", code=3)], (), "").what == ()


def test_pods_that_lack_the_same_in_another_order_are_of_one_group():
    one = refused([lacking(9, "gpu"), lacking(8, "cpu")], (), "")
    other = refused([lacking(8, "gpu"), lacking(9, "cpu")], (), "")
    assert one.what != other.what
    assert one.key == other.key


def test_no_node_allowed_and_no_node_asked_are_reasons_of_their_own():
    assert refused([Refusal("NodeAffinity", 3, ("did not match",), 9)], (), "x").sort == "selector"
    assert refused([], ("VolumeBinding",), "x").what == ("VolumeBinding",)


def test_what_one_plugin_refuses_before_filter_is_grouped_by_what_it_says_and_not_by_the_names_in_it() -> None:
    def reason(text: str) -> Reason:
        return refused([], ("VolumeBinding",), "", f"0/3 nodes are available: {text}. preemption: 0/3 nodes")

    missing = reason('persistentvolumeclaim "a" not found')
    assert missing.key == reason('persistentvolumeclaim "b" not found').key
    assert missing.key != reason('persistentvolumeclaim "a" is being deleted').key
