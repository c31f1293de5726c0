"""What decides a result: all of it is in the key, and nothing else."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member, Role
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import NotFound
from dashboard.preview import subject
from dashboard.preview.subject import subject_named
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from scheduler_core.profiles import registry
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import node


def of_cluster(workspace, before="default", text=PACKING):
    return subject_named(workspace, "cluster:prod", before, text)


def test_the_same_question_has_the_same_key(workspace, revision):
    assert of_cluster(workspace).key == of_cluster(workspace).key


def test_another_text_base_revision_or_run_has_another_key(workspace, revision, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    runs = [create_run(member, Launch(revision, schedule="pending", seed=seed)) for seed in (1, 2)]
    subjects = [
        of_cluster(workspace),
        of_cluster(workspace, text=PACKING + "# more\n"),
        of_cluster(workspace, before="preset:most-allocated"),
        *(subject_named(workspace, f"run:{run.number}", "default", PACKING) for run in runs),
    ]
    object_store.save_revision(revision.cluster, [node("a", "8")], Saving(None))
    subjects.append(of_cluster(workspace))
    assert len({one.key for one in subjects}) == 6


@pytest.mark.parametrize("limit", ["MOST_CYCLES", "MOST_LISTED", "ENGINE_VERSION"])
def test_another_limit_or_engine_has_another_key(workspace, revision, monkeypatch, limit):
    before = of_cluster(workspace).key
    monkeypatch.setattr(subject, limit, 7)
    assert of_cluster(workspace).key != before


def test_another_version_of_a_package_with_plugins_has_another_key(workspace, revision, monkeypatch):
    subject.code_version.cache_clear()
    before = of_cluster(workspace).key
    monkeypatch.setattr(registry, "_packages", lambda _path: (("odd", "0.2"),))
    monkeypatch.setattr("dashboard.answers.registry.plugin_packages", registry.plugin_packages)
    subject.code_version.cache_clear()
    assert of_cluster(workspace).key != before
    subject.code_version.cache_clear()


def test_what_does_not_exist_is_refused(workspace, revision):
    for on in ("cluster:none", "run:99", "run:x"):
        with pytest.raises(NotFound):
            subject_named(workspace, on, "default", PACKING)
