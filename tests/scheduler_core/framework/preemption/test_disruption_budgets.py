"""Budgets: how many disruptions they allow and which victims violate them."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook, disruptions_allowed
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is

WEB = {"app": "web"}


def running(n, **fields):
    return [make_pod(f"w{i}", labels=WEB, node_name="n", **fields) for i in range(n)]


def budget(**fields):
    return PodDisruptionBudget(name="web", **{"selector": app_is("web"), **fields})


ALLOWED = {
    "the status wins over the spec": (budget(disruptions_allowed=7, min_available="3"), running(4), 7),
    "minAvailable leaves the rest": (budget(min_available="3"), running(4), 1),
    "minAvailable beyond what is there allows none": (budget(min_available="9"), running(4), 0),
    "a percentage of minAvailable is rounded up": (budget(min_available="50%"), running(5), 2),
    "maxUnavailable allows that many": (budget(max_unavailable="1"), running(4), 1),
    "a percentage of maxUnavailable is rounded up": (budget(max_unavailable="30%"), running(4), 2),
    "terminating pods are missing already": (
        budget(max_unavailable="1"), [*running(2), *running(1, deletion_timestamp=1.0)], 0),
    "pending pods are missing already": (budget(max_unavailable="1"), [*running(3), make_pod("x", labels=WEB)], 0),
    "pods that ran to their end do not count": (
        budget(max_unavailable="1"), [*running(3), make_pod("x", labels=WEB, phase="Succeeded")], 1),
    "pods of other namespaces do not count": (budget(min_available="1"), running(3, namespace="team-a"), 0),
    "an empty selector guards the whole namespace": (
        budget(selector=LabelSelector(), min_available="1"), [*running(2), make_pod("x", node_name="n")], 2),
    "without a selector nothing is guarded": (budget(selector=None, min_available="1"), running(3), 0),
}  # fmt: skip


@pytest.mark.parametrize(("guard", "pods", "expected"), ALLOWED.values(), ids=ALLOWED.keys())
def test_allowed_disruptions(guard, pods, expected):
    assert disruptions_allowed(guard, pods) == expected


def violations(victims, *budgets):
    cluster = make_cluster([make_node("n")], {"n": victims}, budgets)
    return BudgetBook(cluster).violations([cluster.info(pod) for pod in victims])


def test_the_allowance_is_spent_in_order_of_importance():
    assert violations(running(3), budget(disruptions_allowed=1)) == [False, True, True]


def test_any_budget_of_several_may_be_violated():
    strict = msgspec.structs.replace(budget(disruptions_allowed=0), name="strict")
    assert violations(running(1), budget(disruptions_allowed=5), strict) == [True]


def test_granted_evictions_cost_nothing():
    assert violations(running(2), budget(disruptions_allowed=0, disrupted_pods=("w0",))) == [False, True]


def test_an_empty_selector_guards_nothing_here():
    assert violations(running(2), budget(selector=LabelSelector(), disruptions_allowed=0)) == [False, False]


def test_no_budget_guards_pods_without_labels():
    not_web = LabelSelector((Requirement("app", "NotIn", ("web",)),))
    unlike = budget(selector=not_web, disruptions_allowed=0)
    assert violations([make_pod("bare", node_name="n")], unlike) == [False]
    assert violations([make_pod("db", node_name="n", labels={"app": "db"})], unlike) == [True]


def test_a_budget_without_status_is_computed_from_the_placed_pods():
    assert violations(running(3), budget(min_available="2")) == [False, True, True]
