"""The workspace's socket: who may, what hostile clients get, and what people see of each other at once."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from dashboard import asgi
from dashboard.accounts.access import bump
from dashboard.accounts.models import Member
from dashboard.asgi import application
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving, save_revision
from dashboard.live import hints, sockets, workspace_consumer
from dashboard.live.feed import hub
from dashboard.live.feed.hub import FeedFollower
from dashboard.live.feed.topics import announce, version_of
from dashboard.live.presence.board import board
from dashboard.live.workspace_consumer import may_enter
from dashboard.review import actions
from dashboard.review.pins.pin import Pin
from tests.dashboard.clusters.conftest import small
from tests.dashboard.clusters.drafts.draft_helpers import new_draft
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

# Consumer, message, smallest role that may send it. Every message of every consumer of the sockets is here.
MESSAGES = [
    ("RunConsumer", "SeqRequest", "viewer"),
    ("WorkspaceConsumer", "Since", "viewer"),
    ("WorkspaceConsumer", "LookAt", "viewer"),
    ("WorkspaceConsumer", "WhereIs", "viewer"),
    ("WorkspaceConsumer", "Spot", "reviewer"),
]
# What is said before, the message, and the type of its answer where the role is enough.
LOOKS = {"type": "look", "path": "runs/1/"}
SAID = {
    "SeqRequest": ([], {"from": 0}, "batch"),
    "Since": ([], {"type": "since", "version": 0}, "changes"),
    "LookAt": ([{"type": "since"}], LOOKS, "people"),
    "WhereIs": ([{"type": "since"}, LOOKS], {"type": "where", "member": 1}, "place"),
    "Spot": ([{"type": "since"}, LOOKS], {"type": "point", "node": "node-1"}, "people"),
}


def test_every_message_of_the_sockets_is_in_the_table():
    consumers = [pattern.callback.consumer_class for pattern in asgi.sockets.routes]
    registered = {(one.__name__, kind.__name__, role.value) for one in consumers for kind, role in one.MESSAGES.items()}
    assert registered == set(MESSAGES)


@pytest.mark.parametrize(("consumer", "message", "needed"), MESSAGES, ids=[row[1] for row in MESSAGES])
def test_each_role_gets_its_answer(people, workspace, in_loop, consumer, message, needed):
    run = make_run(workspace)
    path = {"RunConsumer": f"/ws/w/team/runs/{run.number}/", "WorkspaceConsumer": "/ws/w/team/"}[consumer]
    before, said, kind = SAID[message]

    async def ask(person):
        cookie = person.cookies.get(settings.SESSION_COOKIE_NAME)
        tab = SocketClient(application, path, session=cookie.value if cookie else "")
        await tab.connect()
        for one in (*before, said):
            await tab.send(one)
        while isinstance(answer := await tab.receive(), dict):
            is_answer = answer["type"] == kind and (message != "Spot" or any(one["spot"] for one in answer["here"]))
            if is_answer or answer["type"] == "refused":
                break
        await tab.disconnect()
        return answer

    for role, person in people.items():
        answer = in_loop(ask(person))
        if role == "anonymous":
            assert answer == sockets.SIGN_IN
        elif role == "stranger":
            assert answer == sockets.NOT_FOUND
        elif ORDER.index(role) < ORDER.index(needed):
            assert answer["type"] == "refused", role
            assert f"needs {needed}" in answer["why"]
        else:
            assert answer["type"] == kind, role


def test_another_origin_is_refused(viewer, in_loop):
    async def visit():
        return await Tab(viewer, origin="https://evil.example").connect()

    assert in_loop(visit()) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{", '{"type": "point"}', '{"type": "since", "version": "1"}', "x" * 5000),
        *('{"type": "since", "version": -1}', '{"type": "since", "version": 1e30}', '{"type": "since", "more": 1}'),
        *('{"type": "look", "path": "//evil.example/"}', '{"type": "people"}', '{"type": "point", "node": "<b>"}'),
        # Before a version was named nothing would notice that the right ended.
        *('{"type": "look", "path": "runs/1/"}', '{"type": "point", "node": "a"}'),
    ],
    ids=range(15),
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


def test_others_hear_of_comments_resolves_and_announcements(workspace, reviewer, editor, viewer, in_loop):
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
        await sync_to_async(announce)(workspace.pk, topic)
        heard.append(await tab.receive())
        await tab.disconnect()
        return heard

    heard = in_loop(visit())
    assert all(topic in one["topics"] for one in heard)
    assert [one["counts"]["inbox"] for one in heard] == [1, 0, 0]


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


@pytest.mark.slow
def test_fifty_tabs_of_one_workspace_hear_it_once_each(workspace, viewer, in_loop):
    async def visit():
        tabs = [Tab(viewer) for _ in range(50)]
        await asyncio.gather(*(tab.opened() for tab in tabs))
        await sync_to_async(announce)(workspace.pk, "run:1")
        heard = await asyncio.gather(*(tab.receive() for tab in tabs))
        again = await asyncio.gather(*(tab.hears_nothing(0.1) for tab in tabs))
        await asyncio.gather(*(tab.disconnect() for tab in tabs))
        return heard, again

    heard, again = in_loop(visit())
    assert {tuple(one["topics"]) for one in heard} == {("run:1",)}
    assert all(again)


# ---------------------------------------------------------------- who is here


async def at(person, path, **look):
    """Return a tab of the person that looks at this page, and the message that names everybody there."""
    tab = Tab(person)
    await tab.opened()
    await tab.send({"type": "look", "path": path, **look})
    return tab, await people(tab)


async def people(tab):
    """Return the next message about people."""
    while (answer := await tab.receive())["type"] != "people":
        pass
    return answer


async def shown(tab, name):
    """Return the person of that name, once they are shown."""
    while True:
        for one in (await people(tab))["here"]:
            if one["name"] == name:
                return one


def test_people_of_a_run_are_shown_with_where_they_are_and_gone_when_they_close(viewer, editor, in_loop):
    async def visit():
        first, nobody = await at(viewer, "runs/1/", query="cycle=3")
        second, _ = await at(editor, "runs/1/why/")
        here = await shown(first, editor.user.label)
        await second.disconnect()
        while not (gone := (await people(first))["left"]):
            pass
        await first.disconnect()
        return nobody, here, gone

    nobody, here, gone = in_loop(visit())
    assert nobody == {"type": "people", "here": [], "left": [], "all": True}
    assert (here["id"], here["path"], here["active"]) == (editor.member.pk, "runs/1/why/", True)
    assert gone == [{"id": editor.member.pk, "to": None}]


def test_what_somebody_points_at_is_theirs_until_they_move(viewer, reviewer, in_loop):
    async def visit():
        first, _ = await at(viewer, "runs/1/")
        second, _ = await at(reviewer, "runs/1/")
        await second.send({"type": "point", "node": "node-1", "plugin": "NodeName", "column": "filter"})
        while not (pointing := (await shown(first, reviewer.user.label)))["spot"]:
            pass
        await second.send({"type": "look", "path": "runs/1/", "query": "cycle=9"})
        moved = await shown(first, reviewer.user.label)
        await asyncio.gather(first.disconnect(), second.disconnect())
        return pointing["spot"], moved["spot"]

    assert in_loop(visit()) == ({"node": "node-1", "plugin": "NodeName", "column": "filter", "n": 1}, None)


def test_nobody_of_another_workspace_is_shown_or_placed(viewer, stranger, in_loop):
    member = viewer.member.pk

    async def visit():
        mine, _ = await at(viewer, "runs/1/")
        theirs = Tab(stranger, "elsewhere")
        await theirs.opened()
        await theirs.send({"type": "look", "path": "runs/1/"})
        everybody = await people(theirs)
        await theirs.send({"type": "where", "member": member})
        while (answer := await theirs.receive())["type"] != "place":
            pass
        await asyncio.gather(mine.disconnect(), theirs.disconnect())
        return everybody["here"], answer["at"]

    assert in_loop(visit()) == ([], None)


def test_whoever_loses_their_membership_is_seen_no_more(viewer, editor, workspace, in_loop):
    member = editor.member.pk

    def leave():
        Member.objects.filter(user=editor.user).delete()
        bump(editor.user, [workspace.pk])

    async def visit():
        first, _ = await at(viewer, "runs/1/")
        second, _ = await at(editor, "runs/1/")
        await shown(first, editor.user.label)
        await sync_to_async(leave)()
        while not (gone := (await people(first))["left"]):
            pass
        await first.disconnect()
        await second.disconnect()
        return gone

    assert [one["id"] for one in in_loop(visit())] == [member]


def test_a_smaller_role_ends_pointing_on_the_open_page(reviewer, workspace, in_loop):
    def demote():
        Member.objects.filter(user=reviewer.user).update(role="viewer")
        bump(reviewer.user, [workspace.pk])

    async def visit():
        tab, _ = await at(reviewer, "runs/1/")
        await sync_to_async(demote)()
        answer = None
        while answer is None or answer["type"] != "refused":
            await asyncio.sleep(workspace_consumer.MESSAGES_PER_SECOND**-1)
            await tab.send({"type": "point", "node": "a"})
            answer = await tab.receive()
        await tab.disconnect()
        return answer["why"]

    assert "Your role in" in in_loop(visit())


def test_a_client_that_reads_nothing_is_told_everybody_anew(editor, workspace, in_loop, monkeypatch):
    monkeypatch.setattr(workspace_consumer, "QUEUE_LIMIT", 2)
    consumer = workspace_consumer.WorkspaceConsumer()

    async def visit():
        tab, _ = await at(editor, "runs/1/")
        consumer.outgoing, consumer.room = deque(), (workspace.pk, "runs/1")
        consumer.board = board()
        consumer.follower = FeedFollower(workspace.pk, 0, 0, None)
        await shown(tab, editor.user.label)
        for text in (b"1", b"2", b"3"):
            consumer.hear(text)
        await tab.disconnect()
        return list(consumer.outgoing)

    everybody, last = in_loop(visit())
    assert last == b"3"
    assert editor.user.label.encode() in everybody


# ---------------------------------------------------------------- in a draft


def drafted(workspace, author, *invited):
    """Return a draft of a new cluster, and the path of its editor."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="prod")
    save_revision(cluster, small(), Saving(None))
    draft = new_draft(author.member, cluster)
    draft.invited.add(*(one.user for one in invited))
    return draft, f"clusters/prod/drafts/{draft.pk}/edit/"


