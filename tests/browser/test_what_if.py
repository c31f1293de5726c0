"""What would happen if I change X: on the demo, from a decision to both runs beside each other in three clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import account_actions as accounts
from dashboard.debugger.branches import views
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, RunBranch
from tests.browser.axe import grave_findings


@pytest.fixture
def owner(live_server_url, sign_in, monkeypatch):
    """The member that a new installation has, signed in; nobody works but the test."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    monkeypatch.setattr(views, "PATIENCE_SECONDS", 0.0)
    user, workspace = accounts.first_owner()
    sign_in(user)
    return workspace.members.select_related("user", "workspace").get(user=user)


@pytest.fixture
def demo_run(owner):
    """The demo's run, finished."""
    run = demo.load_teaching(owner)
    work()
    return run


def work():
    while execution.work():
        pass


def test_another_size_weight_or_label_is_compared_in_three_clicks(browser_page, live_server_url, demo_run):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    refused = Cycle.objects.filter(run=demo_run, pod="lab/batch-10", outcome="unschedulable").order_by("number").first()
    page.goto(f"{live_server_url}/w/default/runs/1/why/?cycle={refused.number}&pod=lab/batch-10")
    remedy = page.locator("#remedies details").first
    remedy.locator("summary").click()  # 1: tried in place
    expect(remedy.locator(".wy-tried-h")).to_contain_text("It fits. batch-10 would go to")
    node = re.search(r"go to ([\w-]+)", remedy.locator(".wy-tried-h").inner_text())[1]
    remedy.get_by_role("button", name="Run on with this change").click()  # 2: the rest of the run with it
    expect(page).to_have_url(re.compile("/runs/2/"))
    work()
    page.get_by_role("link", name="Compare with the run that it left").click()  # 3: beside what it left
    expect(page).to_have_url(re.compile(r"compare/\?a=1&b=2"))
    expect(page.locator(".twin-head").first).to_contain_text("batch-10")
    expect(page.locator(".twin-head").last).to_contain_text(node)
    expect(page.locator("#cmp-first")).to_contain_text("changes in the middle of the run")
    expect(page.locator("#cmp-pods")).to_contain_text("batch-10")
    assert grave_findings(page) == []
    assert RunBranch.objects.get().origin_id == demo_run.pk


@pytest.mark.long
def test_another_weight_is_run_on_and_compared_in_three_clicks(browser_page, live_server_url, demo_run):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    scored = Cycle.objects.filter(run=demo_run, outcome="scheduled", margin__gt=0).order_by("number").first()
    page.goto(f"{live_server_url}/w/default/runs/1/why-node/?cycle={scored.number}")
    slider = page.get_by_label("Weight of NodeResourcesFit")
    slider.focus()
    slider.press("Home")  # 1: a weight is moved, and decided with
    page.get_by_role("button", name="Run on with these weights").click()  # 2
    expect(page).to_have_url(re.compile("/runs/2/"))
    work()
    page.get_by_role("link", name="Compare with the run that it left").click()  # 3
    expect(page.locator("#cmp-first")).to_contain_text("configure at event")
    expect(page.locator(".cmp-points")).to_contain_text("→")
