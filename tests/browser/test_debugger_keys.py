"""Steps of four grains, jumps and keys of the debugger in a real browser."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect

from dashboard.runs.models import Cycle
from tests.browser.test_debugger import number_of
from tests.dashboard.run_helpers import cluster_of

# What a walk must leave as a jump would: the panes, the buttons and the line of the event.
PARTS = ("#inspector", "#queues", "#transport", "#grain", "#jumps", "#selection", "#clock")
WALK = (".", ",", "i", "o", "F10", "Shift+F10", "F11", "Shift+F11", "n", "Shift+N", "]", "[")


def settled(tab):
    """Wait until no step is under way."""
    tab.wait_for_function("() => !document.getElementById('main').hasAttribute('aria-busy')")


def words_of(tab):
    """Return what each part says, and the addresses of its links."""
    return tab.evaluate(
        """parts => parts.map(one => {
            const part = document.querySelector(one)
            return [one, part.innerText, [...part.querySelectorAll('a')].map(link => link.getAttribute('href'))]
        })""",
        list(PARTS),
    )


@pytest.mark.long
def test_into_and_out_change_the_grain_and_over_keeps_it(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number}")
    for key, address in (
        ("i", rf"cycle={number}&step=point&point=PreEnqueue$"),
        (".", rf"cycle={number}&step=point&point=PreFilter$"),
        ("F10", rf"cycle={number}&step=point&point=Filter$"),
        ("F11", rf"cycle={number}&step=call&point=Filter&call=NodeUnschedulable$"),
        (".", rf"cycle={number}&step=call&point=Filter&call=NodeName$"),
        ("Shift+F10", rf"cycle={number}&step=call&point=Filter&call=NodeUnschedulable$"),
        ("o", rf"cycle={number}&step=point&point=Filter$"),
        ("Shift+F11", rf"cycle={number}$"),
    ):
        tab.keyboard.press(key)
        expect(tab).to_have_url(re.compile(address))


@pytest.mark.long
def test_the_strip_tells_calls_passed_here_and_ahead_and_stays_where_it_is(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number}&step=call&point=Filter&call=NodeName")
    strip = tab.locator(".calls")
    box = strip.bounding_box()
    assert box["height"] == 28
    expect(strip.locator("[aria-current=step]")).to_have_text("NodeName")
    expect(strip.locator(".is-ahead").first).to_have_text("TaintToleration")
    tab.get_by_role("link", name="TaintToleration").first.click()
    expect(tab).to_have_url(re.compile("call=TaintToleration$"))
    assert strip.bounding_box() == box
    expect(tab.locator(".point.is-cursor small")).to_have_text(re.compile(r"3 of \d+"))
    expect(tab.locator("th.ahead").first).to_be_visible()


def test_a_walk_by_keys_shows_what_its_address_shows(page, run):
    chosen, tab = random.Random(7), page("?cycle=2&step=call")
    for key in chosen.choices(WALK, k=24):
        tab.keyboard.press(key)
        settled(tab)
    # The list of breakpoints comes by a request of its own.
    expect(tab.locator("#queues")).to_contain_text("No breakpoint yet")
    walked, url = words_of(tab), tab.url
    tab = page(url[url.index("?") :])
    expect(tab.locator("#queues")).to_contain_text("No breakpoint yet")
    assert words_of(tab) == walked


@pytest.mark.long
def test_jumps_lead_to_failures_and_attempts(page, run):
    failed = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number")
    tab = page("?seq=0")
    tab.keyboard.press("n")
    expect(tab).to_have_url(re.compile(rf"\?cycle={failed[0].number}$"))
    tab.keyboard.press("n")
    expect(tab).to_have_url(re.compile(rf"\?cycle={failed[1].number}$"))
    tab.keyboard.press("Shift+N")
    expect(tab).to_have_url(re.compile(rf"\?cycle={failed[0].number}$"))
    attempts = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("number")
    tab = page(f"?cycle={attempts[0].number}")
    tab.keyboard.press("]")
    expect(tab).to_have_url(re.compile(rf"\?cycle={attempts[1].number}$"))
    tab.get_by_role("link", name="Previous attempt of this pod").click()
    expect(tab).to_have_url(re.compile(rf"\?cycle={attempts[0].number}$"))


@pytest.mark.long
def test_letters_are_off_in_a_field_and_where_the_reader_switched_them_off(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    here = tab.url
    tab.keyboard.press("/")
    tab.keyboard.type(".,io")
    expect(tab.locator("#node-filter")).to_have_value(".,io")
    expect(tab).to_have_url(re.compile(r"q="))
    tab.goto(here)
    tab.wait_for_selector("html[data-debugger=ready]")
    tab.keyboard.press("?")
    tab.get_by_label("Single-character keys").uncheck()
    tab.keyboard.press("Escape")
    tab.keyboard.press("i")
    tab.keyboard.press("F10")
    expect(tab).not_to_have_url(here)
    assert "step=" not in tab.url


@pytest.mark.long
def test_pages_of_the_strip_are_ten_cycles_and_end_with_the_run(start, browser_page, live_server_url):
    run = start(cluster_of(2, 14))
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle=2")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    strip = browser_page.get_by_role("slider")
    for key, address in (
        ("PageUp", "cycle=12"),
        ("PageDown", "cycle=2"),
        ("PageUp", "cycle=12"),
        ("PageUp", "cycle=14"),
        ("PageUp", f"seq={run.head.seq}"),
    ):
        strip.press(key)
        expect(browser_page).to_have_url(re.compile(rf"{address}$"))


@pytest.mark.long
def test_two_keys_lead_to_a_tab_with_a_hint_between_them(page, run):
    tab = page("?cycle=1")
    tab.keyboard.press("g")
    expect(tab.locator("#key-hint")).to_contain_text("Search")
    tab.keyboard.press("Escape")
    expect(tab.locator("#key-hint")).to_have_count(0)
    tab.keyboard.press("g")
    tab.keyboard.press("c")
    tab.wait_for_url(re.compile("/search/"))


@pytest.mark.long
def test_the_footer_names_the_keys_of_the_pane_with_the_focus(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    cell = tab.locator(".dbg-foot .keys", has_text="keep cell")
    expect(cell).not_to_be_visible()
    tab.locator("[data-matrix]").focus()
    expect(cell).to_be_visible()
    tab.locator("#play").focus()
    expect(cell).not_to_be_visible()


@pytest.mark.long
def test_the_chosen_grain_is_remembered(page, run):
    tab = page("?cycle=2")
    tab.locator("#grain").get_by_text("Point").click()
    expect(tab).to_have_url(re.compile("step=point"))
    tab = page("?cycle=3")
    expect(tab).to_have_url(re.compile(r"cycle=3&step=point"))
    tab.locator("#grain").get_by_text("Cycle").click()
    expect(tab).to_have_url(re.compile(r"cycle=3$"))


@pytest.mark.long
def test_the_player_plays_in_the_chosen_grain(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number}&step=point&point=PreEnqueue")
    tab.evaluate(
        """() => {
            window.points = []
            document.addEventListener('cursor:moved', () =>
                window.points.push(new URL(document.getElementById('main').dataset.address, location).search))
        }"""
    )
    tab.select_option("#speed", "16")
    tab.keyboard.press("Space")
    tab.wait_for_function("() => window.points.length > 3")
    tab.keyboard.press("Space")
    points = [re.search(r"point=(\w+)", one)[1] for one in tab.evaluate("window.points")[:3]]
    assert points == ["PreFilter", "Filter", "PostFilter"]


@pytest.mark.long
def test_the_copied_link_is_short_and_opens_the_same_cursor(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number}&tab=why&node=full-a")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    full = tab.url
    tab.get_by_role("button", name="Copy link to this cursor").click()
    expect(tab.get_by_text("Link copied")).to_be_visible()
    link = tab.evaluate("navigator.clipboard.readText()")
    assert link == f"{full.partition('?')[0]}c/{number}/show/why/on/full-a/"
    tab.goto(link)
    expect(tab).to_have_url(full)
