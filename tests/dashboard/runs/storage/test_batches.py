"""What is written of a run is written once, by the worker that has its lease, and can be read back."""

from __future__ import annotations

import pytest
from django.db.models import F

from dashboard.runs import execution
from dashboard.runs.lifecycle import leases
from dashboard.runs.lifecycle.leases import Lease, LostLease
from dashboard.runs.models import (
    Cycle,
    RecordingChunk,
    Run,
    RunHead,
)
from dashboard.runs.storage import batches, recordings
from tests.dashboard.runs.slices import one_slice_at_a_time

pytestmark = pytest.mark.django_db


def test_everything_stored_can_be_read_back(launch):
    run = launch(5, 30)
    execution.work()
    with recordings.reading(run.pk) as reader:
        assert reader.verify_hash() == Run.objects.get(pk=run.pk).recording_hash
        assert reader.state_at(reader.head_seq()).counts.bound == 30
        for number in range(1, 31):
            frame = reader.frame(number)
            assert frame.n_rows >= 5
            assert set(reader.node_names(number)) >= {f"node-{n}" for n in range(5)}


def test_a_writer_without_the_lease_writes_nothing(launch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    real = batches.write

    def stolen(lease, batch):
        if batch.old_seq:
            RunHead.objects.filter(run_id=lease.run_id).update(lease_epoch=F("lease_epoch") + 1)
        real(lease, batch)

    monkeypatch.setattr(batches, "write", stolen)
    execution.work()
    head = again(run).head
    assert head.cycle == 10
    assert Cycle.objects.filter(run=run).count() == 10
    assert RecordingChunk.objects.filter(run=run).count() == 1


def test_the_same_chunk_cannot_be_written_twice(launch):
    run = launch(5, 30)
    lease = leases.claim(run.pk)
    batch = batches.CommitBatch(old_seq=0, seq=5, cycle=1, at_us=0)
    batches.write(lease, batch)
    with pytest.raises(LostLease):
        batches.write(lease, batch)
    with pytest.raises(LostLease):
        batches.write(Lease(run.pk, lease.epoch - 1), batches.CommitBatch(old_seq=5, seq=6, cycle=1, at_us=0))
