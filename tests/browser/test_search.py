"""The field "Search and commands" by keys: what it finds, where the keys lead, and what stands still meanwhile."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs.models import Cycle
from tests.browser.axe import grave_findings
from tests.browser.test_debugger import number_of
from tests.patience import until
from tests.seeds import long_after

OPTIONS = "#command [role=option]"
BOXES = """() => ['#command', '#command .cmdin', '#command .pal-body', '#command .pal-foot'].map((one) => {
    const box = document.querySelector(one).getBoundingClientRect();
    return [box.left, box.top, box.width, box.height];
})"""

SHOWN = "() => document.querySelector('#command').dataset.shown === document.querySelector('#command input').value"
# What each button with a key does that could be pressed now.
USABLE = """() => [...document.querySelectorAll('[data-key]')]
    .filter((one) => !one.disabled && one.ariaDisabled !== 'true' && !one.closest('dialog, [hidden]'))
    .filter((one) => !('showCommands' in one.dataset))
    .map((one) => one.dataset.command || one.dataset.keyLabel || one.getAttribute('aria-label') || one.title)"""


def search(tab, typed=""):
    """Open the field and type; the list is that of what was typed. Keys count on a loaded page."""
    tab.wait_for_load_state()
    tab.keyboard.press("Control+k")
    expect(tab.locator("#command input")).to_be_focused()
    tab.keyboard.type(typed)
    tab.wait_for_function("typed => document.querySelector('#command').dataset.shown === typed", arg=typed.strip())


def chosen(tab):
    """Return the text of the option that the field says is chosen."""
    option = tab.locator(f"{OPTIONS}[aria-selected=true]")
    expect(option).to_have_count(1)
    expect(tab.locator("#command input")).to_have_attribute("aria-activedescendant", option.get_attribute("id"))
    return option.inner_text().replace("\n", " ").strip()


def test_a_pod_is_found_and_selected_at_the_cursor(page, run):
    tab = page("?cycle=2")
    search(tab, "never")
    assert chosen(tab).startswith("default/never-0 unschedulable")
    tab.keyboard.press("Enter")
    expect(tab.locator("#command")).not_to_be_visible()
    expect(tab.locator("#selection")).to_contain_text("never-0")
    search(tab, "taint-c")
    assert chosen(tab).startswith("taint-c")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile("node=taint-c"))
    expect(tab.locator("#selection")).to_contain_text("never-0")
    search(tab, f"cycle {number_of(run, 'big-0')}")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile(f"cycle={number_of(run, 'big-0')}\\b"))
    search(tab)
    expect(tab.locator(OPTIONS).nth(0)).to_have_text(
        re.compile(rf"^\s*Cycle {number_of(run, 'big-0')}"), use_inner_text=True
    )
    expect(tab.locator(OPTIONS).nth(1)).to_have_text(re.compile(r"^\s*taint-c"), use_inner_text=True)


@pytest.mark.fresh_profile
@pytest.mark.long
def test_the_field_answers_who_opens_it_before_htmx_has_read_the_page(page):
    tab = page("?cycle=2")
    # htmx reads the page when this event reaches the document: later than the window's own listeners.
    tab.add_init_script(
        "addEventListener('DOMContentLoaded', () => document.querySelector('[data-show-commands]').click(), true)"
    )
    tab.reload()
    tab.wait_for_function("() => document.querySelector('#command').dataset.shown === ''")
    expect(tab.locator(OPTIONS)).not_to_have_count(0)


@pytest.mark.long
def test_enter_opens_what_was_typed_last_also_before_its_answer(page):
    tab = page("?cycle=2")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("never")
    tab.keyboard.press("Enter")
    expect(tab.locator("#command")).not_to_be_visible()
    expect(tab.locator("#selection")).to_contain_text("never-0")


@pytest.mark.long
def test_arrows_go_through_all_groups_and_round(page):
    tab = page("?cycle=2")
    search(tab, "small")
    first, n = chosen(tab), tab.locator(OPTIONS).count()
    assert n > 3
    tab.keyboard.press("ArrowUp")
    until(lambda: chosen(tab) != first)
    tab.keyboard.press("ArrowDown")
    until(lambda: chosen(tab) == first)
    for _ in range(n):
        tab.keyboard.press("ArrowDown")
    until(lambda: chosen(tab) == first)
    tab.keyboard.press("Tab")
    expect(tab.locator("#command [data-close]")).to_be_focused()
    tab.keyboard.press("Shift+Tab")
    expect(tab.locator("#command input")).to_be_focused()
    tab.keyboard.press("Escape")
    expect(tab.locator("#command")).not_to_be_visible()


@pytest.mark.long
def test_right_shows_all_of_a_kind_and_escape_goes_back(page):
    tab = page("?cycle=2")
    search(tab, "a")
    few = tab.locator("#command [data-kind=pod] a").count()
    assert few == 3
    tab.keyboard.press("ArrowDown")
    while not tab.locator("#command [data-kind=pod] .is-on").count():
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator("#command [role=group]")).to_have_count(1)
    until(lambda: tab.locator("#command [data-kind=pod] a").count() > few)
    tab.keyboard.press("Escape")
    expect(tab.locator("#command [data-kind=pod] a")).to_have_count(few)
    expect(tab.locator("#command")).to_be_visible()


@pytest.mark.long
def test_commands_of_the_page_are_carried_out_and_show_their_key(page):
    tab = page("?cycle=2")
    search(tab, ">step over")
    option = tab.locator(OPTIONS).first
    expect(option).to_contain_text("Step over")
    expect(option.locator("kbd")).to_have_text(["F10"])
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile("cycle=3"))
    search(tab, "filter nodes")
    tab.keyboard.press("Enter")
    expect(tab.locator("#inspector input[name=q]")).to_be_focused()


@pytest.mark.long
def test_help_and_field_list_the_same_commands(page):
    tab = page("?cycle=2")
    tab.keyboard.press("?")
    help_rows = tab.locator("#keys .kr").all()
    in_help = {row.locator(".soft").inner_text().lower() for row in help_rows}
    tab.keyboard.press("Escape")
    search(tab, ">")
    offered = {one.lower() for one in tab.locator(f"{OPTIONS} .cut").all_inner_texts()}
    usable = {name.lower() for name in tab.evaluate(USABLE)}
    assert {"step over, to the next cycle", "show all keys", "zoom in"} <= usable
    assert usable <= in_help
    assert usable <= offered
    assert "switch theme" in offered - in_help


@pytest.mark.long
def test_nothing_moves_while_one_types(page):
    tab = page("?cycle=2")
    search(tab)
    before = tab.evaluate(BOXES)
    for letter in "smallzzz":
        tab.keyboard.type(letter)
        tab.wait_for_function(SHOWN)
        assert tab.evaluate(BOXES) == before
    expect(tab.locator("#command [data-none]")).to_be_visible()
    expect(tab.locator("#command [data-said]")).to_have_text("Nothing found")


@pytest.mark.long
def test_the_key_opens_the_field_again_while_the_closed_one_still_has_the_focus(page):
    tab = page("?cycle=2")
    search(tab, "small")
    # One turn of the page: the browser takes the focus away only when it draws its next frame.
    focused = tab.evaluate(
        """() => {
            document.querySelector('#command').close();
            const field = document.activeElement;
            const stroke = { key: 'k', ctrlKey: true, bubbles: true, cancelable: true };
            field.dispatchEvent(new KeyboardEvent('keydown', stroke));
            return field.matches('#command input');
        }"""
    )
    assert focused
    expect(tab.locator("#command")).to_be_visible()
    expect(tab.locator("#command input")).to_be_focused()
    expect(tab.locator("#command input")).to_have_value("")


@pytest.mark.slow
@pytest.mark.long
def test_the_field_has_no_grave_finding(page):
    tab = page("?cycle=2")
    for typed in ("small", "zzzz", ""):
        search(tab, typed)
        assert grave_findings(tab) == []
        tab.keyboard.press("Escape")
        # The key that opens the field closes one that is still open.
        expect(tab.locator("#command")).not_to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", long_after(["runs/1/events/", "", "runs/", "clusters/prod/", "members/", "configurations/"], 1)
)
def test_it_works_on_every_page_of_a_workspace(page, browser_page, live_server_url, run, path):
    browser_page.goto(f"{live_server_url}/w/team/{path}")
    search(browser_page, "never-0")
    browser_page.keyboard.press("Enter")
    browser_page.wait_for_load_state()
    expect(browser_page.locator("body")).to_contain_text("never-0")
    expect(browser_page).not_to_have_url(f"{live_server_url}/w/team/{path}")


@pytest.mark.long
@pytest.mark.browser_complains("Failed to load resource")
@pytest.mark.browser_complains("htmx:")
def test_without_a_server_there_are_the_commands(page):
    tab = page("?cycle=2")
    tab.route("**/search/**", lambda route: route.abort())
    search(tab, "step over")
    expect(tab.locator("#command [data-note]")).to_contain_text("The server does not answer")
    assert chosen(tab).startswith("Step over")


@pytest.mark.long
def test_outside_of_workspaces_there_are_commands_alone(browser_page, live_server_url, run):
    browser_page.goto(f"{live_server_url}/account/")
    search(browser_page, "theme")
    assert chosen(browser_page).startswith("Switch theme")
    expect(browser_page.locator("#command [data-place]")).to_have_text("this page")


@pytest.mark.long
def test_what_nothing_is_named_leads_to_a_search_of_the_cycles(page, run, browser_page, live_server_url):
    tab = page("?cycle=2")
    search(tab, "0/3 nodes are")
    link = tab.locator("#command [data-search-cycles]")
    expect(link).to_be_visible()
    link.click()
    expect(tab).to_have_url(re.compile(f"/runs/{run.number}/search/"))
    text = '"0/3 nodes are"'
    expect(tab.locator("#search-query")).to_have_value(f"pod~{text} or node~{text} or message~{text}")
    refused = Cycle.objects.filter(run=run, message__contains="0/3 nodes are").count()
    assert refused
    expect(tab.locator("[data-hits] tbody tr")).to_have_count(refused)
    # Quotes and backslashes are written as the language has them; without a run all runs are searched.
    browser_page.goto(f"{live_server_url}/w/team/runs/")
    search(browser_page, '>no"such\\thing')
    browser_page.locator("#command [data-search-cycles]").click()
    expect(browser_page).to_have_url(re.compile("/w/team/search/"))
    expect(browser_page.locator("#search-query")).to_have_value(re.compile(r'^pod~"no\\"such\\\\thing" or '))
    expect(browser_page.locator("#search-query-error")).to_have_text("")
    expect(browser_page.locator("#search-count")).to_contain_text("0 cycles")


def test_a_pod_and_its_why_are_found_on_a_page_of_no_run(page, run, live_server_url):
    tab = page("?cycle=2")
    for typed, key in (("why never", "Enter"), ("never", "Shift+Enter")):
        tab.goto(f"{live_server_url}/w/{run.workspace.slug}/members/")
        search(tab, typed)
        assert chosen(tab).startswith("default/never-0 unschedulable")
        tab.keyboard.press(key)
        expect(tab).to_have_url(re.compile(r"/why/\?.*never-0"))
