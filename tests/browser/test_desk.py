"""The desk in a real browser: panes that speak of the same and stay in place, held keys, widths, runs that go on."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.runs import actions, demo, execution
from dashboard.runs.models import Cycle, Run, State
from scheduler_core.workloads.synthetic import gpu_cluster
from tests.dashboard.debugger.conftest import scene

WALK = Path(__file__).parent / "walk.js"
# The long form walks over the demo's 1,500 nodes and 8,000 pods; making and walking it takes minutes.
LONG = bool(os.environ.get("TEST_LONG_WALK"))
NODES, PODS, MOVES = (1_500, 8_000, 500) if LONG else (120, 260, 64)
# Moves that a walk chooses from; each has to come.
KINDS = 11


@pytest.fixture
def open_at(browser_page, live_server_url):
    """A function that opens a run's page, scripts started."""

    def open_at(run, query=""):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/{query}")
        browser_page.wait_for_selector("html[data-debugger=ready]")
        return browser_page

    return open_at


@pytest.mark.essential
def test_all_panes_speak_of_the_same_after_every_paint_and_stay_in_place(start, open_at):
    run = start(gpu_cluster(NODES, PODS))
    tab = open_at(run, "?cycle=1")
    tab.set_default_timeout(1_200_000)
    expect(tab.locator("#map")).to_have_attribute("data-seq", re.compile(r"\d+"))
    tab.evaluate(WALK.read_text())
    result = tab.evaluate("walk", {"moves": MOVES, "seed": 11})
    assert result["complaints"] == []
    assert result["painted"] > MOVES / 2, result["kinds"]
    assert len(result["kinds"]) == KINDS, result["kinds"]


@pytest.mark.long
def test_a_walk_over_small_clusters_speaks_of_the_same_as_well(start, open_at):
    tab = open_at(start(scene()), "?cycle=1")
    expect(tab.locator("#map")).to_have_attribute("data-seq", re.compile(r"\d+"))
    tab.evaluate(WALK.read_text())
    result = tab.evaluate("walk", {"moves": 48, "seed": 3})
    assert result["complaints"] == []
    assert len(result["kinds"]) == KINDS, result["kinds"]


# What makes each place speak of another pod, node, cycle or event.
FAULTS = {
    "header": "document.querySelector('.insp-title h2').textContent = 'another'",
    "map": "document.getElementById('map').dataset.shown = '999'",
    "queues": "document.getElementById('queues').dataset.pod = 'default/another'",
    "matrix": "document.querySelector('#inspector [data-matrix] input[name=\"cycle\"]').value = '999'",
    "event line": "document.getElementById('event-line').textContent = '999,999 another'",
    "address": "history.replaceState(null, '', '?cycle=999')",
}


@pytest.mark.long
def test_the_walk_notices_each_pane_that_speaks_of_something_else(start, open_at):
    run = start(scene())
    for place, fault in FAULTS.items():
        tab = open_at(run, "?cycle=2")
        expect(tab.locator("#map")).to_have_attribute("data-seq", re.compile(r"\d+"))
        tab.evaluate(WALK.read_text())
        assert tab.evaluate("differences()") == [], place
        tab.evaluate(fault)
        assert tab.evaluate("differences()") != [], place


# The key is held until so many cycles are painted, or for a minute.
HELD = """async cycles => {
    const painted = [];
    const note = () => painted.push(Number(document.getElementById('main').dataset.cycle));
    document.addEventListener('cursor:moved', note);
    const key = (type, repeat) => new KeyboardEvent(type, { key: 'F10', bubbles: true, cancelable: true, repeat });
    for (let i = 0; i < 2000 && painted.length < cycles; i++) {
        document.body.dispatchEvent(key('keydown', i > 0));
        await new Promise(done => setTimeout(done, 30));
    }
    document.body.dispatchEvent(key('keyup', false));
    while (document.documentElement.dataset.moves === 'busy') await new Promise(done => setTimeout(done, 20));
    document.removeEventListener('cursor:moved', note);
    return painted;
}"""


