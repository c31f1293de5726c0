"""/healthz and /metrics."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.db import OperationalError, connection
from prometheus_client.parser import text_string_to_metric_families

from dashboard.common.monitoring import metrics


@pytest.fixture
def collectors(monkeypatch):
    """An empty register, so that no app's own figures are in the way."""
    monkeypatch.setattr(metrics._collectors, "functions", {})
    return metrics.register_collector


@pytest.mark.django_db
def test_healthz_answers_without_sign_in(client):
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": connection.vendor}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_healthz_says_503_and_no_more_than_the_kind_of_error(client, monkeypatch):
    def broken():
        raise OperationalError("could not connect to db.internal")

    monkeypatch.setattr(connection, "cursor", broken)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"status": "failing", "database": "OperationalError"}


def test_figures_carry_the_names_of_the_reference(client, collectors):
    def figures():
        yield metrics.queue_incoming_pods([("active", "PodAdd", 40), ("backoff", "ScheduleAttemptFailure", 3)])
        yield metrics.schedule_attempts([("scheduled", "default-scheduler", 37)])
        yield metrics.extension_point_duration(
            [("Filter", "Success", "default-scheduler", metrics.HistogramTotals(2, 0.5))]
        )
        yield metrics.plugin_duration(
            [("NodeResourcesFit", "Filter", "Success", metrics.HistogramTotals(3, 0.25, [(0.1, 2), (0.2, 3)]))]
        )

    collectors(figures)
    collectors(figures)  # registering twice counts once
    text = client.get("/metrics").content.decode()
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples[("scheduler_queue_incoming_pods_total", (("event", "PodAdd"), ("queue", "active")))] == 40
    attempts = ("scheduler_schedule_attempts_total", (("profile", "default-scheduler"), ("result", "scheduled")))
    assert samples[attempts] == 37
    point = (("extension_point", "Filter"), ("profile", "default-scheduler"), ("status", "Success"))
    assert samples[("scheduler_framework_extension_point_duration_seconds_count", point)] == 2
    assert samples[("scheduler_framework_extension_point_duration_seconds_sum", point)] == 0.5
    plugin = (("extension_point", "Filter"), ("plugin", "NodeResourcesFit"), ("status", "Success"))
    name = "scheduler_plugin_execution_duration_seconds"
    assert samples[(f"{name}_count", plugin)] == 3
    assert samples[(f"{name}_bucket", tuple(sorted([*plugin, ("le", "0.1")])))] == 2
    assert samples[(f"{name}_bucket", tuple(sorted([*plugin, ("le", "+Inf")])))] == 3


def test_token_is_asked_for_when_one_is_set(client, collectors, monkeypatch):
    monkeypatch.setenv("SCHEDSCOPE_METRICS_TOKEN", "t0ken")
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer t0ken"}).status_code == 200


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("203.0.113.7", {}),
        ("203.0.113.7", {"X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}),
        ("", {}),
    ],
)
def test_figures_are_for_this_machine_only_unless_told_otherwise(client, collectors, peer, headers):
    response = client.get("/metrics", headers=headers, REMOTE_ADDR=peer)
    assert response.status_code == 403
    assert b"scheduler_" not in response.content
    assert b"SCHEDSCOPE_METRICS_FROM or SCHEDSCOPE_METRICS_TOKEN" in response.content


def test_token_opens_figures_to_who_bears_it_from_anywhere(client, collectors, monkeypatch):
    monkeypatch.setenv("SCHEDSCOPE_METRICS_TOKEN", "t0ken")
    answer = client.get("/metrics", headers={"Authorization": "Bearer t0ken"}, REMOTE_ADDR="203.0.113.7")
    assert answer.status_code == 200
    assert client.get("/metrics", headers={"Authorization": "Bearer t\u00f6ken"}).status_code == 401


def test_list_opens_figures_to_the_addresses_in_it(client, collectors, settings, monkeypatch):
    settings.METRICS_FROM = [ip_network("203.0.113.0/24"), ip_network("2001:db8::/32")]
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.7").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="2001:db8::7").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="198.51.100.7").status_code == 403
    monkeypatch.setenv("SCHEDSCOPE_METRICS_TOKEN", "t0ken")
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.7").status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
def test_only_reading_is_allowed(client, path):
    assert client.post(path).status_code == 405
