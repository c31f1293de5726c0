"""Reality computed by a worker, as agreement is: the table says what to compute, and a message wakes a worker."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from dashboard.agreement.models import CollectedBundle, RealityResult, RealityRows
from dashboard.common.database import work_queue
from dashboard.common.http.page_reader import page_reader
from dashboard.common.problems import Problem
from dashboard.runs import chosen
from dashboard.runs.chosen import ChosenConfiguration
from dashboard.runs.inputs import InputError, policies_from
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.turns import claim_by_turn
from scheduler_core import ENGINE_VERSION
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.reality import (
    HeldDecision,
    OtherConfiguration,
    Reality,
    RealityOptions,
    ready_configurations,
    reality,
)
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.reading import open_bundle
from scheduler_core.manifests.model import LoadError
from scheduler_core.simulate import ProfileError, RunInputs
from scheduler_core.versions.detecting import ClusterVersion

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from django.db.models import QuerySet

    from dashboard.clusters.models import Cluster
    from dashboard.runs.models import Run

MADE_BY = f"{ENGINE_VERSION}, reality 4"
TASK = "dashboard.agreement.tasks.compute_reality"
PIECE = 250
NOTHING = {"data": None, "error": "", "engine_version": "", "done": 0, "total": 0}
_decode = msgspec.json.Decoder(Reality).decode
_decode_rows = msgspec.json.Decoder(list[HeldDecision]).decode


def find_bundle(cluster: Cluster, pk: int | None = None) -> CollectedBundle | None:
    """Return the bundle of this number, else the one of the cluster that was kept last, without its data; None where
    there is none."""
    bundles = CollectedBundle.objects.filter(cluster=cluster, **({} if pk is None else {"pk": pk})).defer("data")
    return bundles.select_related("began", "ended", "timeline__timeline", "config__config").first()


def page_of(run: Run) -> str:
    """Return the address of the page about the bundle that a run's timeline came of, "" where it came of none."""
    of = CollectedBundle.objects.filter(timeline=run.timeline_revision_id, began=run.revision_id)
    row = of.values_list("pk", "cluster__slug", "cluster__workspace__slug").first()
    return "" if row is None else f"{reverse('agreement:reality', args=[row[2], row[1]])}?bundle={row[0]}"


def of_bundle(bundle: CollectedBundle) -> ChosenConfiguration:
    """Return the configuration that the bundle has, the defaults where it has none."""
    return ChosenConfiguration(revision=bundle.config) if bundle.config is not None else ChosenConfiguration()


def ask(bundle: CollectedBundle, configuration: ChosenConfiguration) -> RealityResult:
    """Return the comparison, asked for where this engine has not made it."""
    key = {"bundle": bundle, "config_sha256": configuration.sha256}
    result, _ = RealityResult.objects.get_or_create(**key, defaults={"config": configuration.name})
    if result.engine_version == MADE_BY:
        return result
    rows = RealityResult.objects.filter(pk=result.pk)
    rows.filter(asked_at=None).exclude(engine_version="").update(**NOTHING)
    if work_queue.ask(rows.filter(engine_version=""), asked_by=page_reader().user) or work_queue.ask_again(rows):
        waiting.wake_task(TASK)
    result.refresh_from_db()
    return result


def ask_again(bundle: CollectedBundle, configuration: ChosenConfiguration) -> None:
    """Have it computed again, whatever is there."""
    rows = RealityResult.objects.filter(bundle=bundle, config_sha256=configuration.sha256)
    rows.filter(asked_at=None).update(**NOTHING)
    ask(bundle, configuration)


def read_figures(result: RealityResult) -> Reality | None:
    """Return the figures without decisions, None while they are not there."""
    return None if result.data is None else _decode(zlib.decompress(bytes(result.data)))


def read_decisions(result: RealityResult) -> list[HeldDecision]:
    """Return all decisions in their order."""
    return _decisions(result.pk, result.made_at)


@lru_cache(maxsize=4)
def _decisions(pk: int, _made_at: datetime) -> list[HeldDecision]:
    rows = RealityRows.objects.filter(result_id=pk).order_by("number").values_list("data", flat=True)
    return [one for data in rows.iterator() for one in _decode_rows(zlib.decompress(bytes(data)))]


def is_waiting() -> bool:
    """Return whether a comparison has found no worker for a moment."""
    return _waiting_since(waiting.FOUND_NOBODY).exists()


def wake() -> None:
    """Wake a worker up for comparisons that wait so long that their message may be lost."""
    if _waiting_since(work_queue.SENT_AGAIN).exists():
        waiting.wake_task(TASK)


def _waiting_since(some_time: timedelta) -> QuerySet[RealityResult]:
    return RealityResult.objects.filter(work_queue.unclaimed(), work_queue.longer_ago("asked_at", some_time))


def work() -> bool:
    """Compute what is asked for; return whether there was anything. Raises OperationalError, InterfaceError."""
    done = False
    rows = RealityResult.objects.select_related("bundle__cluster__workspace", "bundle__config__config")
    for result in claim_by_turn(rows, "bundle__cluster__workspace"):
        _compute(result)
        done = True
    return done


def _compute(result: RealityResult) -> None:
    progress = work_queue.ClaimProgress(RealityResult.objects.filter(pk=result.pk))
    made: list[Reality] = []

    def compute() -> None:
        made.append(_reality(result.bundle, result.config, lambda done, of: progress(done=done, total=of)))

    error = work_queue.run_job(result, compute, (InputError, ProfileError, Problem, LoadError))
    _store(result, None if error else made[0], error)


def _reality(bundle: CollectedBundle, config: str, tell: Any) -> Reality:
    configuration = chosen.named(bundle.cluster.workspace, config)
    opened = open_bundle(ManifestSource(bundle.name, bytes(bundle.data)))
    own = of_bundle(bundle)
    if bundle.config is None:
        label = f"{configuration.label}, since the bundle has none"
        others = ready_configurations() if configuration.name == own.name else []
    elif configuration.sha256 == own.sha256:
        label, others = f"{configuration.label}, read from {opened.meta.configuration_of or 'the bundle'}", []
    else:
        label, others = configuration.label, [OtherConfiguration(f"{own.label} of the bundle", own.typed(), True)]
    # The version is the one that the bundle has, whatever a preset names.
    policies = policies_from({**configuration.policies_in(ClusterVersion()), "kubernetes": ""})
    inputs = RunInputs(objects=ClusterObjects(), configuration=configuration.typed(), policies=policies)
    return reality(opened, RealityOptions(inputs=inputs, configuration=label, others=others), None, tell)


def _store(result: RealityResult, made: Reality | None, error: str) -> None:
    data = None if made is None else zlib.compress(msgspec.json.encode(made.figures), 1)
    decisions = () if made is None else made.decisions
    pieces = [
        RealityRows(
            result=result, number=number, data=zlib.compress(msgspec.json.encode(decisions[at : at + PIECE]), 1)
        )
        for number, at in enumerate(range(0, len(decisions), PIECE))
    ]
    with transaction.atomic():
        RealityResult.objects.select_for_update().get(pk=result.pk)
        RealityRows.objects.filter(result=result).delete()
        RealityRows.objects.bulk_create(pieces, batch_size=200)
        RealityResult.objects.filter(pk=result.pk).update(
            data=data, error=error, engine_version=MADE_BY, asked_at=None, claimed_at=None, made_at=Now()
        )
