"""Hits and counts of a query in one run, from database rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, Subquery
from django.db.models.expressions import ExpressionWrapper

from dashboard.query.compiling import EMPTY, MODELS, SEQ, NotOfRows, compiled
from dashboard.query.expressions import NamespacePart
from dashboard.runs.models import Cycle, PluginVerdict, Preemption, Victim
from scheduler_core.query import Query, QuerySubject
from scheduler_core.query.hits import Hit, HitPlace, cycle_text, move_text, preemption_text
from scheduler_core.query.search import END, GROUPS_OF, LIMIT, MAX_GROUPS, MAX_LIMIT, HitCounts, HitNumber, HitPage
from scheduler_core.recording.events import PreemptionDecided, QueueMove
from scheduler_core.recording.events import VictimSet as Victims
from scheduler_core.recording.rows import CycleRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from dashboard.runs.models import Run

# {group: column of the subject's rows}; those of a cycle's refusals are columns of its verdicts, below.
_GROUPS = {
    "namespace": NamespacePart("pod"),
    "node": F("node"),
    "outcome": F("outcome"),
    "plugin": F("plugin"),
    "cause": F("event"),
    "criterion": F("criterion"),
}
_OF_VERDICTS = {"refusal.plugin": "plugin", "refusal.reason": "reasons"}


def is_of_rows(run: Run, query: Query) -> bool:
    """Return whether the run's rows hold every field of the query; rows that an older version wrote may
    lack a column.
    """
    return are_of_rows([run], query)


def are_of_rows(runs: Sequence[Run], query: Query) -> bool:
    """Return whether the rows of all runs hold every field of the query."""
    try:
        compiled(query)
    except NotOfRows:
        return False
    if any(condition.field.name == "victim.priority" for condition in query.conditions()):
        older = Preemption.objects.filter(run_id__in=_keys(runs), victims__gt=0, victim_priority__isnull=True)
        return not older.exists()
    return True


def _keys(runs: Sequence[Run]) -> list[int]:
    return [run.pk for run in runs]


def _matching(run: Run, query: Query) -> QuerySet[Any]:
    return MODELS[query.subject]._default_manager.filter(run_id=run.pk).filter(compiled(query))


def cycles_matching(run: Run, query: Query) -> QuerySet[Cycle]:
    """Return the run's cycles that match a query of cycles; raises NotOfRows."""
    return _matching(run, query)


def page_of_rows(
    run: Run, query: Query, limit: int, start: HitPlace | None = None, *, backward: bool = False
) -> HitPage:
    """Return the hits after `start`, or before it if `backward`, in the form of `page_of_hits`; raises NotOfRows."""
    seq, rows = SEQ[query.subject], _matching(run, query)
    if start is not None:
        rows = rows.filter(**{f"{seq}__lt" if backward else f"{seq}__gt": start.seq})
    size = min(limit, MAX_LIMIT)
    chosen = list(_HITS[query.subject](rows.order_by(f"-{seq}" if backward else seq)[: size + 1]))
    is_end = len(chosen) <= size
    return HitPage(tuple(chosen[:size]), END if is_end else LIMIT, run.head.seq if is_end else chosen[size].seq)


def count_rows(run: Run, query: Query, n_buckets: int = 1, width_us: int = 1, group: str = "") -> HitCounts:
    """Return counts in the form of `count_hits`, for `n_buckets` intervals of `width_us` microseconds each; raises
    NotOfRows.
    """
    rows = _matching(run, query)
    number = ExpressionWrapper(F("at_us") / max(width_us, 1), output_field=BigIntegerField())
    buckets = [0] * n_buckets
    for bucket, count in rows.order_by().annotate(bucket=number).values_list("bucket").annotate(count=Count("*")):
        buckets[min(bucket, n_buckets - 1)] += count
    groups = _grouped(run, query, rows.order_by(), GROUPS_OF[query.subject][group]) if group else []
    return HitCounts(sum(buckets), tuple(buckets), tuple(groups[:MAX_GROUPS]), len(groups), END, run.head.seq)


