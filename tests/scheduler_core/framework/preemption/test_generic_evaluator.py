"""Victims and budgets: who is reprieved, which budgets count."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.framework.preemption.generic_cases import GUARD, preempt, victim
from tests.scheduler_core.plugins.generated import app_is


def test_victims_do_not_use_a_budget_up():
    """2.5.3: allowed 1 > 0, so neither of two victims violates; v1.34 counts the second."""
    budget = PodDisruptionBudget(name="one", selector=app_is("web"), disruptions_allowed=1)
    placed = {"a": [victim("a1"), victim("a2")]}
    assert preempt(placed, objects=[budget]).decision.candidates[0].violations == 0
    newer = preempt(placed, objects=[budget], plugin_type=DefaultPreemption)
    assert newer.decision.candidates[0].violations == 1


@pytest.mark.parametrize(
    ("app", "selector", "allowed", "violations"),
    [
        ("web", app_is("web"), 0, 1),
        ("web", app_is("web"), -1, 1),
        ("web", app_is("web"), 1, 0),
        ("", LabelSelector(), 0, 0),
        ("web", LabelSelector(), 0, 0),
        ("web", None, 0, 0),
        ("db", app_is("web"), 0, 0),
    ],
)
def test_what_a_budget_matches(app, selector, allowed, violations):
    """2.5.3: pods without labels, and nil or empty selectors, match nothing."""
    budget = PodDisruptionBudget(name="b", selector=selector, disruptions_allowed=allowed)
    decision = preempt({"a": [victim("a1", cpu="2", app=app)]}, objects=[budget]).decision
    assert decision.candidates[0].violations == violations


def test_a_budget_of_another_namespace_does_not_count():
    budget = PodDisruptionBudget(name="b", namespace="other", selector=app_is("web"), disruptions_allowed=0)
    assert preempt({"a": [victim("a1", cpu="2")]}, objects=[budget]).decision.candidates[0].violations == 0


def test_violating_pods_are_reprieved_first():
    """2.5.4: room for one of two: the guarded one stays although it is less important."""
    placed = {"a": [victim("guarded", 1), victim("free", 5, app="db"), victim("third", 9, app="db")]}
    decision = preempt(placed, make_pod("high", cpu="2", priority=10), [make_node("a", cpu="3")], [GUARD]).decision
    (candidate,) = decision.candidates
    assert candidate.reprieved == ("default/guarded",)
    assert candidate.victims == ("default/third", "default/free")
    assert candidate.violations == 0


def test_the_first_victim_stands_for_the_highest_priority():
    """2.6.2 reads Pods[0], and 2.5.4 lists violating victims first: 1 against 3; in order they would be 5 against 3."""
    placed = {
        "a": [victim("a-guarded", 1), victim("a-free", 5, app="db")],
        "b": [victim("b-guarded", 3), victim("b-free", 2, app="db")],
    }
    decision = preempt(placed, objects=[GUARD]).decision
    assert decision.candidates[0].victims == ("default/a-guarded", "default/a-free")
    assert (decision.nominated_node, decision.criterion) == ("a", "lowest_highest_priority")
    assert preempt(placed, objects=[GUARD], plugin_type=DefaultPreemption).decision.nominated_node == "b"
