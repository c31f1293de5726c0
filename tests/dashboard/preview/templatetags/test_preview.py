"""Which runs a configuration can be tried on."""

from __future__ import annotations

from dashboard.accounts.models import Member, Role
from dashboard.preview.templatetags.preview import runs_to_try
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import RunHead
from tests.dashboard.preview.conftest import revision

__all__ = ["revision"]


def test_a_run_that_was_changed_is_not_offered(workspace, revision, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    plain, changed = (create_run(member, Launch(revision, schedule="pending")) for _ in range(2))
    RunHead.objects.filter(run=changed).update(n_changes=1)
    assert list(runs_to_try(workspace)) == [plain]
