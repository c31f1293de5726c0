"""Who may branch a run, where, and with which changes."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.documents.models import ConfigRevision, SchedulerConfig
from dashboard.runs import actions
from dashboard.runs.actions import Launch
from dashboard.runs.branches.actions import MOST_BYTES, MOST_CHANGES, Branching, branch_run
from dashboard.runs.inputs import configuration_at
from dashboard.runs.keeping.configuration import changed_configuration
from dashboard.runs.models import Run, RunBranch, State
from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.branches.conftest import CORDON, work

pytestmark = pytest.mark.django_db


def refused(member, run, seq=50, changes=(CORDON,), n_branches=0):
    """Return the words of the refusal; nothing was made."""
    before = Run.everything.count()
    with pytest.raises(Problem) as raised:
        branch_run(member, run, Branching(seq, changes))
    assert (Run.everything.count(), RunBranch.objects.count()) == (before, n_branches)
    return str(raised.value)


def test_a_branch_keeps_the_inputs_of_its_origin_and_names_it(run, editor):
    made = branch_run(editor.member, run, Branching(50, (CORDON,), name=" Cordoned "))
    assert (made.name, made.number) == ("Cordoned", run.number + 1)
    assert (made.seed, made.revision_id) == (run.seed, run.revision_id)
    assert (made.branch.origin_id, made.branch.origin_number, made.branch.asked_seq) == (run.pk, run.number, 50)
    assert (made.branch.seq, made.branch.changes) == (None, [CORDON])
    assert [one.run_id for one in run.branches.all()] == [made.pk]
    entry = AuditEntry.objects.get(action="run.branched")
    assert (entry.actor, entry.details) == (editor.user, {"number": made.number, "origin": run.number, "seq": 50})


def test_viewers_and_members_of_other_workspaces_may_not(run, viewer, stranger):
    with pytest.raises(Forbidden):
        branch_run(viewer.member, run, Branching(50, (CORDON,)))
    member = stranger.user.memberships.select_related("workspace", "user").get()
    with pytest.raises(NotFound):
        branch_run(member, run, Branching(50, (CORDON,)))
    assert not RunBranch.objects.exists()


def test_a_place_has_to_be_in_the_recording(run, editor, launch):
    assert f"has {run.head.seq:,} events" in refused(editor.member, run, run.head.seq + 1)
    assert "no event -1" in refused(editor.member, run, -1)
    assert "has not begun" in refused(editor.member, launch(2, 3), 0)
    Run.objects.filter(pk=run.pk).update(engine_version="0.1")
    run.refresh_from_db()
    assert "again first" in refused(editor.member, run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((), "needs a change"),
        (["patch"], "Each change is a mapping"),
        ([{**CORDON, "at": 3}], "leave out at"),
        ([{"action": "explode"}], 'changes[0].action: "explode" is no action'),
        ([CORDON, {"action": "put", "object": {"kind": "Pod"}}], "changes[1].object"),
        ([{"action": "switch_off", "entry": 0}], "changes[0].entry"),
        ([{"action": "set_policies", "policies": {"draw": "best"}}], "changes[0].policies"),
        ([{"action": "configure", "configuration": {"kind": "Pod"}}], "changes[0].configuration"),
        ([CORDON] * (MOST_CHANGES + 1), "There may be"),
        ([{"action": "put", "object": node("n", big="x" * MOST_BYTES)}], "take more"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_change_that_cannot_be_read_names_its_place(run, editor, changes, message):
    assert message in refused(editor.member, run, changes=changes)


CONFIGURATION = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@pytest.fixture
def mixed(editor, save):
    """A finished run of two pods of other schedulers, decided as pods of default-scheduler."""
    revision = save([node("n"), pod("theirs", schedulerName="volcano"), pod("others", schedulerName="yunikorn")])
    made = actions.create_run(editor.member, Launch(revision, serves_others="default-scheduler"))
    work()
    return actions.find_run(made.workspace, made.number)


def names_at_the_end(run) -> dict[str, object]:
    """Profiles of the configuration that the branch's changes left."""
    return {one.scheduler_name: one for one in configuration_at(run, run.head.seq + 1).profiles}


def test_stand_ins_go_over_to_another_configuration(mixed, branch):
    other = {**CONFIGURATION, "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "yunikorn"}]}
    made = branch(mixed, 0, {"action": "configure", "configuration": other})
    assert list(names_at_the_end(made)) == ["default-scheduler", "yunikorn", "volcano"]
    assert made.head.scheduled == 2


def test_a_configuration_without_the_profile_that_stands_in_is_refused(mixed, editor):
    other = {**CONFIGURATION, "profiles": [{"schedulerName": "mine"}]}
    message = refused(editor.member, mixed, 0, ({"action": "configure", "configuration": other},))
    assert "there is no profile default-scheduler; profiles are mine" in message


@pytest.mark.parametrize("profile", ["default-scheduler", "volcano"])
def test_weights_of_a_profile_are_those_of_its_stand_ins(mixed, editor, again, profile):
    made = branch_run(editor.member, mixed, Branching(0, profile=profile, weights={"ImageLocality": 9}))
    work()
    made = again(made)
    profiles = names_at_the_end(made).values()
    assert len({str(one.plugins) for one in profiles}) == 1
    assert [
        ref.weight for ref in next(iter(profiles)).plugins["multiPoint"].enabled if ref.name == "ImageLocality"
    ] == [9]
    document = changed_configuration(made)
    assert (document.problem, "volcano" in document.text) == ("", False)


def test_a_branch_goes_without_what_its_origin_goes_without(editor, save):
    text = "\n".join(
        [
            *(f"{key}: {value}" for key, value in CONFIGURATION.items()),
            "profiles:",
            *(
                "- schedulerName: default-scheduler",
                "  plugins: {score: {enabled: [{name: TargetLoadPacking, weight: 3}]}}",
            ),
        ]
    )
    config = SchedulerConfig.objects.create(workspace=editor.member.workspace, name="x", slug="x")
    saved = ConfigRevision.objects.create(config=config, number=1, text=text, author=editor.user)
    run = actions.create_run(editor.member, Launch(save([node("n"), pod("p")]), config=saved, leaves_out=True))
    work()
    run = actions.find_run(run.workspace, run.number)
    plugins = {"score": {"enabled": [{"name": "TargetLoadPacking"}], "disabled": [{"name": "ImageLocality"}]}}
    changed = {**CONFIGURATION, "profiles": [{"schedulerName": "default-scheduler", "plugins": plugins}]}
    made = branch_run(editor.member, run, Branching(0, ({"action": "configure", "configuration": changed},)))
    work()
    made = actions.find_run(made.workspace, made.number)
    assert (made.state, made.left_out) == (State.FINISHED, run.left_out)
    (profile,) = names_at_the_end(made).values()
    assert (profile.plugins["score"].enabled, len(profile.plugins["score"].disabled)) == ((), 1)
    plugins["score"]["enabled"][0]["name"] = "LowRiskOverCommitment"
    message = refused(editor.member, run, 0, ({"action": "configure", "configuration": changed},), n_branches=1)
    assert "LowRiskOverCommitment" in message


@pytest.mark.parametrize(
    ("seq", "sentence"), [(-1, "there is no event -1"), (10**6, "has {:,} events"), (0, "Run it again first")]
)
def test_words(run, editor, seq, sentence):
    if not seq:
        Run.objects.filter(pk=run.pk).update(engine_version="0.1")
        run.refresh_from_db()
    assert sentence.format(run.head.seq) in refused(editor.member, run, seq)
