"""What a member whose role is too small is told, and who reads while a view runs."""

from __future__ import annotations

import pytest
from django.http import HttpResponse

from dashboard.accounts.access import workspace_for, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.page_reader import NOBODY, page_reader
from dashboard.common.problems import Forbidden
from tests.dashboard.conftest import join


def refusal(person, rf, **options) -> Forbidden:
    request = rf.get("/")
    request.user = person.user
    with pytest.raises(Forbidden) as raised:
        workspace_for(request, "team", Role.ADMIN, **options)
    return raised.value


def test_a_refusal_names_what_was_tried(editor, rf):
    assert refusal(editor, rf, doing="invite members").title.endswith(" invite members")
    assert refusal(editor, rf).title.endswith(" this page")


def test_a_refusal_names_the_roles_and_three_admins_at_most(editor, workspace, rf):
    for name in ("Ada", "Ben", "Cem"):
        join(workspace, name, Role.ADMIN)
    named = [name for name in ("Asha", "Ada", "Ben", "Cem") if name in str(refusal(editor, rf))]
    assert len(named) == 3
    assert "is editor; " in str(refusal(editor, rf))


def test_a_view_knows_who_reads(editor, rf):
    users = []

    @workspace_view()
    def view(_request, _access):
        users.append(page_reader().user)
        return HttpResponse()

    request = rf.get("/")
    request.user = editor.user
    view(request, slug="team")
    assert (users, page_reader()) == ([editor.user.pk], NOBODY)


def test_words(editor, rf):
    said = refusal(editor, rf)
    assert said.title == "You cannot open this page"
    assert "Your role in Team is editor; this needs admin." in said.detail
