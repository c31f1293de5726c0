"""Requests have ids that are safe to log, lines that say whose they are, and seconds in the figures."""

from __future__ import annotations

import logging
import re

import pytest

from dashboard.common.monitoring.log_context import WithContext
from dashboard.common.monitoring.metrics import exposition, request_seconds
from dashboard.common.monitoring.requests import HEADER


@pytest.fixture
def lines(caplog):
    """The records of requests, with their fields."""
    caplog.set_level(logging.INFO, logger="dashboard.common.monitoring.requests")
    caplog.handler.addFilter(WithContext())
    return lambda: [vars(record) for record in caplog.records if record.name.endswith("monitoring.requests")]


@pytest.mark.parametrize("asked", ["abc-1", "4bf92f3577b34da6a3ce929d0e0e4736", "a" * 64])
def test_a_safe_id_is_taken_and_returned(anonymous, asked):
    assert anonymous.get("/signin", headers={HEADER: asked})[HEADER] == asked


@pytest.mark.parametrize("asked", ["", "a b", "é", '"}', "a" * 65, "-a", "a\r\nb"])
def test_another_one_is_replaced(anonymous, asked):
    returned = anonymous.get("/signin", headers={HEADER: asked})[HEADER]
    assert re.fullmatch(r"[0-9a-f]{32}", returned)


def test_ids_differ(anonymous):
    assert anonymous.get("/signin")[HEADER] != anonymous.get("/signin")[HEADER]


def test_a_line_says_which_member_of_which_workspace_looked_at_which_run(owner, lines):
    response = owner.get("/w/team/runs/7/")
    assert response.status_code == 404
    (line,) = lines()
    assert (line["request_id"], line["member"]) == (response[HEADER], owner.member.pk)
    assert (line["workspace"], line["run_number"]) == ("team", 7)
    assert (line["method"], line["path"], line["status"]) == ("GET", "/w/team/runs/7/", 404)
    assert 0 < line["seconds"] < 60


def test_what_machines_fetch_has_neither_line_nor_figure(anonymous, lines, db):
    before = exposition()
    assert HEADER in anonymous.get("/healthz")
    assert lines() == []
    assert exposition() == before


def test_seconds_are_counted_by_kind_and_status(anonymous, db):
    counter = request_seconds.labels("read", "2xx")
    before = counter._sum.get()
    assert anonymous.get("/signin").status_code == 200
    assert counter._sum.get() > before
    assert b'schedscope_request_seconds_count{kind="read",status="2xx"}' in exposition()
