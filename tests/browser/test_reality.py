"""The page of reality by its keys: from difference to difference, decisions, and the run from the beginning."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import User
from dashboard.agreement.reality import computing
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run
from tests.browser.axe import grave_findings
from tests.dashboard.agreement.reality.conftest import PAGE, bundle_bytes, moved
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.conftest import signed_in
from tests.live_cluster.history import BEGAN, Plan, gap, history

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(browser_page, live_server_url, sign_in, monkeypatch):
    """The page of a bundle in which four bindings are on other nodes, compared."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    user = User.objects.create_user("asha@example.org", "Asha")
    create_workspace(user, "Team", "team")
    sign_in(user)
    truth = history(Plan(seed=9, n_nodes=8, n_pods=70, seconds=400, lifetime=300, share_high=0.2, node_changes=4))
    for change in (20, 30, 40, 50):
        truth = moved(truth, change)
    lost = gap("SERVER_AWAY", "no answer for 20 s", kind="Pod", since=BEGAN + 100, until=BEGAN + 120)
    person = signed_in(user)
    preview = send(person, ("live.tar.gz", bundle_bytes(truth, server_version="v1.36.2", gaps=(lost,))))
    led(person, person.post(f"{preview}save", {"name": "live"}))
    person.get(PAGE)
    assert computing.work()
    browser_page.goto(f"{live_server_url}{PAGE}")
    expect(browser_page.locator(".rl-classes")).to_be_visible()
    return browser_page


@pytest.mark.long
def test_keys_lead_from_difference_to_difference_and_through_decisions(page):
    differing = page.locator(".rl-head .tiny").first
    expect(differing).to_have_text(re.compile(r"^\s*1 of \d+"))
    page.keyboard.press("n")
    expect(differing).to_have_text(re.compile(r"^\s*2 of \d+"))
    page.keyboard.press("Shift+N")
    expect(differing).to_have_text(re.compile(r"^\s*1 of \d+"))
    before = page.locator("tr[aria-selected=true]").inner_text()
    page.keyboard.press("j")
    expect(page.locator("tr[aria-selected=true]")).not_to_have_text(before)
    page.keyboard.press("k")
    expect(page.locator("tr[aria-selected=true] a")).to_have_count(1)


def test_enter_starts_the_run_from_the_beginning(page):
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/1/"))
    assert Run.objects.get().timeline_revision is not None


@pytest.mark.long
def test_words_are_found_while_they_are_typed_and_w_and_s_change_the_time(page):
    page.keyboard.press("/")
    field = page.locator("#reality-q")
    expect(field).to_be_focused()
    page.keyboard.type("cause:version")
    expect(page).to_have_url(re.compile(r"q=cause%3Aversion"))
    expect(field).to_be_focused()
    expect(page.locator(".rl-fold")).to_have_count(0)
    page.get_by_role("heading", name="Decisions").click()
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile(r"zoom=1"))
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile(r"zoom=2"))
    expect(field).to_have_value("cause:version")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(r"zoom=1"))


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_grave_is_found_and_nothing_scrolls_sideways(page, scheme):
    page.emulate_media(color_scheme=scheme)
    for width in (390, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert grave_findings(page) == []
