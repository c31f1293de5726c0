"""Every recorded decision of the real kube-scheduler must come out the same, field by field."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scheduler_core.cli.conformance import execute, read_scenario, scenario_files
from scheduler_core.testing.comparison import difference

CASES = Path(__file__).parent / "cases"
ALL = Path(__file__).parents[2].parent / "shared" / "conformance"


def files(folder: Path) -> list[Path]:
    return scenario_files(folder) if folder.is_dir() else []


def check(path: Path) -> None:
    scenario = read_scenario(path)
    decided = msgspec.json.decode(msgspec.json.encode(execute(scenario)))
    assert difference(scenario["expected"], decided) == ""


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
