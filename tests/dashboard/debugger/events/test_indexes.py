"""The index of many events is asked for by pages, read by a worker, and loaded from what it stored."""

from __future__ import annotations

import pytest

from dashboard.debugger.events import indexes, stored_index
from dashboard.debugger.events.index import Indexing
from dashboard.debugger.events.indexes import NotReadError, index_of
from dashboard.runs import preparing
from dashboard.runs.models import EventIndexPiece, Run, State
from dashboard.runs.storage import deletion

pytestmark = pytest.mark.django_db


@pytest.fixture
def many(run, monkeypatch):
    """The run, its events too many for a page to read and for one piece."""
    monkeypatch.setattr(preparing, "MANY_EVENTS", 50)
    monkeypatch.setattr(stored_index, "EVENTS_PER_PIECE", 40)
    indexes.forget()
    yield run
    indexes.forget()


def test_a_page_asks_for_it_and_reads_what_the_worker_stored(many, monkeypatch):
    with pytest.raises(NotReadError) as refused:
        index_of(many)
    assert refused.value.asked.head == many.head.seq
    assert not indexes.is_ready(many)
    preparing.work()
    monkeypatch.setattr(Indexing, "extend", lambda *_: pytest.fail("a page reads the recording"))
    assert len(index_of(many)) == many.head.seq
    assert indexes.is_ready(many)


def test_pieces_of_another_version_are_read_again_and_go_with_the_run(many):
    preparing.ask(many, preparing.Kind.EVENTS)
    preparing.work()
    EventIndexPiece.objects.filter(run_id=many.pk).update(version=stored_index.VERSION + 1)
    with pytest.raises(NotReadError):
        index_of(many)
    preparing.work()
    assert len(index_of(many)) == many.head.seq
    Run.everything.filter(pk=many.pk).update(state=State.DELETING)
    deletion.delete_some()
    assert not EventIndexPiece.objects.filter(run_id=many.pk).exists()
