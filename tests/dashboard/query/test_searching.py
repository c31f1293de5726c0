"""What pages call: rows at once, chunks by an answer worker, runs of the reader's workspace alone."""

from __future__ import annotations

import pytest

from dashboard.accounts.access import Access
from dashboard.accounts.models import Member
from dashboard.answers.outcomes import Waiting
from dashboard.query import searching
from dashboard.query.searching import RunHits, Scope, Search, search
from scheduler_core.query import parse
from tests.dashboard.answers.conftest import worker

__all__ = ["worker"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def access(editor):
    return Access(editor.member.workspace, editor.member)


def test_rows_answer_at_once_and_nobody_is_asked(stored, access, worker):
    run, _ = stored(1)
    (answer,) = search(access, Scope(), Search(parse("outcome:unschedulable"), limit=2, group="namespace"))
    assert (answer.run, answer.is_of_rows, answer.left_out) == (run, True, False)
    assert len(answer.hits.hits) == 2
    assert answer.counts.total > 2
    assert answer.counts.groups == (("default", answer.counts.total),)
    assert worker == []


def test_what_rows_lack_is_asked_of_an_answer_worker(stored, access, worker):
    stored(1)
    (answer,) = search(access, Scope(), Search(parse("cell verdict:refused")))
    assert not answer.is_of_rows
    assert isinstance(answer.hits, Waiting)
    assert isinstance(answer.counts, Waiting)
    assert len(worker) == 2


def test_a_scope_has_runs_of_the_workspace_alone_newest_first(stored, access, stranger, worker):
    first, second = stored(1)[0], stored(2)[0]
    asked = Search(parse("cycle"))
    assert [one.run for one in search(access, Scope(), asked)] == [second, first]
    assert [one.run for one in search(access, Scope((first.number, 999)), asked)] == [first]
    other = Member.objects.get(user=stranger.user)
    assert list(search(Access(other.workspace, other), Scope(), asked)) == []


def test_only_some_runs_are_read_by_chunks_and_the_others_are_named(stored, access, worker, monkeypatch):
    monkeypatch.setattr(searching, "MAX_RUNS_BY_CHUNKS", 1)
    stored(1)
    stored(2)
    newest, other = search(access, Scope(), Search(parse("event")))
    assert not newest.left_out
    assert other == RunHits(other.run, False, left_out=True)


def test_a_group_of_other_subjects_is_refused(access):
    with pytest.raises(KeyError):
        list(search(access, Scope(), Search(parse("move"), group="node")))