@pytest.mark.long
def test_a_held_key_paints_one_cycle_after_the_other_and_leaves_none_out(start, open_at):
    run = start(gpu_cluster(60, 120))
    tab = open_at(run, "?cycle=1")
    painted = tab.evaluate(HELD, 8)
    assert len(painted) >= 8
    assert painted == list(range(2, len(painted) + 2))


@pytest.mark.long
def test_playing_shows_every_cycle(start, open_at):
    run = start(gpu_cluster(60, 14))
    tab = open_at(run, "?seq=0")
    tab.evaluate("""() => {
        window.painted = [];
        document.addEventListener('cursor:moved', ev => window.painted.push(ev.detail.cycle));
    }""")
    tab.select_option("#speed", "16")
    tab.keyboard.press("Space")
    expect(tab.locator("#main")).to_have_attribute("data-seq", str(run.head.seq))
    painted = [number for number in tab.evaluate("painted") if number]
    assert sorted(set(painted)) == list(range(1, run.head.cycle + 1))
    assert painted == sorted(painted)


@pytest.mark.fresh_profile
def test_a_link_shows_what_it_names_and_nothing_plays_by_itself(start, open_at):
    run = start(scene())
    tab = open_at(run, f"?cycle={first_trouble_of(run)}")
    cycle = Cycle.objects.get(run_id=run.pk, number=first_trouble_of(run))
    for _ in range(2):
        tab.wait_for_timeout(1_500)
        expect(tab).to_have_url(re.compile(rf"\?cycle={cycle.number}$"))
        expect(tab.locator("#main")).to_have_attribute("data-seq", str(cycle.last_seq + 1))
        expect(tab.locator("#play")).to_have_attribute("aria-pressed", "false")
        tab.reload()
        tab.wait_for_selector("html[data-debugger=ready]")


def test_a_finished_run_opens_on_its_outcomes_and_its_debugger_paused_at_the_first_trouble(
    start, browser_page, live_server_url
):
    run = start(scene())
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/")
    expect(browser_page).to_have_url(re.compile(r"/outcomes/$"))
    browser_page.get_by_role("link", name="Debugger", exact=True).click()
    browser_page.wait_for_selector("html[data-debugger=ready]")
    expect(browser_page).to_have_url(re.compile(rf"\?cycle={first_trouble_of(run)}\b"))
    expect(browser_page.locator("#play")).to_have_attribute("aria-label", "Play")


@pytest.mark.long
def test_the_first_visit_to_a_demo_plays_and_the_second_does_not(start, open_at, browser_page):
    browser_page.emulate_media(reduced_motion="no-preference")
    run = start(gpu_cluster(60, 300), source=demo.SOURCE)
    entry = "?cycle=" + str(first_trouble_of(run))
    tab = open_at(run, entry)
    expect(tab.locator("#play")).to_have_attribute("aria-label", "Pause")
    tab.keyboard.press("Space")
    tab = open_at(run, entry)
    tab.wait_for_timeout(300)
    expect(tab.locator("#play")).to_have_attribute("aria-label", "Play")


def first_trouble_of(run):
    """Return the cycle that the tab of the debugger leads to."""
    from dashboard.debugger.cursor.selection import first_trouble

    return first_trouble(run).number


def test_a_live_run_says_what_is_done_then_follows_its_head_and_keeps_its_place_when_paused(start, open_at):
    run = start(scene(), is_run=False)
    tab = open_at(run, "")
    expect(tab.locator("#cluster")).to_contain_text("Waiting for a worker")
    expect(tab.locator("#play")).to_be_disabled()
    expect(tab.locator("#queues")).not_to_contain_text("no pod")
    tab.get_by_role("button", name="Pause run").click()
    expect(tab.locator("#run-state")).to_contain_text("paused")
    assert tab.url.endswith(f"/runs/{run.number}/")
    tab.get_by_role("button", name="Resume run").click()
    expect(tab.get_by_role("button", name="Pause run")).to_be_visible()
    while execution.work():
        pass
    head = str(actions.find_run(run.workspace, run.number).head.seq)
    expect(tab.locator("#main")).to_have_attribute("data-seq", head)
    expect(tab.locator("#run-state")).to_contain_text("finished")
    expect(tab.locator("#main")).to_have_attribute("data-live", "")
    expect(tab).to_have_url(re.compile(rf"seq={head}"))


