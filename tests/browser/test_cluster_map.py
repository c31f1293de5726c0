"""The cluster map in a real Chromium: drawn, hovered, selected, walked by keys, zoomed and lit; at 5,000 nodes too."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from tests.browser.axe import grave_findings
from tests.browser.held import HeldRequests
from tests.dashboard.clusters.conftest import node, pod
from tests.patience import until

HERE = "/w/team/clusters/prod/"
READY = "html[data-map=ready]"
# How many pixels of the picture are not its ground.
DRAWN = """() => {
  const canvas = document.querySelector('#cluster-map canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  const ground = pixels[pixels.length - 1];
  return pixels.reduce((sum, one) => sum + (one !== ground), 0);
}"""
LONG = """pod => document.dispatchEvent(new CustomEvent('fit:lit', {
  detail: { pod, nodes: [{ node: 'node-a', fits: true, score: 1 }] },
}))"""
LIGHT = "nodes => document.dispatchEvent(new CustomEvent('fit:lit', { detail: { pod: 'default/job', nodes } }))"


@pytest.fixture
def shown(browser_page, live_server_url, sign_in):
    """Return a function that opens the page of a cluster with these objects."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)

    def show(objects, query=""):
        actions.create_cluster(member, NewCluster("prod"), objects)
        browser_page.goto(f"{live_server_url}{HERE}{query}")
        return browser_page

    return show


def small():
    pods = [pod(f"web-{i}", f"node-{'ab'[i % 2]}", cpu="1") for i in range(6)]
    return [node("node-a"), node("node-b", "zone-b"), *pods, pod("waits"), pod("lost", "gone")]


def hover(page, x, y):
    box = page.locator("#cluster-map").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)


def test_hovering_and_clicking_name_and_select_a_node(shown):
    page = shown(small())
    page.wait_for_selector(READY)
    hover(page, 60, 50)
    expect(page.locator(".cmap-tip")).to_contain_text("node-a")
    expect(page.locator(".cmap-tip")).to_contain_text("3 of 8")
    expect(page.locator(".cmap-tip")).to_contain_text("3 pods")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**?node=node-a")
    expect(page.locator("#map-selected h3")).to_have_text("node-a")
    page.reload()
    expect(page.locator("#map-selected h3")).to_have_text("node-a")


def test_a_pod_is_selected_from_the_card_and_from_the_strip_and_back_undoes_it(shown):
    page = shown(small(), "?node=node-a")
    page.wait_for_selector(READY)
    page.click("#map-selected >> text=web-2")
    page.wait_for_url("**?pod=default%2Fweb-2")
    expect(page.locator("#map-selected h3").first).to_have_text("web-2")
    page.click(".cmap-strip >> text=waits")
    page.wait_for_url("**?pod=default%2Fwaits")
    expect(page.locator("#map-selected h3").first).to_have_text("waits")
    page.go_back()
    expect(page.locator("#map-selected h3").first).to_have_text("web-2")


@pytest.mark.long
def test_a_map_that_is_out_of_sight_when_its_data_comes_is_drawn_when_it_is_shown(browser_page, shown):
    data = HeldRequests(browser_page, re.compile(r"/clusters/prod/map/(\?|$)"))
    page = shown(small(), "?node=node-a")
    page.evaluate("document.getElementById('cluster-map').style.display = 'none'")
    data.let_go()
    page.wait_for_selector(READY)
    page.evaluate("document.getElementById('cluster-map').style.display = ''")
    until(lambda: page.evaluate(DRAWN) > 1_000)


@pytest.mark.long
def test_arrows_walk_and_enter_selects(shown):
    page = shown(small())
    page.wait_for_selector(READY)
    page.focus("#cluster-map")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#map-said")).to_contain_text("node-a")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#map-said")).to_contain_text("node-b")
    page.keyboard.press("Enter")
    page.wait_for_url("**?node=node-b")
    page.keyboard.press("Escape")
    page.wait_for_url(f"**{HERE}")


@pytest.mark.long
def test_a_fit_is_said_above_the_map_in_the_tip_and_in_the_table(shown):
    page = shown(small())
    page.wait_for_selector(READY)
    refused = {"node": "node-b", "fits": False, "reason": "Insufficient cpu"}
    lit = [{"node": "node-a", "fits": True, "score": 412}, refused]
    before = page.evaluate(DRAWN)
    page.evaluate(LIGHT, lit)
    expect(page.locator("#map-fit")).to_have_text("Fits 1 of 2, default/job")
    until(lambda: page.evaluate(DRAWN) != before)
    hover(page, 60, 50)
    expect(page.locator(".cmap-tip")).to_contain_text("fits, score 412")
    page.evaluate("document.dispatchEvent(new CustomEvent('fit:clear'))")
    expect(page.locator("#map-fit")).to_be_hidden()
    page.click("text=Table")
    page.wait_for_selector(".cmap-table")
    page.evaluate(LIGHT, lit)
    expect(page.locator("[data-fit-of=node-b]")).to_have_text("Insufficient cpu")
    expect(page.locator("[data-fit-of=node-a]")).to_have_text("fits, score 412")
    expect(page.locator("#map-fit")).to_have_text("Fits 1 of 2, default/job")


def test_a_long_name_of_the_lit_pod_moves_nothing(shown):
    page = shown(small())
    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_selector(READY)
    before = page.locator("#cluster-map").bounding_box()
    page.evaluate(LONG, f"{'n' * 60}/{'p' * 90}")
    expect(page.locator("#map-fit")).to_have_attribute("title", re.compile("^Fits 1 of 1, n+/p+$"))
    assert page.locator("#cluster-map").bounding_box() == before


@pytest.mark.long
@pytest.mark.parametrize("query", ["", "?view=table", "?node=node-a"])
def test_the_page_has_no_grave_finding(shown, query):
    page = shown(small(), query)
    page.wait_for_selector("#map-panel")
    assert grave_findings(page) == []


def test_five_thousand_nodes_are_drawn_zoomed_and_moved(shown):
    nodes = [node(f"node-{i:04d}", f"zone-{'abc'[i % 3]}") for i in range(5_000)]
    pods = [pod(f"p-{i}", f"node-{i * 2:04d}") for i in range(2_000)]
    page = shown([*nodes, *pods])
    page.wait_for_selector(READY)
    until(lambda: page.evaluate(DRAWN) > 100_000)
    for _ in range(6):
        page.click("[data-map-zoom=in]")
    hover(page, 300, 200)
    page.mouse.down()
    hover(page, 200, 120)
    page.mouse.up()
    until(lambda: page.evaluate(DRAWN) > 20_000)
    assert "node=" not in page.url
    page.click("[data-map-zoom=all]")
    expect(page.locator("[data-map-zoom=all]")).to_be_disabled()
    page.focus("#cluster-map")
    page.keyboard.press("End")
    expect(page.locator("#map-said")).to_contain_text("zone-c")
