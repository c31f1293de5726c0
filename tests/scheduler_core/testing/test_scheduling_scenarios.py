from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.testing.scheduling_scenarios import ScenarioError, run_scheduling_scenario


def taint_message(**extra: Any) -> str:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
        "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "1", "pods": "9"}},
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    expected = run_scheduling_scenario({"objects": [node], "pods": [pod], **extra})
    return str(expected["steps"][0]["fitError"])


def test_a_scenario_that_names_no_version_is_told_in_the_words_of_the_one_that_recorded_them() -> None:
    assert "1 node(s) had untolerated taint {k: v}" in taint_message()


@pytest.mark.parametrize(("reference", "named"), [("1.34.0", True), ("1.34.2", False), ("1.34.10", False)])
def test_a_scenario_is_told_in_the_words_of_the_version_that_it_names(reference: str, named: bool) -> None:
    text = "untolerated taint {k: v}" if named else "untolerated taint(s)"
    assert text in taint_message(reference=reference)


def test_a_version_that_is_none_is_refused() -> None:
    with pytest.raises(ScenarioError, match='"newest" is no version'):
        taint_message(reference="newest")
