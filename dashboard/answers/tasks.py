"""The task of answer workers: one question, one reply. Locally a socket is in front of it, elsewhere a broker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec
from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down

from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.computing import question_name, reply_to, sessions
from dashboard.answers.figures import figures
from dashboard.answers.messages import Reply, Request
from dashboard.answers.transport import broker

if TYPE_CHECKING:
    from collections.abc import Callable

# So long before the deadline a computation is to return what it has, so that its page still gets it.
RETURN_SECONDS = 0.25
# A computation that does not end by itself is ended with its process, which the worker replaces.
LONGEST_SECONDS = 90


def answer(request: Request, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
    """Return the reply to a request with `seconds` left; ends early when nobody waits for it any more."""
    limit = TimeLimit(time.monotonic() + max(seconds - RETURN_SECONDS, 0.0), is_unwanted)
    reply = reply_to(request, limit)
    result = "error" if reply.error else "partial" if reply.is_partial else "answer"
    figures.add(question_name(request), result, reply.seconds)
    return reply


# A worker that was killed by a question is not to get it again: the page that waits asks again until its deadline.
@shared_task(acks_late=False, reject_on_worker_lost=False, time_limit=LONGEST_SECONDS)
def answer_message(message: str) -> None:
    """Answer a request (JSON) of a web process, where somebody still waits for it."""
    broker.answered(msgspec.json.decode(message, type=Request), answer)
    figures.write(len(sessions()))


# ---------------------------------------------------------------- workers that take questions

_present: list[broker.Presence] = []


@worker_ready.connect
def say_present(sender: Any = None, **_signal: Any) -> None:
    """Tell web processes that this worker is there, where it takes questions."""
    queues = sender.app.amqp.queues.consume_from if sender is not None else {}
    if broker.QUEUE in queues:
        thread = broker.Presence()
        _present.append(thread)
        thread.start()


@worker_shutting_down.connect
def say_gone(**_signal: Any) -> None:
    """Say it no longer; another worker's word stays."""
    for thread in _present:
        thread.stopping.set()
