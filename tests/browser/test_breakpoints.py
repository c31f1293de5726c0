"""Breakpoints in a real browser: from hit to hit in both directions, the form, the switch."""

from __future__ import annotations

import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.answers.outcomes import Answer
from dashboard.debugger.breakpoints import nearest
from dashboard.runs import execution
from dashboard.runs.breakpoints.attachments import attach, attached_to
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from dashboard.runs.models import Breakpoint, Cycle, Run, State
from scheduler_core.query.search import HitPage
from tests.dashboard.debugger.conftest import scene

LONG = "a-name-that-is-as-long-as-names-may-be-" + "x" * 41


@pytest.fixture
def member(run):
    """The owner, who started the run."""
    return Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")


@pytest.fixture
def breakpoint_of(run, member):
    """A function that makes a breakpoint, on for the run unless told otherwise."""

    def breakpoint_of(query, name="Found", is_on=True):
        made = create_breakpoint(member, BreakpointFields(name, query))
        if is_on:
            attach(member, run, made)
        return made

    return breakpoint_of


def at_rest(tab):
    """Wait until no walk and no move is under way."""
    tab.wait_for_function(
        "() => !document.documentElement.hasAttribute('data-walks') && !('moves' in document.documentElement.dataset)"
    )


@pytest.mark.long
def test_f8_and_shift_f8_visit_the_same_hits_in_opposite_order(page, run, breakpoint_of):
    breakpoint_of("outcome:unschedulable", "Refused")
    breakpoint_of("cell verdict:refused and node:taint-c and pod:small-*", "Tainted")
    cycles = Cycle.objects.filter(run_id=run.pk)
    expected = [
        one.number
        for one in cycles.order_by("number")
        if one.outcome == "unschedulable" or one.pod.startswith("default/small-")
    ]
    tab, forward = page("?seq=0"), []
    for number in expected:
        tab.keyboard.press("F8")
        expect(tab).to_have_url(re.compile(rf"\?.*cycle={number}\b"))
        at_rest(tab)
        forward.append(tab.locator("#main").get_attribute("data-cycle"))
    before = tab.url
    tab.keyboard.press("F8")
    expect(tab.get_by_text("No further hit of 2 breakpoints ahead of here")).to_be_visible()
    assert tab.url == before
    backward = [tab.locator("#main").get_attribute("data-cycle")]
    for number in reversed(expected[:-1]):
        tab.keyboard.press("Shift+F8")
        expect(tab).to_have_url(re.compile(rf"\?.*cycle={number}\b"))
        at_rest(tab)
        backward.append(tab.locator("#main").get_attribute("data-cycle"))
    assert backward == forward[::-1]
    tab.keyboard.press("Shift+F8")
    expect(tab.get_by_text("No further hit of 2 breakpoints before here")).to_be_visible()


@pytest.mark.long
def test_the_hit_at_the_cursor_is_tinted_and_nothing_moves(page, run, breakpoint_of):
    breakpoint_of("outcome:unschedulable", "Refused")
    total = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").count()
    tab = page("?seq=0")
    line = tab.locator(".bp", has_text="Refused")
    expect(line.locator(".bp-hits")).to_have_text(f"{total} hits")
    box = line.bounding_box()
    tab.get_by_role("button", name="Run to the next hit").click()
    expect(line.locator(".bp-hits")).to_have_text(f"hit 1 of {total}")
    expect(line).to_have_class(re.compile("is-hit"))
    assert line.bounding_box() == box
    tab.keyboard.press("Home")
    expect(line.locator(".bp-hits")).to_have_text(f"{total} hits")
    expect(line).not_to_have_class(re.compile("is-hit"))


@pytest.mark.long
def test_without_a_breakpoint_f8_says_so(page, run):
    tab = page("?seq=0")
    expect(tab.locator("#breakpoint-list")).to_contain_text("No breakpoint yet")
    tab.keyboard.press("F8")
    expect(tab.get_by_text("No breakpoint is on for this run")).to_be_visible()


