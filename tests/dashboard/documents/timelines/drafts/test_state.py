"""What a draft of a timeline holds."""

from __future__ import annotations

from dashboard.documents.timelines.arrivals.rows import arrival_rows, read_entries
from dashboard.documents.timelines.drafts import actions, state
from dashboard.documents.timelines.drafts.actions import SeenEntries, new_edit
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush, stored


def opened(member, timeline):
    return OpenedTimeline(actions.own_draft(member, timeline))


def added(member, timeline, name, seen, text=""):
    """Put an entry at the end of the member's draft."""
    draft = actions.own_draft(member, timeline)
    before = OpenedTimeline(draft).entries.now.entries if draft else read_entries(timeline.revisions.get()).entries
    edit = new_edit(f"Add {name}", before, [*before, entry("20s", name)], text)
    return actions.put(member, timeline, edit, seen)


def test_entries_are_made_of_what_is_kept_and_are_the_same_from_scratch(editor, monkeypatch):
    timeline = stored(editor.member, rush()).timeline
    added(editor.member, timeline, "x", SeenEntries(1))
    first = opened(editor.member, timeline).entries
    assert opened(editor.member, timeline).entries is first
    added(editor.member, timeline, "y", SeenEntries(1, 1))
    read = []
    monkeypatch.setattr(state, "read_hunks", lambda one, real=state.read_hunks: read.append(one.number) or real(one))
    now = opened(editor.member, timeline).entries
    assert read == [2]
    assert now.now.entries[0] is first.now.entries[0]
    state._cache.clear()
    again = opened(editor.member, timeline).entries
    assert read == [2, 1, 2]
    assert again.now.entries == now.now.entries == [*rush(), entry("20s", "x"), entry("20s", "y")]
    assert again.now.rows == now.now.rows == arrival_rows(now.now.entries)
    assert opened(editor.member, timeline).counts == (2, 0, 0)


def test_the_text_is_what_somebody_typed_last_else_the_entries(editor):
    timeline = stored(editor.member, rush()).timeline
    added(editor.member, timeline, "x", SeenEntries(1), "entries: []  # typed")
    assert opened(editor.member, timeline).text == "entries: []  # typed"
    added(editor.member, timeline, "other", SeenEntries(1, 1))
    assert "name: other" in opened(editor.member, timeline).text
    actions.undo(editor.member, actions.own_draft(editor.member, timeline))
    now = opened(editor.member, timeline)
    assert now.typed_text == now.text == "entries: []  # typed"
    assert (now.undoable.name, now.redoable.name) == ("Add x", "Add other")
