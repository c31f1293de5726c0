"""Who may save and archive configurations and timelines."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Forbidden
from dashboard.documents.actions import NewText, archive
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.timelines.actions import save_timeline
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES, TIMELINE_TEMPLATE

DEFAULT = CONFIGURATION_TEMPLATES["default"].text


def test_readers_cannot_save(viewer, config, timeline):
    with pytest.raises(Forbidden):
        save_config(viewer.member, None, NewText("x", DEFAULT))
    with pytest.raises(Forbidden):
        save_timeline(viewer.member, timeline, NewText("", TIMELINE_TEMPLATE, 1))
    with pytest.raises(Forbidden):
        archive(viewer.member, config, True)
