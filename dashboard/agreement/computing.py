"""Agreement computed beside the web server: by an answer worker where that takes a moment, else by a Celery task.

The task says how far it is. What it is to compute stands in the table; a message only wakes a worker up, so one that
is lost is sent again.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec
from django.db import transaction
from django.db.models.functions import Now

from dashboard.agreement.models import AgreementResult
from dashboard.agreement.stored_rows import put_rows
from dashboard.answers.answering.agreement import Compared, agreement_inputs, compared
from dashboard.answers.asking import ask_of_revision
from dashboard.answers.outcomes import Answer, Waiting, WaitsFor
from dashboard.answers.panel import PATIENCE_SECONDS, deadline_in
from dashboard.answers.questions import AgreementOf
from dashboard.common.database import work_queue
from dashboard.common.http.page_reader import page_reader
from dashboard.common.problems import Problem
from dashboard.runs import chosen
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.turns import claim_by_turn
from scheduler_core import ENGINE_VERSION
from scheduler_core.explain.agreement import (
    Agreement,
    AgreementFigures,
    ScoreAgreement,
    log_agreement,
)
from scheduler_core.simulate import ProfileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta
    from typing import Any

    from django.db.models import QuerySet

    from dashboard.clusters.models import Revision
    from dashboard.runs.chosen import ChosenConfiguration

# The engine, and the version of what is looked at beside its decisions: what others found is decided again.
MADE_BY = f"{ENGINE_VERSION}, messages dated, log in order, version of the cluster"
TASK = "dashboard.agreement.tasks.compute"
MAX_LOG_BYTES = 16 << 20
LOGS_KEPT = 5
NOTHING = {"data": None, "error": "", "engine_version": "", "done": 0, "total": 0}
# What has more objects is a background task from the beginning.
MOST_IN_A_MOMENT = 2_000
# How long the page itself waits for the answer worker.
PAGE_PATIENCE_SECONDS = 0.4


@dataclass(frozen=True)
class Asked:
    """A comparison, and what it waits for where an answer worker is asked, until when (milliseconds of the epoch)."""

    result: AgreementResult
    waits: Waiting | None = None
    until: int = 0


class StoredComparison(msgspec.Struct, kw_only=True):
    """What is kept of a comparison: the whole dump's figures with the simulator's annotations, or a log's scores;
    `followed` says which version decided, with its evidence, and what it was taken from."""

    pods: AgreementFigures | None = None
    annotations: ScoreAgreement | None = None
    logs: ScoreAgreement | None = None
    followed: str = ""


_decode = msgspec.json.Decoder(StoredComparison).decode


def ask(revision: Revision, configuration: ChosenConfiguration) -> AgreementResult:
    """Return the comparison of this revision by this configuration, asked for where this engine has not made it."""
    return go_on(_find_result(revision, configuration))


def _find_result(revision: Revision, configuration: ChosenConfiguration) -> AgreementResult:
    key = {"revision": revision, "config_sha256": configuration.sha256, "log_sha256": ""}
    return AgreementResult.objects.get_or_create(**key, defaults={"config": configuration.name})[0]


def ask_in_a_moment(revision: Revision, configuration: ChosenConfiguration, query: Mapping[str, str]) -> Asked:
    """Return the comparison, or how it is waited for: an answer worker is asked where the revision has few objects.

    What it cannot do within its time, or where there is none, is a background task. `query` is that of the page's
    address: a request that waits for the answer has its deadline in it. Raises BadQuery.
    """
    result = _find_result(revision, configuration)
    if result.engine_version == MADE_BY or result.asked_at is not None or revision.n_objects > MOST_IN_A_MOMENT:
        return Asked(go_on(result))
    _forget_older(result)
    question = AgreementOf(config=configuration.name, config_sha256=configuration.sha256)
    deadline = deadline_in(query, question)
    patience = PATIENCE_SECONDS if query.get("until") else PAGE_PATIENCE_SECONDS
    outcome = ask_of_revision(revision, question, deadline, patience=patience)
    match outcome:
        case Answer(Compared(Agreement() as pods, annotations)):
            _store(result, StoredComparison(pods=pods.figures, annotations=annotations), pods)
            result.refresh_from_db()
            return Asked(result)
        case Waiting(WaitsFor.OTHERS | WaitsFor.RESULT):
            return Asked(result, outcome, int(deadline * 1000))
    return Asked(go_on(result))


def ask_again(revision: Revision, configuration: ChosenConfiguration) -> None:
    """Have it computed again, whatever is there."""
    rows = AgreementResult.objects.filter(revision=revision, config_sha256=configuration.sha256, log_sha256="")
    rows.filter(asked_at=None).update(**NOTHING)
    ask(revision, configuration)


def ask_of_log(revision: Revision, configuration: ChosenConfiguration, text: bytes) -> AgreementResult:
    """Return the comparison of a log's scores; the last few logs of a revision are kept.

    Raises Problem where the log is empty or too large.
    """
    if not text.strip():
        raise Problem("Paste the scheduler's log, or choose its file.", title="There is no log")
    if len(text) > MAX_LOG_BYTES:
        raise Problem(f"The log has more than {MAX_LOG_BYTES >> 20} MiB. Send the lines that speak of scores.")
    result, _ = AgreementResult.objects.get_or_create(
        revision=revision,
        config_sha256=configuration.sha256,
        log_sha256=sha256(text).hexdigest(),
        defaults={"config": configuration.name, "log": zlib.compress(text, 1)},
    )
    logs = AgreementResult.objects.filter(revision=revision).exclude(log_sha256="")
    newest = list(logs.order_by("-made_at", "-pk").values_list("pk", flat=True)[:LOGS_KEPT])
    logs.exclude(pk__in=[*newest, result.pk]).delete()
    return go_on(result)


def go_on(result: AgreementResult) -> AgreementResult:
    """Return it as it is now; where this engine has not made it, see to it that a worker knows."""
    rows = AgreementResult.objects.filter(pk=result.pk)
    if result.engine_version != MADE_BY:
        _forget_older(result)
        if work_queue.ask(rows.filter(engine_version=""), asked_by=page_reader().user) or work_queue.ask_again(rows):
            waiting.wake_task(TASK)
        result.refresh_from_db()
    return result


def _forget_older(result: AgreementResult) -> None:
    """Take out what another engine has made of it."""
    if result.engine_version not in ("", MADE_BY):
        AgreementResult.objects.filter(pk=result.pk, asked_at=None).exclude(engine_version="").update(**NOTHING)
        result.refresh_from_db()


def agreeing(revision: Revision) -> str:
    """Return "28/30" of the revision's comparison made last by this engine, "" where there is none."""
    made = AgreementResult.objects.filter(revision=revision, log_sha256="", engine_version=MADE_BY, error="")
    newest = made.exclude(data=None).values_list("pk", "made_at").first()
    return "" if newest is None else _agreeing(*newest)


