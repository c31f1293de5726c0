"""The run of the scene, and what a viewer watches in it."""

from __future__ import annotations

import pytest

from dashboard.runs.watches import add_watch
from tests.dashboard.debugger.conftest import _fresh, execute, look, run, worker_stub  # noqa: F401


@pytest.fixture
def watch(viewer, run):  # noqa: F811
    """A function that watches a value as the viewer."""
    return lambda text, member=None: add_watch(member or viewer.member, run, text)
