"""Pages of a run that is deleted while they are made: whole, or not found; never an error of the server."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from dashboard.debugger.cursor import state_cache
from dashboard.debugger.events import indexes
from dashboard.debugger.outcomes import summary_cache
from dashboard.runs.models import Run, State
from dashboard.runs.storage import deletion, recordings
from tests.dashboard.reading_guard import own_block
from tests.seeds import long_but

PAGES = (
    "?seq=20",
    "?cycle=3",
    "?pod=default%2Fbig-0&cycle=5",
    "?cycle=5&tab=matrix",
    "?cycle=5&tab=story",
    "outcomes/",
    "cycles/?after=3",
    "search/",
    "search/?q=outcome:unschedulable&group=plugin&from=1",
    "search/?sort=margin",
    "search/hits.csv",
    "why/?pod=default/never-0",
    "why-node/?cycle=5",
    "events/?seq=20",
    "events/rows/?seq=20&after=20",
    "lanes/unschedulable/?seq=20",
    "map/?seq=20",
    "map/pods/?seq=20&node=full-a",
    "objects/Node/?seq=20&key=full-a",
    "density/",
    "density/cycle/?cycle=3",
    "state/",
)
SHORT = ("outcomes/", "map/?seq=20")


class DeletedBetween:
    """Deletes the run with all its rows in front of the n-th statement of a request after the one that found it."""

    def __init__(self, run, n):
        self.run, self.left, self.is_found, self.is_deleting = run, n, False, False

    def __call__(self, execute, sql, params, many, context):
        if self.is_found and not self.is_deleting:
            self.left -= 1
            if self.left == 0:
                self.is_deleting = True
                Run.everything.filter(pk=self.run.pk).update(state=State.DELETING)
                deletion.delete_some(seconds=60)
                self.is_deleting = False
        result = execute(sql, params, many, context)
        self.is_found |= '"runs_run"."number" = ' in sql
        return result


@contextmanager
def undone():
    """Take back what is written meanwhile, and drop what the process keeps of runs."""
    for module in (state_cache, indexes, summary_cache, recordings):
        module.forget()
    with own_block(transaction.atomic()):
        yield
        transaction.set_rollback(True)


@pytest.mark.slow
@pytest.mark.parametrize("page", long_but(PAGES, SHORT))
def test_a_page_of_a_run_that_is_deleted_meanwhile_is_whole_or_not_found(viewer, run, page):
    statuses = []
    while True:
        deleted = DeletedBetween(run, len(statuses) + 1)
        with undone(), connection.execute_wrapper(deleted):
            statuses.append(viewer.get(f"/w/team/runs/{run.number}/{page}").status_code)
        if deleted.left > 0:
            break
    assert deleted.is_found
    assert set(statuses) <= {200, 302, 404}, statuses
