"""The way to answer workers on any number of machines, and back: keys of Redis, and Celery's queue to wake them.

The questions stand in Redis (broker_scripts.py). A message in the queue says no more than that one more waits: the
worker that gets it takes the question whose turn it is (turns.py).

A question is `queued` until a worker takes it and `computing` while that one says so every half second. So the question
of a killed worker is put into the line again by the page that asks next.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from celery import current_app
from django.conf import settings

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport.board import WANTED_SECONDS
from dashboard.answers.transport.broker_scripts import BEAT, ENTER, LOOK, PREFIX, TAKE, WAITING
from dashboard.answers.transport.recent_replies import seconds_kept
from dashboard.answers.transport.turns import OwnQuestion, QueuedQuestion, admission, in_turn, queue_position
from dashboard.common.processes.celery_workers import connection_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

PRESENT = f"{PREFIX}present"
TASK = "dashboard.answers.tasks.answer_message"
QUEUE = "answers"
BEAT_SECONDS = 0.5
DEAD_SECONDS = 2.0
# A worker says so often that it takes questions, and is thought to be there for so long.
PRESENT_SECONDS = 2.0
ABSENT_SECONDS = 6.0
SLICE_SECONDS = 2.0
# A message may be taken for any question that waits, so it outlives the one that it was sent for.
MESSAGE_SECONDS = 120.0
# How often a page that has enough questions open looks whether it may ask one more.
HELD_SECONDS = 0.1
MOST_TRIES = 20
# The characters before a question's JSON: "1" where it is short or "0", and the number of the latest turn when it came.
HEAD = 16
HELD, ENTERED = "held", "entered"
_decode_reply = msgspec.json.Decoder(Reply).decode
_decode_request = msgspec.json.Decoder(Request).decode


def _reply_name(key: str) -> str:
    return f"{PREFIX}reply:{key}"


def _request_name(key: str) -> str:
    return f"{PREFIX}request:{key}"


@cache
def _redis() -> redis.Redis:
    # Every process imports this module with the tasks, the embedded set-up's without ever asking a Redis.
    import redis

    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5.0, socket_connect_timeout=2.0)


@cache
def _script(text: str) -> Any:
    return _redis().register_script(text)


def _run(text: str, *arguments: str | int) -> Any:
    return _script(text)(args=arguments)


# ---------------------------------------------------------------- the page's side


def ask(asked: Ask) -> AskResult:
    """Return the reply, or what the question waits for when the patience of the asker is over, also where no broker is
    there."""
    try:
        return _ask(asked)
    except connection_errors():
        return AskResult(waits_for=WaitsFor.WORKER)


def _ask(asked: Ask) -> AskResult:
    until = time.monotonic() + asked.patience
    said = _entered(asked)
    while said == HELD and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, HELD_SECONDS))
        said = _entered(asked, is_held=True)
    if isinstance(said, AskResult):
        return said
    reply = None if said == HELD else _wait(asked.request.key, until - time.monotonic())
    return AskResult(_decode_reply(reply)) if reply is not None else _waits(asked.request.key)


def _entered(asked: Ask, *, is_held: bool = False) -> AskResult | str:
    """Enter the question. Return HELD where its person has too many open, ENTERED where it waits or is computed, or
    else the result. A new question goes into the line, and the message that one more waits into the queue."""
    key = asked.request.key
    milliseconds = int(1000 * min(asked.patience + WANTED_SECONDS, asked.seconds))
    for _ in range(MOST_TRIES):
        is_late = int(asked.seconds <= 0)
        what, *rest = _run(LOOK, key, asked.person, asked.asker, milliseconds, int(is_held), asked.page, is_late)
        if what == b"found":
            return AskResult(_decode_reply(rest[0]))
        if what == b"dropped":
            return AskResult(is_dropped=True)
        if what in (b"replaced", b"late"):
            return AskResult(waits_for=WaitsFor.OTHERS)
        is_present, *others = rest
        if what == b"new":
            mine = _own_questions(others)
            room = admission(mine, asked.page)
            if not room.is_open:
                return HELD
            if not _enter(asked, milliseconds, room.drops, [one.key for one in mine]):
                continue  # Another thread of the same person was faster.
        return ENTERED if is_present else AskResult(waits_for=WaitsFor.WORKER)
    return HELD


def _own_questions(said: list[bytes]) -> list[OwnQuestion]:
    """A person's open questions, the oldest first, of what LOOK says."""
    words = [part.decode() for part in said]
    rows = [(place.split(" ", 1), key, state) for key, place, state in zip(*[iter(words)] * 3, strict=True)]
    return [OwnQuestion(key, page, state == "computing") for (_, page), key, state in sorted(rows)]


