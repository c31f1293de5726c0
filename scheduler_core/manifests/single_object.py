"""Single objects from raw dicts, for callers that build a cluster step by step."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.kinds.nodes import read_node
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import read_pod
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


def _refuse(sink: Sink, kind: str) -> None:
    errors = [f"{path_text(c.path)}: {c.message}" for c in sink.complaints if c.severity == "error"]
    if errors:
        raise InvalidObject(f"{kind}: " + "; ".join(errors[:5]))