def test_people_of_a_draft_see_which_object_each_has_open(viewer, editor, workspace, in_loop):
    _, path = drafted(workspace, editor, viewer)

    async def visit():
        first, _ = await at(editor, path)
        second, _ = await at(viewer, path)
        await second.send({"type": "look", "path": path, "query": "node=node-a"})
        while (here := await shown(first, viewer.user.label))["query"] != "node=node-a":
            pass
        await asyncio.gather(first.disconnect(), second.disconnect())
        return here

    here = in_loop(visit())
    assert (here["path"], here["initials"] != "", here["tone"] != "") == (path, True, True)


def test_a_draft_is_closed_to_whoever_is_not_invited(people, viewer, editor, workspace, in_loop):
    """Neither who is in it nor where they are is told, whatever the role: of each role, and of a link to follow."""
    _, path = drafted(workspace, editor)
    host = editor.member.pk

    async def visit(person):
        inside, _ = await at(editor, path, query="node=secret")
        other = Tab(person)
        await other.opened()
        await other.send({"type": "look", "path": path})
        await other.send({"type": "where", "member": host})
        answers = []
        while not answers or answers[-1]["type"] != "place":
            answers.append(await other.receive())
        await asyncio.gather(inside.disconnect(), other.disconnect())
        return answers

    for role in ORDER:
        if role in people and people[role] is not editor and role not in ("anonymous", "stranger"):
            answers = in_loop(visit(people[role]))
            assert [one for one in answers if one["type"] == "people"] == []
            assert answers[-1]["at"] is None


