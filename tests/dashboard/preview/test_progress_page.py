"""The page of a computation: progress, the text, cancelling, and the way to its result."""

from __future__ import annotations

import pytest

from dashboard.preview import computing
from dashboard.preview.models import Computation, PreviewResult
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

HERE = "/w/team/configurations/what-changes/"


@pytest.fixture
def address(ask, no_worker):
    """The page of a computation that waits."""
    return f"{HERE}computing/{ask(f'{PACKING}# <script>alert(1)</script>').pk}/"


def page(person, address, status=200, **headers):
    response = person.get(address, headers=headers)
    assert response.status_code == status
    assert_strict_csp(response.content)
    return response.content.decode()


def test_progress_is_shown_to_every_member_and_a_button_to_those_who_may_cancel(address, viewer, editor):
    shown = page(viewer, address)
    assert "on Prod r1" in shown
    assert viewer.get(address).context["panel"].state == "waiting"
    assert "data-preview-progress" in shown
    assert "<script>alert" not in shown
    assert "cancel" not in shown
    assert f'action="{address}cancel"' in page(editor, address)


def test_the_page_asks_for_its_part_and_is_led_to_the_result(address, viewer):
    part = page(viewer, address, **{"HX-Request": "true"})
    assert f'hx-get="{address}"' in part
    assert "<html" not in part
    computing.work()
    to = f"{HERE}{PreviewResult.objects.get().pk}/"
    assert viewer.get(address, headers={"HX-Request": "true"})["HX-Redirect"] == to
    assert viewer.get(address)["Location"] == to
    assert "1 of 2 pods" in page(viewer, f"{address}?panel=1")


def test_it_is_cancelled_and_says_by_whom(address, editor):
    assert editor.post(f"{address}cancel")["Location"] == address
    shown = page(editor, address)
    assert f"Cancelled by {editor.user.label}" in shown
    assert 'hx-trigger="load' not in shown
    part = editor.post(f"{address}cancel", {"panel": "1"}).content.decode()
    assert 'data-preview-state="cancelled"' in part


def test_every_member_may_look_editors_may_cancel_and_nobody_else(address, people):
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _role: person.get(address))
    assert_each_role_gets_its_answer(people, "editor", 302, lambda person, _role: person.post(f"{address}cancel"))
    listing = f"{HERE}computed"
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _role: person.get(listing))


def test_one_that_is_not_there_any_more_is_not_found(address, viewer):
    Computation.objects.all().delete()
    assert viewer.get(address).status_code == 404
