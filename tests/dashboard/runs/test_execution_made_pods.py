"""A run in which owners make pods anew, Jobs complete and a node goes, by workers that die after each cycle."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import save_timeline
from dashboard.runs import committing, execution, sessions
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, Preemption, QueueMove, RunHead, State, Victim
from dashboard.runs.storage import recordings

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CASES = Path(__file__).parents[2] / "scheduler_core" / "engine" / "cases"


@pytest.fixture
def everything(launch, save, editor):
    """A function that starts a run of the cluster in which every kind of owner loses pods."""

    revision = save(list(yaml.safe_load_all((CASES / "everything.yaml").read_text())))
    text = NewText("all that happens", (CASES / "everything-timeline.yaml").read_text())
    timeline = save_timeline(editor.member, None, text, revision)
    return lambda: launch(revision=revision, timeline=timeline, schedule="timeline", seed=3)


def rows_of(run):
    """Return all summary rows of a run, without its key."""
    tables = (Cycle, QueueMove, Preemption, Victim)
    return {
        table.__name__: [
            tuple(value for name, value in row.items() if name != "run_id")
            for row in table.objects.filter(run_id=run.pk).order_by("pk").values()
        ]
        for table in tables
    }


def test_workers_that_die_after_each_cycle_leave_the_same_history(everything, again, monkeypatch):
    whole = everything()
    while execution.work():
        pass
    whole = again(whole)
    assert whole.state == State.FINISHED, whole.error
    assert Cycle.objects.filter(run_id=whole.pk).exclude(pod_uid=None).exists(), "no second pod of a name was tried"

    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=1))
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 1)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    monkeypatch.setattr(waiting, "others", lambda run, seconds: True)
    torn = everything()
    deaths = 0
    while execution.work():
        sessions.forget()
        deaths += 1
    torn = again(torn)
    assert (torn.state, torn.error) == (State.FINISHED, "")
    assert deaths > 50
    assert torn.recording_hash == whole.recording_hash
    assert torn.finish_reason == whole.finish_reason
    assert rows_of(torn) == rows_of(whole)
    with recordings.reading(torn.pk) as reader:
        assert reader.verify_hash() == torn.recording_hash
        state = reader.state_at(reader.head_seq())
    assert set(state.gone.values()) >= {"completed", "terminated", "lost with node b"}
    head = RunHead.objects.get(run_id=torn.pk)
    assert head.steps_done <= torn.n_steps
