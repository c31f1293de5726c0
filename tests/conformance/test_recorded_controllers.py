"""Every recorded history of Kubernetes' controllers comes out as recorded, but for those named here with the reason.

Some histories are kept here; `make test-all` has the others, where they are at hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.cli.runs.conformance import execute, history_difference, read_scenario, scenario_files

HERE = Path(__file__).parent / "controllers"
AT_HAND = Path(__file__).parents[2].parent / "shared" / "conformance-controllers"
UNLIKE = {
    "rollout/quota-surge-1-1": "a retry and the quota that becomes free fall together to a tenth of a second",
}


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def histories_here() -> list[Path]:
    return scenario_files(HERE)


def others() -> list[Path]:
    """The histories at hand that are not kept here."""
    here = {name_of(path) for path in histories_here()}
    paths = scenario_files(AT_HAND) if AT_HAND.is_dir() else []
    return [path for path in paths if name_of(path) not in here]


def unlike(path: Path) -> str:
    scenario = read_scenario(path)
    return history_difference(scenario, execute(scenario))


@pytest.mark.parametrize("path", histories_here(), ids=name_of)
def test_a_history_that_is_kept_here_comes_out_as_recorded(path: Path) -> None:
    assert name_of(path) not in UNLIKE
    assert unlike(path) == ""


@pytest.mark.long
@pytest.mark.parametrize("path", [one for one in others() if name_of(one) not in UNLIKE], ids=name_of)
def test_a_history_at_hand_comes_out_as_recorded(path: Path) -> None:
    assert unlike(path) == ""


def test_histories_are_kept_here_of_every_family() -> None:
    families = ("quota", "limits", "classes", "rollout", "scale-down", "statefulset", "daemonset", "job", "budget")
    assert {path.parent.name for path in histories_here()} == set(families)
