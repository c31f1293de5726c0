"""The run's socket: who may, what comes, what a cut costs."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from asgiref.sync import sync_to_async

from dashboard.accounts.models import Member
from dashboard.common.monitoring.log_context import field
from dashboard.live import consumers, sockets, tailer
from dashboard.live.heads import RunProgress
from dashboard.runs import actions, execution
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from dashboard.runs.breakpoints.going_on import step_run
from dashboard.runs.models import Run
from tests.dashboard.live.conftest import Browser
from tests.dashboard.live.finished_run import finished, public_seqs
from tests.seeds import long_after

pytestmark = pytest.mark.django_db(transaction=True)


# ---------------------------------------------------------------- who may


@pytest.mark.parametrize(("who", "code"), [("anonymous", sockets.SIGN_IN), ("stranger", consumers.NOT_FOUND)], ids=str)
def test_others_are_told_by_a_code(launch, people, in_loop, who, code):
    run = launch(2, 4)

    async def visit():
        browser = Browser(people[who], run)
        await browser.connect()
        return await browser.take()

    assert in_loop(visit()) == code


def test_log_lines_of_a_socket_say_whose_it_is(launch, viewer, in_loop, monkeypatch):
    run = launch(2, 4)
    fields, find = [], consumers.RunConsumer.find

    async def noting(self, **where):
        fields.append([field(name) for name in ("person", "workspace", "run_number")])
        return await find(self, **where)

    monkeypatch.setattr(consumers.RunConsumer, "find", noting)
    in_loop(Browser(viewer, run).connect())
    assert fields == [[viewer.user.pk, "team", run.number]]


def test_another_origin_is_refused(launch, viewer, in_loop):
    run = launch(2, 4)

    async def visit(origin):
        return await Browser(viewer, run, origin=origin).connect()

    assert in_loop(visit("https://evil.example")) is not None


def test_a_run_of_another_workspace_is_not_found(launch, stranger, in_loop):
    run = launch(2, 4)

    async def visit():
        browser = Browser(stranger, run, slug="elsewhere")
        await browser.connect()
        return await browser.take()

    assert in_loop(visit()) == consumers.NOT_FOUND


@pytest.mark.parametrize("text", ["", "[]", '{"from": "a"}', '{"from": 1.5}', "x" * 2000], ids=range(5))
def test_a_wrong_message_closes_the_socket(launch, viewer, in_loop, text):
    run = launch(2, 4)

    async def visit():
        browser = Browser(viewer, run)
        await browser.connect()
        await browser.send_text(text)
        return await browser.take()

    assert in_loop(visit()) == consumers.BAD_MESSAGE


@pytest.mark.parametrize("end", ["membership", "session", "run"])
def test_a_socket_closes_when_its_right_ends(launch, viewer, editor, in_loop, end):
    run = launch(2, 40)
    finished(run)

    def take_away():
        if end == "membership":
            from dashboard.accounts.access import bump

            Member.objects.filter(user=viewer.user).delete()
            bump(viewer.user, [run.workspace_id])
        elif end == "session":
            from dashboard.accounts.access import bump_everywhere

            viewer.logout()
            bump_everywhere(viewer.user)
        else:
            from dashboard.runs.storage import deletion

            actions.delete_run(editor.member, run)
            deletion.delete_some()

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        await browser.take_until(1)
        await asyncio.sleep(0.15)
        await sync_to_async(take_away)()
        while isinstance(message := await browser.take(), dict):
            pass
        return message

    assert in_loop(visit()) == (consumers.NOT_FOUND if end == "run" else consumers.NO_ACCESS)


# ---------------------------------------------------------------- what comes


def test_a_live_run_is_followed_to_its_end(launch, viewer, in_loop, worker):
    run = launch(3, 100)

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        await browser.take()
        worker()
        while not browser.statuses or browser.statuses[-1]["state"] != "finished":
            await browser.take()
        await browser.disconnect()
        return browser

    browser = in_loop(visit())
    states = [status["state"] for status in browser.statuses]
    assert states[0] == "queued"
    assert states[-1] == "finished"
    assert browser.statuses[-1]["reason"] == Run.objects.get(pk=run.pk).finish_reason
    assert len(browser.batches) > 3
    seen = [event["seq"] for batch in browser.batches for event in batch["events"]]
    left_out = [seq for batch in browser.batches if batch["left_out"] for seq in range(*batch["left_out"])]
    assert sorted({*seen, *left_out} & set(public_seqs(run))) == public_seqs(run)
    assert len(seen) == len(set(seen))


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(4), 1))
def test_a_socket_that_is_cut_at_random_moments_misses_nothing(launch, viewer, in_loop, worker, monkeypatch, seed):
    chance = random.Random(seed)
    run = launch(4, 240)
    # Half of the clients see whole batches only, the others fetch what was left out.
    if seed % 2:
        monkeypatch.setattr(tailer, "EVENTS_PER_SECOND", 10**9)

    def fetch(first, last):
        answer = viewer.get(f"/w/team/runs/{run.number}/events/?first={first}&last={last}")
        return answer.json()

    async def life_of_a_tab():
        have, next_seq, cuts = {}, 0, 0
        while True:
            browser = Browser(viewer, run)
            await browser.start(next_seq)
            until = asyncio.get_running_loop().time() + chance.uniform(0.0, 0.25)
            while asyncio.get_running_loop().time() < until:
                if await browser.hears_nothing(0.02):
                    continue
                message = await browser.take()
                if message["type"] != "batch":
                    continue
                assert message["first"] == next_seq
                next_seq = message["last"] + 1
                for event in message["events"]:
                    assert event["seq"] not in have
                    have[event["seq"]] = event
                if message["left_out"]:
                    await fill(have, *message["left_out"])
            await browser.disconnect()
            cuts += 1
            run_now = await sync_to_async(Run.objects.select_related("head").get)(pk=run.pk)
            if run_now.has_ended and run_now.head.seq == next_seq:
                return have, cuts

    async def fill(have, first, last):
        while first <= last:
            page = await sync_to_async(fetch)(first, last)
            have.update({event["seq"]: event for event in page["events"]})
            first = page["last"] + 1

    async def everybody():
        worker(cycles=8, pause=0.03)
        return await asyncio.gather(*(life_of_a_tab() for _ in range(3)))

    for have, cuts in in_loop(everybody()):
        assert cuts > 3
        assert sorted(have) == public_seqs(run)


@pytest.mark.slow
def test_a_slow_client_falls_back_to_the_database(launch, viewer, in_loop, worker, monkeypatch):
    monkeypatch.setattr(tailer, "QUEUE_LIMIT", 2)
    lagged = []
    offer = tailer.Subscriber.offer
    monkeypatch.setattr(
        tailer.Subscriber, "offer", lambda self, frames: (offer(self, frames), lagged.append(self.is_lagging))
    )
    send = consumers.RunConsumer._send

    stalls = []

    async def slowly(self, text):
        if tailer.tailer._hubs and not stalls:
            stalls.append(self)
            while not any(lagged):
                await asyncio.sleep(0.01)
        await send(self, text)

    monkeypatch.setattr(consumers.RunConsumer, "_send", slowly)
    run = launch(3, 200)

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        worker(cycles=5, pause=0.05)
        while not browser.statuses or browser.statuses[-1]["state"] != "finished":
            await browser.take()
        await browser.disconnect()
        return browser

    browser = in_loop(visit())
    assert any(lagged)
    firsts = [batch["first"] for batch in browser.batches]
    assert firsts == [0, *(batch["last"] + 1 for batch in browser.batches[:-1])]


def test_asking_again_on_the_same_socket_starts_anew(launch, viewer, in_loop):
    run = launch(3, 10)
    head = finished(run)

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        await browser.take_until(head.seq)
        await browser.send({"from": 5})
        first = None
        while first is None:
            message = await browser.take()
            first = message["first"] if message["type"] == "batch" else None
        await browser.disconnect()
        return first

    assert in_loop(visit()) == 5


# ---------------------------------------------------------------- one socket's side, without a database


class Socket(consumers.RunConsumer):
    """A socket that notes what it sends; its right holds, and its run stands where it is told."""

    def __init__(self, place):
        super().__init__()
        self.place, self.sent_texts, self.pages = place, [], []

    async def _checked(self):
        return self.place

    async def _send(self, text):
        self.sent_texts.append(json.loads(text))

    async def _send_pages(self, seq, end, place):
        if seq < end:
            self.pages.append((seq, end))


def place_at(seq, state="running"):
    """Return where run 7 stands."""
    return RunProgress(
        run_id=7, seq=seq, cycle=1, at_us=0, state=state, is_pausing=False, error="", finish_reason="", access_version=1
    )


def test_who_looks_is_told_where_a_breakpoint_stopped_the_run_and_that_it_goes_on(launch, viewer, editor, in_loop):
    """Stopped, stepped and stopped again a moment later: each stop is told, also where the state is the same word."""
    made = create_breakpoint(editor.member, BreakpointFields("Fifth", "cycle:5"))
    run = launch(2, 12, breakpoints=(made,))

    def step():
        step_run(editor.member, run)
        execution.work()

    async def visit():
        browser, statuses = Browser(viewer, run), []
        await browser.start()
        for act in (execution.work, step):
            await sync_to_async(act)()
            while not statuses or statuses[-1]["state"] != "stopped" or (act is step and statuses[-1]["stop"]["name"]):
                message = await browser.take()
                statuses += [message] if message["type"] == "status" else []
        return [(message["stop"] or {}).get("name") for message in statuses if message["state"] == "stopped"]

    assert in_loop(visit()) == ["Fifth", ""]


def test_a_client_that_lagged_is_told_the_status_again(in_loop):
    """A status may have been among the messages that were dropped."""

    async def visit():
        socket, place = Socket(place_at(90, "finished")), place_at(90, "finished")
        socket.shown = place.standing
        subscriber = tailer.Subscriber(7, 1)
        subscriber.offer([tailer.SocketMessage(b"{}", 90)] * (tailer.QUEUE_LIMIT + 1))
        assert await socket._relay(subscriber) is socket.place
        await socket._catch_up(90, place)
        return socket.sent_texts

    assert [(text["type"], text["state"]) for text in in_loop(visit())] == [("status", "finished")]


def test_a_socket_reads_what_lies_between_its_seq_and_that_at_which_it_joins(in_loop, monkeypatch):
    async def visit():
        socket = Socket(place_at(30))
        socket.run_id, socket.shown = 7, socket.place.standing
        monkeypatch.setattr(tailer.tailer, "join", lambda subscriber, seq, place: tailer.Joined(30, place.standing))
        monkeypatch.setattr(socket, "_relay", ended)
        await socket._live(10)
        return socket.pages, socket.sent

    async def ended(subscriber):
        return None

    assert in_loop(visit()) == ([(10, 30)], 30)


# ---------------------------------------------------------------- messages


# ---------------------------------------------------------------- what was left out, over HTTP


def test_a_finished_run_comes_whole_in_pages(launch, viewer, in_loop, monkeypatch):
    monkeypatch.setattr(consumers, "PAGE_EVENTS", 100)
    run = launch(3, 60)
    head = finished(run)

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        await browser.take_until(head.seq)
        await browser.disconnect()
        return browser

    browser = in_loop(visit())
    assert browser.statuses[0]["state"] == "finished"
    assert [batch["first"] for batch in browser.batches] == list(range(0, head.seq, 100))
    assert [event["seq"] for batch in browser.batches for event in batch["events"]] == public_seqs(run)
    outcomes = sum(batch["counts"]["outcomes"].get("scheduled", 0) for batch in browser.batches)
    assert outcomes == 60
