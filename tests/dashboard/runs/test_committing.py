"""Stops of live runs: where they stand, what goes on, and workers that die in the middle of it."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from dashboard.runs import actions, committing, execution, sessions
from dashboard.runs.breakpoints import checking
from dashboard.runs.breakpoints.attachments import attach, switch_attached
from dashboard.runs.breakpoints.definitions import BreakpointFields, change_breakpoint, delete_breakpoint
from dashboard.runs.breakpoints.going_on import continue_run, run_to_cycle, run_without_breakpoints, step_run
from dashboard.runs.lifecycle import reconcile
from dashboard.runs.lifecycle.quotas import apply_retention
from dashboard.runs.models import AttachedBreakpoint, Breakpoint, Cycle, Run, RunHead, RunStop, State
from dashboard.runs.storage import batches, deletion
from scheduler_core.query.scan import Scan
from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.dashboard.runs.breakpoints.conftest import breakpoint_of
from tests.dashboard.runs.breakpoints.stops import of_seed, recorded, standing, undisturbed, work_on
from tests.dashboard.runs.slices import die_at, one_slice_at_a_time
from tests.seeds import long_after

__all__ = ["breakpoint_of"]

pytestmark = pytest.mark.django_db
THIRTIETH = "cycle cycle:30 or cycle:40"


def at_cycle(run):
    """The cycle where the run is stopped, and the last one that is recorded."""
    assert standing(run)[0] == State.STOPPED
    return RunStop.objects.get(run=run).cycle, RunHead.objects.get(run=run).cycle


def end(run):
    """Execute the run to its end; its hash must be the undisturbed one."""
    assert work_on(run) == State.FINISHED
    run.refresh_from_db()
    assert run.recording_hash == undisturbed_hash(cluster_of(5, 100))


def test_nothing_behind_the_hit_is_recorded_and_nobody_holds_the_run(editor, launch, breakpoint_of, monkeypatch):
    one_slice_at_a_time(monkeypatch, cycles=17)
    run = launch(5, 100, breakpoints=(breakpoint_of(THIRTIETH, "Thirtieth"),))
    work_on(run)
    assert at_cycle(run) == (30, 30)
    assert Cycle.objects.filter(run=run).count() == 30
    stop, head = RunStop.objects.get(), RunHead.objects.get()
    assert (stop.name, stop.attached_by, stop.query) == ("Thirtieth", editor.user, THIRTIETH)
    assert stop.text.startswith("default/pod-")
    assert (head.lease_owner, head.lease_until) == ("", None)
    assert not execution.work(), "there is nothing to do"
    reconcile.reconcile()
    assert at_cycle(run) == (30, 30)
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (40, 40)
    continue_run(editor.member, run)
    end(run)
    assert AttachedBreakpoint.objects.get().hits == 2


def test_a_run_without_breakpoints_is_not_looked_at(launch, monkeypatch):
    monkeypatch.setattr(committing, "HitFinder", None)
    end(launch(5, 100))


def test_it_is_stepped_cycle_by_cycle(editor, launch, breakpoint_of, monkeypatch):
    one_slice = RunHead.objects
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle cycle:30 or cycle:32"),))
    work_on(run)
    for number in (31, 32, 33):
        step_run(editor.member, run)
        assert one_slice.get().step_to_cycle == number
        work_on(run)
        stop = RunStop.objects.get()
        assert at_cycle(run) == (number, number)
        assert (stop.name, one_slice.get().step_to_cycle) == ("Found" if number == 32 else "", 0)
    assert str(RunStop.objects.get()).endswith("after a cycle")
    assert RunStop.objects.get().seq == Cycle.objects.get(run=run, number=33).last_seq
    continue_run(editor.member, run)
    end(run)


def test_it_runs_to_a_cycle_unless_a_hit_stops_it_before(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle cycle:30 or cycle:32"),))
    work_on(run)
    for to_cycle, at, name in ((60, 32, "Found"), (61, 61, ""), (64, 64, "")):
        run_to_cycle(editor.member, run, to_cycle)
        work_on(run)
        assert (at_cycle(run), RunStop.objects.get().name) == ((at, at), name)
        assert RunHead.objects.get().step_to_cycle == 0
    run_to_cycle(editor.member, run, 1_000)
    end(run)
    assert not RunStop.objects.exists()


def test_a_paused_run_without_breakpoints_is_stepped(editor, launch, monkeypatch):
    with monkeypatch.context() as patch:
        one_slice_at_a_time(patch)
        run = launch(5, 100)
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    actions.pause_run(editor.member, run)
    step_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (11, 11)
    actions.resume_run(editor.member, run)
    end(run)


def test_a_step_goes_on_where_its_worker_died(editor, launch, monkeypatch):
    run = launch(5, 100)
    actions.pause_run(editor.member, run)
    step_run(editor.member, run)
    with monkeypatch.context() as patch, pytest.raises(die_at(patch, "after", 1)):
        execution.work()
    _worker_is_gone(run)
    work_on(run)
    assert at_cycle(run) == (1, 1)


def test_every_nth_hit_stops_it(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("outcome:scheduled", hit_count=40),))
    for number in (40, 80):
        work_on(run)
        assert at_cycle(run) == (number, number)
        continue_run(editor.member, run)
    end(run)
    attached = AttachedBreakpoint.objects.get()
    assert (attached.hits, attached.hits_since_stop) == (100, 20)


def test_several_breakpoints_at_one_event_stop_it_once(editor, launch, breakpoint_of):
    made = [breakpoint_of("cycle:30", "First"), breakpoint_of("cycle>=30", "Second"), breakpoint_of("cycle:31", "No")]
    run = launch(5, 100, breakpoints=tuple(made))
    work_on(run)
    stop = RunStop.objects.get()
    assert (stop.name, stop.others) == ("First", ["Second"])
    continue_run(editor.member, run)
    work_on(run)
    stop = RunStop.objects.get()
    assert (at_cycle(run), stop.name, stop.others) == ((31, 31), "Second", ["No"])
    run_without_breakpoints(editor.member, run)
    end(run)


def test_the_cells_of_one_cycle_stop_it_once(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cell plugin:NodeResourcesFit verdict:passed", hit_count=23),))
    work_on(run)
    stop = RunStop.objects.get()
    assert (stop.cycle, AttachedBreakpoint.objects.get().hits) == (5, 25)
    assert "NodeResourcesFit passes" in stop.text
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (10, 10)


def test_one_attached_later_counts_from_the_head_on(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    work_on(run)
    later = breakpoint_of("cycle cycle<32 or cycle:50", "Later", run=run)
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (31, 31)
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (50, 50)
    assert AttachedBreakpoint.objects.get(breakpoint=later).hits == 2


@pytest.mark.parametrize("change", ["attach", "edit", "delete", "switch"])
def test_what_changes_while_a_chunk_is_checked_is_heeded_in_it(editor, launch, breakpoint_of, monkeypatch, change):
    """The finder has looked, and before its chunk is committed somebody changes what is attached."""
    made, other = breakpoint_of("cycle:30"), breakpoint_of("cycle:20", "Other")
    run, looks = launch(5, 100, breakpoints=(made,)), []
    changes = {
        "attach": lambda: attach(editor.member, run, other),
        "edit": lambda: change_breakpoint(editor.member, made, BreakpointFields("Found", "cycle:25")),
        "delete": lambda: delete_breakpoint(editor.member, made),
        "switch": lambda: switch_attached(editor.member, run, made, False),
    }
    check = checking.HitFinder.check

    def checked(finder, *args):
        hits = check(finder, *args)
        looks.append(hits)
        if len(looks) == 1:
            changes[change]()
        return hits

    monkeypatch.setattr(checking.HitFinder, "check", checked)
    state = work_on(run)
    expected = {"attach": 20, "edit": 25}.get(change)
    if expected is None:
        assert state == State.FINISHED
    else:
        assert at_cycle(run) == (expected, expected)
        run_without_breakpoints(editor.member, run)
    end(run)


def test_a_deleted_breakpoint_leaves_the_run_where_it_stands(editor, launch, breakpoint_of):
    made = breakpoint_of("cycle:30", "Thirtieth")
    run = launch(5, 100, breakpoints=(made,))
    work_on(run)
    delete_breakpoint(editor.member, made)
    assert at_cycle(run) == (30, 30)
    assert (RunStop.objects.get().name, RunStop.objects.get().breakpoint) == ("Thirtieth", None)
    continue_run(editor.member, run)
    end(run)


def test_one_that_is_switched_off_everywhere_stops_nothing(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30", is_enabled=False),))
    end(run)


def test_a_query_that_cannot_be_read_any_more_is_ignored(launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"), breakpoint_of("cycle:60", "Other")))
    Breakpoint.objects.filter(name="Found").update(query="no_such_field:30")
    work_on(run)
    assert at_cycle(run) == (60, 60)


def test_a_breakpoint_that_fails_says_so_and_is_ignored(editor, launch, breakpoint_of, monkeypatch):
    made = breakpoint_of("cycle:30")
    run = launch(5, 100, breakpoints=(made, breakpoint_of("cycle:60", "Other")))
    batches_of = Scan.batches

    def fails(scan, *args, **how):
        if scan._query.text == "cycle:30":
            raise ZeroDivisionError("no thing")
        return batches_of(scan, *args, **how)

    with monkeypatch.context() as patch:
        patch.setattr(Scan, "batches", fails)
        work_on(run)
    assert at_cycle(run) == (60, 60)
    assert "ZeroDivisionError: no thing" in AttachedBreakpoint.objects.get(breakpoint=made).error
    change_breakpoint(editor.member, made, BreakpointFields("Found", "cycle:70"))
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (70, 70)


def test_the_last_event_is_a_hit_too(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("event type:run_finished"),))
    work_on(run)
    assert standing(run) == (State.STOPPED, undisturbed_length(run), undisturbed_length(run) - 1)
    continue_run(editor.member, run)
    end(run)


def undisturbed_length(run):
    return RunHead.objects.get(run=run).seq


# ---------------------------------------------------------------- what others ask of it


def test_it_is_cancelled_where_somebody_asked_for_that_first(editor, launch, breakpoint_of, monkeypatch):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    rewind = committing.Commits._rewind

    def cancelled(commits, stop):
        actions.cancel_run(editor.member, run)
        return rewind(commits, stop)

    monkeypatch.setattr(committing.Commits, "_rewind", cancelled)
    execution.work()
    assert standing(run)[0] == State.CANCELLED
    assert not RunStop.objects.exists()


def test_a_run_that_is_deleted_while_it_is_rewound_is_left_alone(editor, launch, breakpoint_of, monkeypatch):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    rewind = committing.Commits._rewind

    def deleted(commits, stop):
        actions.delete_run(editor.member, run)
        return rewind(commits, stop)

    monkeypatch.setattr(committing.Commits, "_rewind", deleted)
    execution.work()
    assert standing(run)[0] == State.DELETING
    assert not RunStop.objects.exists()


def test_a_stopped_run_is_no_ended_one_for_retention_and_one_of_another_engine_says_so(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    work_on(run)
    run.workspace.retention_days = 0
    run.workspace.save()
    assert apply_retention() == 0
    sessions.forget()
    Run.objects.update(engine_version="kube-scheduler 1.34 / 0")
    assert Run.objects.get().can_start_anew
    continue_run(editor.member, run)
    work_on(run)
    assert "kube-scheduler 1.34" in Run.objects.get().error


# ---------------------------------------------------------------- workers that die


def _worker_is_gone(run):
    sessions.forget()
    RunHead.objects.filter(run=run).update(lease_until=None)
    reconcile.reconcile()


@pytest.mark.parametrize("moment", long_after(["rewound", "committing", "stopped", "rewinding"], 2))
def test_a_worker_that_dies_changes_nothing(editor, launch, breakpoint_of, monkeypatch, moment):
    class Killed(BaseException):
        pass

    def die(*_args):
        raise Killed

    one_slice_at_a_time(monkeypatch, cycles=13)
    run = launch(5, 100, breakpoints=(breakpoint_of(THIRTIETH),))
    places = {
        "rewinding": (sessions, "resumed"),
        "rewound": (committing.Commits, "_ready"),
        "committing": (committing.stopping, "stop_at_hit"),
    }
    if moment == "stopped":
        work_on(run)
    else:
        with monkeypatch.context() as patch:
            place, name = places[moment]
            real = getattr(place, name)
            if moment == "rewound":
                patch.setattr(
                    committing.Commits,
                    "_ready",
                    lambda commits, chunk: die() if chunk.end_cycle == 31 else real(commits, chunk),
                )
            else:
                patch.setattr(place, name, die)
            with pytest.raises(Killed):
                execution.work()
        assert standing(run)[0] == State.RUNNING
        assert RunHead.objects.get().cycle == 26
    _worker_is_gone(run)
    work_on(run)
    assert at_cycle(run) == (30, 30)
    sessions.forget()
    continue_run(editor.member, run)
    work_on(run)
    assert at_cycle(run) == (40, 40)
    continue_run(editor.member, run)
    end(run)


@pytest.mark.slow
def test_a_rewind_keeps_rows_figures_and_chunks_as_they_are(editor, launch, breakpoint_of, monkeypatch):
    of_seed(monkeypatch, 1, cycles=11)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 120)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    plain = launch(1, 1)
    work_on(plain)
    run = launch(revision=plain.revision, breakpoints=(breakpoint_of("move to:backoff"),))
    stops = 0
    while work_on(run) == State.STOPPED and stops < 12:
        stops += 1
        if stops % 2:
            sessions.forget()
        continue_run(editor.member, run)
    if standing(run)[0] == State.STOPPED:
        run_without_breakpoints(editor.member, run)
        work_on(run)
    run.refresh_from_db()
    assert (stops > 3, run.recording_hash) == (True, undisturbed(1).hash)
    assert recorded(run) == recorded(plain)
    assert batches.newest_keyframe(run.pk, 10**9).seq > 0


def test_a_stopped_run_is_deleted_whole(editor, launch, breakpoint_of):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    work_on(run)
    actions.delete_run(editor.member, run)
    while deletion.delete_some():
        pass
    assert not Run.everything.exists()
    assert (RunStop.objects.count(), AttachedBreakpoint.objects.count(), Breakpoint.objects.count()) == (0, 0, 1)


@pytest.mark.django_db(transaction=True)
def test_one_attached_while_a_chunk_is_written_counts_from_behind_it(editor, launch, breakpoint_of, monkeypatch):
    """Who attaches waits for the head that the worker holds: no hit lies before what it says to count from."""
    one_slice_at_a_time(monkeypatch, cycles=40)
    run, made = launch(5, 100, breakpoints=(breakpoint_of("cycle:200"),)), breakpoint_of("cycle>=20", "Other")
    write, threads = committing.stopping.write_counts, []

    def in_a_thread():
        attach(editor.member, run, made)
        connection.close()

    def written(*args):
        write(*args)
        if not threads:
            threads.append(threading.Thread(target=in_a_thread))
            threads[0].start()
            threads[0].join(0.3)
            assert threads[0].is_alive(), "it waits for the worker's transaction"

    monkeypatch.setattr(committing.stopping, "write_counts", written)
    notify = committing.wakeups.notify
    monkeypatch.setattr(committing.wakeups, "notify", lambda run_id: (threads[0].join(), notify(run_id)))
    work_on(run)
    assert at_cycle(run) == (41, 41)


def test_a_hit_in_the_next_cycle_needs_no_rewind(editor, launch, breakpoint_of, monkeypatch):
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle>=30"),))
    work_on(run)
    monkeypatch.setattr(committing.Commits, "_rewind", None)
    for number in (31, 32, 33):
        continue_run(editor.member, run)
        work_on(run)
        assert at_cycle(run) == (number, number)


def test_a_chunk_that_begins_before_the_head_has_the_facts_of_all_its_cycles(editor, launch, breakpoint_of):
    """Behind a resume the first chunk goes back to the keyframe, and only what lies behind the head has new rows."""
    run = launch(5, 100, breakpoints=(breakpoint_of("cycle:30"),))
    work_on(run)
    finished = breakpoint_of("event type:cycle_finished and attempt:1 and profile:*", "Finished", run=run)
    sessions.forget()
    for number in (31, 32):
        continue_run(editor.member, run)
        work_on(run)
        assert at_cycle(run) == (number, number)
        assert AttachedBreakpoint.objects.get(breakpoint=finished).error == ""
