"""Lists: in pages of one state, begun again where a token expired or a page is too large."""

from __future__ import annotations

import asyncio

import pytest

from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.listing import list_into
from scheduler_core.collect.recording import ChangeRecorder
from scheduler_core.collect.server import requests
from scheduler_core.collect.server.requests import AnswerTooLarge, Denied, Refused, Requester
from tests.api_server.live import Faults
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import QUICK, DirectWay, few_kinds, pod
from tests.scheduler_core.collect.faulty import target_of
from tests.scheduler_core.collect.test_recording import Lines


def listed(server, page: int = 3) -> tuple[list[str], str]:
    """The names that were written, and the version of the list."""
    lines, target = Lines(), target_of("Pod")

    async def ask():
        way = DirectWay(server.address)
        await way.start()
        try:
            recorder = ChangeRecorder(lines, PlainNames())
            await list_into(recorder, Requester(way, QUICK, GapLedger()), target, page)
        finally:
            await way.close()

    asyncio.run(ask())
    return [row[2] for row in lines.rows], target.version


NAMES = [f"p-{n}" for n in range(10)]


@pytest.fixture
def server():
    with serving_live([pod(name) for name in NAMES], few_kinds()) as live:
        yield live


def test_all_pages_of_a_list_are_read(server):
    assert listed(server) == (NAMES, str(server.resource_version))
    assert len([path for path in server.asked if "continue=" in path]) == 3


def test_a_token_that_expires_each_time_leads_to_the_whole_list(server):
    server.faults = Faults(page_gone=1)
    assert listed(server)[0] == NAMES
    assert "limit" not in server.asked[-1]


def test_a_page_that_is_too_large_is_asked_for_in_smaller_ones(server, monkeypatch):
    one = len(server.bodies["pods", "default", "p-0"])
    monkeypatch.setattr(requests, "MOST_BYTES", 4 * one)
    assert listed(server, page=8)[0] == NAMES
    monkeypatch.setattr(requests, "MOST_BYTES", one // 2)
    with pytest.raises(AnswerTooLarge):
        listed(server)


def test_what_may_not_be_listed_is_said(server):
    server.denied.add(("pods", "list"))
    with pytest.raises(Denied, match="forbidden"):
        listed(server)


def test_an_answer_that_is_no_list_is_refused(server, monkeypatch):
    monkeypatch.setattr(type(server), "page", lambda *_: (200, b"[1, 2"))
    with pytest.raises(Refused, match="list"):
        listed(server)