@lru_cache(maxsize=256)
def _agreeing(pk: int, _made_at: datetime) -> str:
    """The same of a result made at that moment; what it holds beside the figures may be large."""
    result = AgreementResult.objects.filter(pk=pk).first()
    figures = read_report(result) if result is not None else None
    if figures is None or figures.pods is None or not figures.pods.n_compared:
        return ""
    return f"{figures.pods.n_agree:,}/{figures.pods.n_compared:,}"


def read_report(result: AgreementResult) -> StoredComparison | None:
    """Return what was computed, None while it is not there."""
    return None if result.data is None else _decode(zlib.decompress(bytes(result.data)))


def is_waiting() -> bool:
    """Return whether a comparison has found no worker for a moment."""
    return _waiting_since(waiting.FOUND_NOBODY).exists()


def wake() -> None:
    """Wake a worker up for comparisons that wait so long that their message may be lost."""
    if _waiting_since(work_queue.SENT_AGAIN).exists():
        waiting.wake_task(TASK)


def _waiting_since(some_time: timedelta) -> QuerySet[AgreementResult]:
    return AgreementResult.objects.filter(work_queue.unclaimed(), work_queue.longer_ago("asked_at", some_time))


def work() -> bool:
    """Compute what is asked for; return whether there was anything. Raises OperationalError, InterfaceError."""
    done = False
    rows = AgreementResult.objects.select_related("revision__cluster__workspace")
    for result in claim_by_turn(rows, "revision__cluster__workspace"):
        _compute(result)
        done = True
    return done


def _compute(result: AgreementResult) -> None:
    progress = work_queue.ClaimProgress(AgreementResult.objects.filter(pk=result.pk))
    report, pods = StoredComparison(), None

    def compute() -> None:
        nonlocal report, pods
        report, pods = _report(result, lambda done, of: progress(done=done, total=of))

    error = work_queue.run_job(result, compute, (InputError, ProfileError, Problem))
    _store(result, report, pods, error)


def _store(result: AgreementResult, report: StoredComparison, pods: Agreement | None, error: str = "") -> None:
    data = None if error else zlib.compress(msgspec.json.encode(report), 1)
    with transaction.atomic():
        # The row's lock: two that have the same answer store it one after the other.
        AgreementResult.objects.select_for_update().get(pk=result.pk)
        if pods is not None:
            put_rows(result, pods)
        AgreementResult.objects.filter(pk=result.pk).update(
            data=data, error=error, engine_version=MADE_BY, asked_at=None, claimed_at=None, made_at=Now()
        )


def _report(result: AgreementResult, progress: Any) -> tuple[StoredComparison, Agreement | None]:
    configuration = chosen.named(result.revision.cluster.workspace, result.config)
    followed = configuration.followed_text(result.revision)
    if result.log is not None:
        text = zlib.decompress(bytes(result.log)).decode("utf-8", "replace")
        inputs = agreement_inputs(result.revision, configuration)
        return StoredComparison(logs=log_agreement(inputs, text.splitlines), followed=followed), None
    made = compared(result.revision, configuration, progress)
    assert made.pods is not None
    return StoredComparison(pods=made.pods.figures, annotations=made.annotations, followed=followed), made.pods
