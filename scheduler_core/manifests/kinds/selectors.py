"""Label selectors and node selectors from raw values (validation as apimachinery and core/v1 do)."""

from __future__ import annotations

import re

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import WorkloadSelector
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import (
    dns_label_problem,
    label_key_problem,
    label_value_problem,
    name_problem,
    service_problem,
)
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.model import quoted

_WHOLE = re.compile(r"\d{1,19}", re.ASCII)
LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
_RULES = {"Service": service_problem, "StatefulSet": dns_label_problem}
_REQUIREMENT = ("key", "operator", "values")
REQUIRED_TERM, PREFERRED_TERM, ADDED_TERM = "required", "preferred", "added"
"""Whose term it is: a requirement of an object, a preference of a pod (in which the API server admits values that no
label can have), or the scheduler's own addedAffinity (which refuses whatever it cannot parse)."""


def label_selector(at: At) -> LabelSelector | None:
    """The selector, None when absent."""
    if not at.present:
        return None
    at.mapping(("matchLabels", "matchExpressions"))
    equal = [Requirement(k, "In", (v,)) for k, v in sorted(at.get("matchLabels").labels().items())]
    rest = [requirement(item, LABEL_OPERATORS) for item in at.get("matchExpressions").items()]
    return LabelSelector((*equal, *rest))


def plain_selector(at: At) -> LabelSelector | None:
    """The selector of a Service or ReplicationController, a mapping of labels; None when absent or empty."""
    labels = at.labels()
    return LabelSelector(tuple(Requirement(k, "In", (v,)) for k, v in sorted(labels.items()))) if labels else None


def requirement(at: At, operators: tuple[str, ...], kind: str = REQUIRED_TERM) -> Requirement:
    """One matchExpressions entry; ``kind`` as of node_selector_term."""
    at.mapping(_REQUIREMENT)
    key = at.get("key").text(required=True)
    problem = label_key_problem(key) if key else ""
    if problem:
        at.get("key").error(problem)
    operator = at.get("operator").text("", operators, required=True)
    values = at.get("values").texts()
    _check_values(at, operator, values, kind)
    return Requirement(key, operator or "Exists", values)


def _check_values(at: At, operator: str, values: tuple[str, ...], kind: str) -> None:
    where = at.get("values")
    if operator in ("In", "NotIn"):
        if not values:
            where.error(f"{operator} needs at least one value")
        for i, value in enumerate(values):
            problem = label_value_problem(value)
            if problem and kind == PREFERRED_TERM:
                where.warn(f"{problem}. {_FAILS}", i)
            elif problem:
                where.error(problem, i)
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            where.error(f'{operator} needs exactly one value, a whole number in quotes, such as ["4"]')
        elif not is_whole(values[0]):
            _check_number(where, operator, values[0], kind)
    elif values and operator:
        where.error(f"{operator} takes no values. Remove them, or write In")


_FAILS = "The API server admits it in a preference, and then every attempt to schedule the pod ends with an error"


def is_whole(value: str) -> bool:
    """Whether Gt and Lt can compare with the value: a whole number within int64, without a sign as label values are."""
    return _WHOLE.fullmatch(value) is not None and int(value) <= INT64_MAX


def _check_number(where: At, operator: str, value: str, kind: str) -> None:
    problem = f"{operator} compares whole numbers from 0 on, and {quoted(value)} is none. "
    if kind == ADDED_TERM:
        where.error(f"{problem}Write a whole number")
    elif kind == PREFERRED_TERM:
        where.warn(problem + _FAILS)
    else:
        where.warn(f"{problem}No node matches. Write a whole number")


def node_selector_term(at: At, kind: str = REQUIRED_TERM) -> NodeSelectorTerm:
    """One nodeSelectorTerms entry or preference; ``kind`` is REQUIRED_TERM, PREFERRED_TERM or ADDED_TERM."""
    at.mapping(("matchExpressions", "matchFields"))
    expressions = tuple(requirement(item, NODE_OPERATORS, kind) for item in at.get("matchExpressions").items())
    return NodeSelectorTerm(expressions, tuple(_field(item) for item in at.get("matchFields").items()))


def _field(at: At) -> Requirement:
    at.mapping(_REQUIREMENT)
    key = at.get("key").text("metadata.name", ("metadata.name",), required=True)
    operator = at.get("operator").text("In", ("In", "NotIn"), required=True)
    values = at.get("values").texts()
    if len(values) != 1:
        at.get("values").error("a field needs exactly one value")
    for i, value in enumerate(values):
        if name_problem(value):
            at.get("values").refuse(name_problem(value), i)
    return Requirement(key, operator, values)


def node_selector(at: At, kind: str = REQUIRED_TERM) -> NodeSelector | None:
    """A NodeSelector, None when absent; it needs at least one term. ``kind`` as of node_selector_term."""
    if not at.present:
        return None
    at.mapping(("nodeSelectorTerms",))
    terms = at.get("nodeSelectorTerms")
    if not terms.items():
        terms.error("at least one term is needed. Write matchExpressions, or remove the affinity")
    return NodeSelector(tuple(node_selector_term(item, kind) for item in terms.items()))


def read_workload_selector(at: At, kind: str, memo: Memo) -> WorkloadSelector:
    """The selector of a Service, ReplicationController, ReplicaSet or StatefulSet as default spreading sees it."""
    meta = read_metadata(at, memo, namespaced=True, rule=_RULES.get(kind, name_problem))
    selector = at.get("spec").get("selector")
    plain = kind in ("Service", "ReplicationController")
    parsed: LabelSelector | None = plain_selector(selector) if plain else label_selector(selector)
    return WorkloadSelector(kind=kind, name=meta.name, namespace=meta.namespace, selector=parsed)