@pytest.mark.long
def test_a_live_run_says_how_far_the_cursor_is_behind_its_head(start, open_at):
    run = start(scene())
    Run.everything.filter(pk=run.pk).update(state=State.PAUSED)
    behind = open_at(run, "?seq=10").locator("[data-behind]")
    expect(behind).to_have_text(f"{run.head.seq - 10} events behind")
    behind.page.keyboard.press("End")
    expect(behind).to_have_text("at the head")


@pytest.mark.long
def test_stopping_asks_in_words_of_the_run(start, open_at):
    run = start(scene(), is_run=False)
    tab = open_at(run, "")
    tab.get_by_role("button", name="Stop run").click()
    dialog = tab.locator("#confirm")
    expect(dialog).to_contain_text(f"Stop run {run.number} for good?")
    dialog.get_by_role("button", name="Keep running").click()
    expect(tab.locator("#run-state")).not_to_contain_text("stopped")
    tab.get_by_role("button", name="Stop run").click()
    dialog.get_by_role("button", name="Stop run").click()
    expect(tab.locator("#run-state")).to_contain_text("stopped")
    assert tab.url.split("?")[0].endswith(f"/runs/{run.number}/")


@pytest.mark.browser_complains("ERR_INTERNET_DISCONNECTED")
def test_a_lost_connection_is_one_banner_that_goes_by_itself(start, open_at, browser_context):
    run = start(scene())
    tab = open_at(run, "?cycle=2")
    tab.wait_for_timeout(500)
    before = tab.locator("#main").bounding_box()
    browser_context.set_offline(True)
    for _ in range(4):
        tab.keyboard.press("F10")
    expect(tab.locator("#offline")).to_be_visible()
    assert tab.locator("#main").bounding_box() == before
    expect(tab.locator("#toasts > .toast")).to_have_count(0)
    browser_context.set_offline(False)
    expect(tab.locator("#offline")).to_be_hidden()
    tab.keyboard.press("End")
    expect(tab.locator("#main")).to_have_attribute("data-seq", str(run.head.seq))


def width(tab, pane):
    """Return the width of a pane in pixels."""
    return tab.locator(f"#{pane}").bounding_box()["width"]


@pytest.mark.long
def test_widths_are_dragged_moved_by_key_remembered_and_taken_back(start, open_at):
    run = start(scene())
    tab = open_at(run, "?cycle=2")
    assert (width(tab, "queues"), width(tab, "inspector")) == (252, 576)
    grip = tab.get_by_role("separator", name="Width of the queues")
    box = grip.bounding_box()
    tab.mouse.move(box["x"], box["y"] + 80)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 40, box["y"] + 90)
    tab.mouse.up()
    assert width(tab, "queues") == 292
    grip.press("ArrowRight")
    expect(grip).to_have_attribute("aria-valuenow", "300")
    tab.get_by_role("separator", name="Width of the inspector").press("ArrowLeft")
    assert width(tab, "inspector") == 584
    tab.keyboard.press("F10")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "3")
    assert (width(tab, "queues"), width(tab, "inspector")) == (300, 584)
    tab.reload()
    tab.wait_for_selector("html[data-debugger=ready]")
    assert (width(tab, "queues"), width(tab, "inspector")) == (300, 584)
    grip.dblclick()
    assert width(tab, "queues") == 252
    tab.reload()
    assert (width(tab, "queues"), width(tab, "inspector")) == (252, 584)


@pytest.mark.long
def test_panes_keep_room_for_the_map(start, open_at):
    run = start(scene())
    tab = open_at(run, "?cycle=2")
    grip = tab.get_by_role("separator", name="Width of the inspector")
    box = grip.bounding_box()
    tab.mouse.move(box["x"], box["y"] + 80)
    tab.mouse.down()
    tab.mouse.move(5, box["y"] + 80)
    tab.mouse.up()
    assert width(tab, "cluster") >= 160
