"""The scene with extenders, executed to its end, and a tape of it."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from tests.dashboard.extender_scene import scene_of, take


@pytest.fixture
def done():
    """A function that executes what waits, and gives the run as it is then."""

    def done(run):
        while execution.work():
            pass
        run.refresh_from_db()
        run.head.refresh_from_db()
        return run

    return done


@pytest.fixture
def scene(editor, messages, done):
    """The run of the scene, finished."""
    return done(scene_of(editor))


@pytest.fixture
def tape(editor, scene):
    """A tape of what was answered in it."""
    return take(editor, scene)
