"""The form of an object of a draft over HTTP: shown, edited, refused; by itself and as a part."""

from __future__ import annotations

import html
import json
import re

import pytest

from dashboard.clusters.drafts.operations import undo
from dashboard.clusters.texts.changes import read_document
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    JOB,
    NODE_A,
    change,
    cpu_of,
    fresh,
    manifest_of,
    new_draft,
)
from tests.dashboard.helpers import assert_strict_csp

STATES = {409: "clash", 422: "errors"}
PART = {"HTTP_HX_REQUEST": "true"}
QUERY = {"kind": "Pod", "ns": "default", "name": "job-1"}
CPU = '["spec","containers",0,"resources","requests","cpu"]'
NO_FORM = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
TOLERATIONS = '["spec","tolerations"]'


@pytest.fixture
def draft(editor, cluster):
    """A draft of the editor's own."""
    return new_draft(editor, cluster)


def address(draft):
    """Return the address of the form."""
    return f"{HERE}drafts/{draft.pk}/form/"


def shown(person, draft, query=QUERY, status=200):
    """Return the part that a page loads."""
    response = person.get(address(draft), query, **PART)
    assert response.status_code == status
    page = response.content.decode()
    assert_strict_csp(page)
    return page


def text_in(page):
    """Return the YAML of a form as the browser would send it."""
    return html.unescape(re.search(r'id="form-text".*?>\n(.*?)</textarea>', page, re.DOTALL)[1])


def mends_in(page):
    """Return what the buttons send that let the pod onto added nodes."""
    return [html.unescape(value) for value in re.findall(r'name="mend" value="([^"]*)"', page)]


def seen_in(page):
    """Return from which content a form started."""
    return re.search(r'name="seen"\s+value="(\w*)"', page)[1]


def sent(person, draft, edits, page=None, status=200, query=QUERY, **more):
    """Send edits from a form, and return the answer."""
    page = page or shown(person, draft, query)
    form = {**query, "seen": seen_in(page), "text": text_in(page), **edits, **more}
    response = person.post(address(draft), form, **PART)
    if status in STATES:
        assert f'data-state="{STATES[status]}"' in response.content.decode()
        assert person.post(address(draft), form).status_code == status, "a whole page has the status too"
        status = 200
    assert response.status_code == status, response.content.decode()[:2000]
    return response


def test_the_part_stands_alone_and_the_page_has_it_too(editor, draft):
    part = shown(editor, draft)
    assert part.lstrip().startswith("<section")
    assert 'id="object-form"' in part
    page = editor.get(address(draft), QUERY).content.decode()
    assert 'id="draftbar"' in page
    assert 'id="object-form"' in page
    assert_strict_csp(page)


def test_an_edit_is_an_operation_of_the_draft_that_can_be_undone_by_name(editor, draft):
    response = sent(editor, draft, {f"set:{CPU}": "4"})
    assert json.loads(response["HX-Trigger"]) == {"draftchanged": True}
    assert cpu_of(draft) == "4"
    assert "default/job-1" in draft.operations.get().name
    undo(editor.user, fresh(draft))
    assert cpu_of(draft) == "500m"


def test_a_text_of_the_yaml_is_written_with_its_comments_and_form_edits_keep_them(editor, draft):
    page = shown(editor, draft)
    text = f"# why\n{text_in(page)}"
    page = sent(editor, draft, {}, page, text=text).content.decode()
    assert "written" in page
    assert not draft.operations.exists(), "a comment changes no object"
    page = sent(editor, draft, {f"set:{CPU}": "4"}, page).content.decode()
    assert text_in(page) == text.replace("cpu: 500m", 'cpu: "4"')


def test_an_error_stands_at_its_field_and_keeps_the_text_out_of_the_draft(editor, draft):
    page = sent(editor, draft, {f"set:{CPU}": "4 cores"}, status=422).content.decode()
    assert re.search(r'id="f-\[&quot;spec&quot;,&quot;containers[^>]*>.*?class="bad', page, re.DOTALL)
    assert cpu_of(draft) == "500m"
    assert "4 cores" in text_in(page)
    page = sent(editor, draft, {f"set:{CPU}": "5"}, page).content.decode()
    assert cpu_of(draft) == "5"


def test_all_errors_of_an_object_are_shown_at_once(editor, draft):
    page = shown(editor, draft)
    assert 'class="bad' not in page
    text = text_in(page).replace("cpu: 500m", "cpu: lots").replace("memory: 64Mi", "memory: more")
    page = sent(editor, draft, {}, page, status=422, text=text).content.decode()
    assert page.count('class="bad') == 2