def test_whoever_is_taken_out_of_a_draft_hears_nothing_more(viewer, editor, workspace, in_loop, monkeypatch):
    monkeypatch.setattr(workspace_consumer, "ADMITTED_SECONDS", 0.0)
    draft, path = drafted(workspace, editor, viewer)
    host, guest = editor.member.pk, viewer.member.pk

    async def visit():
        inside, _ = await at(editor, path)
        other, _ = await at(viewer, path)
        while not any(one["name"] == viewer.user.label for one in (await people(inside))["here"]):
            pass
        await sync_to_async(draft.invited.remove)(viewer.user)
        await inside.send({"type": "look", "path": path, "query": "node=secret"})
        while not (gone := (await people(inside))["left"]):
            pass
        await other.send({"type": "where", "member": host})
        heard = []
        while not heard or heard[-1]["type"] != "place":
            heard.append(await other.receive())
        await asyncio.gather(inside.disconnect(), other.disconnect())
        return gone, heard

    gone, heard = in_loop(visit())
    assert gone == [{"id": guest, "to": None}]
    assert "secret" not in str(heard)


def test_whoever_goes_on_into_a_draft_is_gone_for_the_others(viewer, editor, workspace, in_loop):
    _, path = drafted(workspace, editor)

    async def visit():
        first, _ = await at(viewer, "runs/1/")
        second, _ = await at(editor, "runs/1/")
        await shown(first, editor.user.label)
        await second.send({"type": "look", "path": path, "query": "node=secret"})
        while not (gone := (await people(first))["left"]):
            pass
        await asyncio.gather(first.disconnect(), second.disconnect())
        return gone

    assert in_loop(visit()) == [{"id": editor.member.pk, "to": None}]


@pytest.fixture
def draft(editor, workspace):
    """A draft of the editor alone."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="prod")
    save_revision(cluster, small(), Saving(None))
    return new_draft(editor.member, cluster)


def test_a_draft_is_for_its_author_and_those_whom_they_invite(draft, editor, reviewer, workspace):
    room = f"clusters/{draft.cluster.slug}/drafts/{draft.pk}"
    admitted = [may_enter(one.user.pk, workspace.pk, room) for one in (editor, reviewer)]
    draft.invited.add(reviewer.user)
    assert [*admitted, may_enter(reviewer.user.pk, workspace.pk, room)] == [True, False, True]


def test_another_cluster_or_workspace_does_not_hold_the_draft(draft, editor, workspace):
    here = f"clusters/{draft.cluster.slug}/drafts/{draft.pk}"
    assert not may_enter(editor.user.pk, workspace.pk, f"clusters/other/drafts/{draft.pk}")
    assert not may_enter(editor.user.pk, workspace.pk + 1, here)


def test_runs_are_for_every_member(viewer, workspace):
    assert may_enter(viewer.user.pk, workspace.pk, "runs/1")
