"""The page that says why an owner lacks pods, its parts, and where it is reached from."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.answers import here
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.django_db


@pytest.fixture
def opened(admission_run, viewer, worker_stub, monkeypatch):
    """A function that opens the page of an owner, or one of its parts, with a worker that answers at once."""
    monkeypatch.setattr("dashboard.answers.asking._transport", lambda: here.ask)

    def opened(owner, part=""):
        name, args = ("debugger:why_owner_answer", [part]) if part else ("debugger:why_owner", [])
        return viewer.get(reverse(name, args=["team", admission_run.number, *args]), {"of": owner})

    return opened


def test_a_quota_is_said_with_its_numbers_and_the_next_try(opened):
    response = opened("team/web")
    said = response.context["page"].answer.shown
    assert said.cause.codes == ("NOT_CREATED_QUOTA",)
    assert (said.tries.desired, said.tries.unmade) == (8, 2)
    assert said.tries.next_at > said.tries.at
    assert {(one.resource, one.used, one.hard, one.is_short) for one in said.tries.quotas} == {
        ("pods", 6, 6, True),
        ("requests.cpu", 3000, 8000, False),
    }
    assert_strict_csp(response.content.decode())


def test_a_pod_of_the_timeline_that_a_range_refuses_has_the_page_too(opened):
    said = opened("lab/report-0").context["page"].answer.shown
    assert (said.cause.codes, said.tries.next_at, said.rollout) == (("NOT_CREATED_LIMIT_RANGE",), -1, None)


@pytest.mark.slow
def test_a_stuck_rollout_has_its_revisions_and_remedies_that_were_tried(opened):
    response = opened("shop/cart")
    rollout = response.context["page"].answer.shown.rollout
    assert (rollout.updated, rollout.is_late, rollout.is_on_purpose) == ("0 of 3", True, False)
    assert [one.cells for one in rollout.revisions] == [("ready",) * 3, ("pending",)]
    part = opened("shop/cart", "owner-moves")
    rows = part.context["page"].remedies.shown.rows
    assert {row.code: row.word for row in rows if row.code in ("CHANGE_STRATEGY", "ADD_NODE_LIKE")} == {
        "CHANGE_STRATEGY": "verified",
        "ADD_NODE_LIKE": "verified",
    }
    assert [row.word for row in rows][-1] == "not enough"
    assert_strict_csp(part.content.decode())


@pytest.mark.slow
def test_all_of_it_can_be_copied_as_the_command_prints_it(opened):
    page = opened("team/web", "owner-report").content.decode()
    assert "NOT_CREATED_QUOTA" in page.partition("data-report")[2]


def test_an_owner_that_nothing_holds_up_says_so_and_a_bad_name_is_a_400(opened):
    response = opened("shop/api")
    assert response.context["page"].answer.shown is None
    assert response.status_code == 200
    assert opened("nothing").status_code == 400
    assert opened("shop/api", "what").status_code == 404


def test_the_page_asks_again_while_the_answer_is_late(admission_run, viewer, worker_stub):
    worker_stub.result = worker_stub.result.__class__(waits_for=WaitsFor.RESULT)
    page = viewer.get(reverse("debugger:why_owner", args=["team", admission_run.number]), {"of": "team/web"})
    assert page.content.decode().count("/why/owner/answers/owner/?of=team/web") == 1


@pytest.mark.parametrize("named", ["team/web", "shop/cart", "lab/report-0"])
def test_why_of_an_owners_name_leads_to_it(admission_run, look, named):
    response = look(admission_run, name="debugger:why", pod=named)
    assert (response.status_code, response.url.partition("?")[2]) == (302, f"of={named}")


def test_a_refusal_in_the_events_leads_to_it(admission_run, look):
    refused = next(one for one in look(admission_run, name="debugger:outcomes").context["summary"].outcomes.short)
    assert "/why/owner/?of=team/web" in look(admission_run, seq=refused.seq).content.decode()
