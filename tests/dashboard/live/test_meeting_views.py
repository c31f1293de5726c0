"""The link to a meeting."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

pytestmark = pytest.mark.django_db


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
