"""Runs that the engine's tests share."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, default_schedule, timeline_from_raw

SCENARIOS = files("scheduler_core.workloads") / "scenarios"
CASES = Path(__file__).parent / "cases"


def teaching(seed: int = 7, **changes: object) -> RunInputs:
    """The teaching cluster with its timeline."""
    return _inputs(SCENARIOS / "teaching-cluster.yaml", SCENARIOS / "teaching-timeline.yaml", seed=seed, **changes)


def everything(seed: int = 7, **changes: object) -> RunInputs:
    """A cluster in which every kind of owner loses pods, and what happens there."""
    return case("everything", "everything-timeline", seed=seed, **changes)


def case(cluster: str, timeline: str = "", **changes: object) -> RunInputs:
    """A cluster of the folder ``cases``, with a timeline of it."""
    return _inputs(CASES / f"{cluster}.yaml", CASES / f"{timeline}.yaml" if timeline else None, **changes)


def _inputs(cluster: Any, timeline: Any, **changes: Any) -> RunInputs:
    result = load_cluster([ManifestSource(cluster.name, cluster.read_bytes())])
    assert result.errors == []
    played = Timeline()
    if timeline is not None:
        played = timeline_from_raw(yaml.safe_load(timeline.read_bytes()), [m.raw for m in result.manifests])
    schedule = "timeline" if timeline is not None else default_schedule(result.objects)
    return RunInputs(objects=result.objects, schedule=schedule, timeline=played, **changes)  # type: ignore[arg-type]


def finished(inputs: RunInputs) -> tuple[RunSession, list[ev.AnyEvent]]:
    """The run at its end, and its events."""
    session, events = RunSession.start(inputs), list[ev.AnyEvent]()
    session.simulation.observers.append(events.append)
    session.advance()
    return session, events
