from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.queue.cluster_events import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT
from scheduler_core.queue.hints import HintTable
from scheduler_core.queue.types import SKIPPED, QueuedPod, QueueProfile, Requeue, RequeueDecision
from tests.scheduler_core.queue.queue_helpers import NODE_ADD, NODE_LABEL, PROFILE, by_priority, gate, node, pod

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod

NODE_TAINT = ClusterEvent(Resource.NODE, ActionType.UPDATE_NODE_TAINT)
POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, ActionType.ADD)


@pytest.fixture
def table():
    return HintTable({"default-scheduler": PROFILE})


def refused(*plugins, pending=(), scheduler="default-scheduler"):
    return QueuedPod(
        pod("a", scheduler_name=scheduler), "default/a", 0, 1, unschedulable_plugins=plugins, pending_plugins=pending
    )


def test_the_hint_of_a_refusing_plugin_decides(table):
    assert table.judge(refused("Fit"), NODE_ADD, None, node("big")) == RequeueDecision(Requeue.AFTER_BACKOFF, "Fit")
    assert table.judge(refused("Fit"), NODE_ADD, None, node("small")) == SKIPPED


def test_hints_of_other_plugins_are_not_asked(table):
    assert table.judge(refused("Affinity"), NODE_ADD, None, node("big")) == SKIPPED


def test_one_hint_of_several_refusing_plugins_suffices(table):
    assert table.judge(refused("Affinity", "Fit"), NODE_LABEL, node("x"), node("x")).plugin == "Affinity"


def test_a_plugin_that_holds_the_pod_pending_skips_the_backoff(table):
    verdict = table.judge(refused("Fit", pending=("Permit",)), POD_ADD, None, pod("b"))
    assert verdict == RequeueDecision(Requeue.IMMEDIATELY, "Permit")


def test_after_an_error_every_event_helps(table):
    assert table.judge(refused(), NODE_ADD, None, node("small")).requeue is Requeue.AFTER_BACKOFF


def test_a_forced_activation_is_for_its_pod_alone_and_a_timeout_for_all(table):
    assert table.judge(refused("Fit"), FORCE_ACTIVATE, None, pod("a")).requeue is Requeue.AFTER_BACKOFF
    assert table.judge(refused("Fit"), FORCE_ACTIVATE, None, pod("b")) == SKIPPED
    assert table.judge(refused("Fit"), UNSCHEDULABLE_TIMEOUT, None, None).requeue is Requeue.AFTER_BACKOFF


def test_a_pod_of_an_unknown_profile_is_retried(table):
    assert table.judge(refused("Fit", scheduler="x"), NODE_ADD, None, node("s")).requeue is Requeue.AFTER_BACKOFF


def test_plugins_that_hear_of_new_nodes_hear_of_taints_too(table):
    assert table.judge(refused("Fit"), NODE_TAINT, node("x"), node("x")) == RequeueDecision(
        Requeue.AFTER_BACKOFF, "Fit"
    )
    assert table.judge(refused("Affinity"), NODE_TAINT, node("x"), node("x")) == SKIPPED
    assert table.interested(NODE_TAINT) == {"Fit"}


def test_a_plugin_with_a_taint_hint_of_its_own_keeps_it():
    def never(pod, old, new):
        return Hint.SKIP

    hints = (("T", EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT), never)),)
    table = HintTable({"default-scheduler": QueueProfile(by_priority, gate, hints)})
    assert table.judge(refused("T"), NODE_TAINT, node("x"), node("x")) == SKIPPED


def test_a_failing_hint_counts_as_queue_and_is_logged(caplog):
    def broken(pod: Pod, old, new):
        raise RuntimeError("out of order")

    profile = QueueProfile(by_priority, gate, (("B", EventWithHint(NODE_ADD, broken)),))
    table = HintTable({"default-scheduler": profile})
    with caplog.at_level(logging.WARNING):
        assert table.judge(refused("B"), NODE_ADD, None, node("x")).plugin == "B"
    assert "default/a" in caplog.text
    assert "out of order" in caplog.text


def test_without_hints_the_event_alone_decides(table):
    assert table.judge(refused("Fit"), NODE_ADD, None, node("small"), use_hints=False).plugin == "Fit"
    assert table.judge(refused("Affinity"), NODE_ADD, None, node("small"), use_hints=False) == SKIPPED


def test_interest_counts_all_profiles():
    other = QueueProfile(by_priority, gate, (("Zone", EventWithHint(ClusterEvent(Resource.NODE, ActionType.DELETE))),))
    table = HintTable({"default-scheduler": PROFILE, "other": other})
    assert table.interested(ClusterEvent(Resource.NODE, ActionType.DELETE)) == {"Zone"}
    assert table.judge(refused("Zone"), ClusterEvent(Resource.NODE, ActionType.DELETE), node("x"), None) == SKIPPED
