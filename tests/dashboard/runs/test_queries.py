"""Questions of the pages, on a run with all that can happen."""

from __future__ import annotations

import pytest

from dashboard.runs import queries
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import CycleFinished, CycleStarted

pytestmark = pytest.mark.django_db


def test_a_moment_belongs_to_the_cycle_that_had_started(run):
    for cycle in Cycle.objects.filter(run=run).order_by("number"):
        assert queries.cycle_at_seq(run, cycle.last_seq + 1).number == cycle.number
        assert queries.cycle_at_seq(run, cycle.first_seq + 1).number == cycle.number
        (_, started), *_, (_, finished) = recordings.read_events(run.pk, cycle.first_seq, cycle.last_seq)
        assert isinstance(started, CycleStarted)
        assert isinstance(finished, CycleFinished)
    assert queries.cycle_at_seq(run, 0) is None


def test_refusals_of_cycles_name_plugin_and_nodes(run):
    huge = Cycle.objects.filter(run=run, pod="default/huge").order_by("number")[0]
    (refused,) = queries.verdicts_among(run, [huge.number])[huge.number]
    assert (refused.plugin, refused.nodes) == ("NodeResourcesFit", 2)


def test_a_pods_story_has_attempts_moves_and_preemptions(run):
    story = queries.pod_history(run, "default/high")
    assert [cycle.outcome for cycle in story.cycles] == ["unschedulable", "scheduled"]
    assert story.moves[0].source == ""
    assert [preemption.victims for preemption in story.preemptions] == [2]
    evicted = queries.pod_history(run, "default/low-0")
    assert [victim.preemptor for victim in evicted.evictions] == ["default/high"]
    assert queries.pod_history(run, "default/nobody").cycles == []


def test_runs_are_listed_by_state_and_text(run, launch, workspace):
    waiting = launch(1, 1, name="Second try")
    assert list(queries.list_runs(workspace)) == [waiting, run]
    assert list(queries.list_runs(workspace, state="live")) == [waiting]
    assert list(queries.list_runs(workspace, state="finished")) == [run]
    assert list(queries.list_runs(workspace, text="second")) == [waiting]
    assert list(queries.list_runs(workspace, text="prod")) == [waiting, run]
