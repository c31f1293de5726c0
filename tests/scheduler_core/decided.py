"""What the engine decides in small scenarios of the conformance format, in each of its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.cli.runs.conformance import execute
from scheduler_core.compiled import kernel
from scheduler_core.testing.engines import COMPILED, ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = [name for name in ENGINES if name != COMPILED or kernel() is not None]
"""The settings that this machine has."""


def node(name: str, *, cpu: str = "4", labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": name, **(labels or {})}
    capacity = {"cpu": cpu, "memory": "8Gi", "pods": "10"}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "spec": spec, "status": {"capacity": capacity},
    }  # fmt: skip


def pod(
    name: str, *, cpu: str = "1", labels: dict[str, str] | None = None, nominated: str = "", **spec: Any
) -> dict[str, Any]:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    manifest: dict[str, Any] = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [container], **spec},
    }  # fmt: skip
    return manifest | ({"status": {"nominatedNodeName": nominated}} if nominated else {})


def config(**profile: Any) -> dict[str, Any]:
    """A configuration whose only profile has these fields."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", **profile}],
    }


def disabled(*plugins: str) -> dict[str, Any]:
    """The set of an extension point that lacks these plugins."""
    return {"disabled": [{"name": name} for name in plugins]}


def enabled(*plugins: str) -> dict[str, Any]:
    """The set of an extension point that has these plugins too."""
    return {"enabled": [{"name": name} for name in plugins]}


def decided(
    objects: list[dict[str, Any]], pods: list[dict[str, Any]], config: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The steps, the same in every setting of the engine."""
    scenario = {"name": "a/b", "objects": objects, "pods": pods, "config": config}
    first, *others = (execute(scenario, name)["steps"] for name in HERE)
    for name, steps in zip(HERE[1:], others, strict=True):
        assert steps == first, name
    assert isinstance(first, list)
    return first


def verdicts(step: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(node, plugin, reasons) of each refused node."""
    for group in step.get("filter", ()):
        for name in group["nodes"]:
            yield name, group["plugin"], ", ".join(group["reasons"])
