"""What a run says of itself."""

from __future__ import annotations

import pytest

from dashboard.runs.models import (
    State,
)
from scheduler_core import ENGINE_VERSION

pytestmark = pytest.mark.django_db


def test_only_a_run_that_this_engine_cannot_end_is_offered_to_start_anew(launch):
    run = launch(3, 10)
    assert not run.can_start_anew
    run.state, run.engine_version = State.FAILED, ENGINE_VERSION
    assert not run.can_start_anew
    run.engine_version = "kube-scheduler 1.34 / 0"
    assert run.can_start_anew
    run.state = State.FINISHED
    assert not run.can_start_anew
