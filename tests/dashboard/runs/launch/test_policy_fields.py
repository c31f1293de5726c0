"""The launch form has a field for each policy, and the usual values are valid in it."""

from __future__ import annotations

from dashboard.runs.launch.policy_fields import PolicyFields
from dashboard.runs.policies import FIELDS, USUAL


def test_each_policy_has_a_field_that_takes_its_usual_value():
    assert set(PolicyFields().fields) == set(FIELDS)
    assert PolicyFields(USUAL).is_valid()


def test_values_outside_of_their_bounds_are_refused():
    wrong = {"draw": "best", "cycle_ms": "0", "job_s": "86401", "max_replacements": "-1"}
    assert set(PolicyFields({**USUAL, **wrong}).errors) == set(wrong)
