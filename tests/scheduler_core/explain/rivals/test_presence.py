"""Nodes that a cycle did not have: added later, deleted before, or never there."""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.explain.rivals.answer import absence
from scheduler_core.simulate import RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import SECOND, recorded


@pytest.fixture(scope="module")
def reader():
    entries = [
        TimelineEntry(1 * SECOND, "put", make_pod("first")),
        TimelineEntry(2 * SECOND, "delete", make_node("goes")),
        TimelineEntry(3 * SECOND, "put", make_pod("second")),
        TimelineEntry(4 * SECOND, "put", make_node("comes")),
        TimelineEntry(5 * SECOND, "put", make_node("goes")),
        TimelineEntry(6 * SECOND, "put", make_pod("third")),
    ]
    objects = k8s.ClusterObjects(nodes=[make_node("stays"), make_node("goes")])
    return recorded(RunInputs(objects=objects, schedule="timeline", timeline=Timeline.of(entries)))


def why(reader, cycle, node):
    return absence(reader, node, reader.cycle_span(cycle)[0])


def test_a_node_that_the_state_has_is_not_absent(reader):
    assert [why(reader, cycle, "stays") for cycle in (1, 2, 3)] == ["", "", ""]
    assert [bool(why(reader, cycle, "goes")) for cycle in (1, 2, 3)] == [False, True, False]


def test_a_node_that_is_added_later_says_when(reader):
    assert "added at 00:00:04.000" in why(reader, 1, "comes")
    assert why(reader, 3, "comes") == ""


def test_a_node_that_was_deleted_and_comes_back_says_both(reader):
    sentence = why(reader, 2, "goes")
    assert "deleted at 00:00:02.000" in sentence
    assert "added at 00:00:05.000" in sentence


@pytest.mark.parametrize(
    ("cycle", "node", "text"),
    [
        (1, "nowhere", "the run has no node of this name"),
        (1, "comes", "did not exist then: added at 00:00:04.000 (seq 25), after this cycle"),
        (
            2,
            "goes",
            (
                "did not exist then: deleted at 00:00:02.000 (seq 13); again added at 00:00:05.000 (seq 26), "
                "after this cycle"
            ),
        ),
    ],
)
def test_words(reader, cycle, node, text):
    assert why(reader, cycle, node) == text
