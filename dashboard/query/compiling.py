"""Compiles queries to database conditions (`Q`) on rows of cycles, moves and preemptions, where these rows hold every
field that the query uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual

from dashboard.query.expressions import Glob, HasText, NamespacePart
from dashboard.runs.models import Cycle, PluginScore, PluginVerdict, Preemption, QueueMove, Victim
from scheduler_core.query import AllOf, AnyOf, Condition, Expression, FieldKind, Not, Query, QuerySubject, parse
from scheduler_core.query.fields import OUTSIDE
from scheduler_core.recording.quantities import NARROW, PLACED

if TYPE_CHECKING:
    from django.db import models
    from django.db.models.expressions import Combinable

MODELS: Mapping[QuerySubject, type[models.Model]] = {
    QuerySubject.CYCLE: Cycle,
    QuerySubject.MOVE: QueueMove,
    QuerySubject.PREEMPTION: Preemption,
}
SEQ = {QuerySubject.CYCLE: "first_seq", QuerySubject.MOVE: "seq", QuerySubject.PREEMPTION: "seq"}
_NUMBERS = {"<": LessThan, "<=": LessThanOrEqual, ">": GreaterThan, ">=": GreaterThanOrEqual, "=": Exact}
# The words that queries use for the empty value of a column, by field.
EMPTY = {"from": OUTSIDE, "to": OUTSIDE, "criterion": "none"}

Leaf = Callable[[Condition], Q]


class NotOfRows(Exception):
    """The rows do not hold a field that the query uses; the recording has to be read."""


def _column(name: str) -> Leaf:
    return lambda condition: _compared(condition, F(name), name)


def _namespace(name: str) -> Leaf:
    return lambda condition: _compared(condition, NamespacePart(name), "")


def _flag(**filters: Any) -> Leaf:
    return lambda _: Q(**filters)


def _any_of(model: type[models.Model], key: tuple[str, str], leaf: Leaf, **filters: Any) -> Leaf:
    """A condition: some row of the model fulfils `filters` and has the subject's value in `key` (name of the column in
    the model, name in the subject).
    """
    rows = {"run_id": OuterRef("run_id"), key[0]: OuterRef(key[1]), **filters}
    return lambda condition: Q(Exists(model._default_manager.filter(**rows).filter(leaf(condition))))


def _decided(condition: Condition) -> Q:
    deciding = _any_of(PluginScore, ("cycle", "number"), _column("plugin"), decided=True)
    return Q(tie_count__lte=1) & deciding(condition)


_OF_CYCLE = ("cycle", "number")
_OF_SEQ = ("seq", "seq")
_CYCLE: dict[str, Leaf] = {
    "cycle": _column("number"),
    "seq": _column("first_seq"),
    "at": _column("at_us"),
    "namespace": _namespace("pod"),
    "chosen": _column("node"),
    "nodes": _column("n_nodes"),
    "second": _column("second_node"),
    "ties": _column("tie_count"),
    "tie": _flag(outcome=PLACED, tie_count__gt=1),
    "narrow": _flag(outcome=PLACED, tie_count=1, margin__isnull=False, margin__lt=NARROW),
    "preempting": _flag(preempting=True),
    "refusal.plugin": _any_of(PluginVerdict, _OF_CYCLE, _column("plugin")),
    "refusal.reason": _any_of(PluginVerdict, _OF_CYCLE, _column("reasons")),
    "refusal.nodes": _any_of(PluginVerdict, _OF_CYCLE, _column("nodes")),
    "decided_by": _decided,
    **{name: _column(name) for name in ("pod", "attempt", "profile", "priority", "outcome", "node", "message")},
    **{name: _column(name) for name in ("visited", "feasible", "total", "margin")},
}
_MOVE: dict[str, Leaf] = {
    "at": _column("at_us"),
    "namespace": _namespace("pod"),
    "from": _column("source"),
    "to": _column("target"),
    "cause": _column("event"),
    "attempt": _column("attempts"),
    "backoff": lambda condition: _compared(condition, F("backoff_until_us") - F("at_us"), "backoff_until_us"),
    **{name: _column(name) for name in ("seq", "pod", "plugin")},
}
_PREEMPTION: dict[str, Leaf] = {
    "at": _column("at_us"),
    "namespace": _namespace("pod"),
    "eligible": _flag(eligible=True),
    "victim": _any_of(Victim, _OF_SEQ, _column("pod"), reprieved=False),
    "victim.namespace": _any_of(Victim, _OF_SEQ, _namespace("pod"), reprieved=False),
    "victim.priority": _column("victim_priority"),
    "reprieved": _any_of(Victim, _OF_SEQ, _column("pod"), reprieved=True),
    **{name: _column(name) for name in ("seq", "pod", "node", "criterion", "message")},
    **{name: _column(name) for name in ("candidates", "victims", "violations")},
}
_LEAVES = {QuerySubject.CYCLE: _CYCLE, QuerySubject.MOVE: _MOVE, QuerySubject.PREEMPTION: _PREEMPTION}


def of_rows(text: str) -> Q:
    """Return the condition of a query that is known to be about cycles and their rows."""
    return compiled(parse(text))


def compiled(query: Query) -> Q:
    """Return the query as a condition on rows of its subject's model; raises NotOfRows where the rows lack a field of
    it.
    """
    if query.subject not in MODELS:
        raise NotOfRows
    return Q() if query.where is None else _expression(query.where, query.subject)


def _expression(where: Expression, subject: QuerySubject) -> Q:
    if isinstance(where, Condition):
        return _leaf(where, subject)
    if isinstance(where, Not):
        return ~_expression(where.part, subject)
    parts = [_expression(part, subject) for part in where.parts]
    assert isinstance(where, AllOf | AnyOf)
    return reduce(and_ if isinstance(where, AllOf) else or_, parts)


def _leaf(condition: Condition, subject: QuerySubject) -> Q:
    field = condition.field
    leaf = _LEAVES[field.subject].get(field.name)
    if leaf is None:
        raise NotOfRows
    if field.subject is subject:
        return leaf(condition)
    if subject is not QuerySubject.PREEMPTION:
        # Rows of moves have no column for the cycle.
        raise NotOfRows
    cycle = Cycle.objects.filter(run_id=OuterRef("run_id"), number=OuterRef("cycle"))
    return Q(Exists(cycle.filter(leaf(condition))))


def _compared(condition: Condition, value: Combinable, nullable: str) -> Q:
    """Compare a column with the condition's value; false where the column, of the name `nullable`, is null or empty."""
    kind, text = condition.field.kind, str(condition.value)
    if kind in (FieldKind.NUMBER, FieldKind.TIME):
        present = Q(**{f"{nullable}__isnull": False}) if nullable in _NULLABLE else Q()
        return present & Q(_NUMBERS[condition.operator](value, int(condition.value)))
    if kind is FieldKind.CHOICE:
        return Q(Exact(value, "" if EMPTY.get(condition.field.name) == text else text))
    if condition.operator == "~":
        return Q(HasText(value, text)) & ~Q(Exact(value, ""))
    if "*" in text:
        return Q(Glob(value, text)) & ~Q(Exact(value, ""))
    return Q(Exact(value, text)) & ~Q(Exact(value, ""))


_NULLABLE = frozenset({"total", "margin", "backoff_until_us", "victim_priority"})
