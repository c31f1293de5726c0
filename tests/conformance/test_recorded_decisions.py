"""Every recorded decision of the real kube-scheduler must come out the same, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from scheduler_core.cli.conformance import execute, read_scenario

CASES = Path(__file__).parent / "cases"
ALL = Path(__file__).parents[2].parent / "shared" / "conformance"


def files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.name.endswith((".json", ".json.gz"))) if folder.is_dir() else []


def canonical(value: Any, key: str = "") -> Any:
    """The value with whole floats as integers and reasons sorted: their order is not defined by the reference."""
    if isinstance(value, dict):
        return {k: canonical(v, k) for k, v in value.items()}
    if isinstance(value, list):
        told = [canonical(v) for v in value]
        return sorted(told) if key == "reasons" else told
    return int(value) if isinstance(value, float) and value == int(value) else value


def first_difference(expected: Any, got: Any, path: str = "") -> str:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in [*expected, *(k for k in got if k not in expected)]:
            found = first_difference(expected.get(key, "(missing)"), got.get(key, "(missing)"), f"{path}.{key}")
            if found:
                return found
        return ""
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        found = (first_difference(e, g, f"{path}[{i}]") for i, (e, g) in enumerate(zip(expected, got, strict=True)))
        return next((text for text in found if text), "")
    return "" if expected == got else f"{path}: expected {str(expected)[:300]}, got {str(got)[:300]}"


def check(path: Path, engine: str | None = None) -> None:
    scenario = read_scenario(path)
    got = msgspec.json.decode(msgspec.json.encode(execute(scenario, engine)))
    assert first_difference(canonical(scenario["expected"]), canonical(got)) == ""


@pytest.mark.parametrize("path", files(CASES), ids=lambda p: p.relative_to(CASES).as_posix())
def test_as_recorded(path: Path) -> None:
    check(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", files(ALL), ids=lambda p: p.relative_to(ALL).as_posix())
def test_all_recordings_at_hand(path: Path) -> None:
    check(path)


def test_the_subset_has_every_family() -> None:
    families = {p.parent.name for p in files(CASES)}
    assert families >= {
        "balanced", "basics", "interpodaffinity", "large", "nodeaffinity", "preemption", "profiles", "queue", "random",
        "resources", "sampling", "spread", "taints", "volumes",
    }  # fmt: skip


def test_a_wrong_decision_is_noticed() -> None:
    assert first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == ".a[1].b: expected 2, got 3"
