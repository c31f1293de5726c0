"""The status that a node counts with, refusals counted, and copies with arrays of their own."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED, FilterOutcome
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.testing.builders import make_cluster, make_node

FULL = ("Too many pods",)
NOMINATED = Status(Code.UNSCHEDULABLE, ("Insufficient cpu",), "Fit")


@pytest.fixture
def outcome():
    """Rows 0 and 2 pass, row 1 is refused by the second plugin, row 3 was not looked at."""
    table = ReasonTable()
    filter_outcome = FilterOutcome(make_cluster([make_node(f"n{i}") for i in range(4)]), table, ["Taint", "Fit"])
    filter_outcome.codes[1, 1], filter_outcome.reasons[1, 1] = Code.UNSCHEDULABLE, table.intern(FULL)
    filter_outcome.visit(np.array([0, 1, 2]), np.array([PASSED, 1, PASSED], dtype=np.int16), np.array([0, 2]))
    return filter_outcome


def test_a_node_counts_with_its_first_refusal(outcome):
    assert outcome.status(0) is SUCCESS
    assert outcome.status(1) == Status(Code.UNSCHEDULABLE, FULL, "Fit")
    assert outcome.decisive[3] == NOT_VISITED


def test_a_node_that_pre_filter_cut_off_counts_with_the_status_of_the_cut(outcome):
    assert outcome.status(3) is SUCCESS
    outcome.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("cut",), "Affinity")
    assert outcome.status(3) is outcome.absent
    assert outcome.status(0) is SUCCESS


def test_a_refusal_with_nominated_pods_counts_before_what_is_said_of_the_class(outcome):
    outcome.overlay[1] = outcome.overlay[2] = NOMINATED
    assert outcome.status(1) is NOMINATED
    assert outcome.refusals() == {("Fit", Code.UNSCHEDULABLE, ("Insufficient cpu",)): 2}


def test_refusals_are_counted_anew_after_another_visit(outcome):
    assert outcome.refusals() == {("Fit", Code.UNSCHEDULABLE, FULL): 1}
    outcome.visit(np.array([0]), np.array([PASSED], dtype=np.int16), np.array([0]), earlier=np.array([1]))
    assert (outcome.visited.tolist(), outcome.refusals()) == ([0, 1], {("Fit", Code.UNSCHEDULABLE, FULL): 1})
    outcome.forget_visits()
    assert (outcome.visited.tolist(), outcome.refusals(), outcome.status(1)) == ([], {}, SUCCESS)


def test_a_copy_stays_as_it_was(outcome):
    copy = outcome.copy()
    outcome.codes[:] = 0
    outcome.forget_visits()
    assert copy.status(1) == Status(Code.UNSCHEDULABLE, FULL, "Fit")
    assert copy.feasible.tolist() == [0, 2]
