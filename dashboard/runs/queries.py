"""Questions across cycles, answered from the summary rows.

All functions take a run that the caller found through its workspace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet

from dashboard.runs.models import (
    ENDED,
    Cycle,
    PluginScore,
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
        *("head", "stop", "created_by", "workspace", "revision__cluster"),
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


@dataclass(frozen=True)
class CycleFilter:
    """Which cycles: empty fields let everything pass. `plugin` refused a node first (for exactly the `reasons`, joined
    as verdicts have them, where these are given); `decided` was the deciding score.

    Where the winner was drawn among equals, no plugin decided.

    `pod` is a whole key, `text` a part of a pod's or node's name.
    """

    outcome: str = ""
    pod: str = ""
    node: str = ""
    plugin: str = ""
    reasons: str = ""
    decided: str = ""
    text: str = ""
    preempting: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether every cycle passes."""
        return self == CycleFilter()

    def apply(self, run: Run) -> QuerySet[Cycle]:
        """Return the run's cycles that pass."""
        cycles = Cycle.objects.filter(run_id=run.pk)
        for name in ("outcome", "pod", "node"):
            if value := getattr(self, name):
                cycles = cycles.filter(**{name: value})
        if self.plugin or self.reasons:
            named = {name: value for name in ("plugin", "reasons") if (value := getattr(self, name))}
            refused = PluginVerdict.objects.filter(run_id=run.pk, cycle=OuterRef("number"), **named)
            cycles = cycles.filter(Exists(refused))
        if self.decided:
            deciding = PluginScore.objects.filter(
                run_id=run.pk, cycle=OuterRef("number"), plugin=self.decided, decided=True
            )
            cycles = cycles.filter(Exists(deciding), tie_count__lte=1)
        if self.text:
            cycles = cycles.filter(Q(pod__icontains=self.text) | Q(node__icontains=self.text))
        return cycles.filter(preempting=True) if self.preempting else cycles


@dataclass(frozen=True)
class CyclePage:
    """Cycles in ascending order; `before` and `after` are cycle numbers to ask for the neighbouring pages, or None."""

    items: list[Cycle]
    before: int | None
    after: int | None


def cycles_page(
    run: Run, cycle_filter: CycleFilter, after: int | None = None, before: int | None = None, size: int = PAGE
) -> CyclePage:
    """Return the cycles behind number `after`, or the last ones before number `before`, or else the first ones."""
    cycles = cycle_filter.apply(run)
    if before is not None:
        rows = list(cycles.filter(number__lt=before).order_by("-number")[: size + 1])
        more, items = len(rows) > size, rows[:size][::-1]
        return CyclePage(items, items[0].number if more else None, items[-1].number if items else None)
    rows = list(cycles.filter(number__gt=after or 0).order_by("number")[: size + 1])
    items = rows[:size]
    earlier = items and cycles.filter(number__lt=items[0].number).exists()
    return CyclePage(items, items[0].number if earlier else None, items[-1].number if len(rows) > size else None)


# What the list of cycles can be sorted by, beside the order in which they ran.
CYCLE_SORTS = ("pod", "attempt", "priority", "feasible", "total", "margin")


def sorted_cycles(
    run: Run, cycle_filter: CycleFilter, sort: str, is_down: bool, page: int, size: int = PAGE
) -> list[Cycle]:
    """Return one page (from 1) of the cycles that pass, by one of CYCLE_SORTS, those without a value last; equals stand
    in the order in which they ran. Sorts all that pass: 10,000 take some 20 ms."""
    key = F(sort).desc(nulls_last=True) if is_down else F(sort).asc(nulls_last=True)
    at = (page - 1) * size
    return list(cycle_filter.apply(run).order_by(key, "number")[at : at + size])


@dataclass(frozen=True)
class PagePosition:
    """Where a page stands among the cycles that pass: places `first` to `last` of `total`, counted from 1."""

    first: int
    last: int
    total: int


def position_of(run: Run, cycle_filter: CycleFilter, page: CyclePage) -> PagePosition:
    """Return the place of a page; counts the cycles that pass where not all do."""
    if not page.items:
        return PagePosition(0, 0, 0)
    start = page.items[0].number
    if cycle_filter.is_open:
        return PagePosition(start, page.items[-1].number, run.head.cycle)
    passing = cycle_filter.apply(run)
    before = passing.filter(number__lt=start).count()
    return PagePosition(before + 1, before + len(page.items), passing.count())


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


def reasons_of_failures(run: Run, limit: int) -> list[dict[str, Any]]:
    """Return {plugin, reasons, cycles}: in how many cycles that found no node a plugin gave these reasons first."""
    failed = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").values("number")
    rows = PluginVerdict.objects.filter(run_id=run.pk, cycle__in=failed).values("plugin", "reasons")
    totals = rows.annotate(cycles=Count("cycle", distinct=True)).order_by("-cycles", "plugin", "reasons")
    return [dict(row) for row in totals[:limit]]


def refusing_plugins(run: Run) -> list[str]:
    """Return the plugins that refused a node in some cycle, by name."""
    verdicts = PluginVerdict.objects.filter(run_id=run.pk).order_by("plugin")
    return list(verdicts.values_list("plugin", flat=True).distinct())


def victims_of(run: Run, cycles: list[int]) -> list[Victim]:
    """Return the pods that the preemptions of these cycles evicted or reprieved, in order of seq."""
    return list(Victim.objects.filter(run_id=run.pk, cycle__in=cycles).order_by("seq", "pod")) if cycles else []
