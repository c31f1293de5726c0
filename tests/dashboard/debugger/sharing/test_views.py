"""Notes of a cursor over HTTP: who may have them, and addresses that name nothing."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.dashboard.role_tables import assert_each_role_gets_its_answer

pytestmark = pytest.mark.django_db
NOTES = ("decision_note", "story_note")


def address(run, name, form="txt", slug="team"):
    return reverse(f"debugger:{name}", args=[slug, run.number, form])


@pytest.mark.parametrize("name", NOTES)
@pytest.mark.parametrize("form", ["txt", "md"])
def test_members_have_them_and_nobody_else(people, run, name, form):
    assert_each_role_gets_its_answer(
        people, "viewer", 200, lambda person, role: person.get(address(run, name, form), {"cycle": 1})
    )


@pytest.mark.parametrize("name", NOTES)
def test_the_run_of_another_workspace_has_none(stranger, owner, run, name):
    assert stranger.get(address(run, name, slug="elsewhere"), {"cycle": 1}).status_code == 404
    assert owner.post(address(run, name), {"cycle": 1}).status_code == 405


@pytest.mark.parametrize("name", NOTES)
def test_what_names_nothing_is_not_found(viewer, run, name):
    assert viewer.get(address(run, name), {"cycle": 99}).status_code == 404
    assert viewer.get(address(run, name, "html"), {"cycle": 1}).status_code == 404
    assert viewer.get(address(run, name), {"cycle": "x"}).status_code == 400
    response = viewer.get(address(run, name), {"cycle": 99}, headers={"HX-Request": "true"})
    assert "no%20cycle%2099" in response["X-Problem"]


def test_the_page_offers_both_of_what_is_selected(look, run):
    page = look(run, cycle=1).content.decode()
    for name in NOTES:
        for form in ("txt", "md"):
            assert f'href="{address(run, name, form)}?cycle=1"' in page
    assert "story.md" not in look(run, seq=0).content.decode()
    listed = look(run, name="debugger:events", seq=9, kinds="none").content.decode()
    assert f'href="{address(run, NOTES[0])}?seq=9&amp;step=event"' in listed
