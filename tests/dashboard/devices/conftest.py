"""The demo of devices, run to its end, and answers computed by whoever asks."""

from __future__ import annotations

import pytest

from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run
from tests.dashboard.runs.conftest import save

__all__ = ["save"]


@pytest.fixture
def devices_run(editor, monkeypatch):
    """The finished run of the demo, in the workspace of the fixtures."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    run = demo.load_scene(editor.member, demo.DEVICES)
    while execution.work():
        pass
    return Run.objects.select_related("head", "revision__cluster").get(pk=run.pk)
