"""The tour by keys: from its button to its end, with the focus on the caption, and nothing that axe finds grave."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.home.tour.steps import STEPS
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from tests.browser.axe import grave_findings

READY = "() => document.documentElement.dataset.tour === 'ready'"
# The card lies within the page.
INSIDE = """() => {
  const { left, right, top, bottom } = document.getElementById('tour').getBoundingClientRect();
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""
# Where panes are narrow it lies over none of them.
BESIDE = """() => {
  const card = document.getElementById('tour').getBoundingClientRect();
  const others = [...document.querySelectorAll('#main, .dbg-foot')].map((one) => one.getBoundingClientRect());
  return others.every((one) => one.bottom <= card.top + 1) && document.documentElement.scrollHeight <= innerHeight;
}"""


@pytest.fixture
def viewer(live_server_url, monkeypatch):
    """A viewer of a workspace that has the demo run of the small cluster."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    owner = User.objects.create_user("asha@example.org", "Asha")
    workspace = accounts.create_workspace(owner, "Team", "team")
    demo.load_teaching(Member.objects.select_related("workspace", "user").get(user=owner))
    while execution.work():
        pass
    user = User.objects.create_user("vera@example.org", "Vera")
    return Member.objects.create(workspace=workspace, user=user, role="viewer")


def at_step(tab, number):
    """Wait until a step's page is there, with the focus on its caption."""
    expect(tab.locator("#tour")).to_have_attribute("data-step", STEPS[number - 1].key)
    expect(tab.locator("#tour")).to_be_focused()
    tab.wait_for_function(READY)


@pytest.mark.slow
@pytest.mark.long
def test_it_is_walked_by_keys_left_and_gone_on_with(browser_page, live_server_url, sign_in, viewer):
    sign_in(viewer.user)
    tab = browser_page
    tab.goto(f"{live_server_url}/w/team/")
    tab.get_by_role("button", name="Take the tour").press("Enter")
    for number in range(1, 4):
        at_step(tab, number)
        for width in (1024, 1280, 1920):
            tab.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate(INSIDE)
        tab.set_viewport_size({"width": 1280, "height": 800})
        if number < 3:
            tab.keyboard.press("Enter")
    assert grave_findings(tab) == []
    tab.keyboard.press("Shift+F10")
    expect(tab).to_have_url(re.compile(r"cycle=26\b"))
    expect(tab.locator("#tour")).to_be_visible()
    tab.keyboard.press("Shift+Enter")
    at_step(tab, 2)
    tab.keyboard.press("Escape")
    expect(tab.locator("#tour")).to_have_count(0)
    expect(tab.locator("#main")).to_be_focused()
    tab.goto(f"{live_server_url}/w/team/")
    tab.get_by_role("button", name="Go on").press("Enter")
    at_step(tab, 2)
    tab.goto(f"{live_server_url}/w/team/runs/")
    tab.wait_for_function(READY)
    tab.keyboard.press("g")
    tab.keyboard.press("t")
    expect(tab.locator("#tour")).to_be_focused()
    tab.keyboard.press("Enter")
    tab.set_viewport_size({"width": 1024, "height": 768})
    for number in range(2, 7):
        at_step(tab, number)
        assert tab.evaluate(BESIDE), number
        if number == 4:
            tab.keyboard.press("Escape")
            tab.goto(f"{live_server_url}/w/team/clusters/")
            tab.locator("summary.avatar-btn").click()
            tab.get_by_role("menuitem", name="Go on with the tour, step 4").click()
            at_step(tab, number)
        tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name="Take the tour again")).to_be_visible()
    viewer.refresh_from_db()
    assert (viewer.tour_step, viewer.tour_is_shown, viewer.tour_is_done) == (0, False, True)
