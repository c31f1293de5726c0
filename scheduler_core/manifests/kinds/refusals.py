"""Pods that admission refused, as the input itself says: conditions of workloads and events about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import msgspec

from scheduler_core.api.unplayed import RefusedCreation
from scheduler_core.manifests.kinds.registry import FAILED_CREATE
from scheduler_core.manifests.model import Content, Raw, shortened

_LONGEST = 2_000
_MOST_EVENTS = 10_000
_QUOTA = re.compile(r"(?:exceeded|failed) quota: ([a-z0-9.-]+)")
_LIMIT_RANGE = re.compile(
    r"\b(?:maximum|minimum) \S+ usage per |\blimit to request ratio per |\busage per (?:Container|Pod)\b"
)
_RUNTIME_CLASS = re.compile(r"pod rejected: (?:RuntimeClass|Pod.s? Overhead)")
_FORBIDDEN = re.compile(r"forbidden|denied", re.IGNORECASE)
Refused = dict[tuple[str, str, str], RefusedCreation]
"""By kind, namespace and name of the workload."""


class _Workload(Protocol):
    """An object as the loader holds it."""

    @property
    def kind(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def content(self) -> Content: ...
    @property
    def raw(self) -> Raw: ...


def refused_by_condition(item: _Workload) -> Iterator[RefusedCreation]:
    """What the condition ReplicaFailure of a workload says, if it has one."""
    if item.content.__class__ is msgspec.Raw and b"ReplicaFailure" not in bytes(item.content):
        return
    status = item.raw.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for one in conditions if isinstance(conditions, list) else ():
        if isinstance(one, dict) and one.get("type") == "ReplicaFailure" and one.get("status") == "True":
            refused = _refusal(item.kind, item.namespace, item.name, one.get("message"), "condition")
            yield from (refused,) if refused is not None else ()


def refused_by_event(raw: Raw) -> RefusedCreation | None:
    """What an event FailedCreate says of a workload; None for another event, or where admission did not refuse."""
    if raw.get("reason") != FAILED_CREATE:
        return None
    about = raw.get("involvedObject") or raw.get("regarding")
    if not isinstance(about, dict):
        return None
    kind, namespace, name = (about.get(field) for field in ("kind", "namespace", "name"))
    if not (isinstance(kind, str) and isinstance(name, str)):
        return None
    namespace = namespace if isinstance(namespace, str) and namespace else "default"
    return _refusal(shortened(kind), namespace, name, raw.get("message") or raw.get("note"), "event")


def keep_event(refused: list[RefusedCreation], raw: Raw) -> None:
    """Keep what an event says of a workload that admission refused pods of."""
    one = refused_by_event(raw) if len(refused) < _MOST_EVENTS else None
    if one is not None:
        refused.append(one)


def by_workload(refused: Iterable[RefusedCreation]) -> Refused:
    """By workload, the first of each: conditions are to come before events."""
    first: Refused = {}
    for one in refused:
        first.setdefault((one.kind, one.namespace, one.name), one)
    return first


def _refusal(kind: str, namespace: str, name: str, message: Any, source: str) -> RefusedCreation | None:
    text = shortened(message, _LONGEST) if isinstance(message, str) else ""
    quota = _QUOTA.search(text)
    if quota is not None:
        code = "NOT_CREATED_QUOTA"
    elif _LIMIT_RANGE.search(text):
        code = "NOT_CREATED_LIMIT_RANGE"
    elif _RUNTIME_CLASS.search(text):
        code = "NOT_CREATED_RUNTIME_CLASS"
    elif source == "condition" or _FORBIDDEN.search(text):
        code = "NOT_CREATED_ADMISSION"
    else:
        return None
    return RefusedCreation(
        kind=kind,
        namespace=namespace,
        name=name,
        code=code,
        message=text,
        quota=quota[1] if quota is not None else "",
        source=source,
    )
