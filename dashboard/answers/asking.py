"""What pages call: `ask`. The answer comes from an answer worker, never from the process that shows it."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from django.conf import settings
from django.utils.module_loading import import_string

from dashboard.answers.messages import Ask, AskResult, Request
from dashboard.answers.outcomes import Answer, Dropped, Failed, Outcome, TooLate, Waiting, WaitsFor
from dashboard.answers.registry import KINDS, answer_key, key_of_revision
from dashboard.common.http.page_reader import page_reader
from dashboard.common.http.prefetch import refuse_prefetch
from dashboard.common.http.turns import turns
from dashboard.common.monitoring.log_context import field

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.questions import (
        AgreementOf,
        CapacityQuestion,
        DevicesOf,
        DrainOf,
        FitOf,
        Question,
        WhatChangesOf,
    )
    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run

# A deadline in an address counts for at most this many seconds from now.
LONGEST_SECONDS = 60.0


# Before the first question about a run an answer worker reads its inputs: this many pods a second beside other work.
READ_PODS_PER_SECOND = 5_000


def seconds_allowed(question: Question, run: Run | None = None) -> float:
    """Return how long a page waits for the answer: the question's own time plus the time to read the run's inputs."""
    reading = 0 if run is None else run.n_pods // READ_PODS_PER_SECOND
    return KINDS[question.name].seconds + reading


def answer_deadline(question: Question, run: Run | None = None) -> float:
    """Return the deadline of a question that is asked now, in seconds since the epoch."""
    return time.time() + seconds_allowed(question, run)


def ask(run: Run, question: Question, deadline: float, *, asker: str = "", patience: float = 0.0) -> Outcome:
    """Return the answer, or a state to show until it is there. Call it again with the same question until then.

    The caller has found the run as a member of its workspace (`find_run`); the worker looks for it in that workspace
    alone. `deadline` in seconds since the epoch, as `answer_deadline` gave it when the question was first asked. It
    waits `patience` seconds for the answer, never longer than until the deadline. A later question of the same `asker`
    (one part of one page) takes the place of this one.
    """
    encoded = msgspec.json.encode(question)
    is_short = KINDS[question.name].is_short
    key = answer_key(run, encoded)
    request = Request(key, run.pk, run.workspace_id, msgspec.Raw(encoded), run.has_ended, is_short=is_short)
    return _ask(request, question, deadline, asker, patience)


def ask_of_revision(
    revision: Revision,
    question: FitOf | DevicesOf | DrainOf | AgreementOf | WhatChangesOf | CapacityQuestion,
    deadline: float,
    *,
    asker: str = "",
    patience: float = 0.0,
) -> Outcome:
    """As `ask`, for a question about a revision of a cluster, which the caller has found as a member."""
    encoded, workspace = msgspec.json.encode(question), revision.cluster.workspace_id
    request = Request(key_of_revision(revision, encoded), 0, workspace, msgspec.Raw(encoded), True, revision.pk)
    return _ask(request, question, deadline, asker, patience)


def _ask(request: Request, question: Question, deadline: float, asker: str, patience: float) -> Outcome:
    refuse_prefetch()
    request = msgspec.structs.replace(request, request_id=str(field("request_id")))
    seconds = min(deadline - time.time(), LONGEST_SECONDS)
    reader, seconds = page_reader(), max(seconds, 0.0)
    person = f"{request.workspace}:{reader.user}"
    ask = Ask(request, asker, seconds, max(min(patience, seconds), 0.0), person, reader.page)
    with turns.pause():
        result = _transport()(ask)
    return _outcome(question, result, deadline)


def _outcome(question: Question, result: AskResult, deadline: float) -> Outcome:
    reply = result.reply
    if result.is_dropped:
        return Dropped()
    if reply is None:
        return TooLate() if time.time() >= deadline else Waiting(WaitsFor(result.waits_for), result.place)
    if reply.error:
        return Failed(reply.error)
    value = msgspec.json.decode(bytes(reply.answer), type=KINDS[question.name].answer_type)
    return Answer(value, reply.seconds, reply.is_partial)


@cache
def _transport() -> Callable[[Ask], AskResult]:
    """The transport's function, as the setting names it."""
    transport: Callable[[Ask], AskResult] = import_string(settings.ANSWERS_TRANSPORT)
    return transport
