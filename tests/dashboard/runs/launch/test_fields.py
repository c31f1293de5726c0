"""The launch form has a field for each policy, and the usual values are valid in it."""

from __future__ import annotations

import pytest

from dashboard.runs.launch.fields import PolicyFields, format_clock, parse_clock
from dashboard.runs.models import Run
from dashboard.runs.policies import FIELDS, USUAL, plain_rules
from tests.dashboard.runs.launch.launch_pages import URL, errors, post


def test_each_policy_has_a_field_that_takes_its_usual_value():
    assert set(PolicyFields().fields) == set(FIELDS)
    assert PolicyFields(USUAL).is_valid()


def test_values_outside_of_their_bounds_are_refused():
    wrong = {"draw": "best", "cycle_ms": "0", "job_s": "86401", "max_replacements": "-1"}
    assert set(PolicyFields({**USUAL, **wrong}).errors) == set(wrong)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("24:00:00", 86_400), (" 50:00 ", 3_000), ("0:01", 1), ("1:02:03", 3_723), ("200:00", 12_000)],
)
def test_times_are_read(text, seconds):
    assert parse_clock(text) == seconds * 1_000_000
    assert parse_clock(format_clock(seconds * 1_000_000)) == seconds * 1_000_000


@pytest.mark.parametrize("text", ["", "1", "0:60", "1:60:00", "1:2:3", "-1:00", "1:00:00:00", "\u0661:00"])
def test_anything_else_is_no_time(text):
    assert parse_clock(text) is None


def test_no_limit_is_shorter_than_a_second():
    assert format_clock(1) == "0:00:01"


@pytest.mark.django_db
def test_rules_of_kubelets_are_stored_and_what_is_wrong_is_said_beside_the_field(editor, prod, messages):
    wrong = '[{"grace": 5}, {"readyAfter": 30}]'
    response = post(editor, kubelets=wrong)
    assert "readyAfter" in str(errors(response)["kubelets"])
    assert response.context["form"]["kubelets"].value() == wrong
    assert post(editor, kubelets='[{"labels": {"app": "web"}, "ready_after": 30}]').status_code == 302
    run = Run.objects.get()
    assert run.policies["kubelets"] == [{"labels": {"app": "web"}, "ready_after": 30.0}]
    like = editor.get(URL, {"from": run.number}).context["form"]
    assert plain_rules(like.data["kubelets"]) == run.policies["kubelets"]
    assert like.has_own_policies
