"""The events of a run and the strip above them in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs.models import Cycle, QueueMove

CURSOR = "#event-list .is-cursor"


def woken(run):
    """The number of the event by which the preemptor comes back."""
    return QueueMove.objects.get(run=run, event="AssignedPodDelete", pod="default/big-0").seq + 1


def test_a_step_lights_the_next_event_and_its_cause_is_one_key_away(page, run):
    number = woken(run)
    tab = page(f"events/?seq={number}")
    expect(tab.locator(CURSOR)).to_contain_text("big-0 woken")
    expect(tab.locator("#event-line")).to_contain_text("big-0 woken")
    cause = int(tab.locator("#chain").get_attribute("data-causes").split()[-1])
    tab.keyboard.press("Alt+ArrowLeft")
    expect(tab.locator(CURSOR)).to_have_id(f"e{cause}")
    expect(tab).to_have_url(re.compile(f"seq={cause}"))
    tab.keyboard.press("Alt+ArrowRight")
    expect(tab.locator(CURSOR)).not_to_have_id(f"e{cause}")
    expect(tab.locator("#chain")).to_have_attribute("data-causes", re.compile(rf"\b{cause}\b"))
    tab.go_back()
    expect(tab.locator(CURSOR)).to_have_id(f"e{cause}")


@pytest.mark.long
def test_rows_that_are_there_stay_while_the_cursor_moves_among_them(page, run):
    tab = page("events/?seq=3")
    tab.evaluate("document.querySelector('#event-list').firstElementChild.dataset.mine = 'yes'")
    tab.locator("#event-list").focus()
    tab.keyboard.press("ArrowDown")
    expect(tab.locator("#main")).not_to_have_attribute("data-seq", "3")
    expect(tab.locator("[data-mine=yes]")).to_have_count(1)
    expect(tab.locator(CURSOR)).to_have_id(f"e{tab.get_attribute('#main', 'data-seq')}")


@pytest.mark.long
def test_a_kind_is_switched_off_and_a_pod_filtered_and_the_address_keeps_both(page, run):
    tab = page(f"events/?seq={woken(run)}")
    chip = tab.locator(".kd", has_text="queue")
    chip.click()
    expect(chip).to_have_attribute("aria-checked", "false")
    tab.keyboard.press("/")
    tab.keyboard.type("pod:default/big-0")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile(r"about=pod"))
    expect(tab.locator(".kd", has_text="object")).to_contain_text("0")
    tab.reload()
    expect(tab.locator(".kd", has_text="queue")).to_have_attribute("aria-checked", "false")
    expect(tab.locator("#about")).to_have_value("pod:default/big-0")
    tab.get_by_role("link", name="Clear", exact=True).click()
    expect(tab.locator("#about")).to_have_value("")


@pytest.mark.long
def test_only_the_chain_is_left_when_asked_for(page, run):
    tab = page(f"events/?seq={woken(run)}")
    tab.get_by_role("switch", name="Only this chain").click()
    expect(tab).to_have_url(re.compile("chain=1"))
    expect(tab.locator("#event-list .er:not(.is-cause, .is-effect, .is-cursor)")).to_have_count(0)


@pytest.mark.long
def test_the_tabs_lead_to_the_same_moment_and_back(page, run):
    number = woken(run)
    tab = page(f"events/?seq={number}&pod=default/big-0")
    tab.get_by_role("link", name="Debugger", exact=True).first.click()
    expect(tab).to_have_url(re.compile(rf"/runs/\d+/\?seq={number}"))
    tab.wait_for_selector("html[data-debugger=ready]")
    tab.keyboard.press("Shift+N")
    tab.get_by_role("link", name="Events").click()
    expect(tab.locator(CURSOR)).to_have_count(1)


def box_of(tab):
    return tab.locator("#scrubber .tk").bounding_box()


def at(tab, share, y=45):
    """Return a point of the strip."""
    box = box_of(tab)
    return box["x"] + share * box["width"], box["y"] + y


@pytest.mark.long
def test_dragging_over_the_strip_narrows_the_list_to_a_range(page, run):
    tab = page("events/?seq=3")
    tab.mouse.move(*at(tab, 0.3))
    tab.mouse.down()
    tab.mouse.move(*at(tab, 0.6), steps=4)
    tab.mouse.up()
    expect(tab).to_have_url(re.compile(r"from=\d+&to=\d+"))
    expect(tab.locator("#scrubber .win")).to_have_count(1)
    tab.get_by_title("Show events of the whole run").click()
    expect(tab.locator("#scrubber .win")).to_have_count(0)


@pytest.mark.long
def test_the_strip_says_what_lies_under_the_pointer_and_a_click_goes_there(page, run):
    tab = page("?seq=0")
    tab.mouse.move(*at(tab, 0.5))
    preview = tab.locator("#scrub-preview")
    expect(preview).to_contain_text(re.compile(r"cycle \d+ · 00:0"))
    number = int(re.search(r"cycle (\d+)", preview.inner_text())[1])
    pod = Cycle.objects.get(run_id=run.pk, number=number).pod.removeprefix("default/")
    expect(preview).to_contain_text(pod)
    tab.mouse.down()
    tab.mouse.up()
    expect(tab.locator("#main")).to_have_attribute("data-cycle", str(number))
    tab.mouse.move(5, 300)
    expect(preview).to_be_hidden()


@pytest.mark.long
def test_the_flag_names_the_event_while_one_steps_by_event_and_else_the_cycle(page, run):
    flag = page("?cycle=3").locator("#scrubber .cursor-text")
    expect(flag).to_have_text("cycle 3")
    tab = page("?cycle=3&step=event")
    tab.keyboard.press(".")
    expect(flag).to_have_text(f"seq {Cycle.objects.get(run_id=run.pk, number=3).last_seq + 2}")


@pytest.mark.long
def test_the_preview_stays_on_the_strip(page, run):
    tab = page("?seq=0")
    for share in (0.01, 0.5, 0.99):
        tab.mouse.move(*at(tab, share))
        expect(tab.locator("#scrub-preview")).to_be_visible()
        box, strip = tab.locator("#scrub-preview").bounding_box(), box_of(tab)
        assert box["x"] >= strip["x"] - 1
        assert box["x"] + box["width"] <= strip["x"] + strip["width"] + 1


@pytest.mark.long
def test_the_window_zooms_pans_and_fits(page, run):
    tab = page("?cycle=4")
    bars = tab.locator("#scrubber .h-bound, #scrubber .h-fail")
    everything = bars.count()
    tab.keyboard.press("w")
    expect(tab.locator(".tk-window")).to_have_count(1)
    expect(bars).not_to_have_count(everything)
    window = tab.locator(".tk-window")
    before = window.get_attribute("x")
    tab.keyboard.press("a")
    tab.keyboard.press("d")
    tab.keyboard.press("d")
    expect(window).not_to_have_attribute("x", before)
    tab.keyboard.press("f")
    expect(window).to_have_count(0)
    expect(bars).to_have_count(everything)
    tab.mouse.move(*at(tab, 0.5))
    tab.mouse.wheel(0, -100)
    expect(window).to_have_count(1)
    tab.mouse.wheel(0, 100)
    expect(window).to_have_count(0)
    tab.mouse.move(*at(tab, 0.2))
    tab.mouse.down()
    tab.mouse.move(*at(tab, 0.8), steps=4)
    tab.mouse.up()
    expect(window).to_have_count(1)


@pytest.mark.long
def test_the_choice_of_the_axis_outlives_a_reload(page, run):
    tab = page("?cycle=1")
    switch = tab.locator("[data-scrub=fold]")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    tab.reload()
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_marks_of_trouble_lead_to_their_cycle_and_attempts_are_those_of_the_selected_pod(page, run):
    tab = page("?seq=0")
    mark = tab.locator("#scrubber [data-kind=preemption]")
    number = mark.get_attribute("data-cycle")
    mark.click()
    expect(tab.locator("#main")).to_have_attribute("data-cycle", number)
    attempts = [str(cycle.number) for cycle in Cycle.objects.filter(run_id=run.pk, pod="default/big-0")]
    expect(tab.locator("#scrubber [data-kind=attempt]")).to_have_count(len(attempts))
    expect(tab.locator("#clock")).to_have_attribute("data-attempts", " ".join(sorted(attempts, key=int)))


@pytest.mark.long
def test_the_same_window_is_a_table(page, run):
    tab = page("?cycle=4")
    tab.locator("#scrub-table").click()
    expect(tab).to_have_url(re.compile("/search/"))
