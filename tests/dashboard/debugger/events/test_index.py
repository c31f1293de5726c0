"""The index of events says what the recording says, whether it is read at once or as the run grows."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.events.about import about
from dashboard.debugger.events.index import NOBODY, ORIGIN, UNRECORDED, Indexing
from dashboard.debugger.events.indexes import index_of
from dashboard.debugger.events.kinds import KINDS
from dashboard.runs.models import Cycle, Victim
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

pytestmark = pytest.mark.django_db


def test_it_holds_kind_time_and_cause_of_every_event(run, index, recorded):
    assert len(index) == run.head.seq == len(recorded)
    assert [list(KINDS)[code] for code in index.kinds] == [about(event).kind for event in recorded]
    assert index.at.tolist() == [event.at for event in recorded]
    causes = recordings.read(run.pk, lambda reader: reader.causes(0, run.head.seq))
    assert index.causes.tolist() == causes
    assert ORIGIN in causes


def test_effects_are_the_causes_turned_round(index):
    for seq in range(len(index)):
        assert index.effects(seq) == np.flatnonzero(index.causes == seq).tolist()


def test_events_of_a_cycle_are_of_its_pod(run, index):
    for cycle in Cycle.objects.filter(run=run):
        inside = np.flatnonzero(index.cycles == cycle.number)
        assert inside.tolist() == list(range(cycle.first_seq, cycle.last_seq + 1))
        assert index.pod_names[index.pods[cycle.first_seq + 1]] == (cycle.pod, "")


def test_a_victim_leaves_the_node_of_the_preemption_and_names_its_preemptor(run, index, recorded):
    victim = Victim.objects.get(run=run, reprieved=False)
    gone = next(
        seq
        for seq, event in enumerate(recorded)
        if isinstance(event, ev.ObjectChanged) and event.key == victim.pod and event.action == "deleted"
    )
    assert index.node_names[index.nodes[gone]] == victim.node
    assert index.pod_names[index.others[gone]][0] == victim.preemptor
    assert index.others[0] == NOBODY


def test_an_index_that_grows_is_the_same_as_one_read_at_once(run, index):
    def grown(reader):
        indexing = Indexing()
        for end in (1, 7, 8, run.head.seq // 2, run.head.seq):
            indexing.extend(reader, end)
        return indexing.index

    other = recordings.read(run.pk, grown)
    for name in ("kinds", "at", "causes", "pods", "others", "nodes", "cycles"):
        assert np.array_equal(getattr(other, name), getattr(index, name)), name
    assert other.effects(0) == index.effects(0)


def test_an_index_that_is_in_use_does_not_change_while_the_run_goes_on(run):
    def grow(reader):
        indexing = Indexing()
        indexing.extend(reader, 5)
        early = indexing.index
        indexing.extend(reader, run.head.seq)
        return early, indexing.index

    early, late = recordings.read(run.pk, grow)
    assert len(early) == len(early.causes) == len(early.kinds) == 5
    assert len(late) == run.head.seq


def test_causes_of_an_older_recording_are_unrecorded(run, monkeypatch):
    monkeypatch.setattr(recordings.RecordingReader, "causes", lambda self, first, last: [None] * (last - first + 1))
    run.created_at = None
    assert set(index_of(run).causes.tolist()) == {UNRECORDED}
