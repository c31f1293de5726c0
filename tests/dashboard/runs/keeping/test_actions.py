"""A branch's changes kept as a draft, a revision, a configuration, a timeline; who may, and what is refused."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.drafts import operations, saving
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.models import Draft, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_changes import shown_changes
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.documents import store
from dashboard.documents.actions import NewText, archive
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.configurations.checking import check_config
from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.models import ConfigRevision, TimelineRevision
from dashboard.documents.timelines.actions import timeline_text
from dashboard.runs import execution
from dashboard.runs.actions import Launch, create_run, find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.inputs import configuration_at
from dashboard.runs.keeping import actions
from dashboard.runs.models import BranchKeeping, Cycle
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev
from scheduler_core.simulate import WholeObjectChange, timeline_from_raw
from scheduler_core.testing.builders import make_node
from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.keeping.conftest import ANOTHER_POD, CORDON, deletion

pytestmark = pytest.mark.django_db
NODE_1 = Key("Node", "", "node-1")
KEEPS = [
    actions.keep_as_draft,
    actions.keep_as_revision,
    actions.keep_as_configuration,
    lambda member, run: actions.keep_as_timeline(member, run, "new"),
]


def fields_of(draft):
    """{object: [(field, before, after)]} of a draft, and the objects that it adds or deletes."""
    shown = shown_changes(draft.cluster.workspace_id, OpenedDraft(draft).changes)
    return {one.change.key.label: [(f.path, f.before, f.after) for f in one.fields] or one.change.what for one in shown}


def saved(revision, manifest):
    """The cluster's next revision with this manifest in the place of its own."""
    raws = [raw for raw in read_contents(revision).manifests if raw["metadata"]["name"] != manifest["metadata"]["name"]]
    return object_store.save_revision(revision.cluster, [*raws, manifest], Saving(None))


# ---------------------------------------------------------------- as a draft


def test_changes_of_objects_become_one_operation_of_a_draft_on_the_runs_revision(run, branch, editor):
    made = branch(run, CORDON, ANOTHER_POD, deletion("Pod", "huge"), name="smaller")
    draft = actions.keep_as_draft(editor.member, made)
    assert (draft.base_id, draft.author, draft.name) == (run.revision_id, editor.user, f"Run {made.number}")
    assert fields_of(draft) == {
        "Node node-1": [("spec.unschedulable", "", "true")],
        "Pod default/late": "added",
        "Pod default/huge": "removed",
    }
    (operation,) = draft.operations.all()
    assert operation.name.endswith(f"run {made.number}: smaller")
    operations.undo(editor.user, draft)
    assert fields_of(Draft.objects.get()) == {}
    keeping = BranchKeeping.objects.get()
    assert (keeping.run_id, keeping.thing, keeping.author) == (made.pk, draft, editor.user)
    entry = AuditEntry.objects.get(action="branch.kept")
    assert (entry.details["number"], entry.details["kept_as"]) == (made.number, "draft")


def test_what_a_run_did_to_an_object_is_not_kept(following, branch, editor):
    placed = Cycle.objects.get(run=following, number=1)
    manifest = pod(placed.pod.split("/")[1], "500m", nodeName=placed.node)
    manifest["metadata"]["labels"] = {"team": "a"}
    made = branch(following, {"action": "put", "object": manifest}, cycle=8)
    label = f"Pod {placed.pod}"
    assert fields_of(actions.keep_as_draft(editor.member, made)) == {label: [("metadata.labels.team", "", "a")]}


def test_an_object_that_the_engine_changed_keeps_what_its_manifest_has_beside(run, branch, editor):
    smaller = WholeObjectChange.of("put", msgspec.structs.replace(_typed(run, "Node", "node-1"), unschedulable=True))
    more = WholeObjectChange.of("put", make_node("bought", cpu="64"))
    draft = actions.keep_as_draft(editor.member, branch(run, objects=(smaller, more)))
    assert fields_of(draft) == {"Node node-1": [("spec.unschedulable", "", "true")], "Node bought": "added"}
    assert saving.save(editor.member, draft, "").number == 2


