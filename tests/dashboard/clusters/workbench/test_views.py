"""The editor of a draft: its page, its parts, and edits that lead back into it."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.clusters.drafts import actions
from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.workbench.views import shown_side
from dashboard.common.problems import BadQuery
from scheduler_core.manifests import dump_yaml

NODE = Key("Node", "", "node-a")


@pytest.fixture
def draft(editor, cluster):
    return actions.new_draft(editor.member, cluster)


def address(draft, name="draft_edit"):
    return reverse(f"clusters:{name}", args=["team", "prod", draft.pk])


def test_the_page_has_tree_map_and_the_selected_object(editor, draft):
    page = editor.get(address(draft), {"node": "node-a", "at": "Node"}).content.decode()
    assert 'id="wb-tree"' in page
    assert 'id="cluster-map"' in page
    assert "name: node-a" in page
    assert "data-object-form" in page
    text = editor.get(address(draft), {"node": "node-a", "at": "Node", "show": "yaml"}).content.decode()
    assert 'value="node=node-a&amp;at=Node&amp;show=yaml"' in text


def test_a_pod_and_another_object_are_selected_by_the_address(editor, draft):
    assert "name: web-1" in editor.get(address(draft), {"pod": "default/web-1"}).content.decode()
    page = editor.get(address(draft), {"kind": "PriorityClass", "name": "high"}).content.decode()
    assert "value: 1000" in page
    assert "?kind=PriorityClass&amp;name=high&amp;at=PriorityClass&amp;lines=1" in page


def test_a_new_object_has_a_form_and_kinds_without_one_are_refused(editor, draft):
    page = editor.get(address(draft), {"new": "Deployment"}).content.decode()
    assert "New Deployment" in page
    assert 'name="new" value="Deployment"' in " ".join(page.split())
    assert "data-object-form" in editor.get(address(draft, "draft_selected"), {"new": "Node"}).content.decode()
    refused = editor.get(address(draft), {"new": "Secret"})
    assert refused.status_code == 400


def test_a_new_object_can_be_written_as_yaml_on_the_same_page(editor, draft):
    page = " ".join(editor.get(address(draft), {"new": "Job"}).content.decode().split())
    assert 'href="?new=Job&amp;show=yaml" data-wb-show="yaml"' in page
    page = " ".join(editor.get(address(draft), {"new": "Job", "show": "yaml"}).content.decode().split())
    assert ("data-object-form" in page, "data-editor" in page, "kind: Job" in page) == (False, True, True)
    assert 'name="place" value="new=Job&amp;show=yaml"' in page


def test_a_draft_without_a_node_offers_the_form_of_one_in_itself(editor, draft):
    changes = [Edit.over(object_address, key, None) for key, object_address in revision_addresses(draft.base).items()]
    put_in(editor.user, draft, "Delete all", changes)
    page = editor.get(address(draft)).content.decode()
    assert 'href="?new=Node"' in " ".join(page.split())


def test_a_heading_that_its_only_field_repeats_is_not_seen_twice(editor, draft):
    page = " ".join(editor.get(address(draft), {"pod": "default/web-1"}).content.decode().split())
    headings = re.findall(r"<h3 ?([^>]*)>([^<]*)</h3>", page)
    unseen = {name for attributes, name in headings if "sr" in attributes}
    assert "Containers" in unseen
    assert "Where it may go" in {name for attributes, name in headings} - unseen


def test_what_is_not_in_the_draft_is_said(editor, draft):
    assert "no node gone" in editor.get(address(draft), {"node": "gone"}).content.decode()
    missing = editor.get(address(draft, "draft_selected"), {"kind": "PriorityClass", "name": "low"})
    assert "no PriorityClass low" in missing.content.decode()


def test_the_tree_comes_as_a_part_and_keeps_the_selection_in_the_address(editor, draft):
    shown = f"http://testserver{address(draft)}?node=node-a&at=Pod"
    part = editor.get(
        address(draft, "draft_tree"), {"at": "Node/zone-a"}, headers={"HX-Request": "true", "HX-Current-URL": shown}
    )
    assert f'data-address="{address(draft)}?node=node-a&amp;at=Node%2Fzone-a"' in part.content.decode()
    assert 'aria-current="true"' in part.content.decode()


@pytest.mark.parametrize("name", ["draft_tree", "draft_selected", "draft_panel", "draft_bar"])
def test_a_page_that_nobody_can_read_is_none(editor, draft, name):
    headers = {"HX-Request": "true", "HX-Current-URL": "http://["}
    assert editor.get(address(draft, name), {"node": "node-a"}, headers=headers).status_code == 200


def test_without_scripts_the_filter_leads_to_the_page(editor, draft):
    answer = editor.get(address(draft, "draft_tree"), {"q": ":node"})
    assert answer["Location"] == f"{address(draft)}?q=%3Anode"


def test_an_edit_leads_back_into_the_editor_with_its_object_selected(editor, draft):
    raw = OpenedDraft(draft).objects([NODE])[NODE].manifest
    raw["spec"] = {"unschedulable": True}
    form = {"kind": "Node", "name": "node-a", "draft": draft.pk, "text": dump_yaml([raw]), "place": "at=Node&node=x"}
    answer = editor.post(reverse("clusters:save_object", args=["team", "prod"]), form)
    assert answer["Location"] == f"{address(draft)}?at=Node&node=node-a"
    assert OpenedDraft(draft).objects([NODE])[NODE].manifest["spec"] == {"unschedulable": True}


def test_a_deletion_leads_back_with_nothing_selected(editor, draft):
    form = {"kind": "Pod", "ns": "default", "name": "web-1", "draft": draft.pk, "place": "pod=default%2Fweb-1&q=web"}
    answer = editor.post(reverse("clusters:delete_object", args=["team", "prod"]), form)
    assert answer["Location"] == f"{address(draft)}?q=web"


def test_a_draft_of_somebody_else_is_not_there(owner, draft):
    assert owner.get(address(draft)).status_code == 404


def test_form_and_yaml_come_first_and_the_choice_is_in_the_address():
    side = shown_side("Node", {"node": "a"})
    assert (side.show, side.has_form) == ("both", True)
    assert [one.url for one in side.choices] == ["?node=a&show=form", "?node=a&show=both", "?node=a&show=yaml"]
    assert not shown_side("Node", {"show": "yaml"}).has_form


def test_a_kind_without_a_form_has_its_yaml_alone():
    side = shown_side("Namespace", {"show": "form"})
    assert (side.show, side.choices) == ("yaml", ())


def test_another_choice_is_refused():
    with pytest.raises(BadQuery):
        shown_side("Node", {"show": "all"})


@pytest.mark.parametrize(
    ("name", "query", "sentence"),
    [
        ("draft_edit", {"node": "gone"}, "There is no node gone in"),
        ("draft_selected", {"kind": "PriorityClass", "name": "low"}, "There is no PriorityClass low in"),
    ],
)
def test_words(editor, draft, name, query, sentence):
    assert sentence in editor.get(address(draft, name), query).content.decode()
