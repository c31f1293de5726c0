"""Changed entries have names that tell them apart, and are shown by field as changed objects are."""

from __future__ import annotations

from dashboard.documents.timelines.drafts.named_changes import named_changes


def entry(at, name, action="add"):
    """Return an entry about a pod."""
    meta = {"name": name, "namespace": "shop"}
    return {"at": at, "action": action, "object": {"apiVersion": "v1", "kind": "Pod", "metadata": meta}}


def test_what_is_done_to_which_object_is_the_name_and_a_second_time_is_numbered():
    pairs = [(None, entry("1s", "a")), (entry("2s", "a", "delete"), None), (None, entry("3s", "a"))]
    changes = [one.change for one in named_changes(pairs)]
    assert [one.key.label for one in changes] == ["add Pod shop/a", "delete Pod shop/a", "add Pod (2) shop/a"]
    assert [one.what for one in changes] == ["added", "removed", "added"]
    assert len({one.anchor for one in changes}) == len(pairs)


def test_a_changed_entry_is_shown_by_its_fields():
    [changed] = named_changes([(entry("1s", "a"), entry("61s", "a"))])
    assert [(one.path, one.before, one.after) for one in changed.shown.fields] == [("at", "1s", "61s")]
