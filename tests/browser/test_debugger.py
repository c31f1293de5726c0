"""The page of a run in a real browser: stepping by key, the reason of a refused cell, a link that keeps its place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.models import Cycle
from tests.browser.held import HeldRequests
from tests.seeds import long_after


def number_of(run, name):
    """Return the first cycle of a pod."""
    return Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").order_by("number").values_list("number")[0][0]


def test_next_cycle_reason_of_a_cell_and_reload(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number - 1}")
    tab.keyboard.press("F10")
    expect(tab).to_have_url(re.compile(rf"\?cycle={number}$"))
    expect(tab.locator(".insp-title h2")).to_have_text("never-0")
    tab.locator("td.nores", has_text="unresolvable").first.click()
    expect(tab).to_have_url(re.compile(r"plugin="))
    expect(tab.locator("#cellbar .formula")).to_contain_text("Insufficient cpu")
    tab.reload()
    expect(tab.locator(".insp-title h2")).to_have_text("never-0")
    expect(tab.locator("#cellbar .formula")).to_contain_text("Insufficient cpu")


def test_keys_step_back_and_by_event_and_the_browser_s_back_returns(page, run):
    tab = page("?cycle=3&step=event")
    seq = int(tab.get_attribute("#main", "data-seq"))
    for key, expected in ((".", seq + 1), ("F10", seq + 2), ("Shift+F10", seq + 1)):
        tab.keyboard.press(key)
        expect(tab.locator("#main")).to_have_attribute("data-seq", str(expected))
    tab.keyboard.press(",")
    expect(tab.locator("#main")).to_have_attribute("data-seq", str(seq))
    tab.go_back()
    expect(tab.locator("#main")).to_have_attribute("data-seq", str(seq + 1))


def test_scrubber_seeks_by_pointer_and_keyboard(page, run):
    tab = page("?seq=0")
    slider = tab.get_by_role("slider", name="Cursor")
    box = slider.bounding_box()
    tab.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + 40)
    expect(tab).to_have_url(re.compile(r"cycle=\d+"))
    here = int(tab.get_attribute("#main", "data-cycle"))
    slider.press("ArrowLeft")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", str(here - 1))
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"cycle {here - 1} at "))
    slider.press("Home")
    expect(tab.locator("#main")).to_have_attribute("data-seq", "0")


def test_player_plays_to_the_end_and_stops(page, run):
    tab = page("?seq=0")
    tab.select_option("#speed", "16")
    tab.keyboard.press("Space")
    expect(tab.locator("#play")).to_have_attribute("aria-label", "Pause")
    expect(tab.locator("#main")).to_have_attribute("data-seq", str(run.head.seq))
    expect(tab.locator("#play")).to_have_attribute("aria-label", "Play")


@pytest.mark.long
def test_play_can_be_pressed_once_its_script_is_there(browser_page, live_server_url, run):
    script = re.compile(r"/debugger/run\.\w+\.js")
    held = HeldRequests(browser_page, script)
    with browser_page.expect_request(script):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle=1", wait_until="commit")
    play = browser_page.locator("#play")
    expect(play).to_be_disabled()
    held.let_go()
    play.click()
    # It goes on from there, maybe before anybody looks.
    expect(browser_page.locator("#main")).not_to_have_attribute("data-cycle", "1")
    expect(play).to_be_focused()


def test_click_on_the_map_selects_the_node(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    label = re.compile(r"3 nodes by zone: 1 fits, 1 refused, 1 unresolvable")
    expect(tab.locator(".map-cards")).to_have_attribute("aria-label", label)
    tab.locator(".map-cards [data-node=taint-c]").click()
    expect(tab).to_have_url(re.compile(r"node=taint-c"))
    expect(tab.locator(".nodecard .node-name")).to_have_text("taint-c")
    expect(tab.locator("#cellbar")).to_contain_text("taint-c")


@pytest.mark.long
def test_filter_keeps_focus_and_text(page, run):
    tab = page(f"?cycle={number_of(run, 'small-0')}")
    tab.keyboard.press("/")
    tab.keyboard.type("full")
    expect(tab).to_have_url(re.compile(r"q=full"))
    expect(tab.locator("#node-filter")).to_have_value("full")
    expect(tab.locator("#node-filter")).to_be_focused()
    expect(tab.locator("[data-matrix] tr[data-node=taint-c]")).to_have_count(0)


def test_escape_clears_the_filter_then_the_cell_then_returns_to_the_queues(page, run):
    tab = page(f"?cycle={number_of(run, 'never-0')}&node=taint-c&plugin=TaintToleration&q=taint")
    for gone, remaining in (("q=", "plugin="), ("plugin=", "node="), ("node=", "cycle=")):
        tab.keyboard.press("Escape")
        expect(tab).not_to_have_url(re.compile(gone))
        expect(tab).to_have_url(re.compile(remaining))
    tab.keyboard.press("Escape")
    expect(tab.locator("#queues a:focus")).to_have_count(1)


@pytest.mark.long
def test_help_lists_every_key_of_the_page(page, run):
    tab = page("?cycle=1")
    tab.keyboard.press("?")
    keys = tab.locator("#keys .kr").all_inner_texts()
    for label in ("Step over, to the next cycle", "Copy the link to this cursor", "Filter nodes", "Clear the filter"):
        assert any(label in key for key in keys), label
    tab.keyboard.press("Escape")
    expect(tab.locator("#keys")).not_to_be_visible()


_EDGES = """selectors => selectors.map(one => {
    const box = document.querySelector(one).getBoundingClientRect()
    return [box.left, box.right]
})"""


@pytest.mark.long
def test_flag_of_the_cursor_stays_inside_the_strip(page, run):
    last = Cycle.objects.filter(run_id=run.pk).order_by("-number").first().number
    for query in ("?seq=0", f"?cycle={last}", f"?seq={run.head.seq}"):
        # Asked in one turn of the page: the strip draws itself anew when its threads have come.
        strip, flag = page(query).evaluate(_EDGES, ["#scrubber .tk", ".cursor-cap"])
        assert flag[1] > flag[0]
        assert flag[0] >= strip[0] - 0.5
        assert flag[1] <= strip[1] + 0.5


@pytest.mark.long
def test_thread_shows_on_its_tab_and_on_the_strip_and_stays_when_the_map_changes(page, run):
    number = number_of(run, "never-0")
    tab = page(f"?cycle={number}&tab=threads")
    expect(tab.locator("[data-thread-count]")).to_be_hidden()
    tab.locator("#cycle-threads textarea").fill("Why not?")
    tab.keyboard.press("Control+Enter")
    expect(tab.locator("[data-thread-count]")).to_have_text("1")
    expect(tab.locator("#scrubber .m-second title")).to_have_text(f"1 thread in cycle {number}")
    tab.locator("[data-map-resource=memory]").click()
    expect(tab).to_have_url(re.compile("map=memory"))
    expect(tab.locator("#cycle-threads")).to_contain_text("Why not?")
    tab.keyboard.press(",")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", str(number - 1))
    expect(tab.locator("[data-thread-count]")).to_be_hidden()


@pytest.mark.long
def test_a_node_of_a_group_leads_to_its_cell(page, run):
    tab = page(f"?cycle={number_of(run, 'never-0')}&tab=why")
    tab.locator(".an-row", has_text="taint-c").locator("summary").click()
    tab.locator(".an-opened a", has_text="taint-c").click()
    expect(tab).to_have_url(re.compile("tab=matrix|node=taint-c"))
    expect(tab.locator("#cellbar")).to_contain_text("no toleration for the taint gpu=yes:NoSchedule")
    expect(tab.locator("#cellbar .reason-remedy")).to_contain_text("add a toleration for gpu")


@pytest.mark.long
def test_labels_of_the_strip_do_not_repeat_on_either_axis(page, run):
    tab = page("?cycle=1")
    switch = tab.locator("[data-scrub=fold]")
    for pressed in ("true", "false"):
        expect(switch).to_have_attribute("aria-pressed", pressed)
        labels = tab.locator("#scrubber .tk > text:not([class])").all_text_contents()
        assert labels
        assert len(set(labels)) == len(labels)
        tab.keyboard.press("z")
    expect(switch).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_state_of_a_fresh_run_follows_what_arrives(browser_page, live_server_url, run):
    member = Member.objects.select_related("workspace", "user").get(workspace=run.workspace)
    fresh = actions.create_run(member, Launch(run.revision, schedule="pending"))
    browser_page.goto(f"{live_server_url}/w/team/runs/{fresh.number}/")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    state = browser_page.locator("#run-state")
    expect(state).to_contain_text("waits for a worker")
    while execution.work():
        pass
    expect(state).to_contain_text("finished")
    expect(state).not_to_contain_text("waits")
    expect(browser_page.locator("#main")).to_have_attribute("data-live", "")
    expect(browser_page.locator("#spoken")).to_have_text(re.compile("The run is finished|Event|Cycle"))


@pytest.mark.parametrize("width", long_after([1280, 1024, 1920], 1))
@pytest.mark.long
def test_the_proof_of_a_recording_is_in_sight_in_windows_of_every_width(page, run, width):
    tab = page("?cycle=3")
    tab.set_viewport_size({"width": width, "height": 800})
    proof = tab.locator("#run-state .proof")
    expect(proof).to_contain_text(run.recording_hash[:8])
    box, bar = proof.bounding_box(), tab.locator(".runbar").bounding_box()
    assert bar["x"] <= box["x"]
    assert box["x"] + box["width"] <= width


@pytest.mark.long
def test_a_small_window_steps_through_summaries_of_the_cursor(page, run):
    tab = page("?cycle=1")
    summary = tab.locator(".needs-room")
    expect(summary).to_be_hidden()
    tab.keyboard.press("F10")
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "2")
    tab.set_viewport_size({"width": 390, "height": 844})
    expect(summary).to_contain_text("cycle 2 of")
    summary.get_by_role("link", name="Step over, to the next cycle").click()
    expect(summary).to_contain_text("cycle 3 of")
