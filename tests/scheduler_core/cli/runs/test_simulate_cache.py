"""``simulate --no-cache`` says the same as ``simulate``."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

from scheduler_core.cli.runs import simulate

if TYPE_CHECKING:
    import pytest

SCENARIOS = resources.files("scheduler_core.workloads") / "scenarios"


def test_the_engine_that_keeps_nothing_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(SCENARIOS / "teaching-cluster.yaml"), "--timeline", str(SCENARIOS / "teaching-timeline.yaml")]
    reports = []
    for more in ([], ["--no-cache"]):
        assert simulate.run([*files, "--seed", "7", "--json", *more]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    assert {**reports[0], "cycles_per_second": 0} == {**reports[1], "cycles_per_second": 0}
    assert reports[0]["placements"]
