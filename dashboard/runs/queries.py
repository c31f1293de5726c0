"""Questions across cycles, answered from the summary rows.

All functions take a run that the caller found through its workspace.
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


def runs_of(workspace: Workspace, state: str = "", text: str = "") -> QuerySet[Run]:
    """Return the workspace's runs, newest first, with heads and inputs loaded; `state` "live" means not ended."""
    runs = Run.objects.filter(workspace=workspace).select_related(
        *("head", "stop", "branch__origin", "created_by", "workspace", "revision__cluster"),
        *("config_revision__config", "timeline_revision__timeline"),
    )
    if state == "live":
        runs = runs.exclude(state__in=ENDED)
    elif state:
        runs = runs.filter(state=state)
    if text:
        runs = runs.filter(Q(name__icontains=text) | Q(revision__cluster__name__icontains=text))
    return runs.order_by("-number")


# ---------------------------------------------------------------- cycles


# What the list of cycles can be sorted by, beside the order in which they ran.
CYCLE_SORTS = ("pod", "attempt", "priority", "feasible", "total", "margin")


def cycle_of(run: Run, number: int) -> Cycle | None:
    """Return the cycle's row, None where there is none."""
    return Cycle.objects.filter(run_id=run.pk, number=number).first()


def cycle_at_seq(run: Run, seq: int) -> Cycle | None:
    """Return the last cycle that had started when `seq` events had happened, None before the first."""
    return Cycle.objects.filter(run_id=run.pk, first_seq__lt=max(seq, 0)).order_by("-first_seq").first()


def has_started(run: Run) -> bool:
    """Return whether the run's state before its first event is recorded: a worker has read its inputs."""
    return RecordingKeyframe.objects.filter(run_id=run.pk).exists()


# ---------------------------------------------------------------- pods, moves, preemptions


@dataclass(frozen=True)
class PodHistory:
    """Everything that happened to a pod: its attempts, its moves, preemptions it caused and that hit (or spared) it.

    `uid` is "" for the first pod of its name in the run; `namesakes` are the uids of all pods of the name that came to
    the queue, the first one's "" among them, in order of time. `is_cut` where it had more attempts or moves than these
    first ones.
    """

    pod: str
    uid: str
    namesakes: list[str]
    cycles: list[Cycle]
    moves: list[QueueMove]
    preemptions: list[Preemption]
    evictions: list[Victim]
    is_cut: bool = False


def of_pod(run: Run, pod: str, uid: str) -> dict[str, Any]:
    """Return what rows of this pod have: its name, and its uid where it is not the first of that name."""
    return {"run_id": run.pk, "pod": pod, "pod_uid": uid or None}


def namesakes(run: Run, pod: str) -> list[str]:
    """Return the uids of the pods of this name that came to the queue, in order of time; "" is the first one's, which
    is named also where it was bound from the start."""
    later = QueueMove.objects.filter(run_id=run.pk, pod=pod, pod_uid__isnull=False).values("pod_uid")
    uids = later.annotate(came=Min("seq")).order_by("came").values_list("pod_uid", flat=True)
    return ["", *(uid for uid in uids if uid)]


def attempts_of(run: Run, pod: str, uid: str) -> int:
    """Return how many cycles the pod had."""
    return Cycle.objects.filter(**of_pod(run, pod, uid)).count()


def pod_history(run: Run, pod: str, uid: str = "", limit: int = 500) -> PodHistory:
    """Return the pod's story in order of seq, at most `limit` attempts and moves from its beginning."""
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
    """Return the pod's attempts up to cycle `number`, the last `limit` of them, and some that follow it, in order."""
    mine = Cycle.objects.filter(**of_pod(run, pod, uid))
    last = list(mine.filter(number__lte=number).order_by("-number")[:limit])
    return [*reversed(last), *mine.filter(number__gt=number).order_by("number")[:behind]]


def moves_between(run: Run, pod: str, uid: str, first_seq: int, end_seq: int) -> list[QueueMove]:
    """Return the pod's moves with first_seq <= seq < end_seq in order."""
    mine = QueueMove.objects.filter(**of_pod(run, pod, uid))
    return list(mine.filter(seq__gte=first_seq, seq__lt=end_seq).order_by("seq"))


def verdicts_among(run: Run, numbers: Iterable[int]) -> dict[int, list[PluginVerdict]]:
    """Return {cycle: its refusals in order of the plugins} of these cycles."""
    refusals_by_cycle: dict[int, list[PluginVerdict]] = {}
    rows = PluginVerdict.objects.filter(run_id=run.pk, cycle__in=list(numbers)).order_by("cycle", "position")
    for verdict in rows:
        refusals_by_cycle.setdefault(verdict.cycle, []).append(verdict)
    return refusals_by_cycle


def victims_of(run: Run, cycles: list[int]) -> list[Victim]:
    """Return the pods that the preemptions of these cycles evicted or reprieved, in order of seq."""
    return list(Victim.objects.filter(run_id=run.pk, cycle__in=cycles).order_by("seq", "pod")) if cycles else []
