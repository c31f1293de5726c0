"""What the real scheduler said of pods that wait: the evidence where an input lacks what decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from scheduler_core.manifests.kinds.registry import FAILED_SCHEDULING, KARPENTER_FAILED
from scheduler_core.manifests.model import Raw, shortened

MOST_SAID = 2_000
"""Pods of which a message is taken along."""
_LONGEST = 4_096


class _PodAsWritten(Protocol):
    """An object as it was written."""

    @property
    def raw(self) -> Raw: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...


def said_of_pods(pods: Iterable[_PodAsWritten], events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """{namespace/name: the last message} of pods without a node, the first MOST_SAID; "" where the condition
    PodScheduled is False and nothing says why. A condition's message counts more than an event's, which may be
    older."""
    by_event: dict[str, str] = {}
    for event in events:
        about = event.get("involvedObject") or event.get("regarding")
        if event.get("reason") == FAILED_SCHEDULING and isinstance(about, dict):
            key = f"{about.get('namespace') or 'default'}/{about.get('name')}"
            text = _text(event.get("message") or event.get("note"))
            if not text.startswith(KARPENTER_FAILED):
                by_event[key] = text
    said: dict[str, str] = {}
    for pod in pods:
        key = f"{pod.namespace}/{pod.name}"
        condition = _condition(pod.raw)
        if condition is None and key not in by_event:
            continue
        said[key] = (condition or "") or by_event.get(key, "")
        if len(said) >= MOST_SAID:
            break
    return said


def _condition(raw: Raw) -> str | None:
    """The message of the condition that the pod is not scheduled; None without the condition."""
    spec, status = raw.get("spec"), raw.get("status")
    if isinstance(spec, dict) and spec.get("nodeName"):
        return None
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for one in conditions if isinstance(conditions, list) else ():
        if isinstance(one, dict) and one.get("type") == "PodScheduled" and one.get("status") == "False":
            return _text(one.get("message"))
    return None


def _text(value: object) -> str:
    return shortened(value, _LONGEST) if isinstance(value, str) else ""
