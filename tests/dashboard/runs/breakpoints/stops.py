"""Generated runs executed by workers, and where an undisturbed session's steps and hits lie."""

from __future__ import annotations

from functools import cache

from dashboard.runs import execution, sessions
from dashboard.runs.models import Cycle, PluginVerdict, QueueMove, Run, RunFigure, RunHead, State
from scheduler_core.query import parse
from scheduler_core.simulate import RunSession
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.test_scan import recording
from tests.scheduler_core.recording.test_against_engine import generated


class Undisturbed:
    """The run of a seed that nobody stops: its hash, where its steps end, its hits."""

    def __init__(self, seed):
        session, self.ends = RunSession.start(generated(seed)), []
        while session.simulation.step():
            self.ends.append(session.head_seq)
        self.ends.append(session.head_seq)
        self.hash, self.length = session.recording_hash(), session.head_seq
        self.things = naive.things_of(recording(seed))

    def hit_seqs(self, text):
        """The seqs of a query's hits, each once."""
        query = parse(text)
        return sorted({seq for seq, _, _, _ in naive.hits(self.things[query.subject], query)})

    def end_of_step(self, seq):
        """How many events there are at the end of the step that has the event."""
        return next(end for end in self.ends if end > seq)


undisturbed = cache(Undisturbed)


def of_seed(monkeypatch, seed, cycles=9):
    """Have workers execute the run of a seed in slices of so many cycles."""
    advance = RunSession.advance

    def one_slice(session, max_cycles=None, max_seconds=None):
        return advance(session, max_cycles=min(cycles, max_cycles or cycles))

    monkeypatch.setattr(sessions, "settled_inputs", lambda run, lease: generated(seed))
    monkeypatch.setattr(execution.Segment, "_sum_up", lambda segment: None)
    monkeypatch.setattr(RunSession, "advance", one_slice)


def standing(run):
    """State, seq of the head, and the seq where it is stopped (None: nowhere)."""
    stored_run = Run.everything.select_related("head", "stop").get(pk=run.pk)
    stop = getattr(stored_run, "stop", None)
    return stored_run.state, stored_run.head.seq, stop.seq if stop else None


def recorded(run):
    """What the tables have of a run besides its chunks."""
    head = RunHead.objects.values(
        "seq", "cycle", "scheduled", "unschedulable", "errors", "bound", "preemptions", "victims", "steps_done"
    ).get(run_id=run.pk)
    figures = RunFigure.objects.filter(run_id=run.pk, family__in=("incoming", "attempts"))
    return (
        head,
        list(Cycle.objects.filter(run_id=run.pk).order_by("number").values_list("number", "first_seq", "outcome")),
        list(QueueMove.objects.filter(run_id=run.pk).order_by("seq").values_list("seq", "pod", "event")),
        PluginVerdict.objects.filter(run_id=run.pk).count(),
        sorted(figures.values_list("family", "first", "second", "count")),
    )


def work_on(run):
    """Execute segments until the run stands or has ended."""
    for _ in range(200):
        state = standing(run)[0]
        if state != State.QUEUED:
            return state
        execution.work()
    raise AssertionError("the run goes on for ever")
