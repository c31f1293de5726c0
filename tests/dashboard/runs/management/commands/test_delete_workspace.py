"""A deleted workspace leaves no row behind, and nothing of another one goes with it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from dashboard.accounts.leaving.belongings import OF_NO_WORKSPACE, label
from dashboard.accounts.models import User, Workspace
from dashboard.runs.models import RecordingChunk, Run


def row_counts():
    """Return {model: rows} of the database, without models that have none."""
    models = apps.get_models(include_auto_created=True)
    counts = {label(model): model._base_manager.count() for model in models}
    return {name: count for name, count in counts.items() if count and name not in OF_NO_WORKSPACE}


@pytest.mark.slow
def test_all_rows_of_the_workspace_go_and_no_other(stranger, request):
    before = row_counts()
    request.getfixturevalue("run")
    people = User.objects.count()
    assert RecordingChunk.objects.exists()
    out = StringIO()
    call_command("delete_workspace", "team", "--yes", stdout=out)
    assert "runs.RecordingChunk" in out.getvalue()
    assert row_counts() == before
    assert (User.objects.count(), Workspace.objects.filter(slug="team").exists()) == (people, False)


def test_nothing_is_done_without_a_yes(workspace):
    out = StringIO()
    call_command("delete_workspace", "team", stdout=out)
    assert "nothing is done without --yes" in out.getvalue()
    assert (Workspace.objects.filter(slug="team").exists(), Run.everything.count()) == (True, 0)


def test_a_workspace_that_is_not_there_is_refused(db):
    with pytest.raises(CommandError, match="no workspace elsewhere"):
        call_command("delete_workspace", "elsewhere")
