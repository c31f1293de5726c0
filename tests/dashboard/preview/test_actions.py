"""Who may ask what a configuration would change."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member, Role
from dashboard.answers.outcomes import Answer
from dashboard.answers.questions import WhatChangesOf
from dashboard.common.problems import Forbidden
from dashboard.preview.actions import ask_what_changes
from tests.dashboard.preview.conftest import PACKING


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.EDITOR])
def test_those_who_may_edit_get_an_answer_and_others_are_refused(workspace, revision, role):
    member = Member.objects.get(workspace=workspace, role=Role.ADMIN)
    member.role = role
    question = WhatChangesOf(before="default", after=PACKING)
    if role == Role.EDITOR:
        assert isinstance(ask_what_changes(member, revision, question, "me"), Answer)
    else:
        with pytest.raises(Forbidden):
            ask_what_changes(member, revision, question, "me")
