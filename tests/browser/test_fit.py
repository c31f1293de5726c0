"""Would it fit in the browser: the count follows the text, an error leaves the last answer, the map is told."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.browser.axe import grave_findings
from tests.dashboard.run_helpers import node, pod
from tests.patience import until

HERE = "/w/team/clusters/prod/"
POD = f"{HERE}object/?kind=Pod&ns=default&name=wide"
TOLD = """() => {
  window.told = [];
  const count = nodes => nodes?.filter(one => one.fits).length;
  for (const name of ['fit:lit', 'fit:clear']) {
    document.addEventListener(name, ev => window.told.push([name, count(ev.detail?.nodes)]));
  }
}"""


@pytest.fixture
def opened(start, browser_page, live_server_url):
    """A function that opens an address of a cluster of three nodes, one of them cordoned."""
    cordoned = node("c", "8") | {"spec": {"unschedulable": True}}
    start([node("a", "4"), node("b", "2"), cordoned, pod("wide", "3")])

    def opened(path):
        browser_page.goto(f"{live_server_url}{path}")
        return browser_page

    return opened


def retype(tab, was, by):
    """Put the caret behind a text of the editor, and type another over it."""
    tab.evaluate("was => { window.schedscopeEditor.find(was); window.schedscopeEditor.focus(); }", was)
    tab.keyboard.type(by)


def test_the_count_follows_the_text_and_an_error_leaves_the_last_answer(opened):
    tab = opened(POD)
    panel = tab.locator("#fit")
    count, note = panel.locator(".fig"), panel.locator("[data-fit-note]")
    expect(count).to_have_text("Fits 1 of 3")
    tab.evaluate(TOLD)
    retype(tab, '"3"', "1")
    expect(count).to_have_text("Fits 2 of 3")
    until(lambda: tab.evaluate("window.told.at(-1)") == ["fit:lit", 2])
    expect(panel.locator("canvas")).to_have_attribute("aria-label", "2 of 3 nodes fit; the table names each")
    retype(tab, "cpu: 1", "cpu: 1 1")
    expect(note).to_contain_text("Below is the answer for the last valid text.")
    expect(count).to_have_text("Fits 2 of 3")
    retype(tab, "cpu: 1 1", "cpu: 99")
    expect(count).to_have_text("Fits none of 3")
    expect(note).to_be_hidden()
    expect(panel).to_contain_text("0/3 nodes are available")
    assert grave_findings(tab) == []


@pytest.mark.long
def test_a_pod_that_is_selected_on_the_map_lights_it_and_another_selection_ends_it(opened):
    tab = opened(HERE)
    tab.wait_for_selector("html[data-map=ready]")
    dark = picture(tab)
    tab.locator(".cmap-strip").get_by_role("link", name="wide").focus()
    tab.keyboard.press("Enter")
    expect(tab.locator("#map-fit")).to_have_text("Fits 1 of 3, default/wide")
    expect(tab.locator("#fit .fig")).to_have_text("Fits 1 of 3")
    lit = picture(tab)
    assert lit != dark
    tab.get_by_text("All 3 nodes as a table").click()
    expect(tab.locator("#fit tbody tr").nth(1)).to_contain_text("NodeResourcesFit: Insufficient cpu")
    assert grave_findings(tab) == []
    tab.focus("#cluster-map")
    tab.keyboard.press("Escape")
    expect(tab.locator("#map-fit")).to_be_hidden()
    expect(tab.locator("#fit")).to_contain_text("Choose a pod")
    tab.go_back()
    expect(tab.locator("#map-fit")).to_have_text("Fits 1 of 3, default/wide")
    tab.reload()
    expect(tab.locator("#map-fit")).to_have_text("Fits 1 of 3, default/wide")


def picture(tab):
    """Return what the map's canvas shows."""
    return tab.evaluate("document.querySelector('#cluster-map canvas').toDataURL()")


@pytest.mark.long
def test_the_table_names_each_node_and_is_ordered_by_keys(opened):
    tab = opened(POD)
    rows = tab.locator("#fit tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("a")
    head = tab.locator("#fit thead th").first
    tab.locator("#fit thead button").first.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(head.get_by_role("button")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(rows.nth(0)).to_contain_text("c")
    expect(rows.nth(0)).to_contain_text("node(s) were unschedulable")


@pytest.mark.long
def test_the_clusters_page_keeps_the_pod_in_its_address(opened):
    tab = opened(HERE)
    tab.get_by_label("Pod, as namespace/name").fill("default/wide")
    tab.get_by_role("button", name="Ask").click()
    expect(tab).to_have_url(f"{tab.url.split('/w/')[0]}{HERE}?fit=default%2Fwide")
    expect(tab.locator("#fit .fig")).to_have_text("Fits 1 of 3")
    tab.reload()
    expect(tab.locator("#fit .fig")).to_have_text("Fits 1 of 3")
    expect(tab.locator("#map-fit")).to_contain_text("Fits 1 of 3")
    assert grave_findings(tab) == []


@pytest.mark.long
def test_without_a_worker_the_panel_says_so_and_goes_on_when_one_is_there(opened, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    tab = opened(POD)
    expect(tab.locator("#fit")).to_contain_text("Waiting for an answer worker")
    monkeypatch.undo()
    expect(tab.locator("#fit .fig")).to_have_text("Fits 1 of 3")
