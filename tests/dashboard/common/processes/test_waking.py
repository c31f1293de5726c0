"""Messages that wake workers: a broker that is away only delays."""

from __future__ import annotations

import logging

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from dashboard.common.processes.waking import wake_worker


@pytest.mark.parametrize("error", [OperationalError("no route"), OSError("no route"), AttributeError("half closed")])
def test_a_broker_that_is_away_is_no_error_of_the_one_who_asks(monkeypatch, caplog, error):
    def away(*args, **kwargs):
        raise error

    monkeypatch.setattr(current_app, "send_task", away)
    with caplog.at_level(logging.WARNING):
        wake_worker("some.task")
    assert "the next reconciliation will find the work" in caplog.text


def test_the_queue_is_that_of_the_background_unless_named(monkeypatch):
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, queue: sent.append((name, queue)))
    wake_worker("some.task")
    wake_worker("some.task", "runs")
    assert sent == [("some.task", "background"), ("some.task", "runs")]
