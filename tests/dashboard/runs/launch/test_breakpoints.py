"""Breakpoints on the launch page: offered, kept while other choices are made, attached to the run."""

from __future__ import annotations

import pytest

from dashboard.runs.breakpoints.attachments import attached_to
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint, delete_breakpoint
from dashboard.runs.models import Run
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.runs.launch.launch_pages import URL, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(editor):
    """Two breakpoints that are on, and one that is not."""
    return [
        create_breakpoint(editor.member, BreakpointFields(name, "tie", is_enabled=name != "Off"))
        for name in ("<b>First</b>", "Off", "Second")
    ]


def test_the_page_offers_those_that_are_on(editor, prod, made):
    page = editor.get(URL, {"cluster": "prod", "breakpoints": [made[2].pk]}).content.decode()
    assert_strict_csp(page)
    assert "&lt;b&gt;First" in page
    assert 'title="Off"' not in page
    assert page.count('name="breakpoints"') == 2
    assert page.split(f'value="{made[2].pk}"')[1].split(">")[0].strip() == "checked"


def test_without_any_there_is_no_such_part(editor, prod):
    assert "Breakpoints" not in editor.get(URL, {"cluster": "prod"}).content.decode().partition("<main")[2]


def test_the_run_is_started_with_what_is_chosen(editor, prod, made):
    response = post(editor, breakpoints=[made[0].pk, made[2].pk])
    assert response.status_code == 302, response.content.decode()
    assert {one.breakpoint for one in attached_to(Run.objects.get())} == {made[0], made[2]}


def test_one_that_is_gone_or_off_by_now_is_said_and_nothing_is_started(editor, prod, made):
    delete_breakpoint(editor.member, made[0])
    for gone in (made[0].pk or 10**6, made[1].pk):
        response = post(editor, breakpoints=[gone])
        assert response.status_code == 422
        assert "is gone or switched off by now" in response.content.decode()
    assert post(editor, breakpoints=["x"]).status_code == 400
    assert not Run.objects.exists()
