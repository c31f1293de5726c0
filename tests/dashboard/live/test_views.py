"""Events over HTTP."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member
from tests.dashboard.live.finished_run import finished, public_seqs
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

pytestmark = pytest.mark.django_db(transaction=True)


def test_events_over_http_are_those_of_the_recording(launch, viewer, stranger, anonymous):
    run = launch(3, 60)
    head = finished(run)
    page = viewer.get(f"/w/team/runs/{run.number}/events.json?first=10&last=99").json()
    assert (page["first"], page["last"], page["head"]["seq"]) == (10, 99, head.seq)
    assert [event["seq"] for event in page["events"]] == [seq for seq in public_seqs(run) if 10 <= seq < 100]
    assert viewer.get(f"/w/team/runs/{run.number}/events.json?first={head.seq + 5}").json()["events"] == []
    assert viewer.get(f"/w/team/runs/{run.number}/events.json?first=x").status_code == 400
    assert viewer.get("/w/team/runs/99/events.json").status_code == 404
    assert stranger.get(f"/w/team/runs/{run.number}/events.json").status_code == 404
    assert anonymous.get(f"/w/team/runs/{run.number}/events.json").status_code == 302


def test_each_role_gets_its_answer(people):
    host = people["editor"].member.pk
    address = f"/w/team/meet/{host}/runs/1/"
    assert_each_role_gets_its_answer(people, "viewer", 302, lambda person, role: person.get(address))


def test_it_leads_to_the_page_and_names_the_host(viewer, editor):
    answer = viewer.get(f"/w/team/meet/{editor.member.pk}/runs/7/why/?cycle=3&q=a%26b")
    assert answer["Location"] == f"/w/team/runs/7/why/?cycle=3&q=a%26b#follow={editor.member.pk}"


@pytest.mark.parametrize(
    "place", ["", "clusters/prod/", "compare/", "https://evil.example/", "runs/7/../../x/", "runs/7"]
)
def test_it_leads_nowhere_but_to_runs_comparisons_and_reviews(viewer, editor, place):
    assert viewer.get(f"/w/team/meet/{editor.member.pk}/{place}").status_code == 404


def test_members_of_other_workspaces_are_no_hosts(viewer, stranger):
    theirs = Member.objects.exclude(workspace__slug="team").get(user=stranger.user)
    assert viewer.get(f"/w/team/meet/{theirs.pk}/runs/7/").status_code == 404
