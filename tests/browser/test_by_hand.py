"""Editing a draft by hand in a real Chromium: with the mouse alone, and by keyboard alone, without writing YAML."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from dashboard.clusters.revisions.object_keys import Key
from tests.browser.axe import grave_findings
from tests.dashboard.clusters.conftest import small
from tests.dashboard.clusters.drafts.draft_helpers import JOB, NODE_A, fresh, manifest_of

READY = "html[data-map=ready][data-hand-ready]"
NODE_B = Key("Node", "", "node-b")


@pytest.fixture
def page(browser_page, live_server_url, sign_in):
    """The editor of a draft of "prod"; `page.at(query)` opens it at an address."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    browser_page.draft = new_draft(member, actions.create_cluster(member, NewCluster("prod"), small()))

    def at(query=""):
        browser_page.goto(f"{live_server_url}/w/team/clusters/prod/drafts/{browser_page.draft.pk}/edit/{query}")
        browser_page.wait_for_selector(READY, state="attached")

    browser_page.at = at
    return browser_page


def selected(page):
    return page.locator("[data-hand-count]")


def done(page, text):
    """Wait until an action is told of, and until the page shows the draft with it."""
    page.wait_for_selector(f".toast >> text={text}")


def over(page, node):
    """Move the pointer over a node of the map: into its card, above its pods."""
    box = page.locator("#cluster-map").bounding_box()
    for x in range(30, int(box["width"]), 40):
        page.mouse.move(box["x"] + x, box["y"] + 50)
        tip = page.locator(".cmap-tip")
        if tip.is_visible() and node in tip.inner_text():
            return box["x"] + x, box["y"] + 50
    raise AssertionError(f"{node} is nowhere on the map")


def test_several_are_selected_by_ctrl_shift_filter_and_frame(page):
    page.at("?at=Pod/default/")
    links = page.locator("#wb-tree .wb-leaf > a")
    links.nth(0).click()
    expect(selected(page)).to_have_text("1 selected")
    links.nth(2).click(modifiers=["Shift"])
    expect(selected(page)).to_have_text("3 selected")
    links.nth(1).click(modifiers=["Control"])
    expect(selected(page)).to_have_text("2 selected")
    expect(page).to_have_url(re.compile("sel="))
    page.reload()
    expect(selected(page)).to_have_text("2 selected")
    page.fill("#wb-q", ":po -l app=web")
    page.get_by_role("button", name="Select all").click()
    expect(page.locator("[data-hand-kinds]")).to_have_text("2 Pods")
    expect(page).to_have_url(re.compile("selq=%3Apo"))
    x, y = over(page, "node-a")
    page.keyboard.down("Shift")
    page.mouse.move(x - 25, y - 46)
    page.mouse.down()
    page.mouse.move(x + 500, y + 100, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator("[data-hand-kinds]")).to_have_text("2 Nodes")
    page.get_by_role("button", name="Cordon", exact=True).click()
    done(page, "Cordon node-a and 1 more")
    expect(page.locator("#draftbar .chg")).to_have_count(2)
    assert manifest_of(page.draft, NODE_B)["spec"] == {"unschedulable": True}
    assert grave_findings(page) == []


def test_a_refused_drop_says_why_and_can_be_forced_and_is_undone_by_name(page):
    page.at("?at=Node/zone-b&node=node-b&show=form")
    page.keyboard.press("t")
    page.keyboard.type("gpu")
    page.keyboard.press("Enter")
    done(page, "Taint gpu:NoSchedule on node-b")
    place = over(page, "node-b")
    page.locator(".cmap-strip [data-map-pod]").hover()
    page.mouse.down()
    page.mouse.move(*place, steps=4)
    page.mouse.up()
    dialog = page.locator("#hand-bind")
    expect(dialog).to_contain_text("does not fit node-b")
    expect(dialog).to_contain_text("untolerated taint")
    dialog.get_by_role("button", name="Bind anyway").last.click()
    done(page, "Bind default/job-1 to node-b")
    assert manifest_of(page.draft, JOB)["spec"]["nodeName"] == "node-b"
    page.locator(".toast", has_text="Bind default/job-1").get_by_role("button", name="Undo").click()
    done(page, "Undone: Bind default/job-1 to node-b")
    assert "nodeName" not in manifest_of(page.draft, JOB)["spec"]


def test_by_keyboard_alone_a_pool_is_made_from_a_shape_and_a_pod_is_moved_and_a_node_drained(page):
    page.at()
    page.keyboard.press("/")
    page.keyboard.type(":node /node-b")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(selected(page)).to_have_text("1 selected")
    page.keyboard.press("d")
    page.keyboard.type("20")
    page.keyboard.press("Tab")
    page.keyboard.type("gpu-##")
    page.keyboard.press("Tab")
    page.keyboard.type("pool=gpu")
    page.keyboard.press("Enter")
    done(page, "Duplicate Node node-b 20 times")
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type("-l pool=gpu")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(20)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(selected(page)).to_have_text("20 selected")
    page.keyboard.press("z")
    page.keyboard.type("zone-c")
    page.keyboard.press("Enter")
    done(page, "Move gpu-01 and 19 more to zone zone-c")
    page.keyboard.press("Shift+D")
    expect(page.locator("#hand-drained")).to_contain_text("20 nodes cordoned, 0 pods back to pending")
    page.keyboard.press("Escape")
    nodes = contents_of_draft(fresh(page.draft)).rows.nodes
    assert sum(node.zone == "zone-c" and node.pool == "gpu" for node in nodes) == 20
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type(":po /job")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hand-kinds]")).to_contain_text("Pod")
    page.keyboard.press("m")
    expect(page.locator("#hand-places")).to_contain_text("fits 22 of 22 nodes")
    page.keyboard.press("Enter")
    done(page, "Bind default/job-1 to")
    page.keyboard.press("Control+z")
    done(page, "Undone: Bind default/job-1 to")
    assert manifest_of(page.draft, NODE_A)["spec"] == {}
