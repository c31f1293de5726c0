"""What a configuration would change: the comparison of two whole runs, in turns and on a worker."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from dashboard.accounts.models import Member, Role
from dashboard.answers import computing
from dashboard.answers.answering.comparing import what_changes
from dashboard.answers.answering.comparing.run_figures import RunFigures
from dashboard.answers.answering.comparing.what_changes import RunPair
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask_of_revision
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import WhatChangesOf
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, RunHead
from scheduler_core.compare import RunToCompare, comparison
from scheduler_core.compare.pods import MOVED, PLACED_A
from scheduler_core.profiles.presets import PRESETS
from tests.dashboard.preview.conftest import PACKING, revision
from tests.dashboard.run_helpers import node, pod
from tests.scheduler_core.compare.pairs import PACKED, UNBALANCED, recorded
from tests.scheduler_core.engine.scenarios import everything, teaching

__all__ = ["revision"]

ONLY_LABELS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: other
"""
UNKNOWN_TOO = "- name: NodeResourcesFit\n      - name: TargetLoadPacking\n  pluginConfig"
N_CLUSTERS, N_QUICK, N_SHORT = 30, 4, 8
SLOW, LONG = [pytest.mark.slow], [pytest.mark.slow, pytest.mark.long]
SEEDS = [
    *range(N_QUICK),
    *(pytest.param(seed, marks=SLOW if seed < N_SHORT else LONG) for seed in range(N_QUICK, N_CLUSTERS)),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_it_equals_the_comparison_of_two_whole_runs(seed):
    draw = Random(seed)
    before = draw.choice((everything, teaching))(seed=seed, max_cycles=draw.choice((60, 150)))
    after = msgspec.structs.replace(before, configuration=draw.choice((PACKED, UNBALANCED)))
    pair, turns = RunPair(before, after), 1
    while not pair.go_on(lambda: draw.random() < 0.5):
        turns += 1
    whole = comparison(RunToCompare(before, recorded(before)), RunToCompare(after, recorded(after)))
    assert tuple(pair.differences) == whole.pods
    assert (pair.divergence, pair.n_pods) == (whole.divergence, whole.n_pods)
    assert turns > 1 or sum(pair.cycles) < 400


@pytest.fixture(autouse=True)
def _new_worker():
    """Nothing that another test asked is kept."""
    computing.sessions.cache_clear()


def ask(revision, after, before="default", **more):
    question = WhatChangesOf(before=before, after=after, **more)
    return ask_of_revision(revision, question, answer_deadline(question))


def test_a_pod_that_moves_is_listed_with_both_nodes(revision):
    answer = ask(revision, PACKING)
    assert isinstance(answer, Answer), answer
    changes = answer.value
    assert (changes.is_complete, changes.is_partial, changes.groups, changes.n_pods) == (True, False, {MOVED: 1}, 2)
    (moved,) = changes.pods
    assert (moved.pod, moved.a.node, moved.b.node) == ("default/new", "b", "a")
    assert changes.divergence.because == ("configuration",)
    assert changes.decided[0].startswith("NodeResourcesFit +")
    assert changes.figures == (RunFigures(0, 0, 2, 0, 0), RunFigures(0, 0, 1, 1, 0))


def test_a_pod_that_is_newly_pending_is_listed(revision):
    changes = ask(revision, ONLY_LABELS).value
    assert changes.groups == {PLACED_A: 1}
    assert changes.pods[0].b.node == ""
    assert changes.decided == ("",)
    assert [one.n_pending for one in changes.figures] == [0, 1]


def test_of_each_group_so_many_pods_are_listed_and_all_are_counted(workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="many", name="Many")
    objects = [node("a", "8"), node("b", "8"), *(pod(f"new-{i}", "1") for i in range(3))]
    revision = object_store.save_revision(cluster, objects, Saving(None))
    changes = ask(revision, ONLY_LABELS, size=2).value
    assert changes.groups == {PLACED_A: 3}
    assert [one.pod for one in changes.pods] == ["default/new-0", "default/new-1"]
    assert len(changes.messages) == 2


def test_what_is_not_installed_is_left_out_of_both_runs_and_named(revision):
    unknown = PACKING.replace("- name: NodeResourcesFit\n  pluginConfig", UNKNOWN_TOO, 1)
    changes = ask(revision, unknown).value
    assert ["TargetLoadPacking" in one for one in changes.left_out] == [True]
    assert changes.groups == {MOVED: 1}


def test_the_same_configuration_changes_nothing(revision):
    changes = ask(revision, PRESETS["most-allocated"].text, before="preset:most-allocated").value
    assert (changes.groups, changes.divergence) == ({}, None)


def test_it_answers_how_far_it_is_and_goes_on_in_the_next_turn(revision, monkeypatch):
    monkeypatch.setattr(what_changes, "_CYCLES_PER_CHUNK", 1)
    monkeypatch.setattr(TimeLimit, "within", lambda _limit, _seconds: lambda: True)
    answers = [ask(revision, PACKING, turn=turn).value for turn in range(12)]
    assert (answers[0].is_complete, answers[0].groups) == (False, {})
    assert [one.cycles for one in answers] == sorted(one.cycles for one in answers)
    assert answers[-1].is_complete
    assert answers[-1].groups == {MOVED: 1}


def test_a_worker_that_starts_anew_begins_anew_and_comes_to_the_same(revision):
    answer = ask(revision, PACKING).value
    computing.sessions.cache_clear()
    assert ask(revision, PACKING, turn=7).value == answer


def test_a_run_that_ends_at_the_limit_is_partial(revision, monkeypatch):
    monkeypatch.setattr(what_changes, "MOST_CYCLES", 1)
    changes = ask(revision, PACKING).value
    assert (changes.is_partial, changes.cycles) == (True, (1, 1))
    assert changes.ended == ("the limit of 1 cycles is reached",) * 2


@pytest.mark.parametrize("text", ["kind: [", "kind: Pod", "a" * 10, "x: !!python/object/apply:os.system [ls]"])
def test_a_text_with_an_error_has_no_answer_but_says_where(revision, text):
    answer = ask(revision, text)
    assert isinstance(answer, Failed)
    assert "no scheduler configuration" in answer.text


def test_what_does_not_exist_is_refused(revision):
    assert isinstance(ask(revision, PACKING, before="none@1"), Failed)


def test_a_run_is_tried_with_its_seed_and_a_changed_one_is_refused(workspace, revision, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    run = create_run(member, Launch(revision, schedule="all", seed=9))
    of_run = {"run": run.pk, "run_made": run.created_at.isoformat()}
    question = WhatChangesOf(before="default", after=PACKING, **of_run)
    before, after = what_changes.load_both(revision, question)
    assert (before.seed, before.schedule, after.seed) == (9, "all", 9)
    whole = comparison(RunToCompare(before, recorded(before)), RunToCompare(after, recorded(after)))
    assert ask(revision, PACKING, **of_run).value.pods == whole.pods
    assert whole.pods
    assert isinstance(ask(revision, PACKING, run=run.pk, run_made="before"), Failed)
    Run.objects.filter(pk=run.pk).update(stand_ins={"volcano": "default-scheduler"})
    before, after = what_changes.load_both(revision, question)
    assert [[one.scheduler_name for one in side.configuration.profiles] for side in (before, after)] == [
        ["default-scheduler", "volcano"]
    ] * 2
    assert after.configuration.profiles[1].plugin_config == after.configuration.profiles[0].plugin_config
    assert "there is no profile default-scheduler" in ask(revision, ONLY_LABELS, **of_run).text
    RunHead.objects.filter(run=run).update(n_changes=1)
    computing.sessions.cache_clear()
    assert "cannot be tried" in ask(revision, PACKING, turn=1, **of_run).text


def test_words_of_what_is_left_out(revision):
    unknown = PACKING.replace("- name: NodeResourcesFit\n  pluginConfig", UNKNOWN_TOO, 1)
    (left_out,) = ask(revision, unknown).value.left_out
    assert left_out == "runs without TargetLoadPacking: scores differ. It is not installed here"
