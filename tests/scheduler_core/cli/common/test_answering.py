"""The exit status of commands that look for something says whether they found it, where that is asked for."""

from __future__ import annotations

import pytest

from scheduler_core.cli.runs import compare, search
from tests.scheduler_core.engine.scenarios import SCENARIOS

CLUSTER, TIMELINE = (str(SCENARIOS / f"teaching-{name}.yaml") for name in ("cluster", "timeline"))


@pytest.mark.parametrize(
    ("command", "arguments", "status"),
    [
        (search, ["outcome:scheduled"], 3),
        (search, ["attempts>1000000"], 0),
        pytest.param(compare, ["--seed", "7", "8"], 3, marks=pytest.mark.slow),
        (compare, ["--seed", "7"], 0),
    ],
)
def test_the_status_is_3_where_something_is_found_and_asked_for(command, arguments, status, capsys):
    assert command.run([CLUSTER, *arguments, "--timeline", TIMELINE, "--exit-code"]) == status
    assert command.run([CLUSTER, *arguments, "--timeline", TIMELINE]) == 0
    assert capsys.readouterr().out
