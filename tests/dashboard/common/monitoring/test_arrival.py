"""When a request arrived, as the views of it are told."""

from __future__ import annotations

from types import SimpleNamespace

from asgiref.sync import async_to_sync
from django.test import RequestFactory

from dashboard.common.monitoring import arrival
from dashboard.common.monitoring.arrival import NotedArrivals, seconds_since_arrival


def test_what_waits_before_its_view_is_counted(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(arrival, "time", SimpleNamespace(monotonic=lambda: now[0]))
    seconds = []

    async def view(scope, _receive, _send):
        now[0] += 2.5
        seconds.append(seconds_since_arrival(SimpleNamespace(scope=scope)))

    async_to_sync(NotedArrivals(view))({"type": "http"}, None, None)
    assert seconds == [2.5]


def test_a_server_that_notes_nothing_is_not_late():
    assert seconds_since_arrival(RequestFactory().get("/healthz")) == 0.0
