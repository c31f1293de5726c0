"""Questions of the pages, on a run with all that can happen."""

from __future__ import annotations

import pytest

from dashboard.common.monitoring.metrics import exposition
from dashboard.runs import execution, queries
from dashboard.runs.models import Run, State
from dashboard.runs.queries import CycleFilter
from dashboard.runs.storage import cursors
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.events import CycleFinished, CycleStarted
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db

ALL = CycleFilter()


@pytest.fixture
def run(launch, save):
    """Six pods that fit, one that never does, one that evicts two."""
    low = [pod(f"low-{n}", "1", priority=0, nodeName="node-0") for n in range(2)]
    fitting = [pod(f"fits-{n}", "500m", nodeSelector={"pool": "b"}) for n in range(6)]
    manifests = [
        node("node-0", "2", pool="a"),
        node("node-1", "8", pool="b"),
        *low,
        *fitting,
        pod("huge", "64"),
        pod("high", "2", priority=1000, nodeSelector={"pool": "a"}),
    ]
    run = launch(revision=save(manifests), schedule="pending")
    execution.work()
    run = Run.objects.select_related("head").get(pk=run.pk)
    assert run.state == State.FINISHED, run.error
    return run


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
    assert 5 in numbers(queries.cycles_around(run, ALL, 5, size=4))


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


def test_steps_go_to_the_next_cycle_that_passes(run):
    wanted = CycleFilter(pod="default/huge")
    mine = numbers(queries.cycles_page(run, wanted))
    assert queries.step(run, wanted, 0) == mine[0]
    assert queries.step(run, wanted, run.head.cycle + 1, forwards=False) == mine[-1]
    assert queries.step(run, wanted, run.head.cycle + 1) is None
    assert queries.step(run, wanted, 1, forwards=False) in (None, *mine)


def test_cycles_and_seqs_lead_to_each_other(run):
    for cycle in queries.cycles_page(run, ALL).items:
        seq = queries.seq_of_cycle(run, cycle.number)
        assert queries.cycle_at_seq(run, seq).number == cycle.number
        assert queries.cycle_at_seq(run, cycle.first_seq + 1).number == cycle.number
        events = cursors.cycle_events(run, cycle.number)
        assert isinstance(events[0][1], CycleStarted)
        assert isinstance(events[-1][1], CycleFinished)
        assert cursors.cursor_state(run, seq).state.cycle == cycle.number
    assert queries.cycle_at_seq(run, 0) is None
    assert queries.seq_of_cycle(run, 999) is None


@pytest.mark.parametrize("by", ["cycle", "time"])
@pytest.mark.parametrize("buckets", [1, 3, 500])
def test_density_counts_every_cycle_once(run, by, buckets):
    found = queries.density(run, buckets, by)
    assert len(found) <= buckets
    assert sum(bucket.counts.get("scheduled", 0) for bucket in found) == run.head.scheduled
    assert sum(bucket.counts.get("preempting", 0) for bucket in found) == 1
    assert [bucket.start for bucket in found] == sorted({bucket.start for bucket in found})
    assert all(bucket.start < bucket.end for bucket in found)
    first = min(bucket.first["preempting"] for bucket in found if "preempting" in bucket.first)
    assert queries.cycle_of(run, first).pod == "default/high"


def test_a_pods_story_has_attempts_moves_and_preemptions(run):
    story = queries.pod_history(run, "default/high")
    assert [cycle.outcome for cycle in story.cycles] == ["unschedulable", "scheduled"]
    assert story.moves[0].source == ""
    assert [preemption.victims for preemption in story.preemptions] == [2]
    evicted = queries.pod_history(run, "default/low-0")
    assert [victim.preemptor for victim in evicted.evictions] == ["default/high"]
    assert queries.pod_history(run, "default/nobody").cycles == []


def test_a_preemption_is_told_with_its_candidates(run):
    number = numbers(queries.cycles_page(run, CycleFilter(preempting=True)))[0]
    assert queries.preemption_of(run, number).victims == 2
    decided = cursors.preemption_at(run, number)
    assert {*decided.candidates[0].victims} == {"default/low-0", "default/low-1"}
    quiet = numbers(queries.cycles_page(run, CycleFilter(outcome="scheduled")))[0]
    assert queries.preemption_of(run, quiet) is None
    assert cursors.preemption_at(run, quiet) is None


def test_scores_and_refusals_of_a_cycle(run):
    huge = queries.cycles_page(run, CycleFilter(pod="default/huge")).items[0]
    verdicts = queries.verdicts_of(run, huge.number)
    assert sum(verdict.nodes for verdict in verdicts) == 2
    assert {verdict.plugin for verdict in verdicts} == {"NodeResourcesFit"}
    assert queries.scores_of(run, huge.number) == []
    total = {row["plugin"] for row in queries.refusals(run)}
    assert total == {"NodeResourcesFit", "NodeAffinity"}


def test_moves_around_a_seq_are_in_order(run):
    middle = run.head.seq // 2
    seqs = [move.seq for move in queries.moves_around(run, middle, before=3, after=3)]
    assert seqs == sorted(seqs)
    assert sum(seq < middle for seq in seqs) == 3


def test_the_matrix_of_a_cycle_has_its_node_names(run):
    number = queries.cycles_page(run, CycleFilter(pod="default/huge")).items[0].number
    found = cursors.frame(run, number)
    row = found.names.index("node-1")
    assert found.frame.verdict("NodeResourcesFit", row).reasons == ("Insufficient cpu",)
    with pytest.raises(RecordingError):
        cursors.frame(run, 999)


def test_a_cursor_behind_the_head_is_the_head(run):
    moment = cursors.cursor_state(run, 10**9)
    assert moment.seq == moment.head == run.head.seq
    assert moment.state.finished == run.finish_reason
    assert [name for name, _ in moment.lanes.unschedulable] == ["default/huge"]
    assert cursors.cursor_state(run, -5).state.seq == 0
    assert cursors.verify(run) == run.recording_hash


def test_runs_are_listed_by_state_and_text(run, launch, workspace):
    waiting = launch(1, 1, name="Second try")
    assert list(queries.runs_of(workspace)) == [waiting, run]
    assert list(queries.runs_of(workspace, state="live")) == [waiting]
    assert list(queries.runs_of(workspace, state="finished")) == [run]
    assert list(queries.runs_of(workspace, text="second")) == [waiting]
    assert list(queries.runs_of(workspace, text="prod")) == [waiting, run]


def test_progress_tells_rate_and_share(run, launch):
    told = queries.progress(run)
    assert (told.state, told.cycles, told.share) == ("finished", run.head.cycle, 1.0)
    assert told.rate > 0
    waiting = queries.progress(launch(1, 4))
    assert (waiting.rate, waiting.share, waiting.cycles) == (0.0, None, 0)
    assert (run.n_nodes, run.n_pods, run.n_steps, run.head.steps_done) == (2, 10, 8, 7)


def test_figures_are_exposed_under_the_references_names(run):
    text = exposition().decode()
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 7.0' in text
    assert 'scheduler_queue_incoming_pods_total{event="' in text
    assert 'queue="active"' in text
    assert "in_flight" not in text
    assert 'scheduler_plugin_execution_duration_seconds_count{extension_point="Filter",plugin="' in text
    assert "scheduler_framework_extension_point_duration_seconds_bucket{" in text
