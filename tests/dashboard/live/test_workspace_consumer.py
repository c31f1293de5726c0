"""The workspace's socket: who may, what hostile clients get, and what people see of each other at once."""

from __future__ import annotations

import asyncio
import time

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from dashboard.accounts.access import bump
from dashboard.accounts.models import Member
from dashboard.asgi import application
from dashboard.live import hints, routing, sockets, workspace_consumer
from dashboard.live.feed import hub
from dashboard.live.feed.topics import announce, version_of
from dashboard.review import actions
from dashboard.review.pins.pin import Pin
from tests.dashboard.review.conftest import make_run
from tests.dashboard.role_tables import ORDER
from tests.patience import PATIENCE
from tests.sockets import SocketClient

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def feeds_end(transactional_db):
    """Wait until no thread reads this test's database any more."""
    yield
    if thread := hub.hub._thread:
        hub.hub.wake()
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Tab(SocketClient):
    """A page of a workspace."""

    def __init__(self, person, slug="team", origin="http://localhost"):
        cookie = person.cookies.get(settings.SESSION_COOKIE_NAME)
        super().__init__(application, f"/ws/w/{slug}/", origin=origin, session=cookie.value if cookie else "")

    async def opened(self, version=None):
        """Connect, name a version, and return the first answer."""
        assert await self.connect() is None
        await self.send({"type": "since", "version": version})
        return await self.receive()

    async def send_text(self, text):
        """Send text as it is."""
        await self._communicator.send_input({"type": "websocket.receive", "text": text})


# ---------------------------------------------------------------- who may

# Consumer, message, smallest role that may send it. Every message of every consumer of the routing is here.
MESSAGES = [("RunConsumer", "SeqRequest", "viewer"), ("WorkspaceConsumer", "Since", "viewer")]


def test_every_message_of_the_routing_is_in_the_table():
    consumers = [pattern.callback.consumer_class for pattern in routing.websocket_urlpatterns]
    registered = {(one.__name__, kind.__name__, role.value) for one in consumers for kind, role in one.MESSAGES.items()}
    assert registered == set(MESSAGES)


@pytest.mark.parametrize(("consumer", "message", "needed"), MESSAGES, ids=[row[1] for row in MESSAGES])
def test_each_role_gets_its_answer(people, workspace, in_loop, consumer, message, needed):
    run = make_run(workspace)
    path, said = {
        "RunConsumer": (f"/ws/w/team/runs/{run.number}/", {"from": 0}),
        "WorkspaceConsumer": ("/ws/w/team/", {"type": "since", "version": 0}),
    }[consumer]

    async def ask(person):
        cookie = person.cookies.get(settings.SESSION_COOKIE_NAME)
        tab = SocketClient(application, path, session=cookie.value if cookie else "")
        await tab.connect()
        await tab.send(said)
        answer = await tab.receive()
        await tab.disconnect()
        return answer

    for role, person in people.items():
        answer = in_loop(ask(person))
        if role == "anonymous":
            assert answer == sockets.SIGN_IN
        elif role == "stranger" or ORDER.index(role) < ORDER.index(needed):
            assert answer == sockets.NOT_FOUND, role
        else:
            assert isinstance(answer, dict), role


def test_another_origin_is_refused(viewer, in_loop):
    async def visit():
        return await Tab(viewer, origin="https://evil.example").connect()

    assert in_loop(visit()) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{", '{"type": "point"}', '{"type": "since", "version": "1"}', "x" * 5000),
        *('{"type": "since", "version": -1}', '{"type": "since", "version": 1e30}', '{"type": "since", "more": 1}'),
    ],
    ids=range(10),
)
def test_a_wrong_message_closes_the_socket(viewer, in_loop, text):
    async def visit():
        tab = Tab(viewer)
        await tab.connect()
        await tab.send_text(text)
        return await tab.receive()

    assert in_loop(visit()) == sockets.BAD_MESSAGE


def test_too_many_messages_close_the_socket(viewer, in_loop, monkeypatch):
    monkeypatch.setattr(workspace_consumer, "BURST", 3.0)
    monkeypatch.setattr(workspace_consumer, "MESSAGES_PER_SECOND", 0.0)

    async def visit():
        tab = Tab(viewer)
        await tab.connect()
        for _ in range(4):
            await tab.send({"type": "since"})
        while isinstance(answer := await tab.receive(), dict):
            pass
        return answer

    assert in_loop(visit()) == sockets.TOO_MANY


def test_a_socket_closes_when_its_membership_ends(viewer, workspace, in_loop):
    def leave():
        Member.objects.filter(user=viewer.user).delete()
        bump(viewer.user, [workspace.pk])

    async def visit():
        tab = Tab(viewer)
        await tab.opened()
        await sync_to_async(leave)()
        return await tab.receive()

    assert in_loop(visit()) == sockets.NO_ACCESS


# ---------------------------------------------------------------- what comes


def test_comments_resolves_and_verdicts_are_told_to_others_at_once(workspace, reviewer, editor, viewer, in_loop):
    run, member = make_run(workspace, by=editor.user), reviewer.member
    topic = f"run:{run.pk}"

    async def visit():
        tab = Tab(viewer)
        await tab.opened()
        heard = []
        thread = await sync_to_async(actions.open_thread)(member, run, Pin(2), "Why?")
        heard.append(await tab.receive())
        await sync_to_async(actions.resolve)(member, thread)
        heard.append(await tab.receive())
        started = time.monotonic()
        await sync_to_async(announce)(workspace.pk, topic)
        heard.append(await tab.receive())
        took = time.monotonic() - started
        await tab.disconnect()
        return heard, took

    heard, took = in_loop(visit())
    assert all(topic in one["topics"] for one in heard)
    assert [one["counts"]["inbox"] for one in heard] == [1, 0, 0]
    assert took < 1


def test_lost_hints_lose_nothing(workspace, viewer, in_loop, monkeypatch):
    monkeypatch.setattr(hints, "_listeners", [])
    monkeypatch.setattr(hub, "POLL_SECONDS", 0.05)

    async def visit():
        tab = Tab(viewer)
        await tab.opened()
        await sync_to_async(announce)(workspace.pk, "run:1")
        heard = await tab.receive()
        await tab.disconnect()
        await sync_to_async(announce)(workspace.pk, "run:2")
        again = await Tab(viewer).opened(heard["version"])
        return heard, again

    heard, again = in_loop(visit())
    assert heard["topics"] == ["run:1"]
    assert again["topics"] == ["run:2"]
    assert again["version"] == version_of(workspace.pk)


def test_another_workspace_hears_nothing(workspace, stranger, in_loop):
    async def visit():
        tab = Tab(stranger, "elsewhere")
        await tab.opened()
        await sync_to_async(announce)(workspace.pk, "run:1")
        return await tab.hears_nothing(0.3)

    assert in_loop(visit())


def test_fifty_tabs_of_one_workspace_are_told_within_a_second(workspace, viewer, in_loop):
    async def visit():
        tabs = [Tab(viewer) for _ in range(50)]
        await asyncio.gather(*(tab.opened() for tab in tabs))
        started = time.monotonic()
        await sync_to_async(announce)(workspace.pk, "run:1")
        heard = await asyncio.gather(*(tab.receive() for tab in tabs))
        took = time.monotonic() - started
        await asyncio.gather(*(tab.disconnect() for tab in tabs))
        return heard, took

    heard, took = in_loop(visit())
    assert {tuple(one["topics"]) for one in heard} == {("run:1",)}
    assert took < 1
