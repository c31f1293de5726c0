"""The editor of a draft in a real Chromium: one selection in tree, map and YAML, by mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from tests.browser.axe import grave_findings
from tests.dashboard.clusters.conftest import small

READY = "html[data-map=ready]"


@pytest.fixture
def page(browser_page, live_server_url, sign_in):
    """The editor of a draft of "prod"; `page.at(query)` opens it at an address."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    draft = new_draft(member, actions.create_cluster(member, NewCluster("prod"), small()))

    def at(query=""):
        browser_page.goto(f"{live_server_url}/w/team/clusters/prod/drafts/{draft.pk}/edit/{query}")
        browser_page.wait_for_selector(READY)

    browser_page.at = at
    return browser_page


def current(page):
    """The object that the tree marks."""
    return page.locator("#wb-tree .wb-leaf [aria-current]")


def test_the_selection_is_one_in_tree_map_and_yaml_and_stays_after_a_reload(page):
    page.at("?at=Node/zone-a&show=yaml")
    page.click("#wb-tree >> text=node-a")
    page.wait_for_url(re.compile(r"node=node-a"))
    expect(page.locator("#map-selected h2 >> nth=0")).to_have_text("node-a")
    expect(page.locator("#cluster-map")).to_have_attribute("data-node", "node-a")
    expect(page.locator(".ace_content")).to_contain_text("node-a")
    page.reload()
    expect(current(page)).to_have_text("node-a")
    page.click("#wb-tree >> text=PriorityClass")
    page.click("#wb-tree >> text=high")
    expect(page.locator(".ace_content")).to_contain_text("1000")
    expect(page.locator("#cluster-map")).to_have_attribute("data-node", "")
    page.go_back()
    expect(page.locator("#map-selected h2 >> nth=0")).to_have_text("node-a")
    assert grave_findings(page) == []


@pytest.mark.long
def test_an_object_of_the_address_is_marked_in_its_branch_which_stays_open(page):
    page.at("?node=node-b&show=form")
    expect(current(page)).to_have_text("node-b")
    page.keyboard.press("c")
    expect(page.locator("#wb-tree .chg-changed")).to_have_count(1)
    expect(current(page)).to_have_text("node-b")
    page.reload()
    expect(current(page)).to_have_text("node-b")


@pytest.mark.long
def test_by_keyboard_alone_an_object_is_found_edited_and_the_edit_undone(page):
    page.at("?show=yaml")
    page.keyboard.press("/")
    page.keyboard.type(":po -l app=web")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(current(page)).to_have_text("web-2")
    page.wait_for_selector(".ace_content >> text=web-2")
    page.evaluate("schedscopeEditor.setValue(schedscopeEditor.getValue().replace('cpu: \"2\"', 'cpu: \"3\"'), -1)")
    page.keyboard.press("Control+s")
    page.wait_for_selector(".toast >> text=Change Pod default/web-2")
    expect(page.locator("#wb-tree .chg-changed")).to_have_count(1)
    expect(page.locator("#map-selected")).to_contain_text("3")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".toast >> text=Undone: Change Pod default/web-2")
    expect(page.locator("#wb-tree .chg-changed")).to_have_count(0)
    expect(current(page)).to_have_text("web-2")


def test_a_text_that_was_left_unsent_is_back_when_its_object_is(page):
    page.at("?at=Node/zone-a&node=node-a&show=yaml")
    page.wait_for_selector(".ace_content >> text=node-a")
    page.evaluate("schedscopeEditor.setValue(`${schedscopeEditor.getValue()}# not sent`, -1)")
    page.click("#wb-tree >> text=zone-b")
    page.click("#wb-tree >> text=node-b")
    expect(page.locator("#map-selected h2 >> nth=0")).to_have_text("node-b")
    page.go_back()
    expect(page.locator("#map-selected h2 >> nth=0")).to_have_text("node-a")
    expect(page.locator(".ace_content")).to_contain_text("# not sent")
    # Leaving the page would lose the text, which the browser asks about.
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto("about:blank")


@pytest.mark.long
def test_form_and_yaml_are_in_step_and_tree_map_and_bar_follow(page):
    page.at("?at=Node/zone-a&node=node-a")
    cpu = page.locator("""[id='f-["status","allocatable","cpu"]']""")
    cpu.fill("16")
    page.keyboard.press("Enter")
    expect(page.locator("#object-form")).to_have_attribute("data-state", "written")
    expect(page.locator("#form-text")).to_have_value(re.compile('cpu: "16"'))
    expect(page.locator("#wb-tree .chg-changed")).to_have_count(1)
    expect(page.locator("#draftbar .chg")).to_contain_text("Node node-a")
    expect(page.locator("#map-panel [title^='cpu:']")).to_contain_text("24")
    expect(cpu).to_be_focused()
    page.click("[data-wb-show=yaml]")
    expect(page.locator(".ace_content")).to_contain_text('"16"')
    page.click("[data-wb-show=form]")
    expect(page.locator("#form-text")).to_be_hidden()
    expect(page).to_have_url(re.compile("show=form.*node=node-a"))
    assert grave_findings(page) == []


@pytest.mark.long
def test_a_yaml_with_an_error_is_kept_while_another_object_is_looked_at(page):
    page.at("?at=Node/zone-a&node=node-a")
    text = page.locator("#form-text")
    text.fill(f"{text.input_value()}bad: [")
    text.blur()
    expect(page.locator("#object-form")).to_have_attribute("data-state", "errors")
    page.click("#wb-tree >> text=zone-b")
    page.click("#wb-tree >> text=node-b")
    expect(page.locator("#map-selected h2 >> nth=0")).to_have_text("node-b")
    page.go_back()
    expect(text).to_have_value(re.compile(r"bad: \["))
    expect(page.locator("#object-form")).to_have_attribute("data-state", "errors")
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto("about:blank")
