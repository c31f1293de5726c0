"""The strip of a timeline's arrivals in a real Chromium: by mouse, by keys, and by its fields."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import Member, User
from dashboard.documents.timelines.arrivals.rows import read_entries
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from tests.browser.axe import grave_findings
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, stored

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def timeline(sign_in):
    """A timeline of a pod each second from 0 s to 9 s, in bars of 100 ms."""
    user = User.objects.create_user("asha@example.org", "Asha")
    create_workspace(user, "Team", "team")
    sign_in(user)
    made = stored(Member.objects.get(user=user), [entry(f"{i}s", f"web-{i}", app="web") for i in range(10)])
    return made.timeline


@pytest.fixture
def page(browser_page, live_server_url, timeline):
    browser_page.goto(f"{live_server_url}/w/team/timelines/day/")
    browser_page.wait_for_selector(".ace_editor")
    return browser_page


def rows(timeline):
    """Return the rows of the draft, else of the newest revision."""
    draft = timeline.drafts.first()
    return OpenedTimeline(draft).entries.now.rows if draft else read_entries(timeline.revisions.first()).rows


def times(timeline):
    return [row.at / 1e6 for row in rows(timeline)]


def drag(page, first, last):
    """Draw an interval with the mouse, from one share of the strip's width to another."""
    box = page.locator("[data-arrivals-strip]").bounding_box()
    page.mouse.move(box["x"] + first * box["width"], box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + last * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()


@pytest.mark.long
def test_an_interval_is_drawn_and_shifted_and_undone_by_name(page, timeline):
    drag(page, 0.2, 0.5)
    expect(page.locator(".arr-table tbody tr")).to_have_count(3)
    expect(page.locator("[data-arrivals-band]")).not_to_have_class(re.compile("is-none"))
    expect(page).to_have_url(re.compile(r"from=1\.\d+s&before=4\.\d+s"))
    page.get_by_label("Shift by").fill("20s")
    page.get_by_label("Shift by").press("Enter")
    expect(page.locator(".toast")).to_contain_text("Shift 3 entries")
    assert times(timeline) == [0, 1, 5, 6, 7, 8, 9, 22, 23, 24]
    expect(page.locator(".arr-table tbody tr")).to_have_count(3)
    expect(page.locator("#draftbar .chg")).to_contain_text("3 entries")
    page.keyboard.press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone")
    assert times(timeline) == list(range(10))
    expect(page.locator(".arr-table tbody tr")).to_have_count(0)
    page.keyboard.press("Control+Shift+Z")
    expect(page.locator(".toast")).to_contain_text("Done again")
    page.get_by_role("link", name="Review and save").click()
    expect(page.locator("#changes tbody tr")).to_have_count(3)
    assert grave_findings(page) == []
    page.get_by_label("Message").fill("later")
    page.keyboard.press("Control+s")
    expect(page.locator(".toast")).to_contain_text("Saved as revision 2")
    expect(page.get_by_role("link", name="Run", exact=True)).to_be_visible()
    assert timeline.revisions.first().message == "later"
    assert times(timeline) == [0, 1, 5, 6, 7, 8, 9, 22, 23, 24]


def test_a_shift_is_foreseen_while_it_is_typed(page):
    drag(page, 0.2, 0.5)
    expect(page.locator(".arr-table tbody tr")).to_have_count(3)
    ghosts = page.locator(".arr-ghost")
    page.get_by_label("Shift by").fill("-1.5s")
    expect(ghosts.first).to_have_attribute("transform", "translate(-15 0)")
    page.get_by_label("Shift by").fill("soon")
    expect(ghosts).to_have_count(0)


@pytest.mark.long
def test_the_handles_are_moved_by_keys(page):
    start = page.get_by_role("slider", name="From")
    start.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(start).to_have_attribute("aria-valuetext", "1.1s")
    expect(page.locator(".arr-table tbody tr")).to_have_count(8)
    expect(start).to_be_focused()
    end = page.get_by_role("slider", name="Before")
    end.focus()
    for _ in range(4):
        page.keyboard.press("PageDown")
    expect(page.locator("#arrivals-before")).to_have_value("5.1s")
    expect(page.locator(".arr-table tbody tr")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(page.locator(".arr-table tbody tr")).to_have_count(10)
    expect(page).to_have_url(re.compile(r"/day/$"))


@pytest.mark.long
def test_fields_do_what_the_strip_does_and_what_is_typed_stays(page, timeline):
    page.evaluate(
        "window.schedscopeEditor.setValue(window.schedscopeEditor.getValue().replace('name: web-9', 'name: nine'), -1)"
    )
    page.locator("#arrivals-from").fill("8s")
    page.locator("#arrivals-from").press("Enter")
    expect(page.locator(".arr-table tbody tr")).to_have_count(2)
    assert "name: nine" in page.evaluate("window.schedscopeEditor.getValue()")
    page.get_by_role("button", name="Repeat…").click()
    page.get_by_label("Copies").fill("2")
    page.get_by_label("Each later by").press("Enter")
    expect(page.locator(".toast")).to_contain_text("Repeat 2 entries from 8s on 2 times every 10s")
    assert times(timeline) == [*range(10), 18, 19, 28, 29]
    assert {row.key.name for row in rows(timeline)} >= {"nine", "nine-1", "nine-2"}


@pytest.mark.long
@pytest.mark.browser_complains("400")
def test_a_refusal_is_said_beside_what_was_typed(page, timeline):
    page.get_by_label("Shift by").fill("-1s")
    page.get_by_role("button", name="Shift").click()
    expect(page.get_by_text("would come before 0s")).to_be_visible()
    expect(page.get_by_label("Shift by")).to_have_value("-1s")
    assert times(timeline) == list(range(10))


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_has_no_grave_finding(page, theme):
    page.emulate_media(color_scheme=theme)
    drag(page, 0.2, 0.5)
    expect(page.locator(".arr-table tbody tr")).to_have_count(3)
    assert grave_findings(page) == []
