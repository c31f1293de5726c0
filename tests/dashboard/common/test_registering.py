"""Registries of apps: filled by the first read, so that a command that reads none imports no scheduler."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dashboard.common import registering
from dashboard.common.registering import Registered, Registers
from tests.patience import PATIENCE

IMPORTED = """
import sys, django
django.setup()
print(sum(name.startswith("scheduler_core.") for name in sys.modules))
from dashboard.runs.lifecycle import other_work
print(sorted(other_work._registered.all()))
"""


@pytest.mark.slow
def test_django_is_ready_without_the_scheduler_and_the_first_read_registers(tmp_path):
    environ = os.environ | {"SCHEDSCOPE_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], env=environ, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    names = ["agreement", "background tasks", "followed comparisons", "following", "preview", "reality", "upgrade"]
    assert done.stdout.splitlines() == ["0", str(names)]


def test_apps_register_once_and_may_read_while_they_do(monkeypatch):
    registry, calls = Registered({"first": 1}), []

    class App(Registers):
        def register(self):
            calls.append(sorted(registry.all()))
            registry.add("second", 2)

    monkeypatch.setattr(registering, "_begun", [])
    monkeypatch.setattr(registering.apps, "get_app_configs", lambda: [App()])
    assert [registry.all(), registry.all(), calls] == [{"first": 1, "second": 2}] * 2 + [[["first"]]]
