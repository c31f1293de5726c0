"""Web servers are told that a head moved where they share a channel layer, and workers go on where it fails."""

from __future__ import annotations

import asyncio
import threading

import pytest

from dashboard.runs.lifecycle import wakeups


class Layer:
    """A channel layer that keeps what is sent, or fails."""

    def __init__(self, error=None):
        self.sent, self.error, self.done = [], error, threading.Event()

    async def group_send(self, group, message):
        self.sent.append((group, message))
        asyncio.get_running_loop().call_soon(self.done.set)
        if self.error:
            raise self.error


@pytest.fixture
def layer(monkeypatch, settings):
    layer = Layer()
    settings.REDIS_URL = "redis://somewhere"
    monkeypatch.setattr(wakeups, "get_channel_layer", lambda: layer)
    return layer


def test_a_hint_names_the_run(layer):
    wakeups.notify(7)
    assert layer.done.wait(10)
    assert layer.sent == [(wakeups.WAKEUP_GROUP, {"type": "head.moved", "run": 7})]


def test_a_layer_that_cannot_be_reached_costs_a_line_of_the_log_and_no_more(layer, monkeypatch):
    logged, lines = threading.Event(), []
    monkeypatch.setattr(wakeups.log, "debug", lambda *line: (lines.append(line), logged.set()))
    layer.error = OSError("no route")
    wakeups.notify(7)
    assert logged.wait(10)
    assert [str(line[1]) for line in lines] == ["no route"]


def test_without_a_layer_between_processes_nothing_is_sent(layer, settings):
    settings.REDIS_URL = ""
    wakeups.notify(7)
    assert layer.sent == []
