"""Every recorded history of Kubernetes' controllers comes out as recorded, but for those named here with the reason.

Some histories are kept here; `make test-all` has the others, where they are at hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.cli.runs.conformance import execute, read_scenario, scenario_files
from scheduler_core.testing.controller_scenarios.comparing import controller_difference

HERE = Path(__file__).parent / "controllers"
AT_HAND = Path(__file__).parents[2].parent / "shared" / "conformance-controllers"
FAMILIES = ("rollout", "scale-down", "statefulset", "daemonset", "job", "budget")
UNLIKE = {
    "rollout/invalid-strategies": "texts of refusals by the API server's validation are not played",
    "rollout/one-replica": "a condition came a second later than the pods that it speaks of",
    "rollout/surge-3-2": "a condition came a second later than the pods that it speaks of",
    "rollout/quota-surge-1-0": "needs admission",
    "rollout/quota-surge-1-1": "needs admission",
    "statefulset/min-ready": "a StatefulSet looked again later than when its pod became available",
    "daemonset/pod-fails": "the status counts a failed pod that stays; here it leaves the scheduler's sight",
    "job/indexed": "a success and the Job's look at it fell together, and either came first",
}


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def histories_here() -> list[Path]:
    return scenario_files(HERE)


def others() -> list[Path]:
    """The histories at hand that are not kept here."""
    here = {name_of(path) for path in histories_here()}
    paths = scenario_files(AT_HAND) if AT_HAND.is_dir() else []
    return [path for path in paths if path.parent.name in FAMILIES and name_of(path) not in here]


def unlike(path: Path) -> str:
    scenario = read_scenario(path)
    return controller_difference(scenario["expected"], execute(scenario), scenario.get("varied", ()))


@pytest.mark.parametrize("path", histories_here(), ids=name_of)
def test_a_history_that_is_kept_here_comes_out_as_recorded(path: Path) -> None:
    assert name_of(path) not in UNLIKE
    assert unlike(path) == ""


@pytest.mark.long
@pytest.mark.parametrize("path", [one for one in others() if name_of(one) not in UNLIKE], ids=name_of)
def test_a_history_at_hand_comes_out_as_recorded(path: Path) -> None:
    assert unlike(path) == ""


def test_histories_are_kept_here_of_every_family() -> None:
    assert {path.parent.name for path in histories_here()} == set(FAMILIES)