def test_break_here_is_edited_saved_switched_and_deleted(page, run):
    number = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").order_by("number").first().number
    tab = page(f"?cycle={number}&plugin=NodeResourcesFit&node=full-a")
    tab.keyboard.press("b")
    field = tab.get_by_label("Stop where this matches")
    expect(field).to_be_focused()
    expect(field).to_have_value("pod:default/never-0 and plugin:NodeResourcesFit and node:full-a and verdict:refused")
    name = tab.locator("#breakpoint-name")
    place = name.bounding_box()
    field.fill("margin:many")
    name.focus()
    expect(tab.locator("#breakpoint-query-error")).to_have_text("column 8: margin takes a whole number")
    assert name.bounding_box() == place
    field.fill("pod:never-* and verdict:refused")
    expect(tab.locator("#breakpoint-query-error")).to_have_text("")
    name.fill("Never <b>fits</b>")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator("#breakpoint-dialog")).to_be_hidden()
    line = tab.locator(".bp", has_text="Never <b>fits</b>")
    expect(line.locator(".bp-hits")).to_contain_text("of")
    assert len(attached_to(run)) == 1
    line.get_by_role("button", name="stops this run").click()
    expect(line.locator(".bp-hits")).to_have_text("off")
    assert not attached_to(run).get().is_enabled
    line.get_by_role("link", name="Never").click()
    tab.get_by_role("button", name="Delete").click()
    tab.locator("#confirm [data-yes]").click()
    expect(line).to_have_count(0)
    expect(tab.locator("#breakpoint-dialog")).to_be_hidden()
    assert not Breakpoint.objects.exists()


@pytest.mark.long
def test_twenty_with_long_names_scroll_in_their_place(page, run, breakpoint_of):
    for number in range(19):
        breakpoint_of(f"cycle>{number} and pod:{'p' * 200}*", f"{number} {LONG}"[:80])
    breakpoint_of("cycle", "Last of all", is_on=False)
    tab = page("?cycle=2")
    expect(tab.locator(".bp")).to_have_count(20)
    expect(tab.get_by_role("tab", name="Breakpoints 20")).to_be_visible()
    pane, inner = tab.locator("#queues").bounding_box(), tab.locator("#breakpoint-list").bounding_box()
    assert inner["width"] <= pane["width"]
    assert tab.evaluate("() => document.querySelector('#panel-breakpoints').scrollHeight > 500")
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_walk_through_chunks_says_how_far_it_is_and_escape_ends_it(page, run, breakpoint_of, monkeypatch):
    breakpoint_of("cell node:nobody")
    reached = iter(range(11, 10_000))

    def ask(*_args, **_how):
        time.sleep(0.05)
        return Answer(HitPage((), "deadline", min(next(reached), run.head.seq - 1)), 0.05)

    monkeypatch.setattr(nearest, "ask", ask)
    tab = page("?seq=10")
    before, place = tab.url, tab.locator("#transport").bounding_box()
    for end in (lambda: tab.keyboard.press("Escape"), lambda: tab.get_by_role("button", name="Cancel").click()):
        tab.keyboard.press("F8")
        expect(tab.locator("#walk")).to_contain_text(re.compile(r"Looking for the next hit, \d+ %"))
        assert tab.locator("#transport").bounding_box() == place
        end()
        expect(tab.locator("#walk")).to_be_hidden()
        at_rest(tab)
    assert tab.url == before


@pytest.mark.browser_complains("ERR_INTERNET_DISCONNECTED")
@pytest.mark.long
def test_without_a_server_f8_says_so_and_the_list_stays(page, run, breakpoint_of, browser_context):
    breakpoint_of("outcome:unschedulable", "Refused")
    tab = page("?seq=0")
    expect(tab.locator(".bp-hits")).to_contain_text("hit")
    browser_context.set_offline(True)
    tab.keyboard.press("F8")
    expect(tab.get_by_text("No connection to the server. What you see is unchanged.")).to_be_visible()
    expect(tab.locator(".bp")).to_contain_text("Refused")
    browser_context.set_offline(False)


@pytest.fixture
def stopped(start, monkeypatch):
    """A live run that stands at its first failure, and a function that lets a worker go on with it."""
    run = start(scene(), is_run=False)
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    made = create_breakpoint(member, BreakpointFields("T4 <b>below</b>", "outcome:unschedulable"))
    attach(member, run, made)

    def work():
        while execution.work():
            pass
        return Run.objects.get(pk=run.pk)

    return work


def opened(tab, address):
    tab.goto(address)
    tab.wait_for_selector("html[data-debugger=ready]")


