"""Figures of answer workers: added to those of other processes, kept where the database fails, told to Prometheus."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from prometheus_client.parser import text_string_to_metric_families

from dashboard.answers import figures as module
from dashboard.answers.figures import Figures
from dashboard.answers.models import AnswerTotal, AnswerWorker


@pytest.fixture(autouse=True)
def _at_once(db, monkeypatch):
    """Nobody waits until the next write is due."""
    monkeypatch.setattr(module, "WRITE_SECONDS", 0.0)


def counted(*questions):
    """Return the figures of a process that answered these."""
    figures = Figures()
    for name, result, seconds in questions:
        figures.add(name, result, seconds)
    return figures


def test_processes_add_to_the_same_totals(client):
    first = counted(("remedies", "answer", 0.5), ("remedies", "answer", 0.25), ("remedies", "error", 0.0))
    first.write(sessions=3)
    first.add("remedies", "answer", 0.25)
    first.write(sessions=4)
    counted(("room", "answer", 1.0)).write(sessions=4)
    families = text_string_to_metric_families(client.get("/metrics").content.decode())
    samples = {(s.name, s.labels.get("question"), s.labels.get("result")): s.value for f in families for s in f.samples}
    assert samples["schedscope_answers_total", "remedies", "answer"] == 3
    assert samples["schedscope_answers_total", "remedies", "error"] == 1
    assert samples["schedscope_answer_seconds_total", "remedies", "answer"] == 1.0
    assert samples["schedscope_answers_total", "room", "answer"] == 1
    assert samples["schedscope_answer_worker_starts_total", None, None] == 2
    assert samples["schedscope_answer_sessions", None, None] == 4
    assert samples["schedscope_answer_worker_resident_bytes", None, None] > 2**20


def test_nothing_is_lost_where_the_database_fails(monkeypatch, caplog):
    figures = counted(("remedies", "answer", 0.5))

    def fail(*_arguments):
        raise DatabaseError("away")

    with monkeypatch.context() as patch:
        patch.setattr(module, "_store", fail)
        figures.write(sessions=1)
    assert "kept for later" in caplog.text
    figures.add("remedies", "answer", 0.5)
    figures.write(sessions=1)
    assert AnswerTotal.objects.get(name="remedies").count == 2


def test_nothing_is_written_before_it_is_due_or_where_nothing_was_asked(monkeypatch):
    Figures().write(sessions=1)
    assert not AnswerWorker.objects.exists()
    figures = counted(("remedies", "answer", 0.5))
    figures.write(sessions=1)
    monkeypatch.setattr(module, "WRITE_SECONDS", 100.0)
    figures.add("remedies", "answer")
    figures.write(sessions=1)
    assert AnswerTotal.objects.get(name="remedies").count == 1
