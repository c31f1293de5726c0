"""Single objects from raw dicts, for callers that build a cluster step by step."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.kinds.nodes import read_node
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import read_pod
from scheduler_core.manifests.kinds.readers import READERS
from scheduler_core.manifests.kinds.registry import KINDS, kind_name
from scheduler_core.manifests.kinds.selectors import read_workload_selector
from scheduler_core.manifests.model import path_text


class InvalidObject(ValueError):
    """The object has errors; the message names fields and what to write."""


def pod_from_raw(raw: dict[str, Any], context: AdmissionContext | None = None) -> Pod:
    """The pod with defaults and priority admission applied. Raises InvalidObject."""
    sink = Sink()
    pod = read_pod(At(raw, (), sink), context or AdmissionContext())
    _refuse(sink, "Pod")
    return pod


def node_from_raw(raw: dict[str, Any], memo: Memo | None = None) -> Node:
    """The node with defaults applied. Raises InvalidObject."""
    sink = Sink()
    node = read_node(At(raw, (), sink), memo or Memo())
    _refuse(sink, "Node")
    return node


class ObjectReader:
    """Reads objects of all kinds that a run reads, one by one, as an API server served them. Equal parts are read once;
    ``context`` is that of the priority classes that are there."""

    def __init__(self, context: AdmissionContext | None = None) -> None:
        self._context = context or AdmissionContext()

    def read(self, raw: dict[str, Any]) -> Any:
        """The typed object, None where a run reads none of this kind. Raises InvalidObject, which names the fields."""
        written, version = raw.get("kind"), raw.get("apiVersion")
        kind = kind_name(written, version) if isinstance(written, str) and isinstance(version, str) else ""
        if not kind:
            return None
        sink = Sink(as_posted=False)
        at = At(raw, (), sink)
        if kind == "Pod":
            obj: Any = read_pod(at, self._context)
        elif kind in READERS:
            obj = READERS[kind](at, self._context.memo)
        elif KINDS[kind].field == "workload_selectors":
            obj = read_workload_selector(at, kind, self._context.memo)
        else:
            return None
        _refuse(sink, kind)
        return obj


def _refuse(sink: Sink, kind: str) -> None:
    errors = [f"{path_text(c.path)}: {c.message}" for c in sink.complaints if c.severity == "error"]
    if errors:
        raise InvalidObject(f"{kind}: " + "; ".join(errors[:5]))
