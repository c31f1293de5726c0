"""The way to answer workers on any number of machines: Celery's queue there, and back by keys of Redis.

`request` is a question in the queue, `wanted` holds who waits for it until when, `reply` is a list of one entry, so
that any number of web processes may block on it without taking it away. All keys expire; Redis' own clock counts.

A question is `queued` until a worker takes it and `computing` while that one says so every half second. So the question
of a killed worker is put into the queue again by the page that asks next.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from celery import current_app
from django.conf import settings

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport.board import FINAL_SECONDS, PASSING_SECONDS, WANTED_SECONDS
from dashboard.common.processes.connections import connection_errors

if TYPE_CHECKING:
    import redis

PREFIX = "schedscope:answers:"
WANTED, LINE, PRESENT = f"{PREFIX}wanted:", f"{PREFIX}line", f"{PREFIX}present"
TASK = "dashboard.answers.tasks.answer_message"
QUEUE = "answers"
BEAT_SECONDS = 0.5
DEAD_SECONDS = 2.0
# A worker says so often that it takes questions, and is thought to be there for so long.
PRESENT_SECONDS = 2.0
ABSENT_SECONDS = 6.0
SLICE_SECONDS = 2.0

# KEYS: reply, request, wanted, line, asker, present.
# ARGV: key, asker, milliseconds that it is wanted, milliseconds to the deadline, what names of `wanted` begin with.
_ASK = """
local reply = redis.call('LINDEX', KEYS[1], 0)
if ARGV[2] ~= '' then
  local before = redis.call('GET', KEYS[5])
  if before and before ~= ARGV[1] then redis.call('ZREM', ARGV[5] .. before, ARGV[2]) end
  redis.call('SET', KEYS[5], ARGV[1], 'PX', 120000)
end
if reply then return {'found', reply} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[2])
redis.call('PEXPIRE', KEYS[3], 120000)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - 120000)
local state = redis.call('GET', KEYS[2])
if state == 'computing' then return {'result', '0'} end
local is_new = 'old'
if not state then
  redis.call('SET', KEYS[2], 'queued', 'PX', math.max(tonumber(ARGV[4]), 1))
  redis.call('ZADD', KEYS[4], now, ARGV[1])
  is_new = 'new'
end
if redis.call('EXISTS', KEYS[6]) == 0 then return {'worker', '0', is_new} end
return {'others', tostring((redis.call('ZRANK', KEYS[4], ARGV[1]) or 0) + 1), is_new}
"""

# KEYS: request, wanted, line. ARGV: key, milliseconds that it counts as being computed.
# The milliseconds that it counted before, to its deadline when a worker takes it; 0 where nobody waits.
_BEAT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = redis.call('PTTL', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if left <= 0 or redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], 'computing', 'PX', ARGV[2])
return left
"""
_decode_reply = msgspec.json.Decoder(Reply).decode


class BrokerKeys:
    """The names of what Redis holds of a question."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.reply, self.request, self.askers = f"{PREFIX}reply:{key}", f"{PREFIX}request:{key}", f"{WANTED}{key}"


@cache
def _redis() -> redis.Redis:
    # Every process imports this module with the tasks, the embedded set-up's without ever asking a Redis.
    import redis

    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5.0, socket_connect_timeout=2.0)


# ---------------------------------------------------------------- the page's side


def ask(asked: Ask) -> AskResult:
    """Return the reply, or after so much patience what the question waits for; a broker that is away counts as such."""
    try:
        return _ask(asked)
    except connection_errors():
        return AskResult(waits_for=WaitsFor.WORKER)


def _ask(asked: Ask) -> AskResult:
    keys, connection = BrokerKeys(asked.request.key), _redis()
    asker_milliseconds = int(1000 * (asked.patience + WANTED_SECONDS))
    names = [keys.reply, keys.request, keys.askers, LINE, f"{PREFIX}asker:{asked.asker}", PRESENT]
    arguments = [keys.key, asked.asker, asker_milliseconds, int(1000 * asked.seconds), WANTED]
    what, detail, *is_new = [part.decode() for part in _script(_ASK)(keys=names, args=arguments)]
    if what == "found":
        return AskResult(_decode_reply(detail))
    if is_new == ["new"]:
        _send(asked, keys)
    if asked.patience > 0 and what != WaitsFor.WORKER:
        reply = _wait(connection, keys.reply, asked.patience)
        if reply is not None:
            return AskResult(_decode_reply(reply))
    return AskResult(waits_for=what, place=int(detail))


def _send(asked: Ask, keys: BrokerKeys) -> None:
    message = msgspec.json.encode(asked.request).decode()
    try:
        current_app.send_task(TASK, args=[message], queue=QUEUE, expires=max(asked.seconds, 0.01))
    except Exception:
        _redis().delete(keys.request)
        raise


def _wait(connection: redis.Redis, name: str, patience: float) -> bytes | None:
    """The list's only entry, as soon as there is one; it stays there for the others who wait."""
    until, reply = time.monotonic() + patience, None
    while reply is None and (left := until - time.monotonic()) > 0:
        # 0 would be for ever, and the connection gives up after its own time.
        reply = connection.blmove(name, name, min(max(left, 0.01), SLICE_SECONDS))  # type: ignore[arg-type]
    return reply if isinstance(reply, bytes) else None


@cache
def _script(text: str) -> Any:
    return _redis().register_script(text)


# ---------------------------------------------------------------- the worker's side


def answered(request: Request, compute: Callable[[Request, float, Callable[[], bool]], Reply]) -> bool:
    """Compute the request and leave its reply for those who wait; return whether anybody waited.

    `compute` gets the seconds that are left, and a function that says when nobody waits any more.
    """
    beat = Beat(BrokerKeys(request.key))
    left = beat.once()
    if not left:
        return False
    with beat:
        reply = compute(request, left, beat.is_unwanted)
    keys, is_lasting = beat.keys, request.is_final and not reply.is_partial and not reply.error
    with _redis().pipeline() as pipe:
        if not (reply.is_partial and beat.is_unwanted()):
            pipe.delete(keys.reply)
            pipe.rpush(keys.reply, msgspec.json.encode(reply))
            pipe.pexpire(keys.reply, int(1000 * (FINAL_SECONDS if is_lasting else PASSING_SECONDS)))
        pipe.delete(keys.request)
        pipe.execute()
    return True


class Beat:
    """Says every half second that a question is being computed, and notices that nobody waits for it any more."""

    def __init__(self, keys: BrokerKeys) -> None:
        self.keys = keys
        self.stopping = threading.Event()
        self.nobody = False
        self.thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def once(self) -> float:
        """Say it; return 0 where nobody waits, else for how many seconds more it counted before."""
        names = [self.keys.request, self.keys.askers, LINE]
        left: int = _script(_BEAT)(keys=names, args=[self.keys.key, int(1000 * DEAD_SECONDS)])
        return left / 1000

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
                continue  # Redis is away for a moment; who asks then is told so.


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
