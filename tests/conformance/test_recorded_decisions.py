"""Every recorded decision of the real kube-scheduler must come out the same, field by field.

What is kept here runs in each setting of the engine that this machine has (large clusters in the usual one only, as
they take as long as all others); what else is at hand runs in the usual one. `make test` has all that is kept here in
the usual setting, and the first of each family in the others; quick tests have the usual setting.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scheduler_core.cli.runs.conformance import execute, read_scenario, scenario_files
from scheduler_core.testing.comparison import difference
from tests.scheduler_core.decided import HERE

CASES = Path(__file__).parent / "cases"
AT_HAND = [Path(__file__).parents[2].parent / "shared" / name for name in ("conformance", "conformance-extenders")]
LARGE = ("large", "mix2")
N_QUICK = 6
# Of each family, in the other settings of the engine: how many `make test` has.
N_OTHER_SETTINGS = 3


def files(folder: Path) -> list[Path]:
    return scenario_files(folder) if folder.is_dir() else []


def recordings() -> list[Path]:
    """All recordings at hand, whether they are kept here or not."""
    return [path for folder in AT_HAND for path in files(folder)]


def place_of(path: Path) -> Path:
    """Where a recording at hand is kept here, if it is: below its family."""
    return CASES / next(path.relative_to(folder) for folder in AT_HAND if path.is_relative_to(folder))


def check(path: Path, engine: str | None = None) -> None:
    scenario = read_scenario(path)
    decided = msgspec.json.decode(msgspec.json.encode(execute(scenario, engine)))
    assert difference(scenario["expected"], decided) == ""


def cases_here() -> list[Any]:
    return [
        pytest.param(path, engine, marks=marks(path, engine, n), id=f"{path.relative_to(CASES).as_posix()}-{engine}")
        for family, paths in groupby(files(CASES), key=lambda path: path.parent.name)
        for n, path in enumerate(paths)
        for engine in (HERE[:1] if family in LARGE else HERE)
    ]


def marks(path: Path, engine: str, n: int) -> list[pytest.MarkDecorator]:
    """What the n-th recording of its family takes; those with everything at random have larger clusters."""
    if engine != HERE[0]:
        return [pytest.mark.slow, *([pytest.mark.long] if n >= N_OTHER_SETTINGS else [])]
    if path.parent.name in (*LARGE, "random"):
        return [pytest.mark.slow, *([pytest.mark.long] if path.parent.name == "large" else [])]
    return [] if n < N_QUICK else [pytest.mark.slow]


def is_kept(path: Path) -> bool:
    """Whether a recording at hand is kept here, byte for byte."""
    here = place_of(path)
    return here.is_file() and here.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("path", "engine"), cases_here())
def test_as_recorded(path: Path, engine: str) -> None:
    check(path, engine)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [path for path in recordings() if not is_kept(path)],
    ids=lambda path: place_of(path).relative_to(CASES).as_posix(),
)
def test_the_other_recordings_at_hand(path: Path) -> None:
    check(path)


def test_the_subset_has_every_family() -> None:
    assert {path.parent.name for path in files(CASES)} == {
        "balanced", "basics", "devices", "differences", "edge", "extenders", "gke", "images", "interpodaffinity",
        "ipa2", "large", "misc",
        "mix2", "mixall", "nodeaff", "nodeaffinity", "nomnarrow", "podres", "ports", "preempt2", "preempt3",
        "preemption", "prepoints", "profiles", "profiles2", "queue", "queue2", "random", "resize", "resources",
        "sampling", "sampling2", "scoring", "spread", "spread2", "taints", "tolerate", "vol2", "vol3", "volumes",
        "zcrash",
    }  # fmt: skip
