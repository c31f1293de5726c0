"""Answers a request in a worker: everything in it is checked again, and no exception gets out."""

from __future__ import annotations

import logging
import threading
import time
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from django.conf import settings

from dashboard.answers.answering.cluster_source import ClusterSource
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.messages import Reply
from dashboard.answers.registry import KINDS, decode_question
from dashboard.clusters.models import Revision
from dashboard.clusters.revisions import contents
from dashboard.common.monitoring.log_context import logged_with
from dashboard.common.problems import Problem
from dashboard.runs.inputs import InputError
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import BranchError, ProfileError

if TYPE_CHECKING:
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.messages import Request

log = logging.getLogger(__name__)
NO_RUN = "This run does not exist, or it is of another workspace."
NO_REVISION = "This revision does not exist, or it is of another workspace."
# Trials change a kept session and put it back; two at once would see each other's changes, in a pool of threads too.
_one_at_a_time = threading.Lock()
BROKEN = "The answer could not be computed; the log of the answer worker says why."


@cache
def sessions() -> Sessions:
    """Return this process's cache between questions."""
    return Sessions(settings.ANSWERS_MAX_BYTES, _forget_all)


def _forget_all() -> None:
    recordings.forget()
    contents.cache.clear()


def reply_to(request: Request, limit: TimeLimit) -> Reply:
    """Return the reply: an answer, or a message that says why there is none. Never raises."""
    of = {"revision": request.revision} if request.revision else {"run": request.run}
    with _one_at_a_time, logged_with(request_id=request.request_id, workspace_id=request.workspace, **of):
        return _reply_to(request, limit)


def _reply_to(request: Request, limit: TimeLimit) -> Reply:
    began = time.monotonic()
    try:
        answer = _answer(request, limit)
    except (InputError, BranchError, ProfileError, RecordingError, Problem) as error:
        return Reply(error=f"{error}.", seconds=time.monotonic() - began)
    except Exception:
        log.exception("no answer to %s about run %s", request.question, request.run)
        return Reply(error=BROKEN, seconds=time.monotonic() - began)
    finally:
        sessions().shrink()
    if answer is None:
        return Reply(error=NO_REVISION if request.revision else NO_RUN)
    return Reply(msgspec.Raw(answer), seconds=time.monotonic() - began, is_partial=limit.was_hit)


def question_name(request: Request) -> str:
    """Return the name of the request's question, "unknown" for none that there is."""
    try:
        return decode_question(bytes(request.question)).name
    except msgspec.MsgspecError:
        return "unknown"


def _answer(request: Request, limit: TimeLimit) -> bytes | None:
    """The answer's JSON; None where the workspace has no such run or revision: its name came in a message, not from a
    member."""
    question = decode_question(bytes(request.question))
    kind = KINDS[question.name]
    of_revision = kind.is_of_revision
    source = _revision(request) if of_revision else Source.named(request.run, request.workspace, sessions())
    return None if source is None else msgspec.json.encode(kind.answering(source, question, limit))


def _revision(request: Request) -> ClusterSource | None:
    revisions = Revision.objects.select_related("cluster__workspace")
    revision = revisions.filter(pk=request.revision, cluster__workspace_id=request.workspace).first()
    return None if revision is None else ClusterSource(revision, sessions())
