"""Small clusters with workloads, and runs that play their rollouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from scheduler_core.api.objects import Workload
from scheduler_core.manifests import load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, timeline_from_raw


def node(name: str, cpu: str = "8") -> dict[str, Any]:
    amounts = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }  # fmt: skip


def workload(kind: str = "Deployment", image: str = "app:1", name: str = "web", **spec: Any) -> dict[str, Any]:
    """A workload whose pods ask for a tenth of a core."""
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": "100m"}}}
    pod_spec: dict[str, Any] = {"containers": [container], **spec.pop("pod", {})}
    group = "batch/v1" if kind == "Job" else "apps/v1"
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec}
    return {
        "apiVersion": group, "kind": kind, "metadata": {"name": name},
        "spec": {**selector, "template": template, **spec},
    }  # fmt: skip


def rolling(surge: Any, unavailable: Any) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def inputs_of(objects: list[dict[str, Any]], entries: list[dict[str, Any]] | None = None, **policies: Any) -> RunInputs:
    """The inputs of a run of these manifests and timeline entries."""
    loaded = load_manifests(objects)
    assert loaded.ok, loaded.errors
    timeline = timeline_from_raw({"entries": entries}, objects) if entries else Timeline()
    chosen = Policies(**{"rollouts": "play", **policies})
    return RunInputs(objects=loaded.objects, timeline=timeline, schedule="timeline", policies=chosen)


def played(inputs: RunInputs) -> tuple[RunSession, list[ev.AnyEvent]]:
    """The run at its end, and its events."""
    session, events = RunSession.start(inputs), list[ev.AnyEvent]()
    session.simulation.observers.append(events.append)
    session.advance()
    return session, events


def images(session: RunSession) -> list[str]:
    """The images of the pods at the end."""
    return sorted(pod.containers[0].image for pod in session.simulation.world.pods.values())


def sets_of(session: RunSession, name: str = "web") -> list[Workload]:
    owners = session.simulation.aftermath.owners
    assert owners is not None
    return owners.sets_of(f"Deployment/default/{name}")


def stuck_files(folder: Path) -> list[str]:
    """Files of a cluster without room for a surge pod and of the timeline of its rollout, as a command takes them."""
    spec: dict[str, Any] = {"replicas": 1, "strategy": rolling(1, 0)}
    entry = {"at": "10s", "action": "update", "object": workload(image="app:2", **spec)}
    files = {"cluster.yaml": [node("n1", "150m"), workload(**spec)], "timeline.yaml": [{"entries": [entry]}]}
    for name, documents in files.items():
        (folder / name).write_text(yaml.safe_dump_all(documents))
    return [str(folder / "cluster.yaml"), "--timeline", str(folder / "timeline.yaml")]
