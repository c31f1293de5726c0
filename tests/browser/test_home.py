"""The first page while others work: what waits for its reader comes and goes without a load of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.pins.pin import Pin
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team

pytestmark = pytest.mark.slow
HOSTILE = '<img src=x onerror="fetch(1)"> @ben'


@pytest.fixture
def team(chromium, live_server_url, run):
    """The people of the run's workspace."""
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


@pytest.mark.long
def test_what_waits_comes_without_loading_the_page_and_goes_when_it_was_read(team, run):
    asha = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    user = team.join("Ben Okoro")
    ben = team.open(user, "/w/team/")
    ben.evaluate("document.documentElement.dataset.first = 'yes'")
    asked = []
    ben.on("request", lambda request: asked.append(request.url))
    expect(ben.locator("#waiting")).to_contain_text("Nothing waits for you")
    ask_for_review(asha, run, ReviewRequest(HOSTILE))
    expect(ben.locator("#waiting .inb")).to_contain_text("asks for your verdict")
    expect(ben.locator("#waiting .inb")).to_contain_text("<img src=x")
    expect(ben.locator("#waiting img")).to_have_count(0)
    thread = actions.open_thread(asha, run, Pin(2), "Why?")
    expect(ben.locator("#waiting .inb")).to_contain_text("1 unread thread")
    # Read in another window of his.
    actions.mark_read(Member.objects.get(user=user), [thread])
    expect(ben.locator("#waiting .inb")).not_to_contain_text("unread")
    expect(ben.locator("html")).to_have_attribute("data-first", "yes")
    assert {url.partition("/w/team/")[2] for url in asked} == {"waiting"}
