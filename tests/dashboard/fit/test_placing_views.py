"""A pod bound by hand and nodes drained, over HTTP: the engine is asked first, and may be overruled."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.drafts.draft_helpers import manifest_of, new_draft

HTMX = {"HX-Request": "true"}
WIDE = Key("Pod", "default", "wide")


@pytest.fixture
def draft(editor, dumped):
    return new_draft(editor, Cluster.objects.get(slug="prod"))


def address(name, draft):
    return reverse(f"fit:{name}", args=["team", "prod", draft.pk])


def place(person, draft, pod, node, **more):
    return person.post(address("place", draft), {"pod": pod, "place": node, **more}, headers=HTMX)


def text(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def test_the_nodes_for_a_pod_come_with_those_that_fit_first(editor, draft):
    response = editor.get(address("places", draft), {"pod": "default/fits"})
    shown, page = response.context["panel"], text(response)
    assert (shown.fit.n_fits, shown.fit.n_nodes) == (1, 2)
    assert page.index('value="node-a"') < page.index('value="node-b"')
    assert [one.refusal.partition(":")[0] for one in shown.places] == ["", "NodeUnschedulable"]


def test_a_pod_is_bound_where_it_fits(editor, draft):
    assert place(editor, draft, "default/fits", "node-a").status_code == 204
    assert manifest_of(draft, Key("Pod", "default", "fits"))["spec"]["nodeName"] == "node-a"


def test_a_refusal_says_why_and_can_be_forced(editor, draft):
    refused = place(editor, draft, "default/wide", "node-a")
    assert refused.status_code == 200
    assert "Insufficient cpu" in text(refused)
    assert "nodeName" not in manifest_of(draft, WIDE)["spec"]
    assert place(editor, draft, "default/wide", "node-a", force="1").status_code == 204
    assert manifest_of(draft, WIDE)["spec"]["nodeName"] == "node-a"


def test_without_the_engine_it_is_said_that_nothing_is_known(editor, draft, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    assert "has not answered" in text(place(editor, draft, "default/fits", "node-a"))
    assert "hx-get" in text(editor.get(address("places", draft), {"pod": "default/fits"}))
    drained = text(editor.post(address("drained", draft), {"objects": "Node//node-a"}))
    assert "data-again=" in drained


def test_draining_says_where_each_pod_would_go_and_changes_nothing(editor, draft):
    shown = editor.post(address("drained", draft), {"objects": "Node//node-b"}).context["panel"]
    assert [(one.node, one.fits) for one in shown.moved] == [("node-a", 1)]
    shown = editor.post(address("drained", draft), {"objects": "Node//node-a"}).context["panel"]
    assert (shown.n_stuck, [one.node for one in shown.moved]) == (2, ["", ""])
    assert draft.operations.count() == 0


def test_what_is_not_there_is_said(editor, draft):
    assert place(editor, draft, "default/fits", "node-z").status_code == 404
    assert place(editor, draft, "default/fits", "").status_code == 400
    assert place(editor, draft, "default/none", "node-a").status_code == 404
    assert editor.post(address("drained", draft), {"objects": "Pod/default/wide"}).status_code == 400


def test_who_may(viewer, stranger, editor, dumped):
    draft = new_draft(editor, Cluster.objects.get(slug="prod"), viewer)
    assert viewer.get(address("places", draft), {"pod": "default/fits"}).status_code == 200
    assert viewer.post(address("drained", draft), {"objects": "Node//node-a"}).status_code == 200
    assert place(viewer, draft, "default/fits", "node-a").status_code == 403
    assert stranger.get(address("places", draft), {"pod": "default/fits"}).status_code == 404
    assert place(stranger, draft, "default/fits", "node-a").status_code == 404


def test_words_of_places(editor, draft):
    page = text(editor.get(address("places", draft), {"pod": "default/fits"}))
    sentences = ("fits 1 of 2 nodes", "NodeUnschedulable: node(s) were unschedulable")
    assert [one for one in sentences if one not in page] == []


@pytest.mark.parametrize(
    ("node", "sentences"),
    [
        ("node-b", ["1 pod back to pending", "would go to node-a, one of 1"]),
        ("node-a", ["2 would find no node"]),
    ],
)
def test_words(editor, draft, node, sentences):
    page = text(editor.post(address("drained", draft), {"objects": f"Node//{node}"}))
    assert [one for one in sentences if one not in page] == []


def test_the_map_hears_where_a_dragged_pod_fits_and_asks_again_until_it_is_known(editor, draft, monkeypatch):
    lit = editor.get(address("fits", draft), {"pod": "default/fits"}).json()["lit"]
    assert dict(zip(lit["nodes"], lit["reasonOf"], strict=True)) == {"node-a": -1, "node-b": 0}
    assert (lit["pod"], lit["untried"]) == ("default/fits", "")
    assert lit["reasons"][0].startswith("NodeUnschedulable")
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    told = editor.get(address("fits", draft), {"pod": "default/fits"}).json()
    assert told["pause"] > 0
    assert editor.get(told["again"]).json().keys() == {"again", "pause"}


def test_a_pod_that_a_workload_makes_is_shown_as_bound_and_its_cordoned_node_as_such(editor, draft):
    place(editor, draft, "default/fits", "node-a")
    bar = editor.get(reverse("clusters:draft_bar", args=["team", "prod", draft.pk])).context["draft_bar"]
    assert [(chip.what, chip.label) for chip in bar.chips] == [("bound", "Pod fits to node-a")]
    edit = reverse("clusters:draft_edit", args=["team", "prod", draft.pk])
    assert "data-cordoned" in text(editor.get(edit, {"node": "node-b"}))
    assert "data-cordoned" not in text(editor.get(edit, {"node": "node-a"}))
