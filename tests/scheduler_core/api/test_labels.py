"""Selectors match as apimachinery's labels and core's node affinity helpers do."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.taints import Taint, Toleration

LABELS = {"zone": "a", "cores": "8", "word": "many"}


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        (Requirement("zone", "In", ("a", "b")), True),
        (Requirement("absent", "In", ("a",)), False),
        (Requirement("absent", "NotIn", ("a",)), True),
        (Requirement("zone", "NotIn", ("a",)), False),
        (Requirement("zone", "Exists"), True),
        (Requirement("absent", "DoesNotExist"), True),
        (Requirement("cores", "Gt", ("7",)), True),
        (Requirement("cores", "Gt", ("8",)), False),
        (Requirement("cores", "Lt", ("9",)), True),
        (Requirement("word", "Gt", ("1",)), False),
        (Requirement("cores", "Gt", ("x",)), False),
        (Requirement("absent", "Lt", ("9",)), False),
        (Requirement("cores", "Gt", ("-1",)), False),
        (Requirement("cores", "Gt", ("+1",)), False),
        (Requirement("cores", "Lt", ("9" * 20,)), False),
    ],
)
def test_requirements(requirement, expected):
    assert requirement.matches(LABELS) is expected


def test_empty_selectors_match_all_and_empty_terms_none():
    assert LabelSelector().matches(LABELS)
    assert not NodeSelectorTerm().matches("n", LABELS)
    assert not NodeSelector().matches("n", LABELS)


def test_terms_are_alternatives_and_fields_are_the_name():
    by_name = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("n",)),))
    by_zone = NodeSelectorTerm((Requirement("zone", "In", ("b",)),))
    assert NodeSelector((by_zone, by_name)).matches("n", LABELS)
    assert not NodeSelector((by_zone, by_name)).matches("other", LABELS)


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration("k", "Equal", "v", "NoSchedule"), True),
        (Toleration("k", "", "v", ""), True),
        (Toleration("k", "Exists"), True),
        (Toleration("", "Exists"), True),
        (Toleration("k", "Equal", "other"), False),
        (Toleration("other", "Exists"), False),
        (Toleration("k", "Exists", "", "NoExecute"), False),
    ],
)
def test_tolerations(toleration, expected):
    assert toleration.tolerates(Taint("k", "v", "NoSchedule")) is expected
