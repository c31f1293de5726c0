"""The command that loads the demo."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from dashboard.accounts.account_actions import first_owner
from dashboard.accounts.models import Member, Role
from dashboard.runs import demo
from dashboard.runs.lifecycle import waiting
from scheduler_core.workloads.synthetic import gpu_cluster

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def messages(monkeypatch):
    """The names of the tasks that would wake a worker; the tests do its work themselves."""
    sent = []
    monkeypatch.setattr(waiting, "_send", sent.append)
    return sent


@pytest.fixture
def small(monkeypatch):
    """The large cluster in small, for tests that do not look at its size."""
    monkeypatch.setattr(demo, "gpu_cluster", lambda: gpu_cluster(3, 5))


def load():
    out = StringIO()
    call_command("load_demo", stdout=out)
    return out.getvalue()


def test_an_owner_who_may_not_start_runs_gets_words_instead(small):
    user, workspace = first_owner()
    Member.objects.filter(user=user).update(role=Role.VIEWER)
    assert "may not start runs" in load()
    assert not workspace.clusters.exists()
