"""Requests: tried again where that helps, with the server's waits, and gaps for what lasted."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.server import requests
from scheduler_core.collect.server.requests import (
    AnswerTooLarge,
    Away,
    Denied,
    Gone,
    NotServed,
    Refused,
    Requester,
)
from tests.scheduler_core.collect.collecting import QUICK


class ScriptedWay:
    """A connection that gives these answers, one after the other."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.generation = 0
        self.sent: list[httpx.Request] = []
        self.client = httpx.AsyncClient(base_url="http://server", transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer t-{self.generation}"}

    async def start(self) -> None: ...

    async def renew(self, seen: int) -> None:
        self.generation += seen == self.generation

    async def close(self) -> None: ...


def asked(way: ScriptedWay, ledger: GapLedger | None = None, pace=QUICK, **options) -> bytes:
    requester = Requester(way, pace, ledger or GapLedger())
    return asyncio.run(requester.read("/x", None, "Pod", **options))


def status(code: int, message: str = "why") -> httpx.Response:
    return httpx.Response(code, json={"kind": "Status", "message": message})


@pytest.mark.parametrize(
    "trouble", [status(429), status(500), status(503), status(401), httpx.ConnectError("x"), httpx.ReadError("x")],
    ids=lambda one: str(getattr(one, "status_code", type(one).__name__)),
)  # fmt: skip
def test_it_is_tried_again(trouble):
    way = ScriptedWay(trouble, httpx.Response(200, content=b"body"))
    assert asked(way) == b"body"
    assert len(way.sent) == 2
    assert {one.method for one in way.sent} == {"GET"}


def test_after_401_the_credentials_are_read_again():
    way = ScriptedWay(status(401), httpx.Response(200))
    asked(way)
    assert [one.headers["Authorization"] for one in way.sent] == ["Bearer t-0", "Bearer t-1"]


def test_the_wait_is_the_one_that_the_server_asks_for(monkeypatch):
    waits = []

    async def note(seconds):
        waits.append(seconds)

    monkeypatch.setattr(requests.asyncio, "sleep", note)
    way = ScriptedWay(
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.Response(503, headers={"Retry-After": "99999"}),
        httpx.Response(200),
    )
    asked(way, pace=QUICK._replace(longest_wait=20.0))
    assert waits == [7.0, 20.0]


@pytest.mark.parametrize(
    ("code", "error"), [(403, Denied), (404, NotServed), (410, Gone), (400, Refused), (422, Refused)]
)
def test_what_trying_again_does_not_change_is_raised_with_the_server_s_reason(code, error):
    with pytest.raises(error, match="the reason"):
        asked(ScriptedWay(status(code, "the reason")))


def test_reasons_are_one_printable_line():
    with pytest.raises(Denied) as refusal:
        asked(ScriptedWay(status(403, "a\x1b[31m\nb" * 1000)))
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 2_000


def test_patience_has_an_end():
    with pytest.raises(Away, match="500"):
        asked(ScriptedWay(*[status(500)] * 50), patience=0.1)


def test_an_answer_that_is_too_large_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(requests, "MOST_BYTES", 10)
    with pytest.raises(AnswerTooLarge):
        asked(ScriptedWay(httpx.Response(200, content=b"x" * 11)))


def test_what_lasted_is_a_gap_that_names_no_address_and_nobody():
    ledger = GapLedger()
    pace = QUICK._replace(away=0.03)
    asked(ScriptedWay(*[httpx.ConnectError("host.acme.example")] * 3, httpx.Response(200)), ledger, pace)
    asked(ScriptedWay(*[status(500, "someone")] * 3, httpx.Response(200)), ledger, pace)
    of_server, of_kind = ledger.gaps
    assert (of_server.code, of_server.kind, of_kind.kind) == ("SERVER_AWAY", "", "Pod")
    assert of_server.since < (of_server.until or 0)
    assert not [gap for gap in ledger.gaps if "acme" in gap.text or "someone" in gap.text]


def test_a_short_trouble_is_no_gap():
    ledger = GapLedger()
    asked(ScriptedWay(status(500), httpx.Response(200)), ledger)
    assert ledger.gaps == ()
