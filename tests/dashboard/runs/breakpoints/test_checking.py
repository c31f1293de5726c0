"""Counts and stops that a check finds in a recording, and what it leaves alone."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from dashboard.runs.breakpoints.checking import Attachment, HitFinder, read_attachments
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import AttachedBreakpoint
from tests.dashboard.row_snapshots import snapshot_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def finder(launch):
    """What looks at a run of 100 cycles."""

    def make():
        run = launch(5, 100)
        execution.work()
        return run.pk

    return HitFinder(snapshot_of("run of 100 cycles", make))


def attachment(pk=1, query="outcome:scheduled", hit_count=1, **how):
    values = {"counted_to": 0, "hits": 0, "hits_since_stop": 0, "attached_by": None, "error": ""} | how
    switches = {"is_enabled": True, "is_breakpoint_enabled": True} | how
    return Attachment(pk=pk, breakpoint=pk, name=f"B{pk}", query=query, hit_count=hit_count, **(values | switches))


def check(finder, *attachments, end=10**6, alive=lambda: None):
    return finder.check(attachments, min(end, finder._reader.head_seq()), alive)


def test_the_earliest_stop_wins_and_counts_end_with_it(finder):
    checked = check(finder, attachment(1, "cycle<=20", 100), attachment(2, "cycle:15"), attachment(3, "cycle:9"))
    assert (checked.stop.attachment.name, checked.stop.hit.cycle) == ("B3", 9)
    assert checked.counted_to == checked.stop.hit.seq + 1
    assert [checked.counts[pk] for pk in (1, 2, 3)] == [(9, 9, ""), (0, 0, ""), (1, 0, "")]


def test_without_a_stop_everything_is_counted(finder):
    checked = check(finder, attachment(1, "outcome:scheduled", 1000), attachment(2, "cycle:400"))
    assert checked.stop is None
    assert checked.counted_to == finder._reader.head_seq()
    assert checked.counts[1] == (100, 100, "")


def test_only_what_was_not_looked_at_counts(finder):
    first = check(finder, attachment(1, "cycle>5")).stop
    again = check(finder, attachment(1, "cycle>5", counted_to=first.hit.seq + 1, hits=1)).stop
    assert (first.hit.cycle, again.hit.cycle) == (6, 7)
    earlier = check(finder, attachment(1, "cycle>5", 3, hits=9, hits_since_stop=1, counted_to=first.hit.seq + 1))
    assert (earlier.stop.hit.cycle, earlier.counts[1]) == (8, (11, 0, ""))


def test_each_check_says_that_it_is_alive_to_whom_it_works_for(finder):
    first, second = [], []
    check(finder, attachment(1, "cycle:400"), alive=lambda: first.append(1))
    n_first = len(first)
    check(finder, attachment(1, "cycle:400"), alive=lambda: second.append(1))
    assert n_first > 0
    assert (len(first), len(second)) == (n_first, n_first)


def test_a_hit_count_that_was_lowered_is_due_at_the_next_hit(finder):
    assert check(finder, attachment(1, "cycle>5", 2, hits_since_stop=7)).stop.hit.cycle == 6


@pytest.mark.parametrize(
    "off",
    [{"is_enabled": False}, {"is_breakpoint_enabled": False}, {"error": "failed"}, {"query": "nothing:1"}],
    ids=["here", "everywhere", "failed", "cannot be read"],
)
def test_what_is_off_is_not_looked_for(finder, off):
    checked = check(finder, attachment(1, **({"query": "cycle:9"} | off)))
    assert (checked.stop, checked.counts) == (None, {})


def test_a_lost_lease_ends_the_check(finder):
    def alive():
        raise LostLease("gone")

    with pytest.raises(LostLease):
        check(finder, attachment(), alive=alive)


def test_attachments_are_read_in_their_order(editor, launch, breakpoint_of):
    run = launch(2, 3)
    second, first = breakpoint_of("tie", "B"), breakpoint_of("margin<5", "A", run=run)
    AttachedBreakpoint.objects.create(run=run, breakpoint=second, hits=4, counted_to=12, is_enabled=False)
    one, other = read_attachments(run.pk)
    assert (one.name, one.query, one.attached_by, one.breakpoint) == ("A", "margin<5", editor.user.pk, first.pk)
    assert (other.name, other.hits, other.counted_to, other.is_enabled) == ("B", 4, 12, False)


@pytest.mark.parametrize(("seq", "since"), [(9, 0), (10, 0), (11, 4), (12, 4)])
def test_a_stop_behind_the_earliest_one_has_not_come_yet(finder, seq, since):
    due = attachment(1, f"event seq:{seq}", 5, hits=4, hits_since_stop=4)
    checked = check(finder, due, attachment(2, "event seq:10"))
    assert checked.counted_to == min(seq, 10) + 1
    assert checked.counts[1] == ((5, 0, "") if seq <= 10 else (4, since, ""))
