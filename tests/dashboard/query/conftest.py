"""Generated recordings as runs in the database."""

from __future__ import annotations

import pytest

from dashboard.runs.models import RunHead
from dashboard.runs.storage import bulk, rows
from tests.dashboard.runs.conftest import launch, messages, save
from tests.scheduler_core.query.test_scan import recording

__all__ = ["launch", "messages", "save", "stored"]


@pytest.fixture
def stored(launch):
    """A function that puts the rows of the recording of a seed into the database; it returns run and reader."""

    def stored(seed):
        run, reader = launch(1, 1), recording(seed)
        events = reader.events(0, reader.head_seq())
        for model, new in rows.build(run.pk, events).tables.items():
            bulk.insert(model, new)
        RunHead.objects.filter(run=run).update(seq=reader.head_seq(), cycle=reader.last_cycle())
        run.head.refresh_from_db()
        return run, reader

    return stored
