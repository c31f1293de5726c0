"""What came after a message: pods by their binding, nodes by their creation."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement.later_changes import CameLater, DatedObjects, later_words
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.testing.builders import make_node, make_pod


def test_a_binding_counts_by_the_report_and_else_by_the_creation():
    pods = [make_pod(name, node_name="n", creation_timestamp=5.0) for name in ("a", "b")]
    dated = DatedObjects(pods, [], {"default/a": SchedulerReport(bound_at=9.0)})
    assert dated.after(7.0) == CameLater(("default/a",), ())
    assert dated.after(4.0) == CameLater(("default/a", "default/b"), ())
    assert not dated.after(9.0)


def test_what_has_no_time_came_before_everything():
    assert not DatedObjects([make_pod("a", node_name="n")], [make_node("n")], {}).after(-1.0)


def test_nodes_that_were_made_since_are_named():
    nodes = [make_node("new", creation_timestamp=9.0), make_node("old", creation_timestamp=1.0)]
    assert DatedObjects([], nodes, {}).after(5.0) == CameLater((), ("new",))


@pytest.mark.parametrize(
    ("n_pods", "pods", "n_nodes", "nodes", "sentence"),
    [
        (3, ("a", "b"), 1, ("n",), "3 pods bound (a, b and 1 more) and 1 node made (n)"),
        (0, (), 0, (), ""),
    ],
)
def test_words(n_pods, pods, n_nodes, nodes, sentence):
    assert later_words(n_pods, pods, n_nodes, nodes) == sentence
