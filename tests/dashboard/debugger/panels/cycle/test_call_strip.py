"""The strip of plugin calls at the cursor."""

from __future__ import annotations

import pytest

from tests.dashboard.debugger.conftest import page_of


@pytest.fixture
def strip(run, cycle_of):
    """A function that returns the strip at a point or call of a pod's first cycle."""
    return lambda name, **query: page_of(run, cycle=cycle_of(name).number, **query).attempt.calls


def named(items):
    """Return names with "+" for those called, ">" for the one at the cursor."""
    return [(">" if item.is_here else "" if item.is_ahead else "+") + item.name for item in items]


def test_calls_before_the_cursor_are_passed_and_those_behind_it_ahead(strip):
    call_strip = strip("never-0", point="Filter", call="NodeName", step="call")
    assert call_strip.point == "Filter"
    assert named(call_strip.items)[:3] == ["+NodeUnschedulable", ">NodeName", "TaintToleration"]
    assert [item.is_ahead for item in call_strip.items[:3]] == [False, False, True]


def test_a_filter_says_how_many_nodes_it_was_first_to_refuse(strip):
    call_strip = strip("never-0", point="Filter")
    said = {item.name: (item.meaning, item.said) for item in call_strip.items}
    assert (said["TaintToleration"][0], "1 node" in said["TaintToleration"][1]) == ("unres", True)
    assert "2 nodes" in said["NodeResourcesFit"][1]
    assert (said["NodeName"][0], "no node" in said["NodeName"][1]) == ("bound", True)


def test_calls_of_pre_filter_say_what_was_answered(strip):
    call_strip = strip("never-0", point="PreFilter", call="NodePorts", step="call")
    assert call_strip.said == "skipped"
    assert next(item for item in call_strip.items if item.is_here).meaning == "none"


def test_preemption_is_the_result_of_post_filter(strip):
    call_strip = strip("big-0", point="PostFilter")
    assert named(call_strip.items)[-1] == ">preemption"
    assert "is nominated" in call_strip.said
    assert named(strip("big-0", point="PostFilter", call="DefaultPreemption", step="call").items)[-1] == "preemption"


def test_a_whole_cycle_shows_the_last_point_that_recorded_calls(strip):
    assert strip("never-0").point == "PostFilter"
    assert not any(item.is_here for item in strip("never-0").items)


def test_a_point_without_recorded_calls_says_so(strip):
    call_strip = strip("small-0", point="Reserve")
    assert (call_strip.point, call_strip.items, bool(call_strip.none)) == ("Reserve", [], True)


def test_the_point_at_the_cursor_counts_its_calls(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number, point="Filter", call="NodeName", step="call")
    point = page.attempt.cycle.point
    assert (point.name, point.label) == ("Filter", f"2 of {len(page.attempt.calls.items)}")
    assert [one.label for one in page.attempt.cycle.points if one.label == "next"] == ["next"]


@pytest.mark.parametrize(
    ("plugin", "sentence"),
    [
        ("TaintToleration", "TaintToleration: first to refuse 1 node"),
        ("NodeResourcesFit", "NodeResourcesFit: first to refuse 2 nodes"),
        ("NodeName", "NodeName: refused no node that passed those before it"),
    ],
)
def test_words(strip, plugin, sentence):
    titles = {item.name: item.title for item in strip("never-0", point="Filter").items}
    assert titles[plugin] == sentence


def test_words_of_calls_that_are_not_there(strip):
    ahead = strip("never-0", point="Filter", call="NodeName", step="call").items[2]
    assert [ahead.title, strip("small-0", point="Reserve").none] == [
        "TaintToleration: not called yet",
        "no plugin call recorded",
    ]