def test_a_row_that_is_added_goes_into_the_draft_once_it_is_whole(editor, draft):
    page = sent(editor, draft, {"do": f"add:{TOLERATIONS}"}, status=422).content.decode()
    assert "tolerations" not in manifest_of(draft, JOB)["spec"]
    page = sent(editor, draft, {'set:["spec","tolerations",0,"key"]': "gpu"}, page).content.decode()
    assert manifest_of(draft, JOB)["spec"]["tolerations"] == [
        {"effect": "NoSchedule", "key": "gpu", "operator": "Equal"}
    ]
    sent(editor, draft, {"do": 'remove:["spec","tolerations",0]'}, page)
    assert "tolerations" not in manifest_of(draft, JOB)["spec"]


def test_a_text_that_is_no_yaml_stays_and_the_form_says_where(editor, draft):
    page = shown(editor, draft)
    page = sent(editor, draft, {}, page, status=422, text="kind: [").content.decode()
    assert re.search(r"line \d", page)
    assert not re.search(r'id="f-', page)
    page = sent(editor, draft, {f"set:{CPU}": "4"}, page, status=422).content.decode()
    assert text_in(page) == "kind: ["


def test_somebody_elses_change_meanwhile_is_shown_and_can_be_overwritten(editor, draft):
    page = shown(editor, draft)
    change(editor, draft, pod("job-1", cpu="7", priorityClassName="high"))
    page = sent(editor, draft, {f"set:{CPU}": "4"}, page, status=409).content.decode()
    assert "changed it meanwhile" in page
    assert "Two versions of" in page
    assert cpu_of(draft) == "7"
    sent(editor, draft, {"over": "1"}, page)
    assert cpu_of(draft) == "4"


def test_a_new_object_comes_into_the_draft_when_it_is_added(editor, draft):
    query = {"new": "Deployment"}
    page = shown(editor, draft, query)
    page = sent(editor, draft, {'set:["spec","replicas"]': "5"}, page, query=query).content.decode()
    assert not draft.operations.exists()
    response = sent(editor, draft, {"adds": "1"}, page, query=query)
    moved = json.loads(response["HX-Trigger"])["objectmoved"]
    assert (moved["kind"], moved["ns"], moved["name"]) == ("Deployment", "default", "web")
    page = shown(editor, draft, {"kind": "Deployment", "ns": "default", "name": "web"})
    assert re.search(r"Expands to <b>5</b> pods", page)


def test_a_new_object_gets_its_name_in_the_form(editor, draft):
    query = {"new": "Deployment"}
    name = {'set:["metadata","name"]': "batch", 'set:["metadata","namespace"]': "jobs"}
    page = sent(editor, draft, name, shown(editor, draft, query), query=query).content.decode()
    moved = json.loads(sent(editor, draft, {"adds": "1"}, page, query=query)["HX-Trigger"])["objectmoved"]
    assert (moved["ns"], moved["name"]) == ("jobs", "batch")
    assert 'id="f-[&quot;metadata&quot;,&quot;namespace&quot;]"' not in shown(editor, draft, {"new": "Node"})


def test_scaling_is_named_so_and_the_pods_follow(editor, draft):
    query = {"kind": "Deployment", "ns": "default", "name": "web"}
    sent(editor, draft, {"adds": "1"}, query={"new": "Deployment"})
    page = sent(editor, draft, {'set:["spec","replicas"]': "9"}, query=query).content.decode()
    assert draft.operations.last().name.endswith("default/web to 9")
    assert "<b>9</b> pods" in page


def test_builders_say_what_they_match_and_lead_to_all_of_it(editor, draft):
    selector = '["spec","nodeSelector"]'
    page = sent(editor, draft, {f"pair:{selector}": "topology.kubernetes.io/zone=zone-b"}).content.decode()
    assert "1 of 2" in page
    response = editor.get(f"{address(draft)}matching/", {**QUERY, "at": selector})
    listed = response.content.decode()
    assert "node-b" in listed
    assert "node-a</bdi>" not in listed
    assert_strict_csp(listed)
    assert editor.get(f"{address(draft)}matching/", {**QUERY, "at": "[]"}).status_code == 404


def test_added_nodes_without_the_label_are_labelled_by_one_click(editor, draft):
    for name in ("new-1", "new-2"):
        change(editor, draft, node(name))
    page = sent(editor, draft, {'pair:["spec","nodeSelector"]': "card=V100"}).content.decode()
    action = 'label:["card", "V100"]'
    assert mends_in(page) == [action]
    page = sent(editor, draft, {"mend": action}, page).content.decode()
    assert not mends_in(page)
    assert "2 of 4" in page
    assert [one.key[2] for one in draft.operations.last().changes.all()] == ["new-1", "new-2"]
    assert "by now" in sent(editor, draft, {"mend": action}, page, status=422).content.decode()


