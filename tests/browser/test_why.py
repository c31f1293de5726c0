"""The page that says why a pod is pending, in a browser: its columns, its text for the clipboard, its bars."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.fixture
def why(browser_page, live_server_url, run):
    """Return the page of the pod that fits nowhere, its script started."""
    browser_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/why/?pod=default/never-0")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    return browser_page


def test_columns_are_as_wide_as_they_were_dragged_also_after_a_step_and_a_visit(why):
    grip = why.get_by_role("separator", name="Width of the list of pods")
    box = grip.bounding_box()
    why.mouse.move(box["x"], box["y"] + 40)
    why.mouse.down()
    why.mouse.move(box["x"] + 60, box["y"] + 40)
    why.mouse.up()
    width = "document.getElementById('siblings').getBoundingClientRect().width"
    assert abs(why.evaluate(width) - 312) <= 1
    why.locator(".att").first.click()
    assert abs(why.evaluate(width) - 312) <= 1
    why.reload()
    assert abs(why.evaluate(width) - 312) <= 1
    side = why.get_by_role("separator", name="Width of what stands beside the answer")
    before = side.get_attribute("aria-valuenow")
    side.press("ArrowLeft")
    expect(side).to_have_attribute("aria-valuenow", str(int(before) + 8))


def test_all_that_is_said_is_copied_as_the_lines_of_the_command(why):
    why.get_by_role("button", name="Copy as text").click()
    expect(why.get_by_text("Copied as text")).to_be_visible()
    text = why.evaluate("navigator.clipboard.readText()")
    assert text.startswith("default/never-0: pending at ")
    assert "BECAUSE  2 nodes are too small: cpu" in text
    assert "WHAT WAKES IT" in text


def test_the_bars_cut_no_name_of_the_way_to_the_page(why):
    why.set_viewport_size({"width": 1280, "height": 800})
    cut = (
        "[...document.querySelectorAll('.appbar-left .crumb')].filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert why.evaluate(cut) == 0
