"""The upgrade report in a real Chromium: asked for, cancelled, read by its keys, in both themes and several widths."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.runs.lifecycle import waiting
from dashboard.upgrade import computing
from tests.browser.axe import grave_findings
from tests.browser.test_boxes import faults_at
from tests.scheduler_core.compare.upgrade.clusters import SIZES, node, pod

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = os.environ.get("UPGRADE_PICTURES", "")
WIDTHS = ((1024, 768), (1440, 900), (1920, 1080), (390, 844))


def manifests():
    """Nodes of several shapes, one of them tainted, pods with and without image volumes, and one that fits nowhere."""
    chance = random.Random(7)
    objects = [node(f"worker-{n:02}", *chance.choice(SIZES)) for n in range(8)]
    objects[0]["status"]["images"] = [{"names": ["model:1"], "sizeBytes": 900 << 20}]
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    objects.append(node("gpu-0", "64", "64Gi", spec={"taints": [taint]}))
    volumes = [{"name": "v", "image": {"reference": "model:1"}}]
    for n in range(40):
        cpu, memory = chance.choice(("250m", "1", "2")), chance.choice(("256Mi", "2Gi", "6Gi"))
        objects.append(pod(f"web-{n:02}", cpu, memory, volumes=volumes if n % 6 == 0 else []))
    return [*objects, pod("large-0", "32", "1Gi")]


@pytest.fixture
def opened(start, browser_page, live_server_url, monkeypatch):
    """The page of the cluster's reports; no worker works by itself."""
    monkeypatch.setattr(waiting, "wake_task", lambda name: None)
    start(manifests(), is_run=False)
    browser_page.goto(f"{live_server_url}/w/team/clusters/prod/")
    browser_page.get_by_role("link", name="Upgrade", exact=True).click()
    return browser_page


def picture(page, name):
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def fits(page):
    """Whether nothing makes the page scroll sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_report_is_asked_for_waited_for_and_read(opened):
    page = opened
    expect(page.get_by_text("Nothing was compared yet")).to_be_visible()
    picture(page, "form")
    assert grave_findings(page) == []
    page.get_by_label("A, what runs now").select_option("1.34.0")
    page.get_by_label("B, what it would be").select_option("1.37")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("status").get_by_text("Waiting for a worker")).to_be_visible()
    picture(page, "waiting")
    assert grave_findings(page) == []
    computing.work()
    expect(page.locator(".up-cells")).to_be_visible()
    chosen = page.locator(".up-b[aria-selected=true] .say")
    first = chosen.inner_text()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            assert fits(page), (theme, width)
            picture(page, f"report-{theme}-{width}")
    assert faults_at(page, page.url, WIDTHS) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    assert grave_findings(page) == []

    page.keyboard.press("j")
    expect(chosen).not_to_have_text(first)
    page.keyboard.press("k")
    expect(chosen).to_have_text(first)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#decisions$"))
    follows = page.get_by_role("link", name=re.compile("^follow "))
    if follows.count():
        follows.click()
        row = page.get_by_role("link", name=re.compile("^follows from the difference")).first
        row.click()
        expect(page.locator(".up-d tr[aria-selected=true]")).to_have_count(1)


@pytest.mark.long
def test_cancel_ends_one_that_waits_and_what_does_not_differ_is_said(opened):
    page = opened
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled by Asha")).to_be_visible()
    picture(page, "cancelled")
    page.get_by_role("link", name="Compare again").click()
    page.get_by_label("B, what it would be").select_option("1.36")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("status").get_by_text("Waiting for a worker")).to_be_visible()
    computing.work()
    expect(page.get_by_text("Nothing differs from 1.36 to 1.36")).to_be_visible()
    picture(page, "nothing")
    page.get_by_role("link", name="All reports").click()
    expect(page.locator(".up-list tbody tr")).to_have_count(2)
    picture(page, "list")
    assert grave_findings(page) == []
