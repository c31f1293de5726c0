"""Values that occur in a run's fields and how often, for completions; read from rows and cached per head."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, F

from dashboard.clusters.revisions import object_store
from dashboard.common.lru_cache import LruCache
from dashboard.common.pages.numbers import plural
from dashboard.query.compiling import EMPTY
from dashboard.query.expressions import NamespacePart
from dashboard.runs.models import Cycle, PluginScore, PluginVerdict, Preemption, QueueMove, Run
from scheduler_core.query import Field, FieldKind, QuerySubject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.db.models import QuerySet

MOST = 30
KEPT = 64
_NODES = ("node", "chosen", "second")
_CYCLE_COLUMNS = {"chosen": "node", "second": "second_node"}
_OF_CYCLES = ("outcome", "priority", "attempt", "profile", "node", "chosen", "second")
_MOVE_COLUMNS = {"from": "source", "to": "target", "cause": "event"}


@dataclass(frozen=True)
class FieldValue:
    """A value, and the number of the run's cycles, pods or nodes that have it; `noun` says which, "" if they were not
    counted.
    """

    text: str
    count: int = 0
    noun: str = ""

    @property
    def count_text(self) -> str:
        """Return "574 cycles"."""
        return plural(self.count, self.noun) if self.noun else ""


_kept: LruCache[list[FieldValue]] = LruCache(KEPT)
_node_names: LruCache[list[str]] = LruCache(8)


def values_in(run: Run, field: Field, begun: str) -> list[FieldValue]:
    """Return at most MOST values of the field that contain `begun`; those that start with it come first."""
    if field.kind is FieldKind.POD:
        return _pods(run, begun)
    key = (run.pk, run.created_at, run.head.seq, field.subject, field.name)
    values = _kept.get(key, lambda: _values(run, field))
    part = begun.lower()
    fitting = [one for one in values if part in one.text.lower()]
    return sorted(fitting, key=lambda one: not one.text.lower().startswith(part))[:MOST]


def _pods(run: Run, begun: str) -> list[FieldValue]:
    cycles = Cycle.objects.filter(run_id=run.pk)
    count_of: dict[str, int] = {}
    for filters in ({"pod__startswith": begun}, {"pod__contains": f"/{begun}"}):
        if len(count_of) < MOST:
            counted = cycles.filter(**filters).order_by("pod").values_list("pod").annotate(count=Count("*"))
            count_of |= dict(counted[:MOST])
    return [FieldValue(pod, count, "cycle") for pod, count in list(count_of.items())[:MOST]]


def _values(run: Run, field: Field) -> list[FieldValue]:
    """All values of a field other than a pod's, the most frequent first; empty for fields without completion."""
    make = _MAKERS.get((field.subject, field.name)) or _MAKERS_OF_ANY.get(field.name)
    return make(run, field.name) if make is not None else []


def _counted(rows: QuerySet[Any], column: Any, noun: str, empty: str = "") -> list[FieldValue]:
    pairs = rows.order_by().annotate(value=column).values_list("value").annotate(count=Count("*"))
    counts = [(empty if value in (None, "") else str(value), count) for value, count in pairs]
    return _most_first(((text, count) for text, count in counts if text), noun)


def _most_first(pairs: Iterable[tuple[str, int]], noun: str) -> list[FieldValue]:
    return [FieldValue(text, count, noun) for text, count in sorted(pairs, key=lambda one: (-one[1], one[0]))]


def _of_cycles(run: Run, name: str) -> list[FieldValue]:
    values = _counted(Cycle.objects.filter(run_id=run.pk), F(_CYCLE_COLUMNS.get(name, name)), "cycle")
    if name not in _NODES:
        return values
    counted = {one.text for one in values}
    return [*values, *(FieldValue(node, 0, "cycle") for node in _nodes(run) if node not in counted)]


def _nodes(run: Run) -> list[str]:
    revision = run.revision
    key = (revision.cluster.workspace_id, revision.sha256)
    return _node_names.get(
        key, lambda: [entry.key[2] for entry in object_store.read_index(revision) if entry.key[0] == "Node"]
    )


def _namespaces(run: Run, _name: str) -> list[FieldValue]:
    return _counted(Cycle.objects.filter(run_id=run.pk), NamespacePart("pod"), "cycle")


def _moves(run: Run, name: str) -> list[FieldValue]:
    moves = QueueMove.objects.filter(run_id=run.pk)
    return _counted(moves, F(_MOVE_COLUMNS[name]), "move", EMPTY.get(name, ""))


def _criteria(run: Run, name: str) -> list[FieldValue]:
    return _counted(Preemption.objects.filter(run_id=run.pk), F("criterion"), "preemption", EMPTY[name])


def _deciding(run: Run, _name: str) -> list[FieldValue]:
    return _counted(PluginScore.objects.filter(run_id=run.pk, decided=True), F("plugin"), "cycle")


def _refusing(run: Run, _name: str) -> list[FieldValue]:
    verdicts = PluginVerdict.objects.filter(run_id=run.pk).order_by()
    return _most_first(verdicts.values_list("plugin").annotate(count=Count("cycle", distinct=True)), "cycle")


def _reasons(run: Run, _name: str) -> list[FieldValue]:
    """Single reasons; a verdict's column has them joined by commas."""
    counts: Counter[str] = Counter()
    verdicts = PluginVerdict.objects.filter(run_id=run.pk).order_by()
    for joined, count in verdicts.values_list("reasons").annotate(count=Count("cycle", distinct=True)):
        counts.update({reason: count for reason in joined.split(", ") if reason})
    return _most_first(counts.items(), "verdict")


_MAKERS: dict[tuple[QuerySubject, str], Callable[[Run, str], list[FieldValue]]] = {
    **{(QuerySubject.CYCLE, name): _of_cycles for name in _OF_CYCLES},
    **{(QuerySubject.MOVE, name): _moves for name in _MOVE_COLUMNS},
    (QuerySubject.CYCLE, "decided_by"): _deciding,
    (QuerySubject.PREEMPTION, "criterion"): _criteria,
}
# Fields of every subject.
_MAKERS_OF_ANY: dict[str, Callable[[Run, str], list[FieldValue]]] = {
    "namespace": _namespaces,
    "node": _of_cycles,
    "plugin": _refusing,
    "refusal.plugin": _refusing,
    "reason": _reasons,
    "refusal.reason": _reasons,
}
