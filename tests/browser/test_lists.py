"""Lists outside of the debugger: what a slow answer and a lost connection look like, and what can be taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from tests.browser.held import HeldRequests
from tests.dashboard.run_helpers import cluster_of, node


@pytest.fixture
def nodes(browser_page, live_server_url, sign_in):
    """Return the page of a cluster's nodes, opened by the one who made the cluster."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    member = Member.objects.select_related("workspace", "user").get(user=user)
    long = node("ip-10-0-12-34.eu-central-1.compute.internal")
    actions.create_cluster(member, NewCluster("prod"), [*cluster_of(3, 2), long])
    sign_in(user)
    browser_page.goto(f"{live_server_url}/w/team/clusters/prod/nodes/")
    return browser_page


@pytest.mark.long
def test_a_list_is_dim_while_its_answer_is_on_the_way(nodes):
    held = HeldRequests(nodes, "**/nodes/?*")
    nodes.get_by_label("Search nodes").fill("node-1")
    rows = nodes.locator("#nodes > .scroll")
    expect(rows).to_have_css("opacity", "0.6")
    held.let_go()
    expect(nodes.locator("#nodes tbody tr")).to_have_count(1)
    expect(rows).to_have_css("opacity", "1")


@pytest.mark.long
@pytest.mark.browser_complains("")
def test_a_search_without_connection_says_so_and_keeps_the_rows(nodes, browser_context):
    browser_context.set_offline(True)
    nodes.get_by_label("Search nodes").fill("node-1")
    expect(nodes.locator(".toast")).to_contain_text("No connection to the server. What you see is unchanged.")
    expect(nodes.locator("#nodes tbody tr")).to_have_count(4)
    browser_context.set_offline(False)
    nodes.get_by_label("Search nodes").fill("node-2")
    expect(nodes.locator("#nodes tbody tr")).to_have_count(1)
    expect(nodes.locator(".toast")).to_have_count(0)


@pytest.mark.long
def test_nodes_deleted_together_come_back_by_the_undo_of_the_message(nodes):
    for name in ("node-0", "node-2"):
        nodes.get_by_label(f"Choose {name}", exact=True).check()
    nodes.get_by_role("button", name="Delete", exact=True).click()
    expect(nodes.locator("#nodes tbody tr")).to_have_count(2)
    nodes.locator(".toast").get_by_role("button", name="Undo").click()
    expect(nodes.locator("#nodes tbody tr")).to_have_count(4)


def test_of_a_long_node_name_the_first_part_is_cut_last(nodes):
    nodes.set_viewport_size({"width": 1024, "height": 768})
    name = nodes.locator("[title='ip-10-0-12-34.eu-central-1.compute.internal'] .tailed")
    expect(name.locator(".kept")).to_have_text("ip-10-0-12-34")
    assert name.evaluate("one => one.querySelector('.kept').scrollWidth <= one.querySelector('.kept').clientWidth + 1")


def test_a_row_of_nodes_is_one_line_and_its_heads_say_that_they_sort(nodes):
    heights = nodes.locator("#nodes tbody tr").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert max(heights) <= 31
    heads = nodes.locator("#nodes th .sort")
    expect(heads.nth(3)).to_be_visible()
    expect(heads.filter(has_not=nodes.locator("svg"))).to_have_count(0)


def test_a_box_to_tick_is_level_with_the_name_beside_it_and_no_pods_are_no_link(nodes):
    row = nodes.locator("#nodes tbody tr", has_text="node-0")
    middles = """row => [row.querySelector('[type=checkbox]'), row.querySelector('a')].map(one => {
        const box = one.getBoundingClientRect()
        return (box.top + box.bottom) / 2
    })"""
    box, name = row.evaluate(middles)
    assert abs(box - name) < 1.5
    pods = nodes.locator("#nodes td", has_text=re.compile(r"^\s*0( / |\s*$)"))
    expect(pods).not_to_have_count(0)
    expect(pods.locator("a")).to_have_count(0)


def test_the_keys_of_a_list_say_what_they_search(nodes):
    nodes.keyboard.press("?")
    expect(nodes.locator("#keys")).to_contain_text("Search nodes")


@pytest.mark.long
def test_missing_amounts_come_into_the_rows_of_cycles_without_moving_them(browser_page, live_server_url, run):
    tab = browser_page
    held = HeldRequests(tab, "**/cycles/missing/**")
    tab.goto(f"{live_server_url}/w/team/runs/{run.number}/search/?q=outcome:unschedulable")
    row = tab.locator("#search-table tbody tr", has_text="never-0").first
    expect(tab.locator("#search-table > [hidden].htmx-request")).to_have_count(1)
    expect(row).to_contain_text("NodeResourcesFit cpu on 2")
    boxes = "[...document.querySelectorAll('#search-table td')].map((td) => JSON.stringify(td.getBoundingClientRect()))"
    before = tab.evaluate(boxes)
    held.let_go()
    expect(row).to_contain_text("NodeResourcesFit cpu short of 6")
    assert tab.evaluate(boxes) == before
    tab.reload()
    expect(row).to_contain_text("NodeResourcesFit cpu short of 6")
    expect(tab).to_have_url(re.compile(r"search/\?q=outcome:unschedulable$"))
