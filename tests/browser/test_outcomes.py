"""The outcomes of a run in a real browser: rows by key, the crosshair, a live run that leaves rows where they are."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs import actions, execution, preparing, sessions
from dashboard.runs.actions import Launch
from dashboard.runs.models import Cycle


@pytest.fixture
def page(browser_page, live_server_url, run):
    """A function that opens the outcomes of the run, scripts started."""

    def open_at(query="", number=run.number):
        browser_page.goto(f"{live_server_url}/w/team/runs/{number}/outcomes/{query}")
        browser_page.wait_for_selector("html[data-outcomes=ready]")
        return browser_page

    return open_at


def test_rows_by_key_down_to_a_pod_and_its_last_attempt(page, run):
    tab = page("?outcome=pending")
    tab.keyboard.press("j")
    row = tab.locator("tr.is-here")
    expect(row).to_contain_text("Larger than any node")
    tab.keyboard.press("ArrowRight")
    expect(tab).to_have_url(re.compile(r"open="))
    expect(tab.locator("tr.oc-pod")).to_have_count(1)
    expect(row).to_contain_text("Larger than any node")
    for _ in range(2):
        tab.keyboard.press("j")
    expect(row).to_contain_text("never-0")
    tab.keyboard.press("Enter")
    number = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").order_by("-number").values_list("number")[0][0]
    expect(tab).to_have_url(re.compile(rf"/why/\?cycle={number}&pod=default%2Fnever-0$"))
    expect(tab.locator("#answer")).to_contain_text("never-0")


@pytest.mark.long
def test_left_folds_and_goes_up_and_a_reload_keeps_what_is_open(page):
    tab = page("?outcome=pending")
    tab.keyboard.press("j")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator("tr.oc-pod")).to_have_count(1)
    tab.reload()
    expect(tab.locator("tr.oc-pod")).to_have_count(1)
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("tr.oc-pod")).to_have_count(0)


@pytest.mark.long
def test_the_filter_takes_letters_as_text_and_narrows_the_rows(page):
    tab = page()
    tab.keyboard.press("/")
    tab.keyboard.type("gated")
    expect(tab.locator("#oc-rows tr.g")).to_have_count(1)
    expect(tab).to_have_url(re.compile(r"q=gated"))
    expect(tab.locator("#oc-q")).to_be_focused()


@pytest.mark.long
def test_totals_filter_with_one_click_and_give_all_back_with_another(page):
    tab = page()
    cell = tab.locator('[data-cell="gated"]')
    cell.click()
    expect(tab.locator("#oc-rows tr.g")).to_have_count(1)
    expect(cell).to_have_attribute("aria-pressed", "true")
    cell.click()
    expect(cell).to_have_attribute("aria-pressed", "false")


@pytest.mark.long
def test_one_crosshair_over_both_charts_by_pointer_and_keys(page, run):
    tab = page()
    queues = tab.locator('[data-chart="queues"]')
    queues.hover(position={"x": 100, "y": 40})
    lines = tab.locator(".cx:not([hidden])")
    expect(lines).to_have_count(2)
    expect(lines.nth(1)).to_have_attribute("x1", lines.nth(0).get_attribute("x1"))
    queues.focus()
    tab.keyboard.press("Home")
    expect(queues).to_have_attribute("aria-valuenow", "0")
    tab.keyboard.press("ArrowRight")
    expect(queues).to_have_attribute("aria-valuenow", "1")
    expect(tab.locator('[data-said="requested"]')).to_contain_text("cpu")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile(rf"/runs/{run.number}/\?seq=\d+$"))


@pytest.mark.long
def test_a_span_of_a_chart_filters_the_pods_by_pointer_and_by_keys(page, run):
    tab = page(f"?seq={run.head.seq // 2}")
    expect(tab.locator(".cu")).to_have_count(2)
    box = tab.locator('[data-chart="queues"]').bounding_box()
    tab.mouse.move(box["x"] + 5, box["y"] + 40)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 60, box["y"] + 40, steps=3)
    tab.mouse.up()
    expect(tab).to_have_url(re.compile(rf"seq={run.head.seq // 2}&waited=\d+-\d+$"))
    expect(tab.locator(".oc-waited")).to_contain_text("waited at some moment")
    expect(tab.locator(".br:not([hidden])")).to_have_count(2)
    tab.locator("[data-any-time]").click()
    expect(tab.locator(".oc-waited")).to_have_count(0)
    tab.locator('[data-chart="requested"]').focus()
    tab.keyboard.press("Home")
    tab.keyboard.down("Shift")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator('[data-said="queues"]')).to_contain_text(" to ")
    tab.keyboard.up("Shift")
    expect(tab).to_have_url(re.compile(r"waited=0-\d+$"))
    expect(tab.locator('[data-chart="requested"]')).to_be_focused()
    tab.keyboard.press("Escape")
    expect(tab).not_to_have_url(re.compile("waited"))


@pytest.mark.long
def test_charts_take_the_width_of_the_page_by_key_and_a_reload_keeps_that(page):
    tab = page()
    chart = tab.locator('[data-chart="requested"]')
    narrow = chart.bounding_box()["width"]
    tab.keyboard.press("w")
    expect(tab).to_have_url(re.compile("charts=wide"))
    tab.reload()
    assert chart.bounding_box()["width"] > 2 * narrow
    tab.keyboard.press("w")
    expect(tab.locator(".oc-side [data-chart]")).to_have_count(2)


@pytest.mark.long
def test_charts_have_tables_with_the_same_figures(page):
    tab = page()
    tab.locator(".oc-twin summary").first.click()
    label = tab.locator(".chart text.lab").first.text_content().strip()
    last = tab.locator(".oc-twin tbody tr").filter(visible=True).last
    expect(last).to_contain_text(label.split(" ", 1)[1])


@pytest.mark.long
def test_a_live_run_ticks_and_rows_keep_their_places_under_the_pointer(page, run, monkeypatch):
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=2))
    monkeypatch.setattr(execution.waiting, "others", lambda *_: True)
    member = run.workspace.members.select_related("workspace", "user").get()
    live = actions.create_run(member, Launch(run.revision, schedule="all"))
    execution.work()
    preparing.ask(live, preparing.Kind.OUTCOMES)
    preparing.work()
    tab = page(number=live.number)
    bound = tab.locator('[data-cell="bound"] b')
    before = bound.text_content()
    tab.locator("#oc-rows tr[data-row]").first.hover()
    sessions.forget()
    monkeypatch.undo()
    while execution.work():
        pass
    expect(bound).not_to_have_text(before)
    expect(tab.locator("#run-state")).to_contain_text("finished")
    tab.mouse.move(2, 2)
    if tab.locator("[data-sort-again]").is_visible():
        tab.locator("[data-sort-again]").click()
    expect(tab.locator("#oc-changed")).to_be_hidden()
