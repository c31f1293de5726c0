"""Watches in a real browser: added, followed by the cursor, drawn over the run, and there again after a reload."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.runs.models import RunWatch
from dashboard.runs.storage import recordings
from dashboard.runs.watches import add_watch
from tests.browser.axe import GRAVE, RULES


@pytest.fixture
def watch(run):
    """A function that watches a value as the owner."""
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    return lambda text: add_watch(member, run, text)


def opened(page, path="?seq=0"):
    tab = page(path)
    tab.locator("#tab-watches").click()
    return tab


def computed(tab, count=1):
    tab.wait_for_function(
        f"() => document.querySelectorAll('.watch[data-state=done]').length === {count}"
        " && !('moves' in document.documentElement.dataset)"
    )


def lengths(run, lane):
    """The number of pods in a lane behind each number of events."""
    return recordings.read(
        run.pk,
        lambda reader: [
            sum(entry.lane == lane for entry in reader.state_at(seq).queue.values())
            for seq in range(reader.head_seq() + 1)
        ],
    )


@pytest.mark.browser_complains("status of 422")
def test_a_watch_is_added_and_removed_without_leaving_the_page(page, run):
    tab = opened(page)
    field = tab.locator("#watch-text")
    field.fill("free cpu off full-a")
    field.press("Enter")
    expect(tab.locator("#watch-problem")).to_contain_text("column 10")
    expect(field).to_have_value("free cpu off full-a")
    field.fill("free cpu of full-a")
    field.press("Enter")
    computed(tab)
    expect(tab.locator(".watch-now")).to_have_text("1")
    expect(tab.locator('[data-count="watches"]')).to_have_text("1")
    tab.locator(".watch").hover()
    tab.get_by_role("button", name="Watch no more: free cpu of full-a").click()
    expect(tab.locator(".watch")).to_have_count(0)
    expect(tab.locator('[data-count="watches"]')).to_have_text("0")
    assert not RunWatch.objects.exists()


@pytest.mark.long
def test_the_value_is_that_of_every_cursor_and_a_change_is_bold_behind_the_old_one(page, run, watch):
    watch("length of unschedulable")
    values = lengths(run, "unschedulable")
    tab = opened(page, "?seq=0&step=event")
    computed(tab)
    now, was = tab.locator(".watch-now"), tab.locator(".watch .was")
    changed = next(seq for seq in range(1, len(values)) if values[seq] != values[seq - 1])
    tab.goto(re.sub(r"\?.*", f"?seq={changed - 1}&step=event", tab.url))
    computed(tab)
    for key, seq, before in (("F10", changed, changed - 1), ("F10", changed + 1, None), ("Shift+F10", changed, None)):
        tab.keyboard.press(key)
        expect(tab.locator("#main")).to_have_attribute("data-seq", str(seq))
        expect(now).to_have_text(str(values[seq]))
        expect(was).to_have_text("" if before is None else str(values[before]))
        weight = int(now.evaluate("element => getComputedStyle(element).fontWeight"))
        assert (weight > 600) == (before is not None)
    tab.keyboard.press("Shift+F10")
    expect(was).to_have_text(str(values[changed]))
    expect(now).to_have_text(str(values[changed - 1]))
    expect(was).to_have_css("text-decoration-line", "line-through")


@pytest.mark.long
def test_a_step_asks_for_no_series_and_takes_the_page_less_than_a_millisecond(page, run, watch):
    for text in ("length of activeQ", "pods on full-a", "state of pod default/big-0", "count of move", "count of cell"):
        watch(text)
    tab, asked = opened(page), []
    computed(tab, 5)
    tab.on("request", lambda request: asked.append(request.url) if "/watches/" in request.url else None)
    tab.evaluate(
        "() => { window.spent = []; new PerformanceObserver((list) => spent.push(...list.getEntriesByName('watches')"
        ".map((one) => one.duration))).observe({ entryTypes: ['measure'] }); }"
    )
    for number in range(1, 9):
        tab.keyboard.press("F10")
        expect(tab.locator("#main")).to_have_attribute("data-cycle", str(number))
    tab.wait_for_function("() => window.spent.length >= 8")
    assert asked == []
    # The quickest: a busy machine makes others wait.
    assert min(tab.evaluate("() => window.spent")) < 1


@pytest.mark.long
def test_the_line_leads_to_the_moment_of_a_change_and_says_what_was_there(page, run, watch):
    watch("length of unschedulable")
    values = lengths(run, "unschedulable")
    tab = opened(page)
    computed(tab)
    line = tab.locator(".spark-line")
    expect(line).to_have_attribute("d", re.compile("V"))
    expect(tab.locator(".spark")).to_have_attribute("aria-label", re.compile(r"changes \d+ times, between 0 and \d"))
    box = tab.locator(".spark").bounding_box()
    tab.mouse.move(box["x"] + 0.97 * box["width"], box["y"] + 5)
    expect(tab.locator(".watch-then")).to_be_visible()
    expect(tab.locator(".watch-when")).to_have_text(re.compile(r"\d\d:\d\d:\d\d\.\d{3}"))
    tab.mouse.click(box["x"] + 0.97 * box["width"], box["y"] + 5)
    expect(tab).to_have_url(re.compile(r"seq="))
    tab.wait_for_function("() => Number(document.getElementById('main').dataset.seq) > 0")
    tab.mouse.move(10, 10)
    seq = int(tab.locator("#main").get_attribute("data-seq"))
    expect(tab.locator(".watch-now")).to_have_text(str(values[seq]))
    expect(tab.locator(".spark-here")).to_have_class(re.compile("is-there"))


@pytest.mark.long
def test_they_are_there_after_a_reload_in_their_order(page, watch):
    watch("pods on full-a")
    watch("pods on full-b")
    tab = opened(page, "?cycle=3")
    computed(tab, 2)
    tab.locator(".watch").first.hover()
    tab.get_by_role("button", name="Move down: pods on full-a").click()
    expect(tab.locator(".watch-text").first).to_have_text("pods on full-b")
    computed(tab, 2)
    tab.reload()
    computed(tab, 2)
    expect(tab.locator("#tab-watches")).to_have_attribute("aria-selected", "true")
    expect(tab.locator(".watch-text")).to_have_text(["pods on full-b", "pods on full-a"])


@pytest.mark.long
def test_controls_of_the_page_watch_what_they_stand_beside(page):
    tab = page("?cycle=3")
    tab.locator("#lane-head-unschedulable").hover()
    tab.get_by_role("button", name="Watch length of Unschedulable").click()
    expect(tab.locator(".watch-text")).to_have_text(["length of unschedulable"])
    expect(tab.locator("#tab-watches")).to_have_attribute("aria-selected", "true")
    tab.keyboard.press("Control+k")
    tab.keyboard.type(">watch state of")
    tab.keyboard.press("Enter")
    expect(tab.locator(".watch-text")).to_have_count(2)
    expect(tab.locator(".watch-text").nth(1)).to_have_text(re.compile("state of pod default/"))
    computed(tab, 2)


@pytest.mark.long
def test_what_is_not_answered_is_said_and_asked_for_again(page, watch):
    watch("length of gated")
    tab = page("?cycle=3")
    computed(tab)
    failed = {"state": "failed", "words": "No answer in time"}
    tab.route("**/watches/series/**", lambda route: route.fulfill(json=failed))
    tab.reload()
    tab.locator("#tab-watches").click()
    expect(tab.locator(".watch-now")).to_have_text("not computed: No answer in time")
    tab.unroute("**/watches/series/**")
    tab.get_by_role("button", name="Compute").click()
    computed(tab)
    expect(tab.locator(".watch-now")).to_have_text("1")


@pytest.mark.long
def test_the_panel_is_readable_for_everybody(page, watch):
    watch("length of gated")
    tab = opened(page, "?cycle=3")
    computed(tab)
    violations = Axe().run(tab, "#below-queues", {"rules": RULES}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations if one["impact"] in GRAVE] == []
