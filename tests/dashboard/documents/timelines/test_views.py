"""The pages of timelines."""

from __future__ import annotations

from dashboard.documents.timelines import actions, kind
from tests.dashboard.clusters.revisions.test_export_views import body_of
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored


def test_a_long_timeline_is_for_download(editor, timeline, monkeypatch):
    monkeypatch.setattr(kind, "MAX_EDITABLE_ENTRIES", 1)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "too many for a text field" in page
    assert "data-editor" not in page


def test_a_page_has_the_arrivals_and_htmx_gets_them_alone(viewer, timeline):
    page = viewer.get("/w/team/timelines/rush/?from=5s").content.decode()
    assert 'id="arrivals"' in page
    assert "data-editor" in page
    assert 'value="shift"' not in page
    part = viewer.get("/w/team/timelines/rush/?from=5s&before=&ns=", headers={"HX-Request": "true"})
    assert part["HX-Push-Url"] == "/w/team/timelines/rush/?from=5s"
    assert "data-editor" not in part.content.decode()
    assert part.content.decode().count("<td>add</td>") == 0
    assert viewer.get("/w/team/timelines/rush/?from=soon").status_code == 400


def test_a_new_timeline_has_no_arrivals_yet(editor):
    assert 'id="arrivals"' not in editor.get("/w/team/timelines/new/").content.decode()


def test_a_long_timeline_is_sent_while_it_is_written(editor, monkeypatch):
    document = stored(editor.member, rush()).timeline
    export = f"/w/team/timelines/{document.slug}/export"
    whole = editor.get(export).content
    monkeypatch.setattr(kind, "MAX_EDITABLE_ENTRIES", 1)
    monkeypatch.setattr(actions, "PART_ENTRIES", 2)
    sent = editor.get(export)
    assert (sent["Content-Disposition"], body_of(sent)) == (f'attachment; filename="{document.slug}-r1.yaml"', whole)
    assert len(list(actions.text_parts(document.revisions.get()))) > 1