def test_a_taint_of_added_nodes_is_tolerated_by_one_click(editor, draft):
    change(editor, draft, node("new-1", taints=[{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]))
    page = shown(editor, draft)
    assert "dedicated=batch:NoSchedule" in page
    action = 'tolerate:["dedicated", "batch", "NoSchedule"]'
    assert mends_in(page) == [action]
    page = sent(editor, draft, {"mend": action}, page).content.decode()
    assert not mends_in(page)
    assert "let into 1" in page


@pytest.mark.parametrize("edits", [{"mend": "label:[]"}, {"mend": "x"}, {"set:[7": "1"}, {'set:["status","x"]': "1"}])
def test_what_no_form_offers_is_refused(editor, draft, edits):
    sent(editor, draft, edits, status=400)


def test_hostile_text_is_inert(editor, draft):
    evil = '"><script>alert(1)</script>'
    change(editor, draft, pod("job-1", nodeSelector={evil: evil}))
    assert "<script>alert" not in shown(editor, draft)


def test_a_node_has_a_form(editor, draft):
    query = {"kind": "Node", "name": "node-a"}
    sent(editor, draft, {'set:["spec","unschedulable"]': "true"}, query=query)
    assert manifest_of(draft, NODE_A)["spec"]["unschedulable"] is True
    assert [one.key for one in draft.operations.get().changes.all()] == [NODE_A]


def test_a_kind_without_a_form_has_its_yaml(editor, draft):
    change(editor, draft, NO_FORM)
    page = shown(editor, draft, {"kind": "Namespace", "name": "shop"})
    assert not re.search(r'id="f-', page)
    assert read_document(text_in(page)) == NO_FORM


def test_several_objects_are_no_text_of_a_form(editor, draft):
    text = "---\n".join(dump_yaml([pod(name)]) for name in ("job-1", "job-2"))
    page = sent(editor, draft, {}, status=422, text=text).content.decode()
    assert "several" in page


def test_what_is_gone_is_not_found(editor, draft):
    shown(editor, draft, {"kind": "Pod", "ns": "default", "name": "none"}, status=404)


def test_a_viewer_reads_the_form_and_cannot_write(viewer, editor, cluster):
    shared = new_draft(editor, cluster, viewer)
    page = shown(viewer, shared)
    assert re.search(r"<fieldset[^>]*disabled", page)
    sent(viewer, shared, {f"set:{CPU}": "4"}, page, status=403)


SELECTOR = 'pair:["spec","nodeSelector"]'


@pytest.mark.parametrize(
    ("edits", "status", "sentence"),
    [
        ({}, 200, "A change goes into the draft as you leave its field"),
        ({f"set:{CPU}": "4 cores"}, 422, "not in the draft yet"),
        ({"text": "kind: ["}, 422, "The form comes back once the YAML can be read."),
        ({"text": "kind: [", f"set:{CPU}": "4"}, 422, "Correct the YAML first"),
        ({SELECTOR: "topology.kubernetes.io/zone=zone-b"}, 200, "1 of 4 nodes match"),
        ({SELECTOR: "card=V100"}, 200, "The 2 nodes that you added have no"),
        ({}, 200, "The 2 nodes that you added have a taint that it does not tolerate:"),
        ({"mend": 'tolerate:["dedicated", "batch", "NoSchedule"]'}, 200, "let into 2 of 2 tainted nodes"),
        (None, 200, "This kind has no form."),
    ],
)
def test_words(editor, draft, edits, status, sentence):
    for name in ("new-1", "new-2"):
        change(editor, draft, node(name, taints=[{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]))
    change(editor, draft, NO_FORM)
    query = QUERY if edits is not None else {"kind": "Namespace", "name": "shop"}
    page = sent(editor, draft, edits, status=status).content.decode() if edits else shown(editor, draft, query)
    assert sentence in page


@pytest.mark.parametrize(
    ("query", "edits", "sentence"),
    [
        (QUERY, {f"set:{CPU}": "4"}, "Change containers of Pod default/job-1"),
        (
            {"kind": "Node", "name": "node-a"},
            {'set:["spec","unschedulable"]': "true"},
            "Set cordoned of Node node-a to true",
        ),
    ],
)
def test_words_of_operations(editor, draft, query, edits, sentence):
    sent(editor, draft, edits, query=query)
    assert draft.operations.get().name == sentence
