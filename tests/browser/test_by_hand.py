"""Editing a draft by hand in a real Chromium: with the mouse alone, and by keyboard alone, without writing YAML."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.drafts import operations, progress
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.drafts.progress import ChangeProgress
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from dashboard.clusters.revisions.object_keys import Key
from tests.browser.axe import grave_findings
from tests.dashboard.clusters.conftest import node, pod, small
from tests.dashboard.clusters.drafts.draft_helpers import JOB, NODE_A, change, fresh, manifest_of
from tests.dashboard.clusters.drafts.test_contents import deployment
from tests.patience import PATIENCE

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

    browser_page.at, browser_page.person = at, member
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


@pytest.mark.long
def test_several_are_selected_by_ctrl_shift_filter_and_frame(page):
    page.at("?at=Pod/default/")
    links = page.locator("#wb-tree .wb-leaf > a")
    links.nth(0).click()
    expect(selected(page)).to_have_text("Pod")
    links.nth(2).click(modifiers=["Shift"])
    expect(selected(page)).to_have_text("3 selected")
    page.at("?q=:node")
    expect(page.locator("#map-selected")).to_contain_text("Nothing selected")
    page.get_by_role("button", name="Select all").click()
    expect(page.locator("[data-wb-several]")).to_contain_text("2 Nodes selected")
    expect(page.get_by_text("Nothing selected")).to_be_hidden()
    page.at("?at=Pod/default/")
    links.nth(0).click()
    links.nth(2).click(modifiers=["Shift"])
    links.nth(1).click(modifiers=["Control"])
    expect(selected(page)).to_have_text("2 selected")
    expect(page).to_have_url(re.compile("sel="))
    page.reload()
    expect(selected(page)).to_have_text("2 selected")
    page.fill("#wb-q", ":po -l app=web")
    page.get_by_role("button", name="Select all").click()
    expect(page.locator("[data-wb-several] h2")).to_have_text("2 Pods selected")
    expect(page.locator("[data-hand-kinds]")).to_have_text("Pods")
    expect(page).to_have_url(re.compile("selq=%3Apo"))
    x, y = over(page, "node-a")
    page.keyboard.down("Shift")
    page.mouse.move(x - 25, y - 46)
    page.mouse.down()
    page.mouse.move(x + 500, y + 100, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator("[data-wb-several] h2")).to_have_text("2 Nodes selected")
    page.get_by_role("button", name="Cordon", exact=True).click()
    done(page, "Cordon node-a and 1 more")
    expect(page.locator("#draftbar .chg")).to_have_count(2)
    assert manifest_of(page.draft, NODE_B)["spec"] == {"unschedulable": True}
    assert grave_findings(page) == []


@pytest.mark.long
def test_several_are_listed_beside_the_map_until_one_alone_is_selected(page):
    page.at("?q=:po&pod=default/job-1")
    several, form = page.locator("[data-wb-several]"), page.locator("#object-form")
    expect(form).to_be_visible()
    page.locator("#wb-tree [data-map-pod='default/web-1']").focus()
    page.keyboard.press("Shift+Space")
    expect(several.locator("h2")).to_have_text(re.compile(r"\d Pods selected"))
    expect(form).to_be_hidden()
    assert grave_findings(page) == []
    page.keyboard.press("Escape")
    expect(form).to_be_visible()
    page.locator("#wb-tree [data-map-pod='default/web-1']").click(modifiers=["Control"])
    expect(several.locator("h2")).to_have_text("2 Pods selected")
    several.get_by_role("button", name="Take job-1 out of the selection").click()
    expect(page).to_have_url(re.compile("pod=default%2Fweb-1"))
    expect(page.locator("#map-selected > .pane-head h2")).to_have_text("web-1")
    expect(several).to_be_hidden()
    page.locator("#wb-tree [data-map-pod='default/job-1']").click(modifiers=["Control"])
    several.get_by_role("link", name="job-1").click()
    expect(page.locator("#map-selected > .pane-head h2")).to_have_text("job-1")
    expect(selected(page)).to_have_text("Pod")


@pytest.mark.long
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
    # It is known before the drop, once the engine has answered; a pointer at rest says it too.
    expect(page.locator("#map-fit")).to_contain_text("Fits 1 of 2")
    ghost = page.locator(".hand-ghost[data-fit=refused]")
    expect(ghost).to_contain_text("untolerated taint")
    expect(page.locator("#wb-tree .is-unfit")).to_contain_text("node-b")
    page.mouse.up()
    dialog = page.locator("#hand-bind")
    expect(page.locator(".hand-ghost")).to_have_count(0)
    expect(dialog).to_contain_text("does not fit node-b")
    expect(dialog).to_contain_text("untolerated taint")
    dialog.get_by_role("button", name="Bind anyway").last.click()
    done(page, "Bind default/job-1 to node-b")
    assert manifest_of(page.draft, JOB)["spec"]["nodeName"] == "node-b"
    page.locator(".toast", has_text="Bind default/job-1").get_by_role("button", name="Undo").click()
    done(page, "Undone: Bind default/job-1 to node-b")
    assert "nodeName" not in manifest_of(page.draft, JOB)["spec"]


def test_a_group_binds_one_of_its_pods_by_a_drop_and_stays_open(page):
    change(page.person, page.draft, deployment(3), "Add three pods")
    page.at()
    group = page.locator("[data-drag-pod]", has_text="web")
    expect(group).to_contain_text("3")
    group.click()
    expect(page.locator("#map-unbound [data-map-pod]")).to_have_count(3)
    place = over(page, "node-b")
    group.hover()
    page.mouse.down()
    page.mouse.move(*place, steps=4)
    expect(page.locator(".hand-ghost")).to_contain_text("one of 3")
    expect(page.locator(".hand-ghost[data-fit=fits]")).to_be_visible()
    page.mouse.up()
    page.wait_for_selector(".toast >> text=to node-b")
    expect(page.locator("#map-unbound [data-map-pod]")).to_have_count(2)
    expect(page.locator("#draftbar .chg-bound")).to_contain_text("to node-b")
    expect(page.locator(".hand-ghost")).to_have_count(0)
    expect(page.locator("#map-fit")).to_be_hidden()


@pytest.mark.long
def test_a_pod_is_dropped_back_to_those_that_wait(page):
    change(page.person, page.draft, pod("job-1", nodeName="node-b"), "Bind job-1")
    page.at("?q=:po+job-1")
    expect(page.locator("[data-pending]")).to_contain_text("No pod is pending")
    page.locator("#wb-tree [data-map-pod='default/job-1']").hover()
    page.mouse.down()
    box = page.locator("[data-pending]").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 5, steps=4)
    page.mouse.move(box["x"] + 60, box["y"] + 10)
    expect(page.locator("[data-pending].is-over")).to_be_visible()
    page.mouse.up()
    done(page, "Take default/job-1 back to pending")
    assert "nodeName" not in manifest_of(page.draft, JOB)["spec"]
    expect(page.locator("[data-pending] [data-map-pod='default/job-1']")).to_be_visible()
    expect(page.locator("[data-pending].is-over")).to_have_count(0)


@pytest.mark.long
def test_a_pod_that_waits_already_is_not_offered_to_wait(page):
    page.at("?pod=default/job-1")
    expect(page.locator("[data-hand=bind]")).to_be_visible()
    expect(page.locator("[data-hand=unbind]")).to_be_hidden()
    page.at("?pod=default/web-1")
    expect(page.locator("[data-hand=unbind]")).to_be_visible()


@pytest.mark.long
def test_undo_and_redo_stay_on_the_page_and_counts_in_the_tabs_follow(page):
    page.at("?q=:node&node=node-b")
    page.evaluate("window.stillHere = true")
    count = page.locator(".count-nodes")
    expect(count).to_have_text("2")
    page.locator("[data-hand=delete]").click()
    done(page, "Delete Node node-b")
    expect(count).to_have_text("1")
    # What is gone can be undone, and nothing else.
    expect(page.locator("[data-hand-none]")).to_be_visible()
    expect(page.locator("[data-hand=cordon]")).to_be_hidden()
    page.locator("#draftbar [data-key='Mod+z']").click()
    done(page, "Undone: Delete Node node-b")
    expect(count).to_have_text("2")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(2)
    page.keyboard.press("Control+Shift+Z")
    done(page, "Done again: Delete Node node-b")
    expect(count).to_have_text("1")
    assert page.evaluate("window.stillHere") is True


@pytest.mark.long
@pytest.mark.browser_complains("409")
def test_an_undo_that_somebody_stands_in_the_way_of_shows_both_versions(page):
    page.at("?q=:node&node=node-b")
    page.locator("[data-hand=cordon]").click()
    done(page, "Cordon node-b")
    expect(page.locator("#draftbar [data-key='Mod+z']")).to_have_attribute("title", "Undo: Cordon node-b")
    jonas = User.objects.create_user("jonas@example.org", "Jonas")
    page.draft.invited.add(jonas)
    other = Member.objects.create(workspace=page.draft.cluster.workspace, user=jonas, role=Role.EDITOR)
    change(other, page.draft, node("node-b", cpu="64"), "Give node-b more")
    page.locator(".toast", has_text="Cordon node-b").get_by_role("button", name="Undo").click()
    page.wait_for_selector("text=Two versions of the same object")
    expect(page.locator("main")).to_contain_text("Jonas: Give node-b more")


@pytest.mark.long
def test_a_long_change_says_how_far_it_is_and_moves_nothing(page, monkeypatch):
    may_go = threading.Event()
    push = operations._Rows.push

    def slowly(rows, operation, changed, report):
        report(ChangeProgress("written", 1, 2))
        may_go.wait(PATIENCE)
        push(rows, operation, changed, report)

    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(operations._Rows, "push", slowly)
    page.at("?q=:node")
    page.get_by_role("button", name="Select all").click()
    height = page.locator("#hand").bounding_box()["height"]
    page.locator("[data-hand=label]").click()
    page.fill("#hand-label [name=label_key]", "team")
    page.keyboard.press("Enter")
    doing = page.locator("#hand-label .hand-busy")
    expect(doing).to_contain_text("Label: 2 Nodes, 1 of 2 written")
    expect(doing.locator("progress")).to_have_attribute("value", "0.5")
    assert page.locator("#hand").bounding_box()["height"] == height
    assert grave_findings(page) == []
    may_go.set()
    done(page, "Label team on node-a and 1 more")
    expect(page.locator("#hand [data-hand-busy]")).to_be_hidden()


@pytest.mark.long
def test_a_long_undo_says_how_far_it_is_and_is_asked_for_once(page, monkeypatch):
    may_go = threading.Event()
    put, calls = operations._Rows.set, []

    def slowly(rows, changed, report):
        calls.append(len(changed))
        report(ChangeProgress("written", 1, 2))
        may_go.wait(PATIENCE)
        put(rows, changed, report)

    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(operations._Rows, "set", slowly)
    page.at("?q=:node")
    page.get_by_role("button", name="Select all").click()
    page.locator("[data-hand=cordon]").click()
    done(page, "Cordon node-a and 1 more")
    height = page.locator("#hand").bounding_box()["height"]
    page.locator(".toast", has_text="Cordon node-a").get_by_role("button", name="Undo").click()
    doing = page.locator("#hand > .hand-busy")
    expect(doing).to_contain_text("Undo: Cordon node-a and 1 more, 1 of 2 written")
    expect(doing.locator("progress")).to_have_attribute("value", "0.5")
    page.keyboard.press("Control+z")
    assert page.locator("#hand").bounding_box()["height"] == height
    may_go.set()
    done(page, "Undone: Cordon node-a and 1 more")
    expect(page.locator("#hand [data-hand-busy]")).to_be_hidden()
    expect(page.locator("[data-hand-acts]")).to_be_visible()
    assert calls == [2]


@pytest.mark.long
def test_what_is_rare_stands_in_a_menu_that_keys_walk_through(page):
    page.at("?q=:node&node=node-b")
    page.locator("[data-hand-more] summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Zone")).to_be_focused()
    assert grave_findings(page) == []
    page.get_by_role("menuitem", name="Resize").click()
    expect(page.locator("#hand-resize")).to_be_visible()
    expect(page.locator("[data-hand-more]")).not_to_have_attribute("open", "")


@pytest.mark.long
def test_by_keyboard_alone_a_pool_is_made_from_a_shape_and_a_pod_is_moved_and_a_node_drained(page):
    page.at()
    page.keyboard.press("/")
    page.keyboard.type(":node /node-b")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(selected(page)).to_have_text("Node")
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
    expect(selected(page)).to_have_text("Pod")
    page.keyboard.press("m")
    expect(page.locator("#hand-places")).to_contain_text("fits 22 of 22 nodes")
    page.keyboard.press("Enter")
    done(page, "Bind default/job-1 to")
    page.keyboard.press("Control+z")
    done(page, "Undone: Bind default/job-1 to")
    assert manifest_of(page.draft, NODE_A)["spec"] == {}


@pytest.mark.slow
@pytest.mark.long
def test_bar_dialogs_and_menus_are_accessible(page):
    """Dialogs of a node's and a pod's actions, the menu of kinds, a text with an error, and a selection of all."""
    grave = {}

    def look(name):
        grave[name] = grave_findings(page)

    page.at("?q=:node&node=node-b")
    for what, key in (("taint", "t"), ("resize", "r"), ("duplicate", "d"), ("label", "l"), ("zone", "z")):
        page.keyboard.press(key)
        expect(page.locator(f"#hand-{what}")).to_be_visible()
        look(what)
        page.keyboard.press("Escape")
    page.keyboard.press("Shift+D")
    expect(page.locator("#hand-drained")).to_contain_text("cordoned")
    look("drain")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_role("menuitem", name="Deployment")).to_be_visible()
    look("new object")
    page.keyboard.press("Escape")
    page.locator("#form-text").fill("kind: [")
    page.locator("#form-text").blur()
    expect(page.locator("#object-form")).to_contain_text("this is no YAML")
    look("YAML with an error")
    page.at("?q=:pod&pod=default/job-1")
    page.keyboard.press("m")
    expect(page.locator("#hand-places")).to_contain_text("fits")
    look("places")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Select all").click()
    expect(selected(page)).to_contain_text("selected")
    look("all pods")
    assert {name: findings for name, findings in grave.items() if findings} == {}
