"""The page of a query in a real browser: written by keys, narrowed, grouped, saved, and a hit opened with its marks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.query.models import SavedSearch
from dashboard.runs.models import Breakpoint, Cycle, Run, RunHead
from tests.browser.axe import grave_findings
from tests.patience import until

LIST, ROWS = "#search-query-list", "[data-hits] tbody tr"


@pytest.fixture
def search(browser_page, live_server_url, run):
    """A function that opens the search of the run."""

    def search(query=""):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/search/{query}")
        browser_page.wait_for_selector("html[data-search=ready]")
        return browser_page

    return search


def write(tab, text):
    """Write a query anew, letter by letter."""
    tab.locator("#search-query").fill("")
    tab.locator("#search-query").press_sequentially(text)


def test_a_query_is_completed_by_keys_and_found(search, run):
    tab = search()
    tab.keyboard.press("/")
    expect(tab.locator("#search-query")).to_be_focused()
    write(tab, "outc")
    expect(tab.locator(f"{LIST} [role=option]").first).to_contain_text("outcome")
    tab.keyboard.press("Tab")
    expect(tab.locator("#search-query")).to_have_value("outcome")
    tab.keyboard.type(":uns")
    failed = Cycle.objects.filter(run=run, outcome="unschedulable").count()
    option = tab.locator(f"{LIST} [role=option][aria-selected=true]")
    expect(option).to_contain_text(f"{failed} cycles")
    tab.keyboard.press("Tab")
    expect(tab.locator("#search-query")).to_have_value("outcome:unschedulable ")
    tab.keyboard.press("Escape")
    tab.keyboard.press("Enter")
    expect(tab.locator("#search-count")).to_contain_text(f"{failed} cycles")
    expect(tab.locator(ROWS)).to_have_count(failed)
    tab.reload()
    expect(tab.locator("#search-query")).to_have_value("outcome:unschedulable")
    expect(tab.locator(ROWS)).to_have_count(failed)


@pytest.mark.long
def test_an_error_stands_under_its_column_and_nothing_moves(search):
    tab = search()
    box = tab.locator("#search-count").bounding_box()
    write(tab, "margin>x and tie")
    expect(tab.locator("#search-query-error")).to_have_text(re.compile("^column 8: margin takes a whole number"))
    expect(tab.locator(".qfield-paint .q-wrong")).to_have_text("x")
    expect(tab.locator("#search-query")).to_have_attribute("aria-invalid", "true")
    assert tab.locator("#search-count").bounding_box() == box
    write(tab, "tie")
    expect(tab.locator("#search-query-error")).to_have_text("")


def test_what_is_written_is_text(search):
    tab = search()
    write(tab, 'message~"<img src=x onerror=alert(1)>" <b>')
    expect(tab.locator(".qfield-paint")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(tab.locator(".qfield-paint img, .qfield-paint b")).to_have_count(0)


@pytest.mark.long
def test_all_fields_are_shown_by_f1(search):
    tab = search()
    tab.locator("#search-query").press("F1")
    expect(tab.locator("#query-fields")).to_contain_text("refusal.plugin")
    tab.keyboard.press("Escape")
    expect(tab.locator("#query-fields")).to_be_hidden()


@pytest.mark.long
def test_a_dragged_range_narrows_and_is_taken_back(search, run):
    tab = search("?q=cycle")
    bar = tab.locator("#search-bars").bounding_box()
    y = bar["y"] + 20
    tab.mouse.move(bar["x"] + bar["width"] * 0.3, y)
    tab.mouse.down()
    tab.mouse.move(bar["x"] + bar["width"] * 0.6, y, steps=4)
    tab.mouse.move(bar["x"] + bar["width"] * 0.99, y, steps=4)
    tab.mouse.up()
    tab.wait_for_url(re.compile(r"from=\d+&to=\d+"))
    tab.wait_for_selector("html[data-search=ready]")
    expect(tab.locator("#search-bars .br")).to_have_count(1)
    until(lambda: tab.locator(ROWS).count() < run.head.cycle)
    tab.get_by_label("Show the whole time").click()
    expect(tab.locator(ROWS)).to_have_count(min(run.head.cycle, 100))


@pytest.mark.long
def test_only_these_adds_to_the_query(search):
    tab = search("?q=outcome:unschedulable&group=plugin")
    row = tab.locator(".gb", has_text="TaintToleration")
    count = row.locator(".num").inner_text()
    row.locator("a").click()
    expect(tab.locator("#search-query")).to_have_value("outcome:unschedulable and refusal.plugin:TaintToleration")
    expect(tab.locator("#search-count")).to_contain_text(f"{count} cycle")


@pytest.mark.long
def test_a_search_is_saved_shared_and_deleted(search):
    tab = search("?q=tie")
    tab.keyboard.press("Control+s")
    dialog = tab.locator("#save-search")
    dialog.locator("input[name=name]").fill("drawn <b>")
    dialog.locator("input[name=shared]").check()
    dialog.locator("button.btn-primary").click()
    expect(tab.locator(".fa", has_text="drawn <b>")).to_have_count(1)
    assert SavedSearch.objects.get().is_shared
    tab.get_by_label("Change drawn <b>").click()
    tab.locator("dialog[open] button.btn-danger").click()
    expect(tab.locator(".fa", has_text="drawn <b>")).to_have_count(0)


@pytest.mark.long
def test_rows_are_walked_by_keys_and_a_hit_opens_with_its_marks(search, run):
    tab = search("?q=outcome:unschedulable")
    numbers = list(Cycle.objects.filter(run=run, outcome="unschedulable").order_by("number"))
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.keyboard.press("k")
    expect(tab.locator(f"{ROWS}[aria-selected=true] td b").first).to_have_text(str(numbers[0].number))
    tab.keyboard.press("Enter")
    tab.wait_for_selector("html[data-debugger=ready]")
    expect(tab.locator("[data-chip=hits]")).to_contain_text("outcome:unschedulable")
    expect(tab.locator("#hits-count")).to_have_text(str(len(numbers)))
    expect(tab.locator("#scrubber [data-kind=hit]").first).to_be_visible()
    tab.keyboard.press("n")
    expect(tab).to_have_url(re.compile(rf"cycle={numbers[1].number}\b.*hits="))
    tab.wait_for_function("() => !document.documentElement.hasAttribute('data-walks')")
    tab.keyboard.press("Shift+N")
    expect(tab).to_have_url(re.compile(rf"cycle={numbers[0].number}\b.*hits="))
    tab.reload()
    expect(tab.locator("#hits-count")).to_have_text(str(len(numbers)))
    tab.get_by_label("Clear the marks of the query").click()
    expect(tab.locator("#scrubber [data-kind=hit]")).to_have_count(0)
    expect(tab).not_to_have_url(re.compile("hits="))


@pytest.mark.long
@pytest.mark.parametrize("query", ["?q=outcome:unschedulable", "?q=margin>x", "?q=move"])
def test_nothing_grave_for_readers(search, query):
    assert grave_findings(search(query)) == []


@pytest.mark.long
def test_hits_of_a_run_that_goes_on_come_behind_the_others(search, run):
    *_, last = Cycle.objects.filter(run=run).order_by("number")
    n_rows = Cycle.objects.filter(run=run).count()
    Cycle.objects.filter(run=run, number=last.number).delete()
    Run.objects.filter(pk=run.pk).update(state="running")
    tab = search()
    expect(tab.locator(ROWS)).to_have_count(n_rows - 1)
    expect(tab.locator("#search-count")).to_contain_text("so far")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    chosen, boxes = tab.locator(f"{ROWS}[aria-selected=true]"), "() => document.activeElement.getBoundingClientRect().y"
    expect(chosen).to_have_count(1)
    name, place = chosen.inner_text(), tab.evaluate(boxes)
    last.save(force_insert=True)
    RunHead.objects.filter(run=run).update(seq=run.head.seq + 1)
    expect(tab.locator(ROWS)).to_have_count(n_rows, timeout=20_000)
    until(lambda: (chosen.inner_text(), tab.evaluate(boxes)) == (name, place))
    Run.objects.filter(pk=run.pk).update(state="finished")
    expect(tab.locator("#search-live")).to_have_count(0, timeout=20_000)
    expect(tab.locator("#search-count")).not_to_contain_text("so far")


@pytest.mark.long
def test_saved_searches_say_their_hits_and_a_query_becomes_a_breakpoint(search, run):
    tab = search("?q=outcome:unschedulable")
    failed = Cycle.objects.filter(run=run, outcome="unschedulable").count()
    expect(tab.locator("#search-saved")).to_contain_text(str(failed))
    tab.click("[data-open='#as-breakpoint']")
    tab.fill("#as-breakpoint [name=name]", "no room")
    tab.click("#as-breakpoint .btn-primary")
    tab.wait_for_selector("html[data-search=ready]")
    expect(tab.locator("#search-saved")).to_contain_text("no room")
    assert Breakpoint.objects.get().attachments.get().run == run


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.browser_complains("ERR_FAILED")
def test_the_link_of_any_search_is_short_and_leads_back_to_it(search, run, live_server_url):
    tab = search("?q=outcome%3Aunschedulable&group=reason")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.keyboard.press("y")
    expect(tab.locator(".toast")).to_contain_text("Link copied")
    link = tab.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(rf"{re.escape(live_server_url)}/w/team/search/l/[a-z2-7]{{10}}/", link)
    tab.goto(link)
    expect(tab).to_have_url(re.compile(rf"/runs/{run.number}/search/\?q=outcome%3Aunschedulable&group=reason$"))
    expect(tab.locator("#search-query")).to_have_value("outcome:unschedulable")
    # Where it cannot be made the whole address serves.
    tab.route("**/search/l/new*", lambda route: route.abort())
    tab.keyboard.press("y")
    expect(tab.locator(".toast")).to_contain_text("Link copied")
    until(lambda: "q=outcome" in tab.evaluate("navigator.clipboard.readText()"))
