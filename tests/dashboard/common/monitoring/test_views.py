"""/healthz and /metrics."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.db import OperationalError, connection

from dashboard.common.monitoring import views

READINESS = {"alive": True, "ready": False, "late": False}


@pytest.mark.django_db
def test_healthz_answers_without_sign_in(client):
    response = client.get("/healthz")
    assert response.status_code == 200
    fields = {"status": "ok", "database": connection.vendor, "alive": True, "ready": True, "late": False}
    assert response.json() == fields
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_healthz_says_503_of_a_database_without_tables(client, monkeypatch):
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_args, **_options: [])
    response = client.get("/healthz")
    assert response.status_code == 503
    assert {name: response.json()[name] for name in ("alive", "ready", "late")} == READINESS


@pytest.mark.django_db
def test_a_late_answer_is_one_of_a_process_that_lives(client, monkeypatch):
    monkeypatch.setattr(views, "seconds_since_arrival", lambda _request: 1.5)
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json()["late"] is True
    assert response.json()["ready"] is True


@pytest.mark.django_db
def test_healthz_says_503_and_no_more_than_the_kind_of_error(client, monkeypatch):
    def broken():
        raise OperationalError("could not connect to db.internal")

    monkeypatch.setattr(connection, "cursor", broken)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"status": "failing", "database": "OperationalError"} | READINESS


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
