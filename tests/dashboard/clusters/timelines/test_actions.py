"""Timelines saved with a history."""

from __future__ import annotations

import pytest

from dashboard.clusters.documents.actions import NewText
from dashboard.clusters.revisions import object_store
from dashboard.clusters.timelines.actions import save_timeline, timeline_text
from dashboard.clusters.timelines.checking import check_timeline
from dashboard.clusters.yaml_templates import TIMELINE_TEMPLATE
from dashboard.common.problems import Conflict


def test_a_timeline_keeps_what_was_written(editor, timeline):
    revision = timeline.revisions.get()
    assert revision.n_entries == 2
    assert check_timeline(timeline_text(revision)).raw == object_store.read_timeline(revision)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "web-1" in page


def test_timelines_conflict_as_well(editor, timeline):
    new = NewText("", TIMELINE_TEMPLATE.replace("10s", "20s"), base=1)
    save_timeline(editor.member, timeline, new)
    with pytest.raises(Conflict):
        save_timeline(editor.member, timeline, new)
