"""The ways of somebody new to a changed cluster or configuration: each ends where it should, with few clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.preview import computing
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run

pytestmark = [pytest.mark.slow, pytest.mark.long]
READY = "html[data-map=ready][data-hand-ready]"
NODE = "worker-b-1"


@pytest.fixture
def draft(walk):
    """A walk that stands in the editor of a new draft of the demo's cluster."""
    walk.at("clusters/").click("link", "teaching")
    walk.click("button", "New draft")
    walk.tab.wait_for_selector(READY, state="attached")
    walk.ends(r"drafts/\d+/edit/", 2, shows="no changes yet")
    walk.clicks = 0
    return walk


def add_deployment(walk, name):
    """Make a Deployment of this name by the form."""
    walk.clicks = 0
    walk.on(walk.tab.locator("summary", has_text="Add"))
    walk.click("menuitem", "Deployment")
    field = walk.tab.get_by_label("Name", exact=True).first
    expect(field).to_be_focused()
    field.fill(name)
    walk.click("button", "Add to the draft")


def test_from_a_cluster_to_a_draft_with_a_cordoned_and_tainted_node(draft):
    draft.tab.locator("#wb-q").fill(NODE)
    draft.on(draft.tab.locator("#wb-tree .wb-leaf > a", has_text=NODE))
    draft.click("button", "Cordon", exact=True)
    expect(draft.tab.locator("#map-selected")).to_contain_text("cordoned")
    draft.ends(f"node={NODE}", 3)
    draft.clicks = 0
    draft.click("button", "Taint", exact=True)
    draft.tab.keyboard.type("dedicated")
    draft.tab.keyboard.press("Enter")
    expect(draft.tab.locator("#form-text")).to_have_value(re.compile("key: dedicated"))
    expect(draft.tab.locator("#map-selected")).to_contain_text("dedicated")
    draft.ends(f"node={NODE}", 1)


def test_from_a_draft_to_a_deployment_a_bound_pod_and_the_run_of_what_was_saved(draft):
    tab = draft.tab
    add_deployment(draft, "batch")
    expect(tab.locator("#object-form")).to_contain_text("Expands to 3 pods")
    draft.ends("kind=Deployment.*name=batch", 3)
    draft.clicks = 0
    group, box = tab.locator("[data-drag-pod]", has_text="batch"), tab.locator("#cluster-map").bounding_box()
    group.hover()
    tab.mouse.down()
    tab.mouse.move(box["x"] + 80, box["y"] + 90, steps=6)
    expect(tab.locator(".hand-ghost[data-fit=fits]")).to_be_visible()
    tab.mouse.up()
    draft.ends(r"drafts/\d+/edit/", 0, shows="Bind .* to worker-a-1")
    draft.click("button", "Save and run")
    draft.click("button", "Run", exact=True)
    draft.ends("runs/2/", 3)
    expect(tab.locator("#run-state")).to_contain_text("finished")
    head = str(Run.objects.get(number=2).head.seq)
    for count in ("#head-seq", "[data-head-seq]"):
        expect(tab.locator(count)).to_have_text(head)


def test_from_the_list_of_clusters_to_a_generated_one_and_its_run(walk):
    walk.at("clusters/").click("link", "Generate")
    walk.tab.get_by_label("Name of the new cluster").fill("synth")
    walk.click("button", "Generate")
    walk.ends("clusters/synth/", 2, shows="arrive in a run")
    walk.click("link", "Run", exact=True)
    expect(walk.tab.get_by_role("radio", name="A timeline")).to_be_checked()
    walk.click("button", "Run", exact=True)
    walk.ends("runs/2/", 4)
    run = Run.objects.get(number=2)
    assert (run.revision.cluster.slug, run.timeline_revision.timeline.name) == ("synth", "synth arrivals")


def test_from_the_list_of_configurations_to_a_weight_that_is_previewed_and_saved(walk, monkeypatch):
    monkeypatch.setattr(waiting, "wake_task", lambda name: computing.work())
    walk.at("configurations/").click("link", "Duplicate")
    weight = walk.tab.locator("tr[data-plugin=NodeResourcesFit] td[data-point=score] input")
    walk.on(weight)
    walk.tab.keyboard.type("9")
    walk.tab.keyboard.press("Enter")
    expect(walk.tab.locator("#preview")).to_contain_text(re.compile("[1-9][0-9]* of [1-9][0-9]* pods"))
    walk.tab.locator("#name").fill("filled evenly")
    walk.click("button", "Save", exact=True)
    walk.ends("configurations/filled-evenly/", 4)
    expect(weight).to_have_value("9")