def _typed(run, kind, name):
    objects = read_contents(run.revision).loaded.objects
    return next(one for one in (*objects.nodes, *objects.pods) if type(one).__name__ == kind and one.name == name)


def test_changes_of_the_run_that_was_left_are_kept_too(run, branch, editor):
    first = branch(run, CORDON)
    taints = {"taints": [{"key": "a", "effect": "NoSchedule"}]}
    second = branch(first, {**CORDON, "object": {**CORDON["object"], "spec": taints}})
    fields = fields_of(actions.keep_as_draft(editor.member, second))["Node node-1"]
    assert {path for path, _, _ in fields} == {"spec.unschedulable", "spec.taints[0].key", "spec.taints[0].effect"}


def test_a_later_revision_of_other_fields_is_brought_together(run, branch, editor):
    newer = saved(run.revision, node("node-1", "16", pool="b", disk="ssd"))
    made = branch(run, CORDON)
    draft = actions.keep_as_draft(editor.member, made)
    assert draft.base_id == run.revision_id
    merge = saving.plan_merge(draft)
    assert (merge.clashes, merge.newest.number) == ([], 2)
    revision = saving.save(editor.member, draft, "")
    raw = read_contents(revision).by_key[NODE_1]
    assert raw["spec"] == {"unschedulable": True}
    assert (raw["metadata"]["labels"]["disk"], raw["status"]["allocatable"]["cpu"]) == ("ssd", "16")
    assert read_contents(newer).by_key[NODE_1]["metadata"] == raw["metadata"]


def test_a_later_revision_of_the_same_field_is_named_and_both_versions_stay(run, branch, editor):
    theirs = node("node-1", "8", pool="b") | {"spec": {"unschedulable": False}}
    saved(run.revision, theirs)
    made = branch(run, CORDON)
    with pytest.raises(Conflict, match=r"Node node-1: spec"):
        actions.keep_as_revision(editor.member, made)
    assert (Draft.objects.count(), Revision.objects.count(), BranchKeeping.objects.count()) == (0, 2, 0)
    draft = actions.keep_as_draft(editor.member, made)
    (clash,) = saving.plan_merge(draft).clashes
    assert clash.key == NODE_1
    assert operations.manifest_at(draft, clash.now)["spec"] == {"unschedulable": False}
    assert operations.manifest_at(draft, clash.mine)["spec"] == {"unschedulable": True}


def test_an_object_that_a_later_revision_deleted_is_named(run, branch, editor):
    raws = [raw for raw in read_contents(run.revision).manifests if raw["metadata"]["name"] != "node-1"]
    object_store.save_revision(run.revision.cluster, raws, Saving(None))
    with pytest.raises(Conflict, match="Node node-1 is"):
        actions.keep_as_revision(editor.member, branch(run, CORDON))


def test_an_object_that_a_later_revision_changed_is_not_deleted_unseen(run, branch, editor):
    saved(run.revision, node("node-1", "16"))
    made = branch(run, deletion("Node", "node-1", ""))
    with pytest.raises(Conflict, match="Node node-1 is"):
        actions.keep_as_revision(editor.member, made)
    assert [one.key for one in saving.plan_merge(actions.keep_as_draft(editor.member, made)).clashes] == [NODE_1]


def test_a_new_object_of_a_name_that_a_later_revision_took_is_named_by_its_fields(run, branch, editor):
    saved(run.revision, pod("late", "3", priority=5))
    made = branch(run, ANOTHER_POD)
    with pytest.raises(Conflict, match=r"Pod default/late: spec.containers"):
        actions.keep_as_revision(editor.member, made)
    (clash,) = saving.plan_merge(actions.keep_as_draft(editor.member, made)).clashes
    assert operations.manifest_at(Draft.objects.get(), clash.now)["spec"]["priority"] == 5


