"""A pod's attempts, and what changed in the cluster between one and the next."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def crowded(execute):
    """A run in which a pod of low priority is tried again when a pod of high priority has evicted another."""
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("low", 10))
    ]
    fill = pod("fill-0", "3", nodeName="a", priorityClassName="low") | {"status": {"phase": "Running"}}
    pods = [pod("waits-0", "2", priorityClassName="low"), pod("takes-0", "3", priorityClassName="high")]
    return execute([*classes, node("a", "4"), fill, *pods], schedule="pending")


def log_of(run, name):
    cycle = Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").latest("number")
    return page_of(run, cycle=cycle.number, pod=f"default/{name}").pod.attempt_log


def test_what_happened_to_pods_between_two_attempts_is_counted(crowded):
    log = log_of(crowded, "waits-0")
    assert log.total == len(log.rows) >= 2
    changes = [line for row in log.rows if row.change for line in row.change.changes]
    assert "1 pod preempted" in changes
    assert "1 pod bound" in changes


def test_the_attempt_says_what_brought_the_pod_back(crowded):
    first, *rest = log_of(crowded, "waits-0").rows
    assert "UnschedulablePodAdd" in first.woken or "PodAdd" in first.woken
    assert first.change is None
    assert any("AssignedPodDelete" in attempt.woken for attempt in rest)
    assert [attempt.is_here for attempt in (first, *rest)] == [False] * len(rest) + [True]


def test_a_pod_tried_once_has_no_change(run, cycle_of):
    log = page_of(run, cycle=cycle_of("small-0").number).pod.attempt_log
    assert log.place_text == "tried once"
    assert [row.change for row in log.rows] == [None]
