"""Agreement computed beside the web server: asked for by a page, done by a Celery task, told how far it is.

What is to be computed stands in the table; a message only wakes a worker up, so one that is lost is sent again.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec
from django.db import transaction
from django.db.models.functions import Now

from dashboard.agreement.models import AgreementResult
from dashboard.agreement.stored_rows import put_rows
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.stored_events import events_of
from dashboard.common.database import work_queue
from dashboard.common.problems import Problem
from dashboard.runs import chosen
from dashboard.runs.inputs import InputError, load_objects, policies_from
from dashboard.runs.lifecycle import waiting
from scheduler_core import ENGINE_VERSION
from scheduler_core.explain.agreement import (
    Agreement,
    AgreementFigures,
    ScoreAgreement,
    agreement,
    score_agreement,
    scores_in_annotations,
    scores_in_log,
    told_by,
)
from scheduler_core.simulate import ProfileError, RunInputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.runs.chosen import ChosenConfiguration

TASK = "dashboard.agreement.tasks.compute"
MAX_LOG_BYTES = 16 << 20
LOGS_KEPT = 5
NOTHING = {"data": None, "error": "", "engine_version": "", "done": 0, "total": 0}


class StoredComparison(msgspec.Struct, kw_only=True):
    """What is kept of a comparison: the whole dump's figures with the simulator's annotations, or a log's scores."""

    pods: AgreementFigures | None = None
    annotations: ScoreAgreement | None = None
    logs: ScoreAgreement | None = None


_decode = msgspec.json.Decoder(StoredComparison).decode


def ask(revision: Revision, configuration: ChosenConfiguration) -> AgreementResult:
    """Return the comparison of this revision by this configuration, asked for where this engine has not made it."""
    key = {"revision": revision, "config_sha256": configuration.sha256, "log_sha256": ""}
    found, _ = AgreementResult.objects.get_or_create(**key, defaults={"config": configuration.name})
    return go_on(found)


def ask_again(revision: Revision, configuration: ChosenConfiguration) -> None:
    """Have it computed anew, whatever is there."""
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
    found, _ = AgreementResult.objects.get_or_create(
        revision=revision,
        config_sha256=configuration.sha256,
        log_sha256=sha256(text).hexdigest(),
        defaults={"config": configuration.name, "log": zlib.compress(text, 1)},
    )
    logs = AgreementResult.objects.filter(revision=revision).exclude(log_sha256="")
    newest = list(logs.order_by("-made_at", "-pk").values_list("pk", flat=True)[:LOGS_KEPT])
    logs.exclude(pk__in=[*newest, found.pk]).delete()
    return go_on(found)


def go_on(found: AgreementResult) -> AgreementResult:
    """Return it as it is now; where this engine has not made it, see to it that a worker knows."""
    rows = AgreementResult.objects.filter(pk=found.pk)
    if found.engine_version != ENGINE_VERSION:
        rows.exclude(engine_version="").filter(asked_at=None).update(**NOTHING)
        if work_queue.ask(rows.filter(engine_version="")) or work_queue.ask_again(rows):
            waiting.wake_task(TASK)
        found.refresh_from_db()
    return found


def report_of(found: AgreementResult) -> StoredComparison | None:
    """Return what was computed, None while it is not there."""
    return None if found.data is None else _decode(zlib.decompress(bytes(found.data)))


def work() -> bool:
    """Compute what is asked for; return whether there was anything. Raises OperationalError, InterfaceError."""
    done = False
    for result in work_queue.claim(AgreementResult.objects.select_related("revision__cluster__workspace")):
        _compute(result)
        done = True
    return done


def _compute(result: AgreementResult) -> None:
    rows = AgreementResult.objects.filter(pk=result.pk)
    progress = work_queue.ClaimProgress(rows)
    report, found = StoredComparison(), None

    def compute() -> None:
        nonlocal report, found
        report, found = _report(result, lambda done, of: progress(done=done, total=of))

    error = work_queue.error_of(result, compute, (InputError, ProfileError, Problem))
    data = None if error else zlib.compress(msgspec.json.encode(report), 1)
    with transaction.atomic():
        if found is not None:
            put_rows(result, found)
        rows.update(
            data=data, error=error, engine_version=ENGINE_VERSION, asked_at=None, claimed_at=None, made_at=Now()
        )


def _report(found: AgreementResult, progress: Any) -> tuple[StoredComparison, Agreement | None]:
    configuration = chosen.named(found.revision.cluster.workspace, found.config)
    objects = load_objects(found.revision)
    inputs = RunInputs(
        objects=objects, configuration=configuration.typed(), policies=policies_from(configuration.policies)
    )
    if found.log is not None:
        text = zlib.decompress(bytes(found.log)).decode("utf-8", "replace")
        return StoredComparison(logs=score_agreement(inputs, scores_in_log(text))), None
    annotated = scores_in_annotations(objects.pods)
    contents = contents_of(found.revision)
    events = events_of(found.revision, contents)
    pods = agreement(inputs, told_by(_raw_pods(contents), events), events, progress=progress)
    annotations = score_agreement(inputs, annotated) if annotated.of or annotated.problems else None
    return StoredComparison(pods=pods.figures, annotations=annotations), pods


def _raw_pods(contents: Contents) -> Iterator[dict[str, Any]]:
    return (contents.by_key[key] for key in contents.by_key if key.kind == "Pod")