def _enter(asked: Ask, milliseconds: int, drops: str, mine: list[str]) -> bool:
    request = msgspec.json.encode(asked.request).decode()
    said = _run(
        ENTER,
        asked.request.key,
        asked.person,
        asked.asker,
        milliseconds,
        int(1000 * asked.seconds),
        asked.page,
        request,
        drops,
        int(asked.request.is_short),
        *mine,
    )
    if said == b"new":
        try:
            current_app.send_task(TASK, args=[request], queue=QUEUE, expires=MESSAGE_SECONDS)
        except Exception:
            _redis().delete(_request_name(asked.request.key))
            raise
    return bool(said != b"again")


def _waits(key: str) -> AskResult:
    """What a question waits for that has entered; one that is held back comes after all others."""
    turns = _in_turn()
    if _redis().get(_request_name(key)) == b"computing":
        return AskResult(waits_for=WaitsFor.RESULT)
    return AskResult(waits_for=WaitsFor.OTHERS, place=queue_position(key, turns))


def _wait(key: str, patience: float) -> bytes | None:
    """The list's only entry, as soon as there is one; it stays there for the others who wait."""
    until, reply, name = time.monotonic() + patience, None, _reply_name(key)
    while reply is None and (left := until - time.monotonic()) > 0:
        # 0 would be for ever, and the connection gives up after its own time.
        reply = _redis().blmove(name, name, min(max(left, 0.01), SLICE_SECONDS))  # type: ignore[arg-type]
    return reply if isinstance(reply, bytes) else None


def _in_turn() -> list[tuple[str, str]]:
    """The questions that wait, in their order, with the person whose turn each is."""
    waiting, turns, now = _run(WAITING)
    questions = [
        QueuedQuestion(
            key=key.decode(),
            is_short=head[:1] == b"1",
            people=[person.decode() for person in people],
            arrived=int(float(arrived)),
            turn=int(head[1:]),
        )
        for key, head, arrived, *people in waiting
    ]
    return in_turn(questions, {person.decode(): int(turn) for person, turn in turns}, int(now))


# ---------------------------------------------------------------- the worker's side


@dataclass(frozen=True)
class TakenQuestion:
    """A question that this process computes, and the seconds to its deadline."""

    request: Request
    seconds: float


def take(message: Request) -> TakenQuestion | None:
    """Take the question whose turn it is, None where none waits.

    Before an upgrade, web processes put a question nowhere but into its message.
    """
    for key, person in _in_turn():
        if taken := _take(key, person):
            return taken
    return _take(message.key, "", message)


def _take(key: str, person: str, message: Request | None = None) -> TakenQuestion | None:
    said = _run(TAKE, key, person, int(1000 * DEAD_SECONDS))
    if not said:
        return None
    left, question = said
    request = _decode_request(question[HEAD:]) if question else message
    return None if request is None else TakenQuestion(request, left / 1000)


def answered(message: Request, compute: Callable[[Request, float, Callable[[], bool]], Reply]) -> bool:
    """Compute the question whose turn it is and leave its reply for those who wait; return whether there was one.

    `compute` gets the seconds that are left, and a function that says when nobody waits any more.
    """
    taken = take(message)
    if taken is None:
        return False
    request = taken.request
    with Beat(request.key) as beat:
        reply = compute(request, taken.seconds, beat.is_unwanted)
    name = _reply_name(request.key)
    with _redis().pipeline() as pipe:
        if not (reply.is_partial and beat.is_unwanted()):
            pipe.delete(name)
            pipe.rpush(name, msgspec.json.encode(reply))
            pipe.pexpire(name, int(1000 * seconds_kept(request, reply)))
        pipe.delete(_request_name(request.key), f"{PREFIX}question:{request.key}")
        pipe.execute()
    return True


class Beat:
    """Says every half second that a question is being computed, and notices that nobody waits for it any more."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.stopping = threading.Event()
        self.nobody = False
        self.thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def once(self) -> bool:
        """Say it; return False where nobody waits any more."""
        return bool(_run(BEAT, self.key, int(1000 * DEAD_SECONDS)))

    def is_unwanted(self) -> bool:
        """Return whether nobody waits any more."""
        return self.nobody

    def __enter__(self) -> Beat:
        self.thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stopping.set()
        self.thread.join()

    def _run(self) -> None:
        while not self.nobody and not self.stopping.wait(BEAT_SECONDS):
            try:
                self.nobody = not self.once()
            except connection_errors():
                continue  # Redis is away for a moment; the next question reports it.


class Presence(threading.Thread):
    """Tells web processes that a worker takes questions."""

    def __init__(self) -> None:
        super().__init__(name="presence", daemon=True)
        self.stopping = threading.Event()

    def run(self) -> None:
        """Say it until stopped."""
        while not self.stopping.is_set():
            # Without Redis nobody asks; it is said again in a moment.
            with suppress(*connection_errors()):
                _redis().set(PRESENT, b"1", px=int(1000 * ABSENT_SECONDS))
            self.stopping.wait(PRESENT_SECONDS)
