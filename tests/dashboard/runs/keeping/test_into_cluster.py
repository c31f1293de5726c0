"""A run's changes as changes of its cluster: what is read before a transaction, and what is written in it."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Conflict, Problem
from dashboard.runs.keeping import actions
from dashboard.runs.keeping.into_cluster import changes_to_keep, entries_on
from dashboard.runs.keeping.plan import plan_keeping
from tests.dashboard.run_helpers import pod
from tests.dashboard.runs.keeping.conftest import ANOTHER_POD, CORDON, deletion

pytestmark = pytest.mark.django_db
CLASS = {
    "action": "put",
    "object": {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 7,
    },
}


def test_the_entries_of_a_revision_have_the_changes_in_place_and_new_objects_at_the_end(run, branch):
    plan = plan_keeping(branch(run, CORDON, ANOTHER_POD, deletion("Pod", "huge")))
    entries = entries_on(plan.newest, changes_to_keep(plan, plan.newer()))
    before = revision_addresses(run.revision)
    expected = [key for key in before if key.name != "huge"] + [Key("Pod", "default", "late")]
    assert [Key(*entry.key) for entry in entries] == expected
    changed = [entry.name for entry in entries if before.get(Key(*entry.key)) != entry.sha256]
    assert changed == ["node-1", "late"]


def test_a_class_that_changes_what_others_are_admitted_as_is_checked_with_all_objects(run, branch):
    plan = plan_keeping(branch(run, CLASS))
    entries = entries_on(plan.newest, changes_to_keep(plan, plan.newer()))
    assert entries[-1].key == ("PriorityClass", "", "high")


def test_objects_that_the_cluster_would_not_take_are_refused(run, branch, monkeypatch):
    plan = plan_keeping(branch(run, CORDON))
    wrong = {Key("Pod", "default", "late"): pod("late", "2", tolerations=[{"operator": "Never"}])}
    monkeypatch.setattr(type(plan), "in_cluster", property(lambda _plan: wrong))
    with pytest.raises(BadObjects):
        changes_to_keep(plan, [])


def test_what_is_not_kept_in_a_cluster_is_said(run, branch):
    plan = plan_keeping(branch(run, {"action": "set_policies", "policies": {"draw": "smallest"}}))
    with pytest.raises(Problem, match="in its cluster"):
        changes_to_keep(plan, plan.newer())


def test_a_revision_saved_between_reading_and_writing_is_not_overwritten(run, branch, editor):
    made = branch(run, CORDON)
    first, second = (actions.prepare_revision(editor.member, made) for _ in range(2))
    assert first().number == 2
    with pytest.raises(Conflict, match="Somebody saved revision 2"):
        second()
