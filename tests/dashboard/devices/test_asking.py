"""A request waits for the answer, and never longer than its deadline."""

from __future__ import annotations

import time

from dashboard.answers.questions import DevicesAt
from dashboard.devices.asking import PATIENCE_SECONDS, ask_of_run, patience_until
from scheduler_core.explain.devices import DeviceChoice


def test_patience_ends_with_the_deadline():
    assert patience_until(time.time() + 100) == PATIENCE_SECONDS
    assert patience_until(time.time() - 1) == 0.0


def test_the_next_request_is_that_of_the_same_asker(devices_run):
    _, more = ask_of_run(devices_run, DevicesAt(DeviceChoice(), devices_run.head.seq), {"asker": "me"})
    assert more["asker"] == "me"
