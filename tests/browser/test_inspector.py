"""The inspector and the lanes in a real browser: what keeps its place, its focus and its filter while one steps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs.models import Cycle
from tests.browser.test_debugger import number_of
from tests.dashboard.run_helpers import node, pod
from tests.seeds import long_after

_BOXES = """names => names.map(one => {
    const box = document.querySelector(one).getBoundingClientRect()
    return [Math.round(box.top), Math.round(box.height)]
})"""
_IS_IN_SIGHT = """row => {
    const [box, lane] = [row, row.closest('.scroll')].map(one => one.getBoundingClientRect())
    return box.top >= lane.top - 1 && box.bottom <= lane.bottom + 1
}"""
FRAME = [".insp-head", ".points", ".calls", ".insp-tabs"]
OTHER_TABS = ("why", "preemption", "story", "yaml", "threads")


@pytest.mark.long
def test_head_points_and_tabs_keep_their_place_in_all_tabs_and_outcomes(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    before = tab.evaluate(_BOXES, FRAME)
    assert [height for _, height in before[:3]] == [62, 64, 28]
    for query in (
        *(f"cycle={number_of(run, 'small-0')}&tab={name}" for name in OTHER_TABS),
        *(f"cycle={number_of(run, name)}" for name in ("never-0", "big-0")),
        f"cycle={number_of(run, 'small-0')}&point=PreFilter",
    ):
        assert page(f"?{query}").evaluate(_BOXES, FRAME) == before, query


# How many pods are in each lane that does not say how the run ended, and how high it is.
_LANES = """() => [...document.querySelectorAll('#lanes .lane:not(:has(.ending))')].map(
    (lane) => [lane.querySelectorAll('.pod').length, lane.getBoundingClientRect().height])"""


@pytest.mark.long
def test_an_empty_lane_is_its_head_and_others_show_three_rows_at_least(page, run):
    lanes = [lane for part in (1, 2, 3) for lane in page(f"?seq={part * run.head.seq // 3}").evaluate(_LANES)]
    assert {height <= 29 for pods, height in lanes if not pods} == {True}
    assert [lane for lane in lanes if lane[1] < 28 + 24 * min(lane[0], 3)] == []


@pytest.mark.long
def test_words_for_readers_do_not_lengthen_the_document(page, run):
    for query in (f"cycle={number_of(run, 'small-0')}", f"cycle={number_of(run, 'never-0')}&tab=why"):
        tab = page(f"?{query}")
        assert tab.evaluate("[document.documentElement.scrollHeight, innerHeight]") == [800, 800]


@pytest.mark.long
def test_a_focused_cell_of_the_matrix_stays_focused_while_stepping(page, run):
    first = Cycle.objects.filter(run_id=run.pk, visited=3).order_by("number").first().number
    tab = page(f"?cycle={first}")
    tab.locator("#matrix-none, [data-matrix] tr[data-node] a").first.focus()
    for _ in range(4):
        tab.keyboard.press("ArrowRight")
    cell = """() => {
        const cell = document.activeElement.closest('td')
        return [cell.closest('tr').dataset.node, cell.cellIndex]
    }"""
    node, at = tab.evaluate(cell)
    assert at == 4
    for step in (1, 2):
        tab.keyboard.press("F10")
        expect(tab.locator("#main")).to_have_attribute("data-cycle", str(first + step))
        expect(tab.locator("[data-matrix] td:focus")).to_have_count(1)
        assert tab.evaluate(cell)[1] == at
    tab.keyboard.press(",")
    tab.keyboard.press(",")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", str(first))
    expect(tab.locator("[data-matrix] td:focus")).to_have_count(1)
    assert tab.evaluate(cell)[1] == at
    assert node in ("full-a", "full-b", "taint-c")


@pytest.mark.long
def test_extension_points_are_one_stop_of_tab_and_move_with_arrows(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    points = tab.locator(".points .point:visible")
    expect(tab.locator('.points .point[tabindex="0"]')).to_have_count(1)
    points.first.focus()
    tab.keyboard.press("ArrowRight")
    expect(points.nth(1)).to_be_focused()
    tab.keyboard.press("ArrowLeft")
    expect(points.nth(0)).to_be_focused()


@pytest.mark.parametrize(
    "query", long_after(["", "&tab=threads"], 1), ids=["from another tab", "in the tab of threads"]
)
def test_the_key_for_a_comment_leads_into_its_field(page, run, query):
    tab = page(f"?cycle={number_of(run, 'small-0')}{query}")
    expect(tab.locator(".insp-tabs [data-key=c]")).to_be_visible()
    tab.keyboard.press("c")
    expect(tab.locator("#inspector .threads-slot textarea").first).to_be_focused()


@pytest.mark.long
def test_the_filter_of_pods_narrows_all_lanes_and_stays_while_stepping(page, run):
    tab = page(f"?cycle={number_of(run, 'never-0')}")
    tab.locator("#pod-filter").fill("gated")
    expect(tab).to_have_url(re.compile("pods=gated"))
    expect(tab.locator("#lane-unschedulable .lane-none")).to_have_text(re.compile("none of 2 pods matches"))
    expect(tab.locator("#pod-filter")).to_be_focused()
    tab.locator("#pod-filter").blur()
    tab.keyboard.press(",")
    expect(tab).to_have_url(re.compile("pods=gated"))
    expect(tab.locator("#pod-filter")).to_have_value("gated")
    tab.keyboard.press("Escape")
    expect(tab).not_to_have_url(re.compile("pods="))
    expect(tab.locator("#pod-filter")).to_have_value("")


@pytest.mark.long
def test_the_filter_and_the_order_of_nodes_stay_while_stepping_and_with_another_pod(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    tab.fill("#inspector [name=q]", "n")
    expect(tab).to_have_url(re.compile("[?&]q=n"))
    tab.locator("#inspector [data-matrix] thead a").first.click()
    expect(tab).to_have_url(re.compile("[?&]sort="))
    tab.keyboard.press("F10")
    expect(tab).to_have_url(re.compile(rf"cycle={number_of(run, 'small-0') + 1}\b.*[?&]q=n.*sort="))
    expect(tab.locator("#inspector [name=q]")).to_have_value("n")
    tab.locator("#queues a.pod", has_text="never-0").click()
    expect(tab.locator(".insp-title h2")).to_have_text("never-0")
    expect(tab).to_have_url(re.compile("[?&]q=n.*sort="))


def test_a_pod_of_a_lane_is_selected_by_a_click(page, run):
    tab = page(f"?seq={run.head.seq}")
    tab.locator("#lane-unschedulable a.pod", has_text="never-0").click()
    expect(tab.locator(".insp-title h2")).to_have_text("never-0")
    expect(tab.locator("#lane-unschedulable a.pod.is-selected")).to_have_count(1)


@pytest.mark.long
def test_the_way_to_refused_nodes_leads_to_their_first_group(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    tab.locator(".mx-jump").click()
    expect(tab.locator("[data-matrix] .mx-group a").first).to_be_focused()
    assert "#" not in tab.url


@pytest.mark.long
def test_in_a_lane_of_one_row_the_selected_pod_is_in_sight_and_hides_no_other(page, run):
    tab = page(f"?cycle={number_of(run, 'small-1')}")
    selected = tab.locator("#lane-flying .pod.is-selected")
    expect(selected).to_contain_text("small-1")
    assert selected.evaluate(_IS_IN_SIGHT)
    tab.locator("#lane-flying .pod", has_text="small-0").click()
    expect(tab.locator(".insp-title h2")).to_have_text("small-0")
    expect(selected).to_contain_text("small-0")
    assert selected.evaluate(_IS_IN_SIGHT)


@pytest.mark.long
def test_the_selected_pod_is_in_sight_wherever_it_stands_in_its_lane(start, browser_page, live_server_url):
    run = start([node("only"), *(pod(f"large-{n}", "64") for n in range(9))])
    last = Cycle.objects.filter(run_id=run.pk).order_by("-number").first()
    tab = browser_page
    for cycle in (last.number, last.number - 1, 1):
        tab.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle={cycle}")
        tab.wait_for_selector("html[data-debugger=ready]")
        assert tab.locator("#lanes .pod.is-selected").evaluate(_IS_IN_SIGHT)


# Ends of names that are cut although their beginning is not. Text is measured in parts of a pixel, as ellipses are.
_CUT_ENDS = """() => [...document.querySelectorAll('.tailed > .kept')].filter(kept => {
    const range = document.createRange()
    range.selectNodeContents(kept)
    const [own, text] = [kept, range].map(one => one.getBoundingClientRect().width)
    return own && kept.previousElementSibling.getBoundingClientRect().width > 20 && own < text - 0.01
}).map(kept => kept.parentNode.textContent)"""


@pytest.mark.long
@pytest.mark.parametrize("width", [1024, 1280])
def test_of_very_long_names_the_end_is_whole_while_the_beginning_is_cut(start, browser_page, live_server_url, width):
    long = [f"{'checkout-recommendations-service-' * 2}canary-6b5d7f9c4d-{n:05d}" for n in range(9)]
    sizes = ["64" if n % 3 else "1500m" for n in range(9)]
    pods = [pod(name, cpu) for name, cpu in zip(long, sizes, strict=True)]
    run = start([*(node(f"ip-10-1-{n}-137.eu-central-1.compute.internal") for n in range(3)), *pods])
    browser_page.set_viewport_size({"width": width, "height": 800})
    for part in ("?cycle=4", "?cycle=4&tab=why", "?cycle=5&tab=story", "search/", "outcomes/", "events/?seq=30"):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/{part}")
        expect(browser_page.locator(".tailed > .kept")).not_to_have_count(0)
        assert browser_page.evaluate(_CUT_ENDS) == [], part


@pytest.mark.long
def test_in_a_small_window_the_list_of_cycles_cuts_namespaces_before_reasons(start, browser_page, live_server_url):
    large = pod("large-0", "64")
    large["metadata"]["namespace"] = "team-checkout-recommendations-production-europe-west"
    run = start([node("only"), large])
    browser_page.set_viewport_size({"width": 1024, "height": 768})
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/search/")
    row = browser_page.locator("table tr", has_text="large-0").first
    whole = "one => one.scrollWidth <= one.clientWidth"
    assert row.locator(".pod-of a").evaluate("one => one.getBoundingClientRect().right") < row.bounding_box()["width"]
    assert row.locator("td.cell-cut").evaluate(whole)
    assert row.locator("td.cell-cut").bounding_box()["width"] > 180


def test_a_focused_row_of_the_matrix_is_never_under_its_head(start, browser_page, live_server_url):
    run = start([*(node(f"node-{n:02}") for n in range(30)), pod("one")])
    tab = browser_page
    tab.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle=1")
    tab.wait_for_selector("html[data-debugger=ready]")
    rows = tab.locator("[data-matrix] tr[data-node] a.node-link")
    rows.nth(rows.count() - 1).focus()
    for _ in range(rows.count() - 1):
        tab.keyboard.press("Shift+Tab")
        below = """link => {
            const sticky = link.closest('table').tHead.rows[1].cells[0].getBoundingClientRect()
            return link.getBoundingClientRect().top - sticky.bottom
        }"""
        assert tab.locator("[data-matrix] a.node-link:focus").evaluate(below) >= -1


@pytest.mark.long
def test_lanes_stay_where_they_are_when_steps_have_shown_what_they_hold(page, run):
    tab = page("?cycle=1")
    tops = "() => [...document.querySelectorAll('#lanes .lane')].map(lane => lane.getBoundingClientRect().top)"

    def walk(key, cycles):
        seen = set()
        for cycle in cycles:
            tab.keyboard.press(key)
            expect(tab.locator("#main")).to_have_attribute("data-cycle", str(cycle))
            seen.add(tuple(tab.evaluate(tops)))
        return seen

    walk("F10", range(2, run.head.cycle + 1))
    assert len(walk(",", range(run.head.cycle - 1, 0, -1))) == 1
