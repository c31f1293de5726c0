"""States of the review pages that write rows of their own, in which no other state has a part."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import Workspace
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.pins.pin import Pin
from dashboard.runs import actions as runs
from dashboard.runs.actions import Launch
from tests.browser.team import Team
from tests.gallery.review_rows import PACKING, ReviewRows, member_in, work

MORE_THAN_A_PAGE = 34


def meeting(all_rows: ReviewRows) -> Page:
    """Somebody opened the link of a meeting whose host has gone on to another page."""
    all_rows.team.open(all_rows.people["max"], all_rows.of(f"runs/{all_rows.first.number}/?cycle=28&tab=preemption"))
    page = _invited(all_rows, "max")
    expect(page.locator("#follow-bar")).to_contain_text("Following")
    expect(page.locator("#main[data-cycle='28']")).to_be_attached()
    return page


def meeting_waits(all_rows: ReviewRows) -> Page:
    """The host of the meeting is not there yet."""
    page = _invited(all_rows, "asha")
    expect(page.locator("#follow-bar")).to_contain_text("The host of this link is not here yet")
    return page


def _invited(all_rows: ReviewRows, host: str) -> Page:
    return all_rows.open(f"meet/{all_rows.member(host).pk}/runs/{all_rows.first.number}/?cycle=3&tab=matrix")


def list_pages(all_rows: ReviewRows) -> Page:
    """More reviews than a page of their list shows, in a workspace of their own."""
    mara = all_rows.people["mara"]
    workspace = Workspace.objects.filter(slug="many").first() or create_workspace(mara, "Many reviews", "many")
    many = Team(all_rows.team.browser, all_rows.team.origin, workspace, all_rows.team.patience_ms)
    many.contexts, many.complaints = all_rows.team.contexts, all_rows.team.complaints
    member = member_in(many, mara)
    if not workspace.reviews.exists():
        config = save_config(member, None, NewText("packing", PACKING))
        subject = subject_in(member, {"configuration": config.config.slug, "revision": str(config.number)})
        for number in range(1, MORE_THAN_A_PAGE + 1):
            ask_about(member, subject, ReviewRequest(f"Weight 5, question {number}?"))
    page = many.open(mara, "/w/many/reviews/?show=all")
    expect(page.locator("#reviews a[rel=next]")).to_be_visible()
    return page


def outdated(all_rows: ReviewRows) -> Page:
    """A run made again without the configuration of the run before: of decisions that differ both values are shown."""
    mara, first = all_rows.member("mara"), all_rows.first
    again = Launch(
        first.revision,
        name="Not packed again",
        timeline=first.timeline_revision,
        schedule=first.schedule,
        seed=first.seed,
    )
    run = runs.create_run(mara, again)
    work()
    actions.open_thread(all_rows.member("lin"), run, Pin(1), "This one is of the new run.")
    page = all_rows.open(f"runs/{run.number}/review/?show=all")
    expect(page.locator(".rv-carried")).to_contain_text("outdated")
    page.locator(".rv-carried-one", has_text="outdated").first.scroll_into_view_if_needed()
    return page
