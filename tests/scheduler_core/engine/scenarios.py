"""Runs that the engine's tests share."""

from __future__ import annotations

from importlib.resources import files

import yaml

from scheduler_core.manifests import Source, load_cluster
from scheduler_core.simulate import RunInputs, timeline_from_raw

SCENARIOS = files("scheduler_core.workloads") / "scenarios"


def teaching(seed: int = 7, **changes: object) -> RunInputs:
    """The teaching cluster with its timeline."""
    name = "teaching-cluster.yaml"
    result = load_cluster([Source(name, (SCENARIOS / name).read_bytes())])
    assert result.errors == []
    raw = yaml.safe_load((SCENARIOS / "teaching-timeline.yaml").read_bytes())
    timeline = timeline_from_raw(raw, [manifest.raw for manifest in result.manifests])
    return RunInputs(objects=result.objects, schedule="timeline", timeline=timeline, seed=seed, **changes)  # type: ignore[arg-type]
