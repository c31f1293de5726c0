"""The pages about devices in a real Chromium: the newcomer's way, keys, themes and widths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.accounts import account_actions
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from tests.browser.axe import grave_findings
from tests.browser.test_boxes import faults_at

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = os.environ.get("DEVICE_PICTURES", "")
WIDTHS = ((1024, 768), (1280, 800), (1920, 1080), (390, 844))


def picture(page, name):
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def look(page, name):
    """Pictures in both themes and all widths; what is wrong with boxes, and for readers of screens."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": 1280, "height": 800})
        assert grave_findings(page) == [], theme
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            picture(page, f"{name}-{theme}-{width}")
    page.emulate_media(color_scheme="light")
    assert faults_at(page, page.url, WIDTHS) == []
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.fixture
def home(live_server_url, sign_in, monkeypatch):
    """The address of a workspace with the demo of devices, finished."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    user, workspace = account_actions.first_owner()
    sign_in(user)
    demo.load_scene(workspace.members.select_related("user", "workspace").get(user=user), demo.DEVICES)
    while execution.work():
        pass
    return f"{live_server_url}/w/{workspace.slug}/"


@pytest.mark.long
def test_a_waiting_claim_is_found_with_what_it_lacks(home, browser_page):
    page = browser_page
    page.goto(f"{home}clusters/devices/")
    page.get_by_role("link", name="Devices", exact=True).click()
    expect(page.locator(".dv-map")).to_be_visible()
    look(page, "cluster")