def total_of_rows(runs: Sequence[Run], query: Query) -> int:
    """Return the number of hits in all runs together, without listing them; raises NotOfRows."""
    condition = compiled(query)
    return MODELS[query.subject]._default_manager.filter(run_id__in=_keys(runs)).filter(condition).count()


def number_of_rows(run: Run, query: Query, moment: int) -> HitNumber:
    """Return the number of the hit at the moment, in the form of HitNumbering; raises NotOfRows."""
    rows = _matching(run, query).order_by()
    last = "last_seq" if query.subject is QuerySubject.CYCLE else "seq"
    counts = rows.aggregate(
        total=Count("*"),
        before=Count("pk", filter=Q(**{f"{last}__lt": moment - 1})),
        here=Count("pk", filter=Q(**{last: moment - 1})),
    )
    return HitNumber(counts["total"], counts["before"], counts["here"], END, run.head.seq)


def _grouped(run: Run, query: Query, rows: QuerySet[Any], field: str) -> list[tuple[str, int]]:
    if field in _OF_VERDICTS:
        column = _OF_VERDICTS[field]
        verdicts = PluginVerdict.objects.filter(run_id=run.pk, cycle__in=rows.values("number")).exclude(**{column: ""})
        counted = verdicts.order_by().values_list(column).annotate(count=Count("cycle", distinct=True))
    else:
        counted = rows.annotate(value=_GROUPS[field]).values_list("value").annotate(count=Count("*"))
    pairs = ((value or EMPTY.get(field, ""), count) for value, count in counted)
    return sorted(((value, count) for value, count in pairs if value), key=lambda one: (-one[1], one[0]))


# ---------------------------------------------------------------- hits


def _cycles(rows: QuerySet[Cycle]) -> list[Hit]:
    return [_cycle_hit(row) for row in rows]


def _cycle_hit(row: Cycle) -> Hit:
    facts = CycleRow(
        row.number, row.first_seq, row.last_seq, row.pod, row.attempt, row.profile, row.priority, row.template,
        row.outcome, row.node, row.message, row.n_nodes, row.visited, row.feasible, row.total, row.second_node,
        row.second_total, row.margin, row.tie_count, row.at_us, row.preempting,
    )  # fmt: skip
    text = cycle_text(facts)
    return Hit("cycle", row.first_seq, 0, row.at_us, row.number, row.pod, "", row.node, text)


def _moves(rows: QuerySet[Any]) -> list[Hit]:
    before = Cycle.objects.filter(run_id=OuterRef("run_id"), first_seq__lte=OuterRef("seq")).order_by("-first_seq")
    hits = []
    for row in rows.annotate(
        around=Subquery(before.values("number")[:1]), until=Subquery(before.values("last_seq")[:1])
    ):
        event = QueueMove(
            at=row.at_us, pod=row.pod, source=row.source, target=row.target, event=row.event, plugin=row.plugin
        )
        cycle = row.around if row.around and row.seq <= row.until else 0
        hits.append(Hit("move", row.seq, 0, row.at_us, cycle, row.pod, row.plugin, "", move_text(event)))
    return hits


def _preemptions(rows: QuerySet[Preemption]) -> list[Hit]:
    preemptions = list(rows)
    victims: dict[int, list[str]] = {}
    if preemptions:
        evicted = Victim.objects.filter(
            run_id=preemptions[0].run_id, seq__in=[row.seq for row in preemptions], reprieved=False
        )
        for seq, pod in evicted.order_by("seq", "position").values_list("seq", "pod"):
            victims.setdefault(seq, []).append(pod)
    return [_preemption_hit(row, victims.get(row.seq, [])) for row in preemptions]


def _preemption_hit(row: Preemption, victims: list[str]) -> Hit:
    event = PreemptionDecided(
        at=row.at_us,
        cycle=row.cycle,
        pod=row.pod,
        eligible=row.eligible,
        message=row.message,
        chosen=Victims(row.node, tuple(victims)) if row.node else None,
    )
    return Hit("preemption", row.seq, 0, row.at_us, row.cycle, row.pod, "", row.node, preemption_text(event))


_HITS: dict[QuerySubject, Any] = {
    QuerySubject.CYCLE: _cycles,
    QuerySubject.MOVE: _moves,
    QuerySubject.PREEMPTION: _preemptions,
}
