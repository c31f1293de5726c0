"""Answers about a cluster, beside any run, ask no extender, and say so by its address."""

from __future__ import annotations

import pytest

from dashboard.agreement import computing
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.extenders.actions import save_declared
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.runs import actions
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Schedule
from tests.dashboard.agreement.conftest import HERE, dump

pytestmark = pytest.mark.django_db
CONFIGURATION = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: "http://me:secret@a.example/x", filterVerb: filter, nodeCacheCapable: true}
"""


@pytest.fixture
def extended(editor, workspace, monkeypatch):
    """The newest run of the cluster has an extender that refuses every node."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    revision = object_store.save_revision(cluster, dump(), Saving(None))
    config = save_config(editor.member, None, NewText("extended", CONFIGURATION))
    rules = ExtenderAnswers(
        save_declared(editor.member, None, NewText("rules", "extenders: [{filter: [{refuse: busy}]}]"))
    )
    launch = Launch(revision, config=config, answers=rules, schedule=Schedule.PENDING)
    return actions.create_run(editor.member, launch)


def test_would_it_fit_says_that_no_extender_was_asked(viewer, extended):
    page = " ".join(viewer.get(f"{HERE}fit/?fit=default/fits").content.decode().split())
    assert "Fits 1 <small>of 2</small>" in page
    assert "Extenders were not called: http://a.example/x. Nodes that they would refuse count as" in page
    assert "secret" not in page


def test_the_agreement_with_the_real_scheduler_says_that_no_extender_was_asked(editor, extended):
    editor.get(f"{HERE}agreement/")
    while computing.work():
        pass
    page = " ".join(editor.get(f"{HERE}agreement/").content.decode().split())
    assert "http://a.example/x was not asked: nodes that the real scheduler did not choose because of them" in page
    assert "secret" not in page
