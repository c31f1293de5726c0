"""The ways of two people to a review, a verdict and a comment: each ends where it should, with few clicks."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Workspace
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.browser.walking import Walk

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture
def colleague(walk, chromium, live_server_url):
    """A walk of Ben, a reviewer, in a window of his own, at the first page."""
    team = Team(chromium, live_server_url, Workspace.objects.get(), PATIENCE_MS)
    yield Walk(team.open(team.join("Ben Okoro"), "/w/default/"), walk.home)
    team.leave()
    assert team.complaints == []


def test_from_a_run_to_a_review_that_is_asked_of_a_colleague_and_to_the_verdict(walk, colleague):
    walk.at("runs/1/").click("link", "Review", exact=True)
    walk.click("button", "Ask for a review")
    keys = walk.tab.keyboard
    expect(walk.tab.get_by_label("Title")).to_be_focused()
    keys.type("Is this enough room?")
    keys.press("Tab")
    keys.press("Tab")
    keys.type("@ben")
    expect(walk.tab.get_by_role("option", name="Ben Okoro")).to_be_visible()
    keys.press("Enter")
    keys.press("Control+Enter")
    walk.ends("runs/1/review/", 2, shows="Is this enough room")
    expect(walk.tab.locator("#review-overview")).to_contain_text("Ben Okoro")

    expect(colleague.tab.locator("#inbox .count")).to_have_text("1")
    colleague.on(colleague.tab.locator("#inbox"))
    colleague.click("link", "Is this enough room")
    colleague.click("button", "Approve")
    colleague.ends("review", 3, shows="approved")
    expect(walk.tab.locator("#review-state")).to_contain_text("approved")


def test_from_a_cell_of_the_matrix_to_a_comment_with_a_mention(walk, colleague):
    walk.at("runs/1/?cycle=22").on(walk.tab.locator("#inspector td.sc").first)
    walk.click("link", "Comment", exact=True)
    walk.tab.keyboard.type("@ben")
    expect(walk.tab.get_by_role("option", name="Ben Okoro")).to_be_visible()
    walk.tab.keyboard.press("Enter")
    walk.tab.keyboard.type("does this toleration have to be here?")
    walk.tab.keyboard.press("Control+Enter")
    walk.ends("cycle=22.*node=worker-a-2", 2, shows="does this toleration")
    expect(colleague.tab.locator("#inbox .count")).to_have_text("1")
