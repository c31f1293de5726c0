"""What of a workspace needs a look: failed runs, pending pods by what refused them, imports that are not saved."""

from __future__ import annotations

import pytest

from dashboard.accounts.access import Access
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.revisions.actions import NewCluster, create_cluster, newest_revision
from dashboard.clusters.uploads.opening import Upload
from dashboard.home.needs_look import looks
from dashboard.runs import execution
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, RunOutcomes, State
from dashboard.runs.storage import outcomes
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda task: None)


@pytest.fixture
def cluster(editor):
    """A cluster of one node with three pods that are too wide and one that is gated."""
    wide = [pod(f"wide-{n}", "40") for n in range(3)]
    gated = pod("gated", schedulingGates=[{"name": "example.com/quota"}])
    return create_cluster(editor.member, NewCluster("prod"), [*cluster_of(1, 2), *wide, gated])


def run_of(editor, cluster):
    run = create_run(editor.member, Launch(newest_revision(cluster)))
    execution.work()
    run.refresh_from_db()
    return run


def seen_by(person):
    return looks(Access(person.member.workspace, person.member))


def test_pending_pods_are_named_by_what_refused_them_and_lead_to_why(editor, cluster):
    run_of(editor, cluster)
    wide, gated = seen_by(editor)
    assert (wide.count, wide.more) == (3, "NodeResourcesFit")
    assert wide.text.startswith("pods pending: ")
    assert wide.place == "prod, run 1"
    assert wide.url.startswith("/w/team/runs/1/?cycle=")
    assert wide.url.endswith("&tab=why")
    assert (gated.count, gated.text.partition(": ")[0]) == (1, "pod gated")
    assert gated.text.endswith("example.com/quota")
    page = editor.get("/w/team/").content.decode()
    assert_strict_csp(page)
    assert wide.text in page
    assert editor.get(wide.url).status_code == 200


def test_pods_of_a_run_without_a_summary_are_counted(editor, cluster):
    run = run_of(editor, cluster)
    RunOutcomes.objects.filter(run=run).delete()
    (left,) = seen_by(editor)
    assert (left.count, left.url) == (4, "/w/team/runs/1/")
    outcomes.store(run.pk, outcomes.compute(run))
    assert len(seen_by(editor)) == 2


def test_only_the_newest_run_of_a_cluster_counts(editor, cluster):
    run_of(editor, cluster)
    run_of(editor, cluster)
    assert {look.place for look in seen_by(editor)} == {"prod, run 2"}


def test_a_failed_run_comes_first_with_its_reason(editor, cluster):
    other = create_cluster(editor.member, NewCluster("other"), cluster_of(1, 1))
    failed = run_of(editor, other)
    Run.objects.filter(pk=failed.pk).update(state=State.FAILED, error="the engine stopped")
    run_of(editor, cluster)
    first = seen_by(editor)[0]
    assert (first.text, first.more, first.place) == ("Failed", "the engine stopped", "other, run 1")


def test_an_import_that_is_not_saved_is_shown_to_whom_it_belongs(editor, owner):
    draft = imports.new_draft(editor.member, [Upload("a.yaml", b"apiVersion: v1\nkind: Nodes\n")])
    (look,) = seen_by(editor)
    assert look.url == f"/w/team/import/{draft.pk}/"
    assert "1 file" in look.text
    assert look.more == ("1 error" if draft.report["errors"] else "")
    assert seen_by(owner) == []


def test_nothing_to_look_at_is_said(editor):
    fine = create_cluster(editor.member, NewCluster("fine"), cluster_of(1, 2))
    run_of(editor, fine)
    assert seen_by(editor) == []
    page = editor.get("/w/team/").content.decode()
    assert 'id="looks-title"' in page
    assert 'class="lookline"' not in page


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("is_summed_up", "sentences"),
    [
        (True, ["pods pending: Larger than any node", "pod gated: Scheduling gate example.com/quota"]),
        (False, ["pods without a node"]),
    ],
)
def test_words(editor, cluster, is_summed_up, sentences):
    run = run_of(editor, cluster)
    if not is_summed_up:
        RunOutcomes.objects.filter(run=run).delete()
    assert [look.text for look in seen_by(editor)] == sentences


def test_words_of_an_import_and_of_nothing(editor, owner):
    imports.new_draft(editor.member, [Upload("a.yaml", b"apiVersion: v1\nkind: Nodes\n")])
    assert [look.text for look in seen_by(editor)] == ["objects read from 1 file, not saved yet"]
    create_cluster(editor.member, NewCluster("fine"), cluster_of(1, 2))
    assert "No run failed and no pod is pending at the end of the" in owner.get("/w/team/").content.decode()
