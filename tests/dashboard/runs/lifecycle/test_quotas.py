"""A workspace whose storage is full."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Workspace
from dashboard.common.problems import Problem
from dashboard.runs import execution, sessions
from dashboard.runs.models import (
    State,
)

pytestmark = pytest.mark.django_db


def test_a_full_workspace_starts_no_run_and_pauses_those_that_go_on(launch, workspace, again, monkeypatch):
    run = launch(3, 40)
    Workspace.objects.filter(pk=workspace.pk).update(max_storage_bytes=10)
    with pytest.raises(Problem, match="limit is"):
        launch(3, 40)
    monkeypatch.setattr(execution, "QUOTA_SECONDS", -1)
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=10))
    execution.work()
    assert again(run).state == State.PAUSED
    assert "raise the limit" in again(run).error
