"""Questions of the pages, on a run with all that can happen."""

from __future__ import annotations

import pytest

from dashboard.runs import queries
from dashboard.runs.queries import CycleFilter
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import CycleFinished, CycleStarted

pytestmark = pytest.mark.django_db

ALL = CycleFilter()


def numbers(page):
    """Return the page's cycle numbers."""
    return [cycle.number for cycle in page.items]


def test_cycles_are_paged_in_both_directions(run):
    every = numbers(queries.cycles_page(run, ALL))
    assert every == list(range(1, run.head.cycle + 1))
    first = queries.cycles_page(run, ALL, size=3)
    assert (numbers(first), first.before, first.after) == ([1, 2, 3], None, 3)
    second = queries.cycles_page(run, ALL, after=first.after, size=3)
    assert (numbers(second), second.before) == ([4, 5, 6], 4)
    back = queries.cycles_page(run, ALL, before=second.before, size=3)
    assert (numbers(back), back.before, back.after) == ([1, 2, 3], None, 3)
    last = queries.cycles_page(run, ALL, after=every[-2], size=3)
    assert (numbers(last), last.after) == ([every[-1]], None)
    assert numbers(queries.cycles_page(run, ALL, after=every[-1])) == []


@pytest.mark.parametrize(
    ("wanted", "pods"),
    [
        (CycleFilter(outcome="unschedulable"), {"default/huge", "default/high"}),
        (CycleFilter(pod="default/huge"), {"default/huge"}),
        (CycleFilter(node="node-0"), {"default/high"}),
        (CycleFilter(plugin="NodeAffinity"), {"default/high", *(f"default/fits-{n}" for n in range(6))}),
        (CycleFilter(text="HUGE"), {"default/huge"}),
        (CycleFilter(preempting=True), {"default/high"}),
        (CycleFilter(decided="NoSuchPlugin"), set()),
    ],
    ids=["outcome", "pod", "node", "refusing plugin", "part of a name", "preempting", "deciding plugin"],
)
def test_cycles_are_filtered(run, wanted, pods):
    assert {cycle.pod for cycle in queries.cycles_page(run, wanted).items} == pods


def test_a_moment_belongs_to_the_cycle_that_had_started(run):
    for cycle in queries.cycles_page(run, ALL).items:
        assert queries.cycle_at_seq(run, cycle.last_seq + 1).number == cycle.number
        assert queries.cycle_at_seq(run, cycle.first_seq + 1).number == cycle.number
        (_, started), *_, (_, finished) = recordings.events_of(run.pk, cycle.first_seq, cycle.last_seq)
        assert isinstance(started, CycleStarted)
        assert isinstance(finished, CycleFinished)
    assert queries.cycle_at_seq(run, 0) is None


def test_refusals_of_cycles_name_plugin_and_nodes(run):
    huge = queries.cycles_page(run, CycleFilter(pod="default/huge")).items[0]
    (refused,) = queries.verdicts_among(run, [huge.number])[huge.number]
    assert (refused.plugin, refused.nodes) == ("NodeResourcesFit", 2)
    assert queries.refusing_plugins(run) == ["NodeAffinity", "NodeResourcesFit"]


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
    assert list(queries.runs_of(workspace)) == [waiting, run]
    assert list(queries.runs_of(workspace, state="live")) == [waiting]
    assert list(queries.runs_of(workspace, state="finished")) == [run]
    assert list(queries.runs_of(workspace, text="second")) == [waiting]
    assert list(queries.runs_of(workspace, text="prod")) == [waiting, run]
