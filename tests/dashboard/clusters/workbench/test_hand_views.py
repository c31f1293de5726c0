"""Actions on the selection over HTTP."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.workbench.hand_views import labels_in, values_in
from dashboard.common.problems import BadQuery
from tests.dashboard.clusters.drafts.draft_helpers import NODE_A, manifest_of, new_draft

HTMX = {"HX-Request": "true"}


@pytest.fixture
def draft(editor, cluster):
    return new_draft(editor, cluster)


def address(draft, name="draft_act"):
    return reverse(f"clusters:{name}", args=["team", "prod", draft.pk])


def test_an_action_tells_the_page_what_was_done_and_how_it_is_undone(editor, draft):
    form = {"what": "taint", "objects": "Node//node-a\nNode//node-b", "taint_key": "gpu"}
    answer = editor.post(address(draft), form, headers=HTMX)
    assert answer.status_code == 204
    said = json.loads(answer["HX-Trigger"])
    assert said["draftchanged"]
    assert "gpu:NoSchedule on node-a" in said["handdone"]["text"]
    assert manifest_of(draft, NODE_A)["spec"]["taints"] == [{"key": "gpu", "effect": "NoSchedule"}]
    assert editor.post(said["handdone"]["undo"]).status_code == 302
    assert "taints" not in manifest_of(draft, NODE_A)["spec"]


def test_all_that_a_filter_finds_is_changed(editor, draft):
    form = {"what": "cordon", "filter": ":node", "count": 2}
    assert editor.post(address(draft), form, headers=HTMX).status_code == 204
    assert manifest_of(draft, Key("Node", "", "node-b"))["spec"] == {"unschedulable": True}
    assert editor.post(address(draft), form | {"count": 9}, headers=HTMX).status_code == 409


def test_what_cannot_be_done_is_said(editor, draft):
    answer = editor.post(address(draft), {"what": "drain", "objects": "Pod/default/web-1"}, headers=HTMX)
    assert answer.status_code == 400
    assert "is%20no%20Node" in answer["X-Problem"]
    assert editor.post(address(draft), {"objects": "Node//node-a"}).status_code == 400


def test_a_filter_is_asked_for_its_objects(viewer, editor, cluster):
    draft = new_draft(editor, cluster, viewer)
    answer = viewer.get(address(draft, "draft_picked"), {"q": ":node"})
    assert answer.json() == {"objects": ["Node//node-a", "Node//node-b"]}


def test_values_of_the_dialogs():
    form = {"cpu": "4", "memory": "", "resource": "gpu", "amount": "2", "labels": "a=b, c="}
    values = values_in(form | {"taint_key": "k", "taint_effect": "any"})
    assert values.amounts == {"cpu": "4", "gpu": "2"}
    assert (values.key, values.effect) == ("k", "")
    assert values.labels == {"a": "b", "c": ""}
    with pytest.raises(BadQuery, match="key=value"):
        labels_in("a")
