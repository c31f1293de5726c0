"""What the tests of leases and of what is made good share."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def dead_owner():
    """The lease owner's name of a process that has ended."""
    code = "from dashboard.runs.lifecycle import leases; print(leases.owner())"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    setup = "import django; django.setup();"
    done = subprocess.run([sys.executable, "-c", setup + code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
