"""Which runs a configuration can be tried on, and results in lists."""

from __future__ import annotations

from dashboard.accounts.models import Member, Role
from dashboard.preview.models import PreviewResult
from dashboard.preview.pages import PreviewList
from dashboard.preview.templatetags.preview import preview_choice, preview_counts, runs_to_try
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


def test_what_moves_is_placed_or_waits_is_counted_apart_from_the_rest():
    groups = {"moved": 5, "placed only in A": 1, "placed only in B": 2, "only in A": 3, "waited otherwise": 4}
    assert preview_counts(PreviewResult(groups=groups)) == (5, 1, 2, 7)
    assert preview_counts(PreviewResult(groups={})) == (0, 0, 0, 0)


def test_a_cluster_without_pods_leaves_the_first_choice_to_its_newest_run(workspace, revision, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    listed, cluster = PreviewList([], []), revision.cluster
    cluster.counts = {"Node": 2}
    assert preview_choice(listed, [cluster], []) == "cluster:prod"
    run = create_run(member, Launch(revision, schedule="pending"))
    assert preview_choice(listed, [cluster], runs_to_try(workspace)) == f"run:{run.number}"
    cluster.counts = {"Node": 2, "Pod": 1}
    assert preview_choice(listed, [cluster], runs_to_try(workspace)) == "cluster:prod"