def test_what_a_later_revision_holds_already_is_no_conflict(run, branch, editor):
    saved(run.revision, node("node-1", "8", pool="b") | {"spec": {"unschedulable": True}})
    made = branch(run, CORDON, ANOTHER_POD)
    revision = actions.keep_as_revision(editor.member, made)
    assert revision.number == 3
    assert Key("Pod", "default", "late") in read_contents(revision).by_key


def test_objects_of_the_run_alone_are_for_a_timeline(following, branch, editor):
    at = Cycle.objects.get(run=following, pod="default/follows").number
    edited = {"action": "put", "object": pod("arrives", "1", tolerations=[{"operator": "Exists"}])}
    made = branch(following, edited, cycle=at)
    with pytest.raises(Problem, match="in its cluster"):
        actions.keep_as_draft(editor.member, made)
    assert not Draft.objects.exists()
    revision = actions.keep_as_timeline(editor.member, made)
    assert (revision.timeline.slug, revision.number, revision.n_entries) == ("rush", 2, 5)


# ---------------------------------------------------------------- as a revision


def test_a_revision_straight_away_has_the_message_and_can_be_undone(run, branch, editor):
    made = branch(run, CORDON, deletion("Pod", "huge"))
    revision = actions.keep_as_revision(editor.member, made, " Without node-1 ")
    assert (revision.number, revision.message, revision.author) == (2, "Without node-1", editor.user)
    by_key = read_contents(revision).by_key
    assert by_key[NODE_1]["spec"] == {"unschedulable": True}
    assert Key("Pod", "default", "huge") not in by_key
    assert not Draft.objects.exists()
    assert BranchKeeping.objects.get().thing == revision
    with pytest.raises(Problem, match="Nothing differs"):
        actions.keep_as_revision(editor.member, made)


# ---------------------------------------------------------------- as a configuration


def test_weights_become_a_revision_of_the_configuration_that_the_run_used(following, branch, editor):
    made = branch(following, weights={"ImageLocality": 7, "NodeResourcesFit": 0}, profile="default-scheduler")
    revision = actions.keep_as_configuration(editor.member, made)
    assert (str(revision), revision.message.split()[-1]) == ("Packing r2", str(made.number))
    assert effective(check_config(revision.text)[0]) == effective(configuration_at(made, made.head.seq + 1))
    assert "MostAllocated" in revision.text
    assert BranchKeeping.objects.get().thing == revision


def test_weights_of_a_run_by_the_defaults_become_a_new_configuration(run, branch, editor):
    made = branch(run, weights={"ImageLocality": 7}, profile="default-scheduler")
    with pytest.raises(Problem, match="no saved configuration"):
        actions.keep_as_configuration(editor.member, made)
    revision = actions.keep_as_configuration(editor.member, made, " Images ", "why")
    assert (str(revision), revision.message) == ("Images r1", "why")
    assert effective(check_config(revision.text)[0]) == effective(configuration_at(made, made.head.seq + 1))
    with pytest.raises(Conflict, match="exists already"):
        actions.keep_as_configuration(editor.member, made, "Images")


def test_a_later_revision_of_the_configuration_is_brought_together_or_named(following, configuration, branch, editor):
    made = branch(following, weights={"ImageLocality": 7}, profile="default-scheduler")
    other = configuration.text.replace("profiles:", "podInitialBackoffSeconds: 3\nprofiles:")
    save_config(editor.member, configuration.config, NewText("", other, 1))
    revision = actions.keep_as_configuration(editor.member, made)
    assert revision.number == 3
    merged = check_config(revision.text)[0]
    assert merged.pod_initial_backoff_seconds == 3
    assert effective(merged).profiles == effective(configuration_at(made, made.head.seq + 1)).profiles
    third = branch(following, weights={"ImageLocality": 9}, profile="default-scheduler")
    with pytest.raises(Conflict, match=r"^Packing r3 .* Packing r1: profiles\[0\].plugins"):
        actions.keep_as_configuration(editor.member, third)
    assert str(actions.keep_as_configuration(editor.member, third, "Nines")) == "Nines r1"
    archive(editor.member, configuration.config, True)
    with pytest.raises(Problem, match="archived"):
        actions.keep_as_configuration(editor.member, find_run(made.workspace, made.number))


