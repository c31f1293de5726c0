"""An error of a description stands at the field of the form that it is about, whatever the field is called there."""

from __future__ import annotations

import pytest

from dashboard.generating.form_problems import FieldProblem, problems_by_field
from scheduler_core.manifests import Finding

FIELDS = {
    "seed": "",
    "lifetime": "",
    "arrivals.times": "",
    "pools.0.shape": "m5.large",
    "pools.0.zones": "",
    "pools.0.taints": "",
    "pools.1.shape": "own",
    "pools.1.resources": "",
    "workloads.0.sizes": "own",
    "workloads.0.own_sizes": "",
    "workloads.1.sizes": "openb",
}


def finding(field: str, severity: str = "error") -> Finding:
    return Finding(severity=severity, source="s", message="is wrong", field=field)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "name", "path"),
    [
        ("seed", "seed", "seed"),
        ("lifetime.lognormal", "lifetime", "lifetime.lognormal"),
        ("arrivals.times[0].at", "arrivals.times", "arrivals.times[0].at"),
        ("pools[0].zones", "pools.0.zones", "zones"),
        ("pools[0].taints[0].key", "pools.0.taints", "taints[0].key"),
        ("pools[0].resources.cpu", "pools.0.shape", "resources.cpu"),
        ("pools[1].resources.cpu", "pools.1.resources", "resources.cpu"),
        ("workloads[0].sizes.cpu", "workloads.0.sizes", "sizes.cpu"),
        ("workloads[1].sizes", "workloads.1.sizes", "sizes"),
    ],
)
def test_an_error_stands_at_its_field(place: str, name: str, path: str) -> None:
    assert problems_by_field([finding(place)], FIELDS) == {name: [FieldProblem(path, "is wrong")]}


@pytest.mark.parametrize("place", ["", "pools", "pools[0]", "pools[0].shap", "pools[7].zones", "arrivals", "x.y"])
def test_what_no_field_shows_stands_at_none(place: str) -> None:
    assert problems_by_field([finding(place)], FIELDS) == {}


def test_warnings_stand_at_none() -> None:
    assert problems_by_field([finding("seed", "warning")], FIELDS) == {}
