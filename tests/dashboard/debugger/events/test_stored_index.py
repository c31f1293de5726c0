"""The index of events as a worker stores it, in pieces, is the same as one read at once."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.events import stored_index
from dashboard.debugger.events.index import Indexing
from dashboard.runs.models import EventIndexPiece
from dashboard.runs.storage import recordings

pytestmark = pytest.mark.django_db


def read_at_once(run):
    indexing = Indexing()
    recordings.read(run.pk, lambda reader: indexing.extend(reader, run.head.seq))
    return indexing.index


def assert_same(index, other):
    for name in Indexing.KINDS_OF_COLUMNS:
        assert np.array_equal(getattr(index, name), getattr(other, name)), name
    assert index.pod_names == other.pod_names
    assert index.node_names == other.node_names


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_page_reads_what_came_since_behind_what_is_stored(run, part):
    expected, head = read_at_once(run), run.head.seq
    indexing = Indexing()
    for end in (int(head * part / 2), int(head * part)):
        first, before = len(indexing.index), indexing.names_so_far
        recordings.read(run.pk, lambda reader, end=end: indexing.extend(reader, end))
        packed = stored_index.packed(indexing.piece(first, *before))
        EventIndexPiece.objects.create(
            run_id=run.pk, first_seq=first, end_seq=end, version=stored_index.VERSION, data=packed
        )
    other = Indexing()
    stored_index.load(run, other)
    assert len(other.index) == int(head * part)
    recordings.read(run.pk, lambda reader: other.extend(reader, head))
    assert_same(other.index, expected)


def test_it_is_stored_in_pieces_that_loaded_give_it_again(run, monkeypatch):
    monkeypatch.setattr(stored_index, "EVENTS_PER_PIECE", 40)
    heard = []
    stored_index.prepare(run, heard.append)
    assert EventIndexPiece.objects.filter(run_id=run.pk).count() == -(-run.head.seq // 40)
    assert heard[-1] == run.head.seq
    other = Indexing()
    stored_index.load(run, other)
    assert_same(other.index, read_at_once(run))