def test_a_branch_without_another_configuration_keeps_none(run, branch, editor):
    with pytest.raises(Problem, match="changes no configuration"):
        actions.keep_as_configuration(editor.member, branch(run, CORDON), "x")
    policies = branch(run, {"action": "set_policies", "policies": {"draw": "smallest"}})
    for keep in KEEPS:
        with pytest.raises(Problem):
            keep(editor.member, policies)
    assert not BranchKeeping.objects.exists()


def test_a_configuration_without_what_is_not_installed_is_not_kept(following, branch, editor):
    made = branch(following, weights={"ImageLocality": 7}, profile="default-scheduler")
    made.left_out = [{"name": "TargetLoadPacking"}]
    with pytest.raises(Problem, match="not installed"):
        actions.keep_as_configuration(editor.member, made)


# ---------------------------------------------------------------- as a timeline


def events(run):
    """The run's events without what says of which input they are."""
    with recordings.reading(run.pk) as reader:
        listed = [event for _, event in reader.events(0, run.head.seq)]
    return [
        msgspec.structs.replace(one, change=None, entry=None, object=b"") if isinstance(one, ev.ObjectChanged) else one
        for one in listed
    ]


def worked(member, launch):
    made = create_run(member, launch)
    while execution.work():
        pass
    return find_run(made.workspace, made.number)


def test_a_run_of_the_timeline_equals_the_branch(following, branch, editor):
    made = branch(following, CORDON, ANOTHER_POD, cycle=Cycle.objects.get(run=following, pod="default/arrives").number)
    revision = actions.keep_as_timeline(editor.member, made, "With late")
    entries = timeline_from_raw(store.read_timeline(revision)).entries
    assert [(e.at, e.object.name) for e in entries[:3]] == [(10**6, "arrives"), (10**6, "node-1"), (10**6, "late")]
    same = {name: getattr(made, name) for name in ("seed", "max_cycles", "policies")}
    again = Launch(made.revision, made.config_revision, timeline=revision, schedule="timeline", **same)
    assert events(worked(editor.member, again)) == events(made)


def test_an_entry_that_is_switched_off_is_left_out_of_the_timeline(following, branch, editor):
    made = branch(following, {"action": "switch_off", "entry": 3}, deletion("Pod", "first-0"))
    revision = actions.keep_as_timeline(editor.member, made, message="stays")
    assert (str(revision), revision.message) == ("Rush r2", "stays")
    done = [(e.action, e.object.name) for e in timeline_from_raw(store.read_timeline(revision)).entries]
    assert done == [("delete", "first-0"), ("put", "arrives"), ("put", "bought"), ("put", "follows")]
    assert "first-0" in timeline_text(revision)


def test_a_timeline_that_others_saved_meanwhile_is_not_overwritten(following, timeline, branch, editor):
    made = branch(following, CORDON)
    store.save_timeline(timeline.timeline, {"entries": []}, Saving(None, expected=1))
    with pytest.raises(Conflict):
        actions.keep_as_timeline(editor.member, made)
    assert str(actions.keep_as_timeline(editor.member, made, "Other")) == "Other r1"
    archive(editor.member, timeline.timeline, True)
    with pytest.raises(Problem, match="archived"):
        actions.keep_as_timeline(editor.member, find_run(made.workspace, made.number))


def test_a_run_without_a_timeline_gives_a_new_one(run, branch, editor):
    made = branch(run, CORDON)
    with pytest.raises(Problem, match="no saved timeline"):
        actions.keep_as_timeline(editor.member, made)
    revision = actions.keep_as_timeline(editor.member, made, "Cordon")
    (entry,) = store.read_timeline(revision)["entries"]
    assert (entry["action"], entry["object"]["metadata"]["name"]) == ("update", "node-1")