@pytest.mark.essential
def test_a_live_run_stops_and_is_stepped_continued_and_let_run_from_the_page(
    stopped, browser_page, browser_context, live_server_url
):
    run = stopped()
    assert run.state == State.STOPPED
    address = f"{live_server_url}/w/team/runs/{run.number}/"
    opened(browser_page, address)
    other = browser_context.new_page()
    opened(other, address)
    for tab in (browser_page, other):
        expect(tab.locator("#stopped")).to_contain_text("stopped at T4 <b>below</b> by Asha")
        expect(tab.locator(".bp.is-hit .bp-hits")).to_contain_text("hit 1 of 1")
    first = run.head.cycle
    browser_page.get_by_role("button", name="Step a cycle").click()
    expect(browser_page.locator("#stopped")).to_be_hidden()
    run = stopped()
    assert run.head.cycle == first + 1
    browser_page.locator("#stopped").wait_for()
    expect(other.locator("#head-seq")).to_have_text(f"{run.head.seq:,}")
    other.get_by_role("button", name="Continue", exact=True).click()
    expect(other.locator("#stopped")).to_be_hidden()
    expect(browser_page.locator("#stopped")).to_be_hidden()
    run = stopped()
    assert run.state == State.STOPPED
    for tab in (browser_page, other):
        expect(tab.locator("#stopped")).to_contain_text("by Asha")
    browser_page.get_by_role("button", name="Run on", exact=True).click()
    expect(other.locator("#stopped")).to_be_hidden()
    run = stopped()
    assert run.state == State.FINISHED
    for tab in (browser_page, other):
        expect(tab.locator("#run-state")).to_contain_text("finished")
        expect(tab.locator("#stopped")).to_be_hidden()
    expect(browser_page.locator(".bp-hits")).to_have_text("off")


@pytest.mark.long
def test_hits_of_breakpoints_that_are_on_are_marks_of_the_timeline(browser_page, live_server_url, run, breakpoint_of):
    breakpoint_of("outcome:unschedulable")
    breakpoint_of("cycle:2", "Two")
    opened(browser_page, f"{live_server_url}/w/team/runs/{run.number}/?cycle=3")
    marks = browser_page.locator(".tk-mark[data-kind=hit]")
    cycles = sorted({2, *Cycle.objects.filter(run=run, outcome="unschedulable").values_list("number", flat=True)})

    def marked():
        return marks.evaluate_all("all => all.map((one) => Number(one.dataset.cycle))")

    expect(marks.first).to_be_attached()
    browser_page.wait_for_function("() => document.querySelector('.tk-mark[data-kind=hit][data-cycle=\"2\"]')")
    assert set(marked()) <= set(cycles)
    browser_page.locator(".bp", has_text="Two").locator("button.bp-disc").click()
    browser_page.wait_for_function("() => !document.querySelector('.tk-mark[data-kind=hit][data-cycle=\"2\"]')")
    marks.first.click()
    expect(browser_page.locator(".cursor-text")).to_contain_text(f"cycle {cycles[0]}")


@pytest.mark.long
@pytest.mark.browser_complains("400 (Bad Request)")
@pytest.mark.browser_complains("Response Status Error Code 400")
def test_a_stopped_run_runs_to_a_cycle(stopped, browser_page, live_server_url):
    run = stopped()
    first = run.head.cycle
    opened(browser_page, f"{live_server_url}/w/team/runs/{run.number}/?seq={run.head.seq}")
    field = browser_page.get_by_label("Cycle to run to")
    field.fill(str(first))
    browser_page.get_by_role("button", name="Run to cycle").click()
    expect(browser_page.locator(".toast").last).to_contain_text(f"give a number from {first + 1}")
    expect(browser_page.locator("#stopped")).to_be_visible()
    field.fill(str(first + 1))
    field.press("Enter")
    expect(browser_page.locator("#stopped")).to_be_hidden()
    run = stopped()
    assert (run.state, run.head.cycle) == (State.STOPPED, first + 1)
    expect(browser_page.locator("#stopped")).to_contain_text("stopped after a step")


@pytest.mark.long
@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_list_form_and_strip_can_be_read_by_everybody(stopped, browser_page, live_server_url, width):
    run = stopped()
    browser_page.set_viewport_size({"width": width, "height": 800})
    opened(browser_page, f"{live_server_url}/w/team/runs/{run.number}/?seq={run.head.seq}")
    expect(browser_page.locator(".bp.is-hit")).to_be_visible()
    expect(browser_page.get_by_role("button", name="Continue", exact=True)).to_be_in_viewport(ratio=1)
    expect(browser_page.get_by_role("button", name="Run on", exact=True)).to_be_in_viewport(ratio=1)
    assert browser_page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert_usable(browser_page)
    browser_page.keyboard.press("b")
    expect(browser_page.locator("#breakpoint-dialog")).to_be_visible()
    assert_usable(browser_page)


def assert_usable(tab):
    """Run axe over the page as it stands."""
    grave = [one for one in Axe().run(tab).response["violations"] if one["impact"] in ("serious", "critical")]
    assert not grave, [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in grave]
