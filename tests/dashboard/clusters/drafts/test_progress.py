"""How far a change of many objects is, asked for while it runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.urls import reverse

from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts import operations, progress
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.progress import ChangeProgress, read_progress, reporter
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.drafts.draft_helpers import new_draft

TOKEN = "1-2-3"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    cache.clear()
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)


def test_a_page_asks_how_far_its_change_is_while_it_runs(editor, viewer, cluster, monkeypatch):
    draft = new_draft(editor, cluster, viewer)
    asked = []

    def address(name):
        return reverse(f"clusters:{name}", args=["team", "prod", draft.pk])

    def meanwhile():
        asked.append(editor.get(address("draft_progress"), {"progress": TOKEN}).json())
        asked.append(editor.get(address("draft_progress"), {"progress": "another"}).json())

    push = operations._Rows.push

    def noted(rows, operation, changed, report):
        meanwhile()
        push(rows, operation, changed, report)
        meanwhile()

    monkeypatch.setattr(operations._Rows, "push", noted)
    monkeypatch.setattr(operations, "BATCH", 1)
    form = {"what": "cordon", "objects": "Node//node-a\nNode//node-b", "progress": TOKEN}
    assert editor.post(address("draft_act"), form).status_code == 302
    checked, written = {"stage": "checked", "done": 2, "total": 2}, {"stage": "written", "done": 2, "total": 2}
    assert asked == [checked, None, written, None]
    assert read_progress(viewer.user, TOKEN) is None


def test_changes_of_drafts_that_are_not_there_have_no_progress(editor, viewer, cluster):
    mine, foreign = new_draft(editor, cluster), new_draft(viewer, cluster)

    def status(number, **query):
        return editor.get(f"/w/team/clusters/prod/drafts/{number}/act/progress", query).status_code

    assert status(mine.pk, progress=TOKEN) == 200
    assert [status(number, progress=TOKEN) for number in (foreign.pk, 4711, 10**30)] == [404] * 3
    assert status(mine.pk) == 404
    assert editor.get(f"/w/team/clusters/test/drafts/{mine.pk}/act/progress?progress={TOKEN}").status_code == 404


def test_each_batch_of_what_is_written_is_counted(editor, cluster, monkeypatch):
    monkeypatch.setattr(operations, "BATCH", 1)
    draft, heard = new_draft(editor, cluster), []
    nodes = [Key("Node", "", "node-a"), Key("Node", "", "node-b")]
    act(editor.member, OpenedDraft(draft), "delete", nodes, HandValues(), heard.append)
    assert heard[-2:] == [ChangeProgress("written", 1, 2), ChangeProgress("written", 2, 2)]


def test_undo_and_redo_are_counted_too(editor, cluster, monkeypatch):
    monkeypatch.setattr(operations, "BATCH", 1)
    draft, heard = new_draft(editor, cluster), []
    nodes = [Key("Node", "", "node-a"), Key("Node", "", "node-b")]
    operation = act(editor.member, OpenedDraft(draft), "delete", nodes, HandValues())
    both = [ChangeProgress("written", 1, 2), ChangeProgress("written", 2, 2)]
    for step in (operations.undo, operations.redo):
        heard.clear()
        step(editor.user, draft, operation.number, heard.append)
        assert heard == both


def test_a_page_asks_how_far_its_undo_is(editor, cluster, monkeypatch):
    draft = new_draft(editor, cluster)
    operation = act(editor.member, OpenedDraft(draft), "delete", [Key("Node", "", "node-a")], HandValues())
    place = ["team", "prod", draft.pk]
    answer = editor.post(reverse("clusters:draft_undo", args=place), {"number": operation.number, "progress": TOKEN})
    assert answer.status_code == 302
    assert read_progress(editor.user, TOKEN) == ChangeProgress("written", 1, 1)


def test_a_quick_change_notes_nothing(editor, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 60.0)
    reporter(editor.user, TOKEN)(ChangeProgress("checked", 1, 2))
    assert read_progress(editor.user, TOKEN) is None


def test_no_page_is_told_without_a_token(editor):
    reporter(editor.user, "")(ChangeProgress("checked", 1, 2))
    assert read_progress(editor.user, "") is None


def test_a_cache_that_is_away_costs_the_numbers_alone(editor, monkeypatch):
    def fail(*args):
        raise ConnectionError

    monkeypatch.setattr(progress.cache, "set", fail)
    monkeypatch.setattr(progress.cache, "get", fail)
    reporter(editor.user, TOKEN)(ChangeProgress("checked", 1, 2))
    assert read_progress(editor.user, TOKEN) is None


def test_a_change_is_noted_once_in_a_pause(editor, monkeypatch):
    now, noted = [100.0], []
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 5.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(progress.cache, "set", lambda name, value, seconds: noted.append((now[0], value[1])))
    report = reporter(editor.user, TOKEN)
    for at in (101.0, 104.9, 105.0, 106.0, 109.9, 110.0):
        now[0] = at
        report(ChangeProgress("checked", int(at), 200))
    assert noted == [(105.0, 105), (110.0, 110)]


def test_what_a_cache_said_that_is_away_is_in_the_log(editor, monkeypatch, caplog):
    def fail(*args):
        raise ConnectionError("away")

    monkeypatch.setattr(progress.cache, "set", fail)
    monkeypatch.setattr(progress.cache, "get", fail)
    reporter(editor.user, TOKEN)(ChangeProgress("checked", 1, 2))
    read_progress(editor.user, TOKEN)
    assert [str(record.exc_info[1]) for record in caplog.records] == ["away", "away"]