# ---------------------------------------------------------------- who may, and when


@pytest.mark.parametrize("keep", KEEPS)
def test_viewers_and_members_of_other_workspaces_may_not(following, branch, viewer, stranger, keep):
    made = branch(following, CORDON, weights={"ImageLocality": 7}, profile="default-scheduler")
    with pytest.raises(Forbidden):
        keep(viewer.member, made)
    with pytest.raises(NotFound):
        keep(stranger.user.memberships.select_related("workspace", "user").get(), made)
    n_saved = [model.objects.count() for model in (Draft, Revision, ConfigRevision, TimelineRevision, BranchKeeping)]
    assert n_saved == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_run_that_is_no_branch_or_is_not_there_yet_is_refused(run, editor, keep):
    run = find_run(run.workspace, run.number)
    with pytest.raises(NotFound, match="nothing to keep"):
        keep(editor.member, run)
    made = branch_run(editor.member, run, Branching(50, (CORDON,)))
    with pytest.raises(Conflict, match="its changes yet"):
        keep(editor.member, find_run(made.workspace, made.number))


def test_an_archived_cluster_is_not_edited(run, branch, editor):
    made = branch(run, CORDON)
    run.revision.cluster.archived_at = made.created_at
    run.revision.cluster.save()
    with pytest.raises(Problem, match="archived"):
        actions.keep_as_draft(editor.member, find_run(made.workspace, made.number))


def _others_set(field):
    """Return what saves a later revision in which the node has another value of a field."""
    return lambda revision: saved(revision, node("node-1", "8", pool="b") | {"spec": {"unschedulable": field}})


def _others_deleted(revision):
    """Save a later revision without the node."""
    raws = [raw for raw in read_contents(revision).manifests if raw["metadata"]["name"] != "node-1"]
    object_store.save_revision(revision.cluster, raws, Saving(None))


@pytest.mark.parametrize(
    ("others", "change", "keep", "sentence"),
    [
        (
            _others_set(False),
            CORDON,
            actions.keep_as_revision,
            "Revision 2 changed the same since revision 1: Node node-1: spec",
        ),
        (_others_deleted, CORDON, actions.keep_as_revision, "Node node-1 is deleted there"),
        (
            lambda revision: saved(revision, node("node-1", "16")),
            deletion("Node", "node-1", ""),
            actions.keep_as_revision,
            "Node node-1 is deleted here and changed there",
        ),
        (
            lambda revision: None,
            {"action": "set_policies", "policies": {"draw": "smallest"}},
            actions.keep_as_draft,
            "Nothing of what run 2 changes can be kept in its cluster.",
        ),
        (
            lambda revision: None,
            CORDON,
            actions.keep_as_timeline,
            "The run follows no saved timeline. Give the new one a name.",
        ),
    ],
)
def test_words_of_refusals(run, branch, editor, others, change, keep, sentence):
    others(run.revision)
    with pytest.raises(Problem) as raised:
        keep(editor.member, branch(run, change))
    assert sentence in raised.value.detail


def test_words(run, branch, editor):
    made = branch(run, CORDON, name="smaller")
    assert actions.keep_as_draft(editor.member, made).operations.get().name == f"Kept from run {made.number}: smaller"
    weights = branch(run, weights={"ImageLocality": 7}, profile="default-scheduler")
    with pytest.raises(Problem) as raised:
        actions.keep_as_configuration(editor.member, weights)
    assert raised.value.detail == "The run used no saved configuration. Give the new one a name."
    with pytest.raises(NotFound) as raised:
        actions.keep_as_draft(editor.member, find_run(run.workspace, run.number))
    assert "there is nothing to keep" in raised.value.detail
    weights.left_out = [{"name": "TargetLoadPacking"}]
    with pytest.raises(Problem) as raised:
        actions.keep_as_configuration(editor.member, weights)
    assert "goes without plugins or extenders that are not installed" in raised.value.detail
