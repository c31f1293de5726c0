"""Three people review a change of a configuration: each sees at once what the others do, and loads no page again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member, User
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.rules import ReviewRule
from dashboard.review.models import Review
from dashboard.runs import execution
from dashboard.runs.branches.actions import Branching, branch_run
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.slow

PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
"""
MOST_TABS = 60
# Keys are letters in fields.
NO_FIELD = "a, button"


@pytest.fixture
def team(chromium, live_server_url, run):
    """The people of the run's workspace, where the configuration "Pack" is saved."""
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    save_config(member, None, NewText("Pack", PACKING))
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


class Mouse:
    """Somebody who points and clicks."""

    def ask(self, page, title, number):
        """Ask for a review by two approvals, of the effect on a run."""
        page.locator("#ask-name").fill(title)
        page.locator("#ask-needed").fill("2")
        page.locator("#ask-on").select_option(f"run:{number}")
        page.get_by_role("button", name="Ask for a review").click()

    def open(self, page, title):
        """Open the review from the list."""
        page.locator("#reviews").get_by_role("link", name=title).click()

    def choose(self, page):
        """Choose the next finding."""
        page.locator("#findings [data-walk='1']").click()

    def comment(self, page, text):
        """Comment on what is shown."""
        page.locator("#new-text").fill(text)
        page.locator("#rv-composer").get_by_role("button", name="Comment").click()

    def suggest(self, page, text, number):
        """Comment with a branch."""
        page.locator("#rv-composer .rv-suggest").select_option(str(number))
        self.comment(page, text)

    def take(self, page):
        """Take the suggested branch into a draft."""
        page.get_by_role("link", name="Take into…").click()
        page.locator("#main button[name=do][value=draft]").click()

    def answer(self, page, text):
        """Answer the first thread."""
        page.locator("article.thread .reply textarea").first.fill(text)
        page.locator("article.thread .reply").first.get_by_role("button", name="Reply").click()

    def resolve(self, page):
        """Resolve the first thread."""
        page.locator("article.thread").first.get_by_role("button", name="Resolve").click()

    def approve(self, page, text):
        """Approve with these words."""
        page.locator("#verdict-text").fill(text)
        page.get_by_role("button", name="Approve").click()


class Keyboard:
    """Somebody who touches nothing but keys."""

    def _to(self, page, selector):
        """Press Tab until the focus is there."""
        expect(page.locator(selector).first).to_be_attached()
        for _ in range(MOST_TABS):
            if page.evaluate("(one) => document.activeElement.matches(one)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not within {MOST_TABS} stops of Tab")

    def ask(self, page, title, number):
        """Ask for a review by two approvals, of the effect on a run."""
        self._to(page, "#ask-name")
        page.keyboard.type(title)
        self._to(page, "#ask-needed")
        page.keyboard.press("ArrowUp")
        self._to(page, "#ask-on")
        page.keyboard.type("run")
        self._to(page, ".rv-new .btn-primary")
        page.keyboard.press("Enter")

    def open(self, page, title):
        """Open the review from the list."""
        self._to(page, f'#reviews a[title="{title}"]')
        page.keyboard.press("Enter")

    def choose(self, page):
        """Choose the next finding."""
        page.keyboard.press("n")

    def comment(self, page, text):
        """Comment on what is shown."""
        page.keyboard.press("c")
        expect(page.locator("#new-text")).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#new-text")).to_have_value("")
        self._to(page, NO_FIELD)

    def suggest(self, page, text, number):
        """Comment with a branch."""
        page.keyboard.press("c")
        expect(page.locator("#new-text")).to_be_focused()
        page.keyboard.type(text)
        self._to(page, "#rv-composer .rv-suggest")
        page.keyboard.type(f"run {number}")
        self._to(page, "#new-text")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#new-text")).to_have_value("")
        self._to(page, NO_FIELD)

    def take(self, page):
        """Take the suggested branch into a draft."""
        self._to(page, ".rv-effect footer a[href*='/keep/']")
        page.keyboard.press("Enter")
        self._to(page, "#main button[name=do][value=draft]")
        page.keyboard.press("Enter")

    def answer(self, page, text):
        """Answer the first thread."""
        page.keyboard.press("r")
        expect(page.locator("article.thread .reply textarea").first).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Control+Enter")
        expect(page.locator("article.thread .reply textarea").first).to_have_value("")

    def resolve(self, page):
        """Resolve the first thread."""
        page.keyboard.press("j")
        expect(page.locator("article.thread").first).to_be_focused()
        expect(page.locator("#evidence[data-thread-shown]")).to_be_attached()
        page.keyboard.press("e")

    def approve(self, page, text):
        """Approve with these words."""
        self._to(page, "#verdict-text")
        page.keyboard.type(text)
        page.keyboard.press("Control+Shift+Enter")


def ready(page, title):
    """Wait until the page of the review is there with its scripts, and mark it: a page that is loaded again is not."""
    expect(page).to_have_url(re.compile(r"/reviews/1/$"))
    page.wait_for_load_state()
    page.wait_for_selector("html[data-feed=live]")
    expect(page.locator(".rv-title")).to_contain_text(title)
    page.evaluate("document.documentElement.dataset.first = 'yes'")


