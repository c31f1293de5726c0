"""The states of the review pages: lists, asking, the page of a review with its threads, verdicts and people."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.team import Team
from tests.gallery.review_rows import ReviewRows, written


def rows(team: Team) -> ReviewRows:
    """Write what the pages show."""
    return written(team)


def at(path: str, user: str = "mara") -> Callable[[ReviewRows], Page]:
    """Return a function that opens a page of the workspace as it is."""
    return lambda all_rows: all_rows.team.open(all_rows.people[user], all_rows.of(path))


def list_empty(all_rows: ReviewRows) -> Page:
    """A workspace in which nobody has reviewed anything."""
    return all_rows.quiet.open(all_rows.people["mara"], "/w/quiet/reviews/")


def a_thread(all_rows: ReviewRows) -> Page:
    """A thread with its evidence."""
    thread = all_rows.threads["cycle"]
    page = all_rows.team.open(
        all_rows.people["mara"], all_rows.of(f"runs/{all_rows.first.number}/review/?thread={thread.pk}")
    )
    expect(page.locator("#evidence #inspector .insp-tabs")).to_be_visible()
    expect(page.locator(".rv-effect.is-loaded dl")).to_be_visible()
    return page


STATES: dict[str, Callable[[ReviewRows], Page]] = {
    "list-empty": list_empty,
    "list-all": at("reviews/?show=all"),
    "list-waiting": at("reviews/?show=waiting"),
    "list-nothing-waits": at("reviews/?show=waiting", "vera"),
    "list-no-match": at("reviews/?show=all&q=nothing+like+it"),
    "thread": a_thread,
}
