"""Branch from here, in a browser: from a decision to the run that goes on with a change."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.debugger.branches import views
from dashboard.runs.models import Cycle, RunBranch
from tests.browser.axe import grave_findings

EXTRA = """apiVersion: v1
kind: Node
metadata: {name: extra}
status: {allocatable: {cpu: "128", memory: 64Gi, pods: "110"}}
"""


@pytest.fixture
def refused(run):
    """The first cycle of the pod that fits nowhere."""
    return Cycle.objects.filter(run=run, pod="default/never-0").order_by("number").first()


@pytest.fixture
def decision(browser_page, live_server_url, run, refused, monkeypatch):
    """The page of the cycle that refused a pod, its scripts started; no worker brings branches to their place."""
    monkeypatch.setattr(views, "PATIENCE_SECONDS", 0.0)
    browser_page.set_viewport_size({"width": 1280, "height": 800})
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle={refused.number}")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    return browser_page


def write_objects(page, text):
    """Write the YAML of objects into its editor."""
    page.wait_for_selector(".ace_editor")
    page.evaluate("(text) => window.schedscopeEditor.setValue(text, -1)", text)


def test_from_a_decision_a_run_goes_on_with_a_smaller_pod_in_three_clicks(decision, run, refused):
    decision.get_by_role("link", name="Branch from here").click()
    expect(decision.get_by_label("Before cycle")).to_be_checked()
    decision.get_by_role("button", name="Edit").click()
    objects = decision.locator("#branch-objects")
    expect(objects).to_have_value(re.compile("name: never-0"))
    write_objects(decision, objects.input_value().replace("64", "1"))
    assert grave_findings(decision) == []
    decision.get_by_role("button", name="Run on").last.click()
    expect(decision).to_have_url(re.compile(rf"/runs/{run.number + 1}/"))
    branch = RunBranch.objects.get()
    assert (branch.origin_id, branch.asked_seq) == (run.pk, refused.first_seq)
    expect(decision.get_by_role("link", name=f"from run {run.number}")).to_be_visible()


@pytest.mark.long
def test_the_key_opens_the_form_of_the_cursor_after_a_step(decision):
    decision.get_by_role("link", name="Branch from here").wait_for()
    before = decision.get_by_role("link", name="Branch from here").get_attribute("href")
    decision.keyboard.press("F10")
    decision.wait_for_function(
        "(before) => document.querySelector('[data-key=\"Shift+B\"]').getAttribute('href') !== before", arg=before
    )
    after = decision.get_by_role("link", name="Branch from here").get_attribute("href")
    decision.keyboard.press("Shift+B")
    decision.wait_for_selector("#branch")
    assert decision.url.endswith(after)


@pytest.mark.long
@pytest.mark.browser_complains("422")
def test_what_is_wrong_stays_in_its_field_and_nothing_overflows(decision):
    decision.keyboard.press("Shift+B")
    decision.get_by_label("Deleted objects, one per line").fill("Node nowhere")
    write_objects(decision, EXTRA)
    decision.get_by_role("button", name="Run on").last.click()
    expect(decision.get_by_text("line 1: the run has no Node nowhere at the cursor.")).to_be_visible()
    expect(decision.locator("#branch-objects")).to_have_value(EXTRA)
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert decision.evaluate(width)
    assert not RunBranch.objects.exists()
