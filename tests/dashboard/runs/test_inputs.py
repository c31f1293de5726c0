"""Inputs of a run, as its worker reads them."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from dashboard.runs.models import (
    State,
)
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db


def test_inputs_that_cannot_be_read_end_the_run_with_words(launch, again, save):
    revision = save([node("node-0"), pod("a", "four")])
    run = launch(revision=revision)
    execution.work()
    run = again(run)
    assert run.state == State.FAILED
    assert "four" in run.error
    assert "Prod r1" in run.error
