"""States of reviews for people who hear them or see little contrast: axe finds nothing grave in any of them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.revisions.object_keys import Key
from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_about, ask_for_review
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.drafts import actions as drafting
from dashboard.review.findings.changes import changes_by_key
from dashboard.review.models import ReactionKind
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin
from dashboard.runs import execution
from dashboard.runs.branches.actions import Branching, branch_run
from tests.browser.axe import grave_findings
from tests.browser.test_debugger import number_of
from tests.browser.test_review_changes import draft
from tests.dashboard.run_helpers import node
from tests.patience import until

__all__ = ["draft"]
pytestmark = pytest.mark.slow
CPU = "status.allocatable.cpu"
LONG_NAME = "Maximiliane-Theodora von Hohenstauffen-Waldburg"


@pytest.fixture
def asha(run):
    """Who started the run and looks at all pages."""
    return Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")


@pytest.fixture
def lin(run):
    """Somebody with a long name."""
    user = User.objects.create_user("lin@example.org", LONG_NAME)
    return Member.objects.create(workspace=run.workspace, user=user, role=Role.REVIEWER)


@pytest.fixture
def written(run, asha, lin):
    """The review of the run with a bit of everything; returns the thread that suggests a branch."""
    branch = branch_run(asha, run, Branching(0, [{"action": "put", "object": node("room", "128")}]))
    while execution.work():
        pass
    ask_for_review(asha, run, ReviewRequest("Fit for *production*?", "- Who lost?\n- `big`"))
    thread = actions.open_thread(lin, run, Pin(3), "Why *there*, @asha?\n\n> quoted\n\n```yaml\nkind: Pod\n```")
    actions.react(asha, thread.comments.get(), ReactionKind.values[0])
    actions.edit_comment(lin, thread.comments.get(), "Why there, @asha? See cycle 2.")
    actions.reply(lin, thread, "One node more would do.", branch)
    settled = actions.open_thread(lin, run, Pin(2), "Settled")
    actions.reply(asha, settled, "It is.")
    actions.resolve(asha, settled)
    drafting.keep_reply(asha, thread, "Not *yet*")
    drafting.keep_thread(asha, run, Pin(1), "Nor this")
    verdicts.give_verdict(lin, run, "request_changes", "The big ones wait.")
    return thread


@pytest.mark.long
def test_no_state_of_a_run_s_review_has_a_grave_finding(browser_page, live_server_url, run, written):
    page, grave = browser_page, []
    here = f"{live_server_url}/w/team/runs/{run.number}/review/"

    def look():
        grave.extend(grave_findings(page))

    page.goto(f"{here}?show=all")
    expect(page.locator(".rv-effect.is-loaded dl")).to_be_visible()
    look()
    page.locator("#review-attention summary").click()
    look()
    page.goto(f"{here}?thread={written.pk}")
    expect(page.locator("#evidence #inspector .insp-tabs")).to_be_visible()
    field = page.locator(f"#reply-{written.pk}")
    field.focus()
    page.keyboard.type("cc @max")
    expect(page.locator(".mentions")).to_contain_text("Hohenstauffen")
    look()
    page.keyboard.press("Escape")
    page.locator(f"#thread-{written.pk}").get_by_role("button", name="Resolve").click()
    expect(page.locator(".toast")).to_contain_text("Thread resolved")
    look()
    page.goto(f"{here}?show=resolved")
    expect(page.locator("article.thread.is-resolved").first).to_be_visible()
    look()
    page.locator("#findings .rv-find").first.click()
    expect(page.locator("#evidence[data-finding]")).to_be_visible()
    # Times are those of the reader after every swap.
    # Before the half minute after which all are written anew.
    expect(page.locator("#review-threads time").first).not_to_contain_text("UTC", timeout=15_000)
    page.goto(here)
    page.get_by_role("button", name="Edit").first.click()
    expect(page.locator("#ask")).to_be_visible()
    look()
    refused = actions.open_thread(
        written.created_by.memberships.get(), run, Pin(number_of(run, "never-0")), "And that one?"
    )
    page.goto(f"{here}?thread={refused.pk}")
    # What was tried takes the place of the word that it is being tried, as in the debugger.
    expect(page.locator("#evidence #do-this")).to_contain_text("verified")
    look()
    for address in ("reviews/", "reviews/?show=closed", f"comments/{written.comments.first().pk}/versions/"):
        page.goto(f"{live_server_url}/w/team/{address}")
        look()
    page.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle=3&tab=story")
    page.locator(".tale-line a[data-thing]").first.click()
    expect(page.locator("dialog[open] textarea")).to_be_focused()
    look()
    assert grave == []


@pytest.mark.long
def test_pages_of_a_review_fit_into_the_window(browser_page, live_server_url, run, written):
    """What only screen readers see must not make the page scroll beside its panes."""
    page = browser_page
    page.goto(f"{live_server_url}/w/team/runs/{run.number}/review/?show=all")
    expect(page.locator("#review-threads article.thread").first).to_be_visible()
    until(lambda: page.evaluate("document.documentElement.scrollHeight <= innerHeight"))


@pytest.mark.long
def test_no_state_of_a_reviewed_change_has_a_grave_finding(browser_page, live_server_url, asha, lin, draft):
    named = {"cluster": draft.cluster.slug, "draft": str(draft.pk)}
    first = ask_about(asha, subject_in(asha, named), ReviewRequest("Larger?"))
    (finding,) = changes_by_key(first)
    actions.open_field_thread(lin, first, FieldPin(finding, CPU), "So much?")
    key = Key("Node", "", "full-a")
    edits = [Edit(key, node("full-a", "64"), one.address) for key, one in OpenedDraft(draft).objects([key]).items()]
    put_in(asha.user, draft, "Grow more", edits)
    draft.refresh_from_db()
    second = ask_about(asha, subject_in(asha, named), ReviewRequest("Larger still?"))
    verdicts.give_verdict(lin, second, "approve", "")
    page, grave = browser_page, []
    page.goto(f"{live_server_url}/w/team/reviews/{second.number}/?finding={finding}")
    expect(page.locator(".rv-carried")).to_contain_text("outdated")
    expect(page.locator("#review-verdict")).to_contain_text("approved")
    grave += grave_findings(page)
    page.goto(f"{live_server_url}/w/team/clusters/{draft.cluster.slug}/drafts/{draft.pk}/")
    expect(page.locator("#change-thread-list")).to_contain_text("outdated")
    page.locator(f"tr[data-field='{CPU}'] a[data-field-pin]").click()
    page.locator("#change-text").fill("Not yet")
    page.locator("[data-change-form]").get_by_role("button", name="Keep as draft").click()
    expect(page.locator("#change-thread-list .rv-draft-text")).to_have_text("Not yet")
    grave += grave_findings(page)
    assert grave == []
