"""What was opened lately: in front of the list, looked up anew, in the session alone."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs.models import Run
from dashboard.search.recent import KEPT, SHOWN, ref_in
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db

OPENED = "/w/team/search/opened"


def open_first(person, found_at, typed, slug="team"):
    """Open the best hit as the page does, and return it."""
    response = person.get(f"/w/{slug}/search/names/", {"q": typed, "at": found_at})
    hit = response.context["answer"].groups[0].hits[0]
    assert person.post(f"/w/{slug}/search/opened", {"ref": hit.key}).status_code == 204
    return hit


def test_what_was_opened_last_comes_first(viewer, run, hits_of):
    at = "/w/team/runs/1/?cycle=2"
    for typed in ("never-0", "full-a", "cycle 3", "run 1", "vera", "asha"):
        open_first(viewer, at, typed)
    open_first(viewer, "/w/team/clusters/prod/", "high")
    said = [text for text, _ in hits_of(viewer, "", at)["recent"]]
    assert [text.split()[0] for text in said] == ["high", "Asha", "Vera", "Run", "Cycle", "full-a", "default/never-0"]
    open_first(viewer, at, "never-0")
    assert hits_of(viewer, "", at)["recent"][0][0].startswith("default/never-0")
    assert len(hits_of(viewer, "", at)["recent"]) == 7


def test_a_pod_of_another_run_is_named_with_it_and_opens_at_its_last_attempt(viewer, run, hits_of):
    open_first(viewer, "/w/team/runs/1/?cycle=2", "never-0")
    [(said, url)] = hits_of(viewer, "", "/w/team/")["recent"]
    assert said.startswith("default/never-0 unschedulable, cycle")
    assert said.endswith("run 1")
    assert url == "/w/team/runs/1/?select=default%2Fnever-0"


def test_who_opened_nothing_sees_the_newest_runs(viewer, run, hits_of):
    assert list(hits_of(viewer)) == ["run", "cluster"]


def test_others_do_not_see_what_one_opened(viewer, editor, run, hits_of):
    open_first(viewer, "/w/team/", "run 1")
    assert "recent" in hits_of(viewer)
    assert "recent" not in hits_of(editor)


def test_what_is_gone_or_belongs_to_another_workspace_is_left_out(viewer, stranger, workspace, run, hits_of):
    prod = Cluster.objects.get(workspace=workspace, slug="prod")
    for typed in ("small-1", "full-a", "run 1"):
        open_first(viewer, "/w/team/runs/1/?cycle=2", typed)
    open_first(viewer, "/w/team/clusters/prod/", "small-1")
    assert len(hits_of(viewer)["recent"]) == 4
    object_store.save_revision(prod, cluster_of(1, 0), Saving(None))
    assert len(hits_of(viewer)["recent"]) == 3
    Run.objects.filter(pk=run.pk).update(state="deleting")
    assert "recent" not in hits_of(viewer)
    for ref in ("run\t1", "pod\t1\tdefault/never-0\t", "cluster\tprod", "object\tprod\tPod\tdefault\tsmall-1"):
        assert stranger.post("/w/elsewhere/search/opened", {"ref": ref}).status_code == 204
    assert "recent" not in hits_of(stranger, slug="elsewhere")


def test_a_session_keeps_a_few(viewer, hits_of):
    for n in range(KEPT + 5):
        viewer.post(OPENED, {"ref": f"run\t{n}"})
    [refs] = viewer.session["search_opened"].values()
    assert len(refs) == KEPT > SHOWN
    assert refs[0] == ["run", str(KEPT + 4)]


@pytest.mark.parametrize(
    "text", ["", "nonsense\t1", "pod", "pod\t1\ta", "run", "run\t1\t2\t3", "run\t" + "1" * 2000, "run\t\x001"]
)
def test_a_ref_that_nothing_has_is_refused(viewer, text):
    assert ref_in(text) is None
    assert viewer.post(OPENED, {"ref": text}).status_code == 400


def test_refs_with_odd_numbers_name_nothing(viewer, run, hits_of):
    for ref in ("pod\tx\ta\tb", "cycle\t1\tx", "node\t99999999999999999999\tx", "cycle\t1\t99999999999", "node\t²\tx"):
        assert viewer.post(OPENED, {"ref": ref}).status_code == 204
    assert "recent" not in hits_of(viewer)
