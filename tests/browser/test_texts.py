"""From the text of a ticket to its answer: two clicks for what kubectl describes, one for a line of an event."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs import execution
from dashboard.runs.lifecycle import waiting
from tests.browser.test_dropping import member  # noqa: F401 a fixture
from tests.dashboard.clusters.messages.test_views import LINE
from tests.scheduler_core.manifests.forms.describe.test_nodes import TEXT as NODE
from tests.scheduler_core.manifests.forms.describe.test_pods import PLAIN
from tests.scheduler_core.manifests.forms.describe.test_pods import TEXT as POD

HIDDEN = "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity."
OPEN_NODE = NODE.replace("sick:NoExecute", "<none>").replace("                    a=b:NoSchedule\n", "")


@pytest.fixture(autouse=True)
def _nobody_is_woken(monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda task: None)


def paste(page, origin, text):
    page.goto(f"{origin}/w/team/import/")
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Preview", exact=True).click()


@pytest.mark.usefixtures("member")
def test_a_described_pod_leads_to_its_answer_in_two_clicks(browser_page, live_server_url):
    node = OPEN_NODE.replace("Unschedulable:      true", "Unschedulable:      false")
    pod = POD.format(**{**PLAIN, "message": HIDDEN}).replace("   mine  ", "   default-scheduler  ")
    paste(browser_page, live_server_url, f"{node}\n{pod}")
    browser_page.wait_for_url(re.compile(r"/import/\d+/$"))
    expect(browser_page.locator("#pending tbody tr")).to_have_count(1)
    expect(browser_page.locator("#fetch-title")).to_be_visible()
    expect(browser_page.locator("#name")).not_to_have_value("")
    browser_page.get_by_role("button", name="Why? a/p").click()
    browser_page.wait_for_url("**/why/**")
    while execution.work():
        pass
    browser_page.wait_for_url(re.compile(r"/runs/1/why/"))
    cause = browser_page.locator("#cause")
    expect(cause.locator(".an-code")).to_contain_text("VOLUME_TOPOLOGY")
    expect(cause.locator(".an-doubts")).to_contain_text("data")


@pytest.mark.usefixtures("member")
def test_a_line_leads_to_its_codes_in_one_click(browser_page, live_server_url):
    paste(browser_page, live_server_url, LINE)
    browser_page.wait_for_url("**/message/**")
    expect(browser_page.get_by_role("heading", level=1)).to_contain_text("Insufficient cpu")
    expect(browser_page.locator(".ms-code").filter(has_text="TAINT_UNTOLERATED")).to_be_visible()
    browser_page.locator("#text").fill("0/2 nodes are available: 2 Too many pods.")
    browser_page.get_by_role("button", name="Take apart").click()
    expect(browser_page.locator(".ms-code").first).to_have_text("SHORT_PODS")
