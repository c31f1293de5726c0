"""The pages of timelines."""

from __future__ import annotations

from dashboard.clusters.timelines import kind


def test_a_long_timeline_is_for_download(editor, timeline, monkeypatch):
    monkeypatch.setattr(kind, "MAX_EDITABLE_ENTRIES", 1)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "too many for a text field" in page
    assert "textarea" not in page
