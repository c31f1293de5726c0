"""Pieces to a workspace: each until it is acknowledged, in every answer that a receiver may give."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import msgspec
import pytest

from scheduler_core.collect.journal import Journal
from scheduler_core.collect.sending import following
from scheduler_core.collect.sending.address import BadAddress, checked_address
from scheduler_core.collect.sending.following import NotFollowed, PieceSender
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, OBJECTS, BundleMeta
from scheduler_core.manifests.bundle.pieces import read_piece
from tests.scheduler_core.collect.collecting import QUICK

URL = "https://schedscope.example/follow"


class Receiver:
    """Keeps the lines of pieces in their order, and answers as a workspace would. ``answers``: what it answers first,
    each once: a response, an exception, or None to take the piece."""

    def __init__(self, *answers: httpx.Response | Exception | None) -> None:
        self.answers = list(answers)
        self.next = 0
        self.pieces: list[tuple[int, bool, bool]] = []
        self.lines: list[bytes] = []
        self.requests: list[httpx.Request] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer if answer is not None else self.take(request.content)

    def take(self, content: bytes) -> httpx.Response:
        head, objects, events, changes = read_piece(content)
        if head.number != self.next:
            return httpx.Response(409, json={"next": self.next})
        self.next += 1
        self.pieces.append((head.number, head.is_listed, head.is_last))
        self.lines += [bytes(one.object) for one in (*objects, *events, *changes)]
        return httpx.Response(200, json={"next": self.next})


class Setting:
    """A follower of a journal in a folder."""

    def __init__(self, folder: Path, receiver: Receiver, *, keeps: bool = True, begun: bool = False) -> None:
        self.journal = Journal(folder / "journal")
        self.journal.reopen() if begun else self.journal.create()
        self.is_listed = False
        self.token = "t-1"
        self.follower = PieceSender(
            URL,
            lambda: self.token,
            self.journal,
            "c-1",
            lambda: BundleMeta(began=1.0),
            is_listed=lambda: self.is_listed,
            pace=QUICK,
            keeps=keeps,
            transport=httpx.MockTransport(receiver),
        )

    def write(self, name: str, text: str) -> bytes:
        raw = b'{"metadata":{"name":"%s"}}' % text.encode()
        line = {"t": 1.0, "object": msgspec.Raw(raw), **({} if name == OBJECTS else {"type": "ADDED", "rv": "1"})}
        self.journal.append(name, msgspec.json.encode(line))
        return raw

    def run(self, *steps) -> bool:
        """Follow while the steps are made, each after all before was sent; whether all was acknowledged."""

        async def play() -> bool:
            task = asyncio.create_task(self.follower.run())
            for step in steps:
                step()
                while not task.done() and self.follower._is_new():
                    await asyncio.sleep(0.01)
            self.follower.stop()
            try:
                await asyncio.wait_for(task, 5)
                return await self.follower.finish()
            finally:
                await self.follower.close()

        try:
            return asyncio.run(play())
        finally:
            self.journal.close()


def test_lines_come_in_pieces_in_their_order_and_the_last_closes(tmp_path):
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)
    sent = [setting.write(OBJECTS, "a"), setting.write(CHANGES, "b")]

    def later():
        setting.is_listed = True
        sent.append(setting.write(EVENTS, "c"))

    assert setting.run(lambda: None, later)
    assert receiver.lines == sent
    assert receiver.pieces == [(0, False, False), (1, True, False), (2, True, True)]
    assert {one.headers["Authorization"] for one in receiver.requests} == {"Bearer t-1"}


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500),
        httpx.Response(429, headers={"Retry-After": "0"}),
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
    ],
    ids=lambda one: str(getattr(one, "status_code", type(one).__name__)),
)
def test_a_piece_is_sent_again_until_it_is_acknowledged(tmp_path, answer):
    receiver = Receiver(answer, answer)
    setting = Setting(tmp_path, receiver)
    sent = setting.write(OBJECTS, "a")
    assert setting.run(lambda: None)
    assert receiver.lines == [sent]
    assert len(receiver.requests) == 4


def test_an_answer_that_was_lost_sends_nothing_twice(tmp_path):
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)
    sent = setting.write(OBJECTS, "a")

    async def take_and_lose(request: httpx.Request) -> httpx.Response:
        receiver.requests.append(request)
        response = receiver.take(request.content)
        if len(receiver.requests) == 1:
            raise httpx.ReadError("lost")
        return response

    setting.follower._client = httpx.AsyncClient(transport=httpx.MockTransport(take_and_lose))
    assert setting.run(lambda: None)
    assert receiver.lines == [sent]


def test_a_receiver_that_knows_less_gets_the_earlier_pieces_again(tmp_path):
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)
    sent = [setting.write(OBJECTS, "a")]

    def forget():
        receiver.next, receiver.lines, receiver.pieces = 0, [], []
        sent.append(setting.write(CHANGES, "b"))

    assert setting.run(lambda: None, forget)
    assert receiver.lines == sent
    assert [number for number, _, _ in receiver.pieces] == [0, 1, 2]


def test_too_large_pieces_are_halved(tmp_path):
    receiver = Receiver(httpx.Response(413), httpx.Response(413))
    setting = Setting(tmp_path, receiver)
    sent = [setting.write(OBJECTS, f"o-{n}") for n in range(8)]
    assert setting.run(lambda: None)
    assert receiver.lines == sent
    assert len(receiver.pieces) == 5  # Two lines each, and the last.


def test_no_change_is_sent_before_the_objects_that_it_may_rest_on(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "PIECE_LINES", 3)
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)
    sent = [setting.write(OBJECTS, f"o-{n}") for n in range(5)] + [setting.write(CHANGES, "c")]
    assert setting.run(lambda: None)
    assert receiver.lines == sent


def test_resumed_it_goes_on_with_the_piece_that_was_not_acknowledged(tmp_path):
    receiver = Receiver()
    first = Setting(tmp_path, receiver)
    sent = [first.write(OBJECTS, "a")]
    assert first.run(lambda: None) is True
    receiver.pieces.clear()
    second = Setting(tmp_path, receiver, begun=True)
    second.follower.resume()
    sent.append(second.write(CHANGES, "b"))
    assert second.run(lambda: None)
    assert receiver.lines == sent


def test_a_piece_that_was_broken_off_and_received_does_not_hide_the_last(tmp_path):
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)
    setting.write(OBJECTS, "a")

    async def take_and_wait(request: httpx.Request) -> httpx.Response:
        response = receiver.take(request.content)
        if receiver.next == 1:
            await asyncio.Event().wait()
        return response

    async def broken_off() -> bool:
        setting.follower._client = httpx.AsyncClient(transport=httpx.MockTransport(take_and_wait))
        task = asyncio.create_task(setting.follower.run())
        while not receiver.next:
            await asyncio.sleep(0.01)
        task.cancel()
        setting.follower._client = httpx.AsyncClient(transport=httpx.MockTransport(receiver))
        return await setting.follower.finish()

    assert asyncio.run(broken_off())
    setting.journal.close()
    assert [(number, is_last) for number, _, is_last in receiver.pieces] == [(0, False), (1, True)]


def test_what_is_acknowledged_leaves_a_journal_that_nobody_keeps(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "SPOOL_BYTES", 100)
    receiver = Receiver()
    setting = Setting(tmp_path, receiver, keeps=False)
    sent = []

    def more():
        sent.extend(setting.write(CHANGES, f"c-{len(sent)}-{n}") for n in range(5))

    assert setting.run(more, more, more)
    assert receiver.lines == sent
    assert setting.journal.sizes[CHANGES] < 400


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (httpx.Response(401), "token"),
        (httpx.Response(403), "token"),
        (httpx.Response(302, headers={"Location": "https://elsewhere.example/"}), "elsewhere"),
        (httpx.Response(404), "404"),
        (httpx.Response(200, text="<html>"), "address"),
        (httpx.Response(200, json={"next": 7}), "piece 7"),
        (httpx.Response(409, json={"next": None, "collection": "c-2"}), "another collection .* has taken over"),
        (httpx.Response(409, json={"next": None, "collection": ""}), "does not know this collection"),
    ],
)
def test_other_answers_stop_it_and_nothing_goes_elsewhere(tmp_path, answer, word):
    receiver = Receiver(answer)
    setting = Setting(tmp_path, receiver)
    setting.write(OBJECTS, "a")
    with pytest.raises(NotFollowed, match=word):
        setting.run(lambda: None)
    assert {one.url.host for one in receiver.requests} == {"schedscope.example"}


def test_the_token_is_read_again_for_each_piece(tmp_path):
    receiver = Receiver()
    setting = Setting(tmp_path, receiver)

    def rotate():
        setting.token = "t-2"
        setting.write(CHANGES, "b")

    setting.write(OBJECTS, "a")
    assert setting.run(lambda: None, rotate)
    assert [one.headers["Authorization"] for one in receiver.requests][:2] == ["Bearer t-1", "Bearer t-2"]


@pytest.mark.parametrize(
    "url", ["https://a.example/x", "http://localhost:8000/x", "http://127.0.0.1:1/x", "http://[::1]:8000/x"]
)
def test_addresses_that_can_be_followed(url):
    assert checked_address(url) == url


@pytest.mark.parametrize(
    "url",
    ["http://a.example/x", "ftp://a.example", "a.example", "https://u:p@a.example/", "https://", "https://[::1/x",
     "http://localhost.a.example/", "https://a.example:99999/"],
)  # fmt: skip
def test_addresses_that_would_show_the_token_or_are_none_are_refused(url):
    with pytest.raises(BadAddress, match="--follow: "):
        checked_address(url)
