"""A few random kills over both set-ups while people work; `make faults` has two hundred."""

from __future__ import annotations

import pytest

from tests.conftest import unavailable
from tests.faults import trial
from tests.services.servers import NoServer

pytestmark = pytest.mark.slow

SEED = 11
KILLS = {"embedded": 2, "production": 2}


@pytest.mark.parametrize(
    "set_up",
    [pytest.param("embedded", marks=pytest.mark.long), pytest.param("production", marks=pytest.mark.essential)],
)
def test_random_kills_lose_nothing(tmp_path, set_up):
    try:
        figures = trial.trial(set_up, tmp_path / set_up, SEED, KILLS[set_up])
    except NoServer as error:
        unavailable(str(error))
    assert figures["wrong"] == []
    assert sum(figures["kills"].values()) == KILLS[set_up]
    assert figures["runs"]
