"""The page that says why a pod is pending, in a browser: its columns, its text for the clipboard, its bars."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.runs.models import RunBranch
from tests.browser.axe import grave_findings
from tests.dashboard.run_helpers import node, pod
from tests.patience import until


@pytest.fixture
def why(browser_page, live_server_url, run):
    """Return the page of the pod that fits nowhere, its script started."""
    browser_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/why/?pod=default/never-0")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    return browser_page


@pytest.mark.long
def test_columns_are_as_wide_as_they_were_dragged_also_after_a_step_and_a_visit(why):
    grip = why.get_by_role("separator", name="Width of the list of pods")
    box = grip.bounding_box()
    why.mouse.move(box["x"], box["y"] + 40)
    why.mouse.down()
    why.mouse.move(box["x"] + 60, box["y"] + 40)
    why.mouse.up()
    width = "document.getElementById('siblings').getBoundingClientRect().width"
    until(lambda: abs(why.evaluate(width) - 312) <= 1)
    first = why.locator(".att").first
    first.click()
    expect(first).to_have_attribute("aria-current", "true")
    assert abs(why.evaluate(width) - 312) <= 1
    why.reload()
    until(lambda: abs(why.evaluate(width) - 312) <= 1)
    side = why.get_by_role("separator", name="Width of the column beside the answer")
    before = side.get_attribute("aria-valuenow")
    side.press("ArrowLeft")
    expect(side).to_have_attribute("aria-valuenow", str(int(before) + 8))


@pytest.mark.long
def test_all_that_is_said_is_copied_as_the_lines_of_the_command(why):
    why.get_by_role("button", name="Copy as text").click()
    expect(why.get_by_text("Copied as text")).to_be_visible()
    text = why.evaluate("navigator.clipboard.readText()")
    assert text.startswith("default/never-0: pending at ")
    assert "BECAUSE  " in text
    assert "TOO_LARGE" in text
    assert "WHAT WAKES IT" in text


@pytest.mark.long
def test_the_decision_is_copied_as_an_image(why):
    why.keyboard.press("Shift+Y")
    expect(why.get_by_text("Copied as image")).to_be_visible()
    kinds = why.evaluate("navigator.clipboard.read().then((items) => items.map((one) => one.types))")
    assert kinds == [["image/png"]]
    why.evaluate("window.ClipboardItem = undefined")
    with why.expect_download() as download:
        why.keyboard.press("Shift+Y")
    assert download.value.suggested_filename.endswith(".svg")


@pytest.mark.long
def test_the_bars_cut_no_name_of_the_way_to_the_page(why):
    why.set_viewport_size({"width": 1280, "height": 800})
    cut = (
        "[...document.querySelectorAll('.appbar-left .crumb')].filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert why.evaluate(cut) == 0


def test_a_change_of_one_s_own_is_asked_about_and_stays_over_a_reload(why):
    form = why.get_by_role("region", name="Would this change help?")
    form.get_by_label("Change").select_option("A node loses a taint")
    expect(form.get_by_label("Taint")).to_be_visible()
    form.get_by_label("Node").fill("full-a")
    form.get_by_label("Taint").fill("gpu")
    form.get_by_label("Taint").press("Enter")
    expect(form).to_contain_text("full-a has no taint gpu; its taints: none")
    expect(form.get_by_label("Taint")).to_have_attribute("aria-invalid", "true")
    expect(why.locator(".htmx-added")).to_have_count(0)  # Else htmx does not listen to the new fields yet.
    form.get_by_label("Change").select_option("A node can allocate")
    expect(form.get_by_label("Amount")).to_be_visible()
    form.get_by_label("Node").fill("full-a")
    form.get_by_label("Amount").fill("cpu=80")
    form.get_by_role("button", name="Ask").click()
    expect(form).to_contain_text("NodeResourcesFit lets it through.")
    expect(form).to_contain_text("The attempt then succeeds, on full-a.")
    expect(form.get_by_label("Amount")).to_have_value("cpu=80")
    assert "would=grow-node+full-a+cpu%3D80" in why.url
    why.reload()
    expect(form).to_contain_text("The attempt then succeeds, on full-a.")
    expect(form.get_by_label("Node")).to_have_value("full-a")


@pytest.mark.long
def test_a_part_that_comes_anew_takes_no_style_over_which_the_policy_would_refuse(why):
    """Scripts set styles by rules that the policy allows; htmx would have copied them as an attribute, which it does
    not."""
    errors = []
    why.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    form = why.get_by_role("region", name="Would this change help?")
    form.get_by_label("Node").evaluate("field => { field.style.top = '1px'; field.style.top = ''; }")
    form.get_by_label("Node").fill("full-a")
    form.get_by_label("Amount").fill("cpu=81")
    form.get_by_role("button", name="Ask").click()
    expect(form).to_contain_text("The attempt then succeeds, on full-a.")
    assert errors == []


@pytest.mark.long
def test_every_part_asks_again_for_another_attempt_and_once_only_for_the_same(why):
    asked = []
    why.on("request", lambda request: asked.append(request.url) if "/answers/remedies/" in request.url else None)
    remedies, wakes = why.locator("#remedies"), why.locator("#wakes")
    for attempt in ("1", "2"):
        why.locator(".att").filter(has=why.locator(".no", has_text=attempt)).click()
        expect(why.locator(".wy-top")).to_contain_text(f"attempt {attempt} of")
        expect(remedies.locator(".an-act").first).to_have_text("Workload")
        expect(why.locator("#do-this")).to_contain_text("verified")
        expect(wakes.locator(".answer-note")).to_have_count(0)
        expect(why.locator("#facts")).to_contain_text("kube-scheduler says")
    count = len(asked)
    why.evaluate("pageModule('debugger/cursor.js').then((cursor) => cursor.again())")
    why.wait_for_load_state("networkidle")
    expect(remedies.locator(".an-act").first).to_have_text("Workload")
    expect(why.locator("#do-this")).to_contain_text("verified")
    assert len(asked) == count


@pytest.mark.long
def test_a_remedy_is_tried_below_its_row_by_keys_and_hidden_again(why):
    row = why.locator("#remedies details").first
    summary, block = row.locator("summary"), row.locator(".wy-tried")
    expect(summary).to_contain_text("Try")
    summary.focus()
    why.keyboard.press("Enter")
    expect(block.locator(".wy-tried-h")).to_contain_text("It fits. never-0 would go to")
    expect(block).to_contain_text("0 → ")
    expect(summary).to_contain_text("Hide")
    expect(summary).to_be_focused()
    assert grave_findings(why) == []
    why.keyboard.press("Enter")
    expect(block).to_be_hidden()


def test_a_run_goes_on_with_a_remedy_in_three_clicks(why, run):
    """From the decision: the remedy, then on; the new run is a branch that waits for a worker."""
    row = why.locator("#remedies details").first
    row.locator("summary").click()
    row.get_by_role("button", name="Run on with this change").click()
    expect(why).to_have_url(re.compile(rf"/runs/{run.number + 1}/"))
    branch = RunBranch.objects.get()
    assert (branch.origin_id, branch.run.number) == (run.pk, run.number + 1)


@pytest.mark.long
def test_the_first_remedy_is_opened_by_its_key_and_a_group_by_its_head(why):
    expect(why.locator("#do-this")).to_contain_text("verified")
    why.keyboard.press("r")
    first = why.locator("#remedies details").first
    expect(first).to_have_attribute("open", "")
    expect(first.locator("summary")).to_be_focused()
    head = why.locator(".an-row summary").first
    head.focus()
    why.keyboard.press("Enter")
    expect(why.locator(".an-row + .an-opened .chip-link").first).to_be_visible()
    assert grave_findings(why) == []


@pytest.mark.long
def test_the_cause_comes_into_its_place_in_the_tab_of_the_debugger(why, run):
    number = why.locator("#main").get_attribute("data-cycle")
    why.goto(why.url.partition("/why/")[0] + f"/?cycle={number}&tab=why")
    expect(why.locator("#cause .an-code")).to_contain_text("TOO_LARGE")
    expect(why.locator("#obstacles .an-row")).to_have_count(2)
    expect(why.locator("#do-this")).to_contain_text("verified")


@pytest.mark.long
def test_another_reading_lights_what_is_left_without_it_and_a_second_press_the_cause_again(
    browser_page, live_server_url, start
):
    tainted = node("tainted", "16") | {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}}
    run = start([tainted, node("small-a", "4"), node("small-b", "4"), pod("big", "8")])
    browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/why/?pod=default/big")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    table = browser_page.locator("#obstacles .an-mx")
    lit, opened = table.locator("thead .an-o.is-lit"), table.locator(".an-row.is-open .an-gn")
    expect(lit).to_contain_text(["too large"])
    expect(opened).to_have_text(["small-a, small-b"])
    browser_page.keyboard.press("1")
    reading = browser_page.locator("#cause [data-lights]").first
    expect(reading).to_have_attribute("aria-pressed", "true")
    expect(lit).to_contain_text(["taint"])
    expect(opened).to_have_text(["tainted"])
    left = table.locator(".an-row:not(.is-open) .an-left")
    expect(left).to_have_text(re.compile(r"^1 left\s+A$"), use_inner_text=True)
    reading.click()
    expect(lit).to_contain_text(["too large"])
    expect(reading).to_have_attribute("aria-pressed", "false")
