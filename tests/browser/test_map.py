"""The cluster map in a real browser: painted with the other panes, its tooltip, its table, the card of a node."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.dashboard.debugger.panels.cluster_map.conftest import gpu_node, gpu_pod
from tests.dashboard.run_helpers import node
from tests.patience import until

# The middle of each painted square on the screen, by the scripts' own layout.
SPOT = """async place => {
  const { flow } = await pageModule('debugger/map/flow.js');
  const data = JSON.parse(document.getElementById('map-data').textContent);
  const { x, y, width, height } = document.getElementById('map').getBoundingClientRect();
  const heads = data.groups.map(({ start, end }) => ({ count: end - start, least: 0 }));
  const { pitch, groups } = flow(heads, { width, height, ratio: devicePixelRatio });
  const k = data.groups.findIndex(({ start, end }) => start <= place && place < end);
  const at = place - data.groups[k].start;
  const { x: left, top, columns } = groups[k];
  return [x + left + (at % columns) * pitch + 3, y + top + Math.floor(at / columns) * pitch + 3];
}"""


@pytest.fixture
def run(start):
    """A run on 60 nodes with GPUs and 40 without."""
    nodes = [gpu_node(f"gpu-{n}", "T4", 2) for n in range(60)] + [node(f"cpu-{n}") for n in range(40)]
    return start([*nodes, *(gpu_pod(f"pod-{n}", 1) for n in range(12))])


@pytest.fixture
def page(browser_page, live_server_url, run):
    """A function that opens the page of the run, scripts started and the map painted."""

    def open_at(query=""):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/{query}")
        browser_page.wait_for_selector("html[data-debugger=ready]")
        browser_page.wait_for_selector("#map[data-seq]")
        return browser_page

    return open_at


def names_of(tab):
    """Return the names by place."""
    return tab.evaluate("""async () => {
      const url = document.getElementById('map').dataset.url;
      return (await (await fetch(`${url}${location.search}&names=1`)).json()).names;
    }""")


@pytest.mark.long
def test_squares_are_painted_with_the_other_panes_at_every_step(page):
    tab = page("?cycle=2")
    for cycle in (3, 4, 5):
        tab.keyboard.press("F10")
        expect(tab.locator("#main")).to_have_attribute("data-cycle", str(cycle))
        main, painted = (tab.locator(one).evaluate("one => ({...one.dataset})") for one in ("#main", "#map"))
        assert {name: main[name] for name in ("seq", "shown", "pod", "node")} == {
            name: painted[name] for name in ("seq", "shown", "pod", "node")
        }
        carried = json.loads(tab.locator("#map-data").text_content())
        assert (carried["pod"], str(carried["cycle"])) == (painted["pod"], painted["shown"])
    expect(tab.locator("#map canvas")).to_have_attribute("aria-label", re.compile("100 nodes by gpu.product: 60 fits"))


def test_pointer_is_told_the_node_beside_itself_and_a_click_selects_it(page):
    tab = page("?cycle=2")
    name = names_of(tab)[7]
    x, y = tab.evaluate(SPOT, 7)
    tab.mouse.move(x, y)
    tip = tab.locator(".map-tip")
    expect(tip).to_contain_text(name)
    expect(tip).to_contain_text("fits · total")
    expect(tip).to_contain_text("gpu 0 %")
    box = tip.bounding_box()
    assert not (box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"])
    tab.mouse.click(x, y)
    expect(tab).to_have_url(re.compile(rf"node={name}"))
    expect(tab.locator(".nodecard .nodecard-need .node-name")).to_have_text(name)
    expect(tab.locator("#map")).to_have_attribute("data-node", name)


def test_table_has_the_same_selection_and_is_worked_by_keyboard(page):
    tab = page("?cycle=2")
    names = names_of(tab)
    tab.get_by_role("link", name="Table", exact=True).press("Enter")
    rows = tab.locator(".map-table tbody tr")
    expect(rows).to_have_count(50)
    until(lambda: rows.evaluate_all("rows => rows.map(row => row.dataset.node)") == names[:50])
    rows.nth(3).get_by_role("link").press("Enter")
    expect(tab).to_have_url(re.compile(rf"node={names[3]}"))
    expect(tab.locator(".map-table tr[aria-current=true]")).to_have_attribute("data-node", names[3])
    tab.get_by_role("link", name="free").press("Enter")
    expect(tab.locator(".map-table th[aria-sort]")).to_contain_text("free")
    tab.get_by_role("link", name="Map", exact=True).press("Enter")
    expect(tab.locator("#map canvas")).to_have_count(1)
    expect(tab.locator("#map")).to_have_attribute("data-node", names[3])


@pytest.mark.long
def test_another_resource_is_shown_by_its_switch_and_stays_over_steps(page):
    tab = page("?cycle=2")
    expect(tab.locator("[data-map-resource='nvidia.com/gpu']")).to_have_attribute("aria-current", "true")
    tab.locator("[data-map-resource=cpu]").click()
    expect(tab).to_have_url(re.compile("map=cpu"))
    until(lambda: json.loads(tab.locator("#map-data").text_content())["resource"] == "cpu")
    tab.keyboard.press("F10")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "3")
    until(lambda: json.loads(tab.locator("#map-data").text_content())["resource"] == "cpu")


@pytest.mark.long
def test_pods_of_a_node_lead_to_the_cycle_that_placed_them(page):
    tab = page("?cycle=12")
    card = tab.locator(".nodecard")
    winner = card.locator(".nodecard-need .node-name").inner_text()
    expect(card.locator(".pr.is-cursor")).to_contain_text("pod-")
    card.locator(".pr.is-cursor a.num").click()
    expect(tab).to_have_url(re.compile("cycle=12"))
    card.get_by_role("link", name="YAML").click()
    expect(tab.get_by_role("heading", name=f"Node {winner}")).to_be_visible()
    expect(tab.locator("pre.yaml").first).to_contain_text("nvidia.com/gpu.product: T4")
