"""Boxes of pages in windows of six sizes: no page is wider, no text lies over another or is cut beyond reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

BOXES = (Path(__file__).parent / "boxes.js").read_text()
SMALL, PHONE = (1024, 768), (390, 844)
SIZES = [SMALL, (1280, 800), (1440, 900), (1600, 1000), (1920, 1080), PHONE]
# What a new size moves is drawn in the frame after the next one.
DRAWN = """() => Promise.all([document.fonts.ready, new Promise((done) => requestAnimationFrame(
    () => requestAnimationFrame(done)))]).then(() => 0)"""

RUN, CLUSTER = "runs/1/", "clusters/teaching/"
DEBUGGER = [
    f"{RUN}?cycle=28",
    f"{RUN}?cycle=40&node=worker-a-1",
    f"{RUN}?cycle=28&tab=why",
    f"{RUN}?cycle=30&tab=preemption",
    f"{RUN}?cycle=24&cluster=table&tab=story&node=worker-a-1",
    f"{RUN}?cycle=3&point=Score&step=call",
    f"{RUN}?seq=1",
]
ANSWERS = [
    f"{RUN}outcomes/",
    f"{RUN}outcomes/?by=owner&outcome=pending",
    f"{RUN}why/",
    "runs/2/why/?pod=shop/ledger-0&attempt=1",
    f"{RUN}why/owner/?of=shop/web",
    f"{RUN}why-node/?cycle=3",
    f"{RUN}events/?cycle=24&step=event",
    f"{RUN}search/",
    f"{RUN}search/?q=outcome:unschedulable",
    f"{RUN}search/?q=outcome:bound",
    f"{RUN}review/",
    f"{RUN}branch/?cycle=24",
    f"{RUN}breakpoints/new/?cycle=24",
    "compare/1/2/",
    "compare/",
    "search/",
]
INPUTS = [
    "",
    "members/",
    "settings/",
    "audit/",
    "clusters/",
    "runs/",
    "runs/new/",
    "runs/observed/",
    "configurations/",
    "configurations/default/",
    "configurations/new/?start=default",
    "configurations/extenders/",
    "timelines/",
    "timelines/teaching/",
    "extenders/tapes/",
    "extenders/declared/",
    "extenders/declared/extenders/",
    "import/",
    "message/?text=0/7 nodes are available: 3 Insufficient cpu, 4 Too many pods.",
    "clusters/new/",
    "generate/",
    "generate/scheduler-perf/",
    "query/fields/",
    "reviews/",
    "reviews/new/?configuration=extenders&revision=1",
    CLUSTER,
    *(f"{CLUSTER}{part}/" for part in ("nodes", "pods", "objects", "history", "agreement")),
    *(f"{CLUSTER}{part}/" for part in ("upgrade", "drafts", "settings")),
    f"{CLUSTER}diff/?from=0&to=1",
    f"{CLUSTER}object/new/?kind=Pod",
    f"{CLUSTER}object/?kind=Node&name=worker-a-1",
]


def faults_at(page, address, sizes):
    """Return a line for each fault of a page, which is loaded once and then made larger and smaller."""
    page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
    page.goto(address)
    if page.locator("#transport").count():
        page.wait_for_selector("html[data-debugger=ready]")
    lines = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        lines += [" | ".join([page.url, str(width), *fault]) for fault in page.evaluate(BOXES)]
    return lines


@pytest.mark.long
def test_boxes_of_the_most_read_pages(browser_page, demo_home):
    for path in (f"{RUN}?cycle=40&node=worker-a-1", f"{RUN}outcomes/", f"{RUN}why/"):
        faults = faults_at(browser_page, f"{demo_home}{path}", [SMALL, (1600, 1000), PHONE])
        assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("paths", [DEBUGGER, ANSWERS, INPUTS], ids=["debugger", "answers", "inputs"])
def test_boxes_of_all_kinds_of_pages_in_six_sizes(browser_page, demo_home, paths):
    faults = [line for path in paths for line in faults_at(browser_page, f"{demo_home}{path}", SIZES)]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.long
def test_boxes_of_the_editor_and_of_pages_without_a_workspace(browser_page, demo_home, live_server_url):
    page = browser_page
    page.goto(f"{demo_home}{CLUSTER}")
    page.get_by_role("button", name="New draft").click()
    page.wait_for_url("**/drafts/**")
    editor = page.url
    outside = [f"{live_server_url}{path}" for path in ("/account/", "/workspaces/new/", "/help/")]
    faults = [line for address in [editor, *outside] for line in faults_at(page, address, SIZES)]
    page.context.clear_cookies()
    faults += faults_at(page, f"{live_server_url}/signin", SIZES)
    assert not faults, "\n".join(faults)


# How many rows of each part with content are in sight, and how many it has.
ROWS = """() => Object.fromEntries([
    ...['unschedulable', 'gone', 'gated', 'backoff', 'active', 'flying'].map((name) => [name, `#lane-${name} .pod`]),
    ['needs', '.nodecard-need tbody tr'], ['pods of the node', '.nodecard .pr-scroll .pr'],
    ['matrix', '[data-matrix] tbody tr'],
].map(([name, rows]) => {
    const all = [...document.querySelectorAll(rows)];
    const frame = all[0]?.closest('.pr-scroll, .scroll, .nodecard-need')?.getBoundingClientRect();
    const isSeen = (box) => box.bottom <= Math.min(frame.bottom, innerHeight) + 1 && box.top >= frame.top - 1;
    return [name, [all.filter((one) => isSeen(one.getBoundingClientRect())).length, all.length]];
}))"""


@pytest.mark.long
@pytest.mark.parametrize("size", [SMALL, (1280, 800), (1600, 1000), (1920, 900)], ids=str)
def test_each_pane_of_the_debugger_with_content_shows_three_rows(browser_page, demo_home, size):
    page = browser_page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{demo_home}{RUN}?cycle=40&node=worker-a-1")
    page.wait_for_selector("html[data-debugger=ready]")
    page.evaluate(DRAWN)
    rows = page.evaluate(ROWS)
    assert {name: one for name, one in rows.items() if one[0] < min(3, one[1])} == {}
    assert sum(one[1] for one in rows.values()) > 15


@pytest.mark.long
def test_nothing_in_the_head_moves_when_the_page_is_connected(browser_page, demo_home):
    page = browser_page
    page.goto(f"{demo_home}{RUN}?cycle=28")
    page.wait_for_selector("html[data-debugger=ready]")
    places = "() => [...document.querySelectorAll('.cmd, #inbox')].map((one) => one.getBoundingClientRect().x)"
    hide = "(is) => void (document.getElementById('people').hidden = is)"
    page.evaluate(hide, True)
    before = page.evaluate(places)
    page.evaluate(hide, False)
    assert page.evaluate(places) == before


@pytest.mark.long
def test_in_a_window_of_a_phone_the_debugger_leads_to_what_can_be_read(browser_page, demo_home):
    page = browser_page
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(f"{demo_home}{RUN}?cycle=28")
    page.wait_for_selector("html[data-debugger=ready]")
    expect(page.locator("#inspector")).to_be_hidden()
    page.locator(".needs-steps").get_by_role("link").last.click()
    page.wait_for_url("**cycle=29**")
    page.locator(".needs-links a").first.click()
    page.wait_for_url("**/why/?pod=**")
    expect(page.locator("#answer")).to_be_in_viewport()
