"""Descriptions as tests write them: text in, what was read out."""

from __future__ import annotations

import textwrap
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.manifests import ManifestSource
from scheduler_core.workloads.generator.reading import DescriptionReading, read_description
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

if TYPE_CHECKING:
    from scheduler_core.workloads.generator.description import Description


def read(text: str) -> DescriptionReading:
    """What is read of a text."""
    return read_description(ManifestSource("d.yaml", textwrap.dedent(text).encode()))


def described(text: str) -> Description:
    """The description of a text that has no findings."""
    description, findings = read(text)
    assert findings == []
    assert description is not None
    return description


def random_text(seed: int) -> str:
    """A valid description as JSON, any of its fields in use."""
    random = Random(seed)
    return msgspec.json.encode(
        {
            "seed": random.randrange(1_000),
            "pools": [_pool(random, i) for i in range(random.randint(0, 4))],
            "workloads": [_workload(random, i) for i in range(random.randint(0, 4))],
            "arrivals": _arrivals(random, None),
            **({"lifetime": _lifetime(random)} if random.random() < 0.5 else {}),
        }
    ).decode()


def _pool(random: Random, i: int) -> dict[str, Any]:
    own = {"resources": {"cpu": random.choice(("2", "3500m")), "memory": "16Gi", "example.com/chip": 4}}
    ready = {"shape": random.choice(list(SHAPES))}
    return {
        "name": f"p{i}",
        "nodes": random.randint(0, 12),
        **random.choice((own, ready)),
        "reserved": {"cpu": "100m", "memory": "500Mi"},
        "zones": random.choice((0, 3, ["here", "there"])),
        "labels": {"disk": random.choice(("ssd", "hdd"))},
        "taints": random.choice(([], [{"key": "only", "value": "us", "effect": "NoSchedule"}])),
        "unschedulable": random.random() < 0.1,
    }


def _workload(random: Random, i: int) -> dict[str, Any]:
    pods = random.randint(0, 30)
    amounts = {
        "cpu": random.choice(("250m", {"median": "1", "sigma": 0.7, "maximum": 8}, {"from": "100m", "to": 2})),
        "memory": random.choice(("1Gi", {"perCpu": "4Gi"}, {"median": "2Gi", "minimum": "64Mi"})),
        "example.com/chip": {"choices": {"0": 3, "1": 1, "4": 0.5}},
    }
    optional = {
        "namespace": random.choice(("team-a", "team-b")),
        "labels": {"tier": "back"},
        "priority": random.choice((0, 5, -5, {"name": "urgent", "value": 10_000, "preemptionPolicy": "Never"})),
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "only", "operator": "Exists"}],
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]}},
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}
        ],
        "apartBy": "kubernetes.io/hostname",
        "variants": [{"percent": 40, "nodeSelector": {"disk": "hdd"}}, {"percent": 10.5, "nodeSelector": {"a": "b"}}],
        "arrivals": _arrivals(random, pods),
        "lifetime": _lifetime(random),
    }
    return {
        "name": f"w{i}",
        "pods": pods,
        "sizes": random.choice((amounts, random.choice(list(SIZE_LISTS)))),
        **{name: value for name, value in optional.items() if random.random() < 0.4},
    }


_TERM = {"labelSelector": {"matchLabels": {"tier": "back"}}, "topologyKey": "topology.kubernetes.io/zone"}


def _arrivals(random: Random, pods: int | None) -> Any:
    choices: list[Any] = [
        "at-once",
        {"process": "at-once", "at": "10s"},
        {"process": "poisson", "over": "30m"},
        {"process": "bursts", "over": "10m", "pods": 4, "every": "90s", "within": "5s"},
        {"process": "daily", "over": "48h", "trough": 0.1},
    ]
    if pods:
        choices.append({"process": "list", "times": ["1m", {"at": 5, "pods": pods - 1}] if pods > 1 else ["1m"]})
    return random.choice(choices)


def _lifetime(random: Random) -> Any:
    return random.choice(("90s", {"fixed": "1h"}, {"exponential": "10m"}, {"lognormal": "8m", "sigma": 1.2}))
