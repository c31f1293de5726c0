"""Entries of the timeline around a cursor, and the events that they left."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions import object_store
from dashboard.debugger.branches import entries
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.documents import store
from dashboard.documents.models import Timeline
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import RecordingChunk
from dashboard.runs.storage.recordings import read_events
from tests.dashboard.run_helpers import cluster_of, node

pytestmark = pytest.mark.django_db


@pytest.fixture
def timed(execute, workspace):
    """A run in which a node comes every 10 ms, nine times."""
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    coming = [{"at": f"{10 * n}ms", "action": "put", "object": node(f"late-{n}")} for n in range(1, 10)]
    revision = store.save_timeline(timeline, {"entries": coming}, object_store.Saving(None))
    return execute(cluster_of(3, 40), slug="timed", schedule="timeline", timeline=revision)


def test_the_first_event_that_one_of_some_entries_left(timed):
    for chosen in ({0}, {4}, {8, 4}):
        seq = entries.first_caused_event(timed, chosen)
        [(_, event)] = read_events(timed.pk, seq, seq)
        assert (event.key, event.entry) == (f"late-{min(chosen) + 1}", min(chosen))
    assert entries.first_caused_event(timed, ()) is None
    assert entries.first_caused_event(timed, {77}) is None


def test_those_around_the_cursor_are_listed(timed, monkeypatch):
    monkeypatch.setattr(entries, "SHOWN_BEFORE", 2)
    monkeypatch.setattr(entries, "SHOWN_BEHIND", 3)
    seq = entries.first_caused_event(timed, {4}) + 1
    around = entries.entries_around(cursor_of(timed, "team", {"seq": str(seq)}))
    assert [(line.index, line.has_come) for line in around.lines] == [
        (4, True),
        (3, True),
        (5, False),
        (6, False),
        (7, False),
    ]
    assert (around.total, around.lines[0].words) == (9, "put Node late-5")


def test_a_run_without_a_timeline_has_none(run):
    assert entries.entries_around(cursor_of(run, "team", {"seq": "5"})).lines == []


def test_only_so_many_events_are_looked_at(timed, monkeypatch):
    seq, at = entries.first_caused_event(timed, {4}), load_inputs(timed).timeline.entries[4].at
    # Where chunks are cut depends on the clock.
    begins = RecordingChunk.objects.filter(run=timed, last_at_us__gte=at).earliest("index").first_seq
    monkeypatch.setattr(entries, "LOOKED_AT", seq - begins + 1)
    assert entries.first_caused_event(timed, {4}) == seq, "it is the last of them"
    monkeypatch.setattr(entries, "LOOKED_AT", seq - begins)
    assert entries.first_caused_event(timed, {4}) is None
