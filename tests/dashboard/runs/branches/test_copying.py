"""Rows of a recording up to a keyframe, as those of another run."""

from __future__ import annotations

import pytest

from dashboard.runs.branches import copying
from dashboard.runs.models import (
    Cycle,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    RunHead,
)
from dashboard.runs.storage import deletion, recordings

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_a_prefix_can_be_read_as_the_recording_of_the_other_run(origin, branch):
    other = branch(origin, 300, is_run=False)
    assert copying.take_over(origin.pk, other.pk, 300)
    head = RunHead.objects.get(run=other)
    assert 0 < head.seq < 300
    with recordings.reading(other.pk) as copy, recordings.reading(origin.pk) as reader:
        assert copy.events(0, head.seq) == reader.events(0, head.seq - 1)
        assert copy.state_at(head.seq) == reader.state_at(head.seq)
        counts = copy.state_at(head.seq).counts
    assert (head.scheduled, head.unschedulable, head.bound) == (counts.scheduled, counts.unschedulable, counts.bound)
    assert Cycle.objects.filter(run=other).count() == head.cycle
    moves = QueueMove.objects.filter(run=origin, seq__lt=head.seq)
    assert QueueMove.objects.filter(run=other).count() == moves.count() > 0
    assert head.size_bytes > sum(RecordingChunk.objects.filter(run=other).values_list("size_bytes", flat=True))


@pytest.mark.parametrize("seq", [0, 1, 5])
def test_before_the_first_keyframe_there_is_nothing_to_take_over(origin, branch, seq):
    other = branch(origin, seq, is_run=False)
    assert not copying.take_over(origin.pk, other.pk, seq)
    assert RunHead.objects.get(run=other).seq == 0
    assert not RecordingKeyframe.objects.filter(run=other).exists()


def test_of_a_run_that_is_gone_nothing_is_taken_over(origin, branch):
    other = branch(origin, 300, is_run=False)
    RunHead.objects.filter(run=origin).delete()
    assert not copying.take_over(origin.pk, other.pk, 300)


def test_every_table_of_a_recording_is_taken_over():
    derived = {"RunOutcomes", "Preparation", "EventIndexPiece"}
    copied = {RecordingChunk, RecordingKeyframe, *copying.BY_CYCLE, *copying.BY_SEQ}
    assert {model.__name__ for model in copied} == {model.__name__ for model, _ in deletion.TABLES} - derived
