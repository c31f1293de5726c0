"""What a change of a configuration changes: fields of its table, and pods of a cluster or run."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.review.findings.asked import AnswerClock
from dashboard.review.findings.configuration import of_configuration, table_differences
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db
TWO = PACKING + "- schedulerName: batch\n"


def groups(review):
    there = of_configuration(review, "team", AnswerClock("test"))
    return {group.title: group for group in there.groups}, there.note


def test_fields_of_each_profile_and_profiles_that_come_or_go():
    lines = {(one.profile, one.name, one.value) for one in table_differences("", PACKING)}
    assert ("default-scheduler", "NodeResourcesFit", "scoringStrategy.type: LeastAllocated → MostAllocated") in lines
    assert ("batch", "profile", "not there", "there") in {
        (one.profile, one.name, one.one.was, one.one.now) for one in table_differences(PACKING, TWO)
    }
    assert ("batch", "there", "not there") in {
        (one.profile, one.one.was, one.one.now) for one in table_differences(TWO, PACKING)
    }
    assert table_differences(PACKING, PACKING) == []


@pytest.mark.slow
def test_pods_of_a_cluster_that_would_go_elsewhere(workspace, configuration, ask_about_one):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    bound = pod("held", "2", nodeName="a") | {"status": {"phase": "Running"}}
    objects = [node("a", "8"), node("b", "8"), bound, pod("new", "1")]
    object_store.save_revision(cluster, objects, Saving(None))
    there, note = groups(ask_about_one(configuration="fit", revision=2, on="prod"))
    (moved,) = there["Moved to another node"].findings
    assert (moved.what, moved.more, moved.panels) == ("new", "b → a", ())
    assert there["First divergence"].findings[0].short.endswith("; cause: configuration")
    assert note == ""


@pytest.mark.slow
def test_on_a_run_the_evidence_is_its_recorded_decision(execute, configuration, ask_about_one, owner):
    run = execute([node("a", "8"), node("b", "8"), pod("first", "2"), pod("second", "1")])
    review = ask_about_one(configuration="fit", revision=2, on=f"run:{run.number}")
    there, _ = groups(review)
    (moved,) = there["Moved to another node"].findings
    assert moved.panels[0].url.startswith(f"/w/team/runs/{run.number}/?cycle=")
    assert moved.cycles[0][0] == run.pk
    type(run).objects.filter(pk=run.pk).update(state="deleting")
    there, note = groups(review)
    assert "was deleted" in note
    assert "Profile default-scheduler" in there


@pytest.mark.slow
def test_where_nothing_moves_it_says_so(workspace, configuration, ask_about_one):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    object_store.save_revision(cluster, [node("a", "8"), pod("new", "1")], Saving(None))
    _, note = groups(ask_about_one(configuration="fit", revision=2, on="prod"))
    assert note == "On Prod r1 no pod would end otherwise"
