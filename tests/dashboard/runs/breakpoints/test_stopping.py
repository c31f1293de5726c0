"""What a check writes, and that it writes nothing where the attachments changed meanwhile."""

from __future__ import annotations

import pytest
from django.db import transaction

from dashboard.runs.breakpoints.checking import CheckedEvents, Counted, StopPoint, read_attachments
from dashboard.runs.breakpoints.stopping import AttachmentsChanged, stop_after_cycle, stop_at_hit, write_counts
from dashboard.runs.lifecycle import leases
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import AttachedBreakpoint, Run, RunHead, RunStop, State
from scheduler_core.query.hits import Hit

pytestmark = pytest.mark.django_db
HIT = Hit("cell", 40, 7, 5_000_000, 3, "default/a", "NodeResourcesFit", "node-0", "NodeResourcesFit refuses node-0")


@pytest.fixture
def attached(launch, breakpoint_of):
    """A run that a worker has, with a breakpoint."""
    run = launch(2, 3)
    breakpoint_of("tie", run=run)
    return run


def test_counts_are_kept_and_those_that_are_off_follow(attached):
    before = read_attachments(attached.pk)
    write_counts(attached.pk, CheckedEvents(before, 90, {before[0].pk: Counted(5, 2)}))
    row = AttachedBreakpoint.objects.get()
    assert (row.hits, row.hits_since_stop, row.counted_to) == (5, 2, 90)
    write_counts(attached.pk, CheckedEvents(read_attachments(attached.pk), 95, {}))
    row.refresh_from_db()
    assert (row.hits, row.counted_to) == (5, 95)
    write_counts(attached.pk, CheckedEvents(read_attachments(attached.pk), 60, {}))
    row.refresh_from_db()
    assert row.counted_to == 95


def test_an_error_is_kept_though_no_hit_was_counted(attached):
    before = read_attachments(attached.pk)
    write_counts(attached.pk, CheckedEvents(before, 90, {before[0].pk: Counted(before[0].hits, 0, "too many cells")}))
    assert AttachedBreakpoint.objects.get().error == "too many cells"


def test_what_was_read_before_a_change_is_not_written(attached):
    before = read_attachments(attached.pk)
    AttachedBreakpoint.objects.update(is_enabled=False)
    with pytest.raises(AttachmentsChanged), transaction.atomic():
        write_counts(attached.pk, CheckedEvents(before, 90, {}))
    assert AttachedBreakpoint.objects.get().counted_to == 0


def test_the_run_is_given_back_with_the_place_of_the_hit(editor, attached):
    lease, (one,) = leases.claim(attached.pk), read_attachments(attached.pk)
    with transaction.atomic():
        stop_at_hit(lease, StopPoint(HIT, one), 1.5)
    run, stop, head = Run.objects.get(), RunStop.objects.get(), RunHead.objects.get()
    assert (run.state, stop.name) == (State.STOPPED, "Found")
    assert (stop.seq, stop.index, stop.cycle, stop.at_us, stop.text) == (40, 7, 3, 5_000_000, HIT.text)
    assert (stop.breakpoint.name, stop.attached_by) == ("Found", editor.user)
    assert (head.lease_owner, head.busy_seconds) == ("", 1.5)
    with pytest.raises(LostLease), transaction.atomic():
        stop_at_hit(leases.Lease(attached.pk, lease.epoch + 1), StopPoint(HIT, one), 1.5)


def test_a_step_before_the_first_cycle_stands_at_the_head(attached):
    lease = leases.claim(attached.pk)
    RunHead.objects.update(seq=12, at_us=3)
    with transaction.atomic():
        stop_after_cycle(lease, 0, 0.5)
    assert (RunStop.objects.get().seq, RunStop.objects.get().at_us) == (11, 3)


@pytest.mark.parametrize(
    ("name", "sentence"), [("Found", "stopped at breakpoint Found"), ("", "stopped after a cycle")]
)
def test_words(name, sentence):
    assert str(RunStop(name=name)) == sentence
