"""The page "Capacity" in a real Chromium: its four questions by keys, the matrix by arrows, themes and widths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import grave_findings
from tests.browser.test_boxes import faults_at
from tests.dashboard.capacity.conftest import shop

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = os.environ.get("CAPACITY_PICTURES", "")
WIDTHS = ((1024, 768), (1280, 800), (1920, 1080), (390, 844))


def look(page, name):
    """Pictures in both themes and all widths; what is wrong with boxes, and for readers of screens."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width, height in WIDTHS if PICTURES else ():
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=str(Path(PICTURES) / f"{name}-{theme}-{width}.png"))
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert grave_findings(page) == []
    assert faults_at(page, page.url, WIDTHS) == []
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.long
def test_the_four_questions_are_opened_by_keys(start, browser_page, live_server_url):
    start(shop(), is_run=False)
    page = browser_page
    page.goto(f"{live_server_url}/w/team/clusters/prod/")
    page.get_by_role("link", name="Capacity", exact=True).click()
    expect(page.locator("#cap-matrix")).to_be_visible()
    expect(page.locator("#cap-tile-spare b")).to_have_text("1 node")
    look(page, "groups")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cpx.at a")).to_have_id("cap-0-1")
    assert "group=gpu" in page.url
    for key, name in (("2", "room"), ("3", "drain"), ("4", "spare")):
        page.keyboard.press(key)
        expect(page.locator(f"#cap-tile-{name}")).to_have_attribute("aria-current", "true")
        if name == "drain":
            page.get_by_role("checkbox", name="g-0").check()
            expect(page.locator(".cp-dr tbody tr")).to_have_count(2)
        look(page, name)
    page.keyboard.press("1")
    expect(page.locator(".cpx.at a")).to_have_id("cap-0-1")
