"""Parts that several kinds of devices share: names, quantities as texts, CEL selectors, configuration, tolerations.

Rules are those of pkg/apis/resource/validation.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from scheduler_core.api.devices import CounterSet, DeviceToleration
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.quantity import QuantityError, parse_quantity
from scheduler_core.cel.errors import CompileError
from scheduler_core.cel.selectors import compile_selector
from scheduler_core.manifests.checking.names import (
    dns_label_problem,
    label_key_problem,
    label_value_problem,
    name_problem,
)
from scheduler_core.manifests.checking.raw_values import At, quantity_text
from scheduler_core.manifests.kinds.selectors import node_selector
from scheduler_core.manifests.model import quoted

MAX_SELECTORS = 32
MAX_EXPRESSION = 10 << 10
MAX_CONFIGS = 32
MAX_PARAMETERS = 10 << 10
MAX_TOLERATIONS = 16
MAX_COUNTERS = 32
_MAX_DRIVER = 63
_MAX_POOL = 253
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}", re.ASCII)
_PLACE = re.compile(r"ERROR: <input>:(-?\d+):(\d+): (.*)")
_canonical = msgspec.json.Encoder(order="sorted").encode


def canonical_json(raw: Any) -> str:
    """The value as JSON with sorted keys: equal values give equal texts."""
    return _canonical(raw).decode()


def read_label_name(at: At) -> str:
    """A required name that must be a DNS label: of a device, request or counter."""
    name = at.text(required=True)
    if name and dns_label_problem(name):
        at.refuse(dns_label_problem(name))
    return name


def read_driver(at: At) -> str:
    """The name of a DRA driver."""
    name = at.text(required=True)
    if len(name) > _MAX_DRIVER:
        at.refuse(f"the driver's name has {len(name)} characters. At most {_MAX_DRIVER} are allowed")
    elif name and name_problem(name):
        at.refuse(name_problem(name))
    return name


def read_pool(at: At) -> str:
    """The name of a pool: one or more DNS names with slashes between."""
    name = at.text(required=True)
    if len(name) > _MAX_POOL:
        at.refuse(f"the pool's name has {len(name)} characters. At most {_MAX_POOL} are allowed")
    elif name and (problem := next(filter(None, map(name_problem, name.split("/"))), "")):
        at.refuse(problem)
    return name


def check_qualified_name(at: At, name: str, *, needs_domain: bool = False) -> None:
    """A name of an attribute or capacity: an identifier of C, with a domain and a slash before it or not."""
    domain, slash, identifier = name.rpartition("/")
    if (slash and name_problem(domain)) or not _IDENTIFIER.fullmatch(identifier):
        at.refuse(f"{quoted(name)} is no name of an attribute. Write one such as memory or example.com/model")
    elif needs_domain and not slash:
        at.refuse(f"{quoted(name)} has no domain. Write it in full, such as example.com/model")


def read_quantity(at: At) -> str:
    """A quantity as it was written, "0" where it is none (an error)."""
    text = quantity_text(at.raw)
    if text is None:
        at.error("is missing" if not at.present else f"{quoted(at.raw)} is no quantity. Write a number such as 40Gi")
        return "0"
    try:
        parse_quantity(text)
    except QuantityError as problem:
        at.error(str(problem))
        return "0"
    return text


def read_quantities(at: At) -> dict[str, str]:
    """Quantities by name."""
    return {name: read_quantity(at.get(name)) for name in at.mapping()}


def read_counters(at: At, name: str) -> CounterSet:
    """A counter set whose name is under the key ``name``, with its counters by name."""
    at.mapping((name, "counters"))
    counters = at.get("counters")
    if not counters.mapping():
        counters.refuse("is empty. Write at least one counter")
    elif len(counters.mapping()) > MAX_COUNTERS:
        counters.refuse(f"{len(counters.mapping())} counters are given. At most {MAX_COUNTERS} are allowed")
    for key in counters.mapping():
        if problem := dns_label_problem(key):
            counters.get(key).refuse(problem)
    values = {key: read_quantity(counters.get(key).get("value")) for key in counters.mapping()}
    return CounterSet(read_label_name(at.get(name)), values)


def read_selectors(at: At) -> tuple[str, ...]:
    """The expressions of selectors; "" for one that is no CEL selector, which the API server refuses."""
    items = at.items()
    if len(items) > MAX_SELECTORS:
        at.refuse(f"{len(items)} selectors are given. At most {MAX_SELECTORS} are allowed")
    return tuple(_expression(item) for item in items)


def _expression(at: At) -> str:
    at.mapping(("cel",))
    at.get("cel").mapping(("expression",))
    expression = at.get("cel").get("expression")
    text = expression.text()
    if not text:
        expression.refuse("is missing. Write a CEL expression")
    elif len(text.encode()) > MAX_EXPRESSION:
        expression.refuse(f"the expression has more than {MAX_EXPRESSION} bytes")
    elif at.sink.as_posted and isinstance(problem := compile_selector(text), CompileError):
        expression.refuse(compile_problem(str(problem)))
    return text


def compile_problem(text: str) -> str:
    """Why an expression does not compile, with its first place in it."""
    first = _PLACE.search(text)
    if first is None:
        return f"the expression does not compile: {text}"
    line, column, message = int(first[1]), int(first[2]), first[3]
    where = f" at line {line}, column {column}" if line > 1 else f" at column {column}" if line == 1 else ""
    return f"the expression does not compile{where}: {message}"


def read_checked_config(at: At) -> str:
    """As ``read_config``, of a class or claim: it needs the driver and its parameters."""
    at.mapping(("opaque", "requests"))
    opaque = at.get("opaque")
    opaque.mapping(("driver", "parameters"))
    if not opaque.present:
        opaque.refuse("is missing. Write driver and parameters")
        return read_config(at)
    read_driver(opaque.get("driver"))
    parameters = opaque.get("parameters")
    if parameters.present and len(canonical_json(parameters.mapping())) > MAX_PARAMETERS:
        parameters.refuse(f"has more than {MAX_PARAMETERS} bytes as JSON")
    return read_config(at)


def read_config(at: At) -> str:
    """What configures drivers, without the names of requests, as canonical JSON."""
    return canonical_json({key: value for key, value in at.mapping().items() if key not in ("requests", "source")})


def read_tolerations(at: At) -> tuple[DeviceToleration, ...]:
    """The tolerations of a request."""
    items = at.items()
    if len(items) > MAX_TOLERATIONS:
        at.refuse(f"{len(items)} tolerations are given. At most {MAX_TOLERATIONS} are allowed")
    return tuple(_toleration(item) for item in items)


def _toleration(at: At) -> DeviceToleration:
    at.mapping(("key", "operator", "value", "effect", "tolerationSeconds"))
    key, operator = at.word("key"), at.choice("operator", "Equal", ("Equal", "Exists"))
    if key and label_key_problem(key):
        at.get("key").refuse(label_key_problem(key))
    elif not key and operator != "Exists":
        at.get("operator").refuse("a toleration without a key needs the operator Exists")
    elif operator == "Exists" and at.word("value"):
        at.get("value").refuse("goes with the operator Equal only. Remove it, or write operator: Equal")
    elif label_value_problem(at.word("value")):
        at.get("value").refuse(label_value_problem(at.word("value")))
    effect = at.choice("effect", "", ("NoSchedule", "NoExecute"))
    seconds = at.get("tolerationSeconds")
    limit = seconds.integer(0, -(1 << 63), (1 << 63) - 1) if seconds.present else None
    return DeviceToleration(key, operator, at.word("value"), effect, limit)


def read_node_selector(at: At) -> NodeSelector | None:
    """A node selector; what no API server admits is kept where none has to (recordings hold the scheduler's answer)."""
    if at.sink.as_posted or not at.present:
        return node_selector(at)
    return NodeSelector(tuple(_unchecked_term(term) for term in at.get("nodeSelectorTerms").items()))


def _unchecked_term(at: At) -> NodeSelectorTerm:
    expressions, fields = (
        tuple(Requirement(r.word("key"), r.word("operator"), r.get("values").texts()) for r in at.get(key).items())
        for key in ("matchExpressions", "matchFields")
    )
    return NodeSelectorTerm(expressions, fields)