@pytest.mark.long
@pytest.mark.parametrize("hand", [Mouse(), Keyboard()], ids=["by mouse", "by keyboard alone"])
def test_three_people_review_a_change_of_a_configuration_together(team, run, hand):
    asha = team.open(User.objects.get(email="asha@example.org"), "/w/team/reviews/new/?configuration=pack&revision=1")
    ben = team.open(team.join("Ben Okoro"), "/w/team/reviews/")
    lin = team.open(team.join("Lin Nakamura"), "/w/team/reviews/")
    everybody = (asha, ben, lin)
    member = Member.objects.get(user__email="asha@example.org")
    branch = branch_run(member, run, Branching(0, [{"action": "put", "object": node("room", "128")}]))
    while execution.work():
        pass
    title = "Pack the nodes?"
    hand.ask(asha, title, run.number)
    for page in (ben, lin):
        expect(page.locator("#reviews")).to_contain_text(title)
        expect(page.locator("#inbox .count")).to_have_text("1")
        hand.open(page, title)
    for page in everybody:
        ready(page, title)
        expect(page.locator("#people [data-avatars] .avatar")).to_have_count(2)
        expect(page.locator("#findings")).to_contain_text("scoringStrategy.type")

    # A comment on the evidence, an answer, and a thread that is settled.
    hand.choose(ben)
    expect(ben.locator("#evidence .rv-diff")).to_contain_text("MostAllocated")
    expect(ben.locator("#rv-composer")).to_contain_text("the finding")
    hand.comment(ben, "Will it leave room for the big ones?")
    for page in everybody:
        expect(page.locator("#review-threads article.thread")).to_contain_text("leave room for the big ones")
    hand.answer(lin, "It does: see the pending pods.")
    for page in everybody:
        expect(page.locator("#review-threads article.thread").first).to_contain_text("see the pending pods")
    hand.resolve(ben)
    for page in everybody:
        expect(page.locator("#review-threads nav")).to_contain_text(re.compile(r"Res(olved|\.) 1"))

    # A branch that somebody suggests is seen with what it comes to, and so is what it was taken into.
    hand.choose(lin)
    expect(lin.locator("#rv-composer")).to_contain_text("the finding")
    hand.suggest(lin, "One node more would do as well.", branch.number)
    for page in everybody:
        expect(page.locator(".rv-effect")).to_contain_text("Node room put")
        expect(page.locator(".rv-effect.is-loaded dl")).to_be_visible()
    taking = team.open(User.objects.get(email="asha@example.org"), "/w/team/reviews/1/")
    hand.take(taking)
    expect(taking).to_have_url(re.compile("/drafts/"))
    for page in everybody:
        expect(page.locator(".rv-effect")).to_contain_text("into draft")
        expect(page.locator(".rv-effect")).to_contain_text("by Asha")

    # Two approvals are the rule.
    hand.approve(ben, "Good for batch.")
    for page in (asha, lin):
        expect(page.locator("#review-state")).to_contain_text("1 of 2 approvals")
    expect(asha.locator("#review-verdicts")).to_contain_text("Good for batch.")
    hand.approve(lin, "And for the rest.")
    expect(asha.locator("#review-state")).to_contain_text("approved")
    expect(asha.locator("#review-verdicts")).to_contain_text("And for the rest.")
    # Nothing of this loaded the page of whoever only looked.
    expect(asha.locator("html")).to_have_attribute("data-first", "yes")
    expect(ben.locator("#review-state")).to_contain_text("approved")
    assert Review.objects.get().records.get().outcome == "approved"


@pytest.mark.long
def test_an_open_review_refreshes_whole_and_keeps_what_is_being_typed(team, run):
    """The dialog of one who edits the request stays open with their words, while another asks, judges and closes."""
    asha, place = Member.objects.get(user__email="asha@example.org"), f"/w/team/runs/{run.number}/review/"
    ben = team.open(team.join("Ben Okoro"), place)
    ben.evaluate("document.documentElement.dataset.first = 'yes'")
    ben.locator("#verdict-text").fill("I think")
    ben.get_by_role("button", name="Ask for a review").click()
    ben.locator("#ask-name").fill("My title")
    ask_for_review(asha, run, ReviewRequest("Theirs", "At **all**", rule=ReviewRule(needed=2)))
    expect(ben.locator("#review-overview")).to_contain_text("2 approvals")
    expect(ben.locator("#review-overview .said strong")).to_have_text("all")
    expect(ben.locator("#ask")).to_be_visible()
    expect(ben.locator("#ask-name")).to_have_value("My title")
    expect(ben.locator("#ask-text")).to_have_value("At **all**")
    expect(ben.locator("#ask-needed")).to_have_value("2")
    expect(ben.locator("#verdict-text")).to_have_value("I think")
    verdicts.give_verdict(asha, run, "request_changes", "Not so")
    expect(ben.locator("#review-overview .rv-record")).to_contain_text("changes requested")
    verdicts.close(asha, run, "Overtaken")
    expect(ben.locator("#review-verdict")).to_contain_text("Closed by")
    expect(ben.locator("#ask")).to_be_visible()
    ben.locator("#ask [data-close]").first.click()
    expect(ben.locator("#ask")).to_be_hidden()
    expect(ben.locator("html")).to_have_attribute("data-first", "yes")
