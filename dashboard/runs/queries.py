"""Reads across cycles, from the summary rows.

All functions take a run that the caller looked up in its workspace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Min, Q, QuerySet

from dashboard.runs.models import (
    ENDED,
    Cycle,
    PluginVerdict,
    Preemption,
    QueueMove,
    RecordingKeyframe,
    Run,
    Victim,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Workspace

PAGE = 100
OUTCOMES = ("scheduled", "unschedulable", "error", "skipped")


# ---------------------------------------------------------------- runs


def list_runs(workspace: Workspace, state: str = "", text: str = "") -> QuerySet[Run]:
    """Return the workspace's runs, newest first, with heads and inputs loaded; `state` "live" means not ended."""
    runs = Run.objects.filter(workspace=workspace).select_related(
        *("head", "stop", "branch__origin", "created_by", "workspace", "revision__cluster"),
        *("config_revision__config", "timeline_revision__timeline"),
        *("tape_revision__tape", "declared_revision__declared"),
    )
    if state == "live":
        runs = runs.exclude(state__in=ENDED)
    elif state:
        runs = runs.filter(state=state)
    if text:
        runs = runs.filter(Q(name__icontains=text) | Q(revision__cluster__name__icontains=text))
    return runs.order_by("-number")


# ---------------------------------------------------------------- cycles


# Columns by which the list of cycles can be sorted, other than the order in which they ran.
CYCLE_SORTS = ("pod", "attempt", "priority", "feasible", "total", "margin")


def find_cycle(run: Run, number: int) -> Cycle | None:
    """Return the cycle's row, None where there is none."""
    return Cycle.objects.filter(run_id=run.pk, number=number).first()


def cycle_at_seq(run: Run, seq: int) -> Cycle | None:
    """Return the last cycle that started before event `seq`, None if none did."""
    return Cycle.objects.filter(run_id=run.pk, first_seq__lt=max(seq, 0)).order_by("-first_seq").first()


def last_attempt(run: Run, pod: str, seq: int) -> Cycle | None:
    """Return the last cycle of the pods of this name that started before event `seq`, None if none did."""
    return Cycle.objects.filter(run_id=run.pk, pod=pod, first_seq__lt=max(seq, 0)).order_by("-first_seq").first()


def has_started(run: Run) -> bool:
    """Return whether the run's initial state is recorded, which means that a worker has read its inputs."""
    return RecordingKeyframe.objects.filter(run_id=run.pk).exists()


# ---------------------------------------------------------------- pods, moves, preemptions


@dataclass(frozen=True)
class PodHistory:
    """The history of a pod: its attempts, its moves, preemptions that it caused and preemptions that evicted or spared
    it.

    `uid` is "" for the first pod of its name in the run; `namesakes` are the uids of all pods of the name that were
    queued, in order of time, with "" for the first. `is_cut`: there are more attempts or moves than these first ones.
    """

    pod: str
    uid: str
    namesakes: list[str]
    cycles: list[Cycle]
    moves: list[QueueMove]
    preemptions: list[Preemption]
    evictions: list[Victim]
    is_cut: bool = False

    @property
    def n_victim(self) -> int:
        """Return how often it was a victim; preemptions that spared it do not count."""
        return sum(not one.reprieved for one in self.evictions)


def of_pod(run: Run, pod: str, uid: str) -> dict[str, Any]:
    """Return the filter for rows of this pod: its name, and its uid if it is not the first of that name."""
    return {"run_id": run.pk, "pod": pod, "pod_uid": uid or None}


def namesakes(run: Run, pod: str) -> list[str]:
    """Return the uids of the pods of this name that were queued, in order of time; "" is the first pod's, which is
    listed even if it was bound from the start.
    """
    later = QueueMove.objects.filter(run_id=run.pk, pod=pod, pod_uid__isnull=False).values("pod_uid")
    uids = later.annotate(came=Min("seq")).order_by("came").values_list("pod_uid", flat=True)
    return ["", *(uid for uid in uids if uid)]


def count_attempts(run: Run, pod: str, uid: str) -> int:
    """Return the number of cycles of the pod."""
    return Cycle.objects.filter(**of_pod(run, pod, uid)).count()


def pod_history(run: Run, pod: str, uid: str = "", limit: int = 500) -> PodHistory:
    """Return the pod's history in order of seq: at most the first `limit` attempts and moves."""
    mine = of_pod(run, pod, uid)
    cycles = list(Cycle.objects.filter(**mine).order_by("number")[: limit + 1])
    moves = list(QueueMove.objects.filter(**mine).order_by("seq")[: limit + 1])
    numbers = [cycle.number for cycle in cycles[:limit]]
    return PodHistory(
        pod=pod,
        uid=uid,
        namesakes=namesakes(run, pod),
        cycles=cycles[:limit],
        moves=moves[:limit],
        preemptions=list(Preemption.objects.filter(run_id=run.pk, cycle__in=numbers).order_by("seq")),
        evictions=list(Victim.objects.filter(**mine).order_by("seq")[:limit]),
        is_cut=max(len(cycles), len(moves)) > limit,
    )


def attempts_around(run: Run, pod: str, uid: str, number: int, limit: int = 500, behind: int = 8) -> list[Cycle]:
    """Return the last `limit` attempts of the pod up to cycle `number` and up to `behind` after it, in order."""
    mine = Cycle.objects.filter(**of_pod(run, pod, uid))
    last = list(mine.filter(number__lte=number).order_by("-number")[:limit])
    return [*reversed(last), *mine.filter(number__gt=number).order_by("number")[:behind]]


def moves_between(run: Run, pod: str, uid: str, first_seq: int, end_seq: int) -> list[QueueMove]:
    """Return the pod's moves with first_seq <= seq < end_seq in order."""
    mine = QueueMove.objects.filter(**of_pod(run, pod, uid))
    return list(mine.filter(seq__gte=first_seq, seq__lt=end_seq).order_by("seq"))


def verdicts_among(run: Run, numbers: Iterable[int]) -> dict[int, list[PluginVerdict]]:
    """Return {cycle: its verdicts in order of the plugins} for these cycles."""
    refusals_by_cycle: dict[int, list[PluginVerdict]] = {}
    rows = PluginVerdict.objects.filter(run_id=run.pk, cycle__in=list(numbers)).order_by("cycle", "position")
    for verdict in rows:
        refusals_by_cycle.setdefault(verdict.cycle, []).append(verdict)
    return refusals_by_cycle


def list_victims(run: Run, cycles: list[int]) -> list[Victim]:
    """Return the pods that the preemptions of these cycles evicted or reprieved, in order of seq."""
    return list(Victim.objects.filter(run_id=run.pk, cycle__in=cycles).order_by("seq", "pod")) if cycles else []
