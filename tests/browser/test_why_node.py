"""Nodes beside each other in the browser: inputs arrive in place, weights and requests are moved by keys and kept."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.answers.answering import trials
from dashboard.runs.models import Cycle, RunBranch
from tests.browser.axe import grave_findings
from tests.browser.held import HeldRequests
from tests.dashboard.run_helpers import node, pod

TOPS = "['rivals-table', 'wn-requests'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
PARTS = "**/why-node/answers/**"


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Ranges are tried to their ends also where the machine does other things besides."""
    monkeypatch.setattr(trials, "TRYING_SECONDS", 9.0)


@pytest.fixture
def drawn(start):
    """A run in which pods are drawn among equal nodes."""
    return start([node("a", "4"), node("b", "4"), pod("p-0", "1"), pod("p-1", "1")])


@pytest.fixture
def opened(browser_page, live_server_url):
    """A function that opens the page of a run's cycle, until its script has started."""

    def opened(run, cycle, more=""):
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/why-node/?cycle={cycle}{more}")
        browser_page.wait_for_selector("html[data-debugger=ready]")
        return browser_page

    return opened


@pytest.mark.long
def test_inputs_and_ranges_come_without_moving_anything(opened, drawn):
    tab = opened(drawn, 1)
    held = HeldRequests(tab, PARTS)
    tab.reload()
    expect(tab.locator("#wn-answer")).to_contain_text("are being computed")
    expect(tab.locator("#rivals-table")).to_contain_text("NodeResources")
    tab.wait_for_selector("html[data-debugger=ready]")
    before = tab.evaluate(TOPS)
    held.let_go(2)
    expect(tab.locator("#wn-answer")).to_contain_text("Inputs as of this cycle")
    expect(tab.locator("#requests")).to_be_visible()
    assert [abs(a - b) <= 1 for a, b in zip(before, tab.evaluate(TOPS), strict=True)] == [True, True]
    tab.get_by_text("All inputs in words").click()
    expect(tab.locator(".wn-texts")).to_contain_text("requested with the pod")
    assert grave_findings(tab) == []


@pytest.mark.long
def test_a_request_is_moved_by_keys_tried_by_the_engine_and_kept_over_a_reload(opened, drawn):
    tab = opened(drawn, 1)
    scale = tab.get_by_label("Scale of the request of cpu")
    trial = tab.locator("#request-trial")
    expect(trial).to_contain_text("Move a request")
    scale.focus()
    scale.press("End")
    expect(trial).to_contain_text("tried, not run")
    expect(trial).to_contain_text("with ")
    expect(tab).to_have_url(re.compile("requests=cpu"))
    amount = tab.get_by_label("Request of cpu", exact=True).input_value()
    said = trial.locator("b").first.text_content()
    tab.reload()
    expect(trial).to_contain_text(said)
    expect(tab.get_by_label("Request of cpu", exact=True)).to_have_value(amount)
    assert grave_findings(tab) == []
    tab.get_by_role("button", name="Undo").last.click()
    expect(trial).to_contain_text("Move a request")
    expect(tab).not_to_have_url(re.compile("requests="))


@pytest.mark.long
def test_one_step_beyond_a_range_the_engine_decides_otherwise_and_at_its_end_not(opened, drawn):
    tab = opened(drawn, 1)
    row = tab.locator("[data-request=cpu]")
    row.get_by_role("button", name=re.compile("^try")).last.click()
    trial = tab.locator("#request-trial")
    expect(trial).to_contain_text("with ")
    beyond = trial.locator("b").first.text_content()
    assert "the same nodes as before" not in beyond
    assert "stays" not in beyond
    row.locator("input[type=range]").press("ArrowLeft")
    expect(trial.locator("b").first).to_contain_text(re.compile("the same nodes as before|stays"))


def test_moved_weights_are_in_the_address_and_tried_together_with_requests(opened, drawn):
    tab = opened(drawn, 1)
    expect(tab.locator("#requests")).to_be_visible()
    weight = tab.get_by_label("Weight of NodeResourcesFit")
    weight.focus()
    weight.press("ArrowRight")
    expect(tab).to_have_url(re.compile(r"weights=NodeResourcesFit(:|%3A)2"))
    tab.get_by_label("Request of cpu", exact=True).fill("1.3")
    expect(tab.locator("#request-trial")).to_contain_text("1.3 cpu, NodeResourcesFit at weight 2")
    tab.reload()
    expect(tab.get_by_label("Weight of NodeResourcesFit")).to_have_value("2")
    expect(tab.locator("#tried")).to_contain_text("tried, not run")
    expect(tab.locator("#request-trial")).to_contain_text("1.3 cpu, NodeResourcesFit at weight 2")


def test_a_refused_node_gets_its_points_beside_the_winner(opened, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    tab = opened(run, cycle.number, f"&nodes={cycle.node},taint-c,nowhere")
    expect(tab.locator("#stand-2")).to_contain_text("refused by TaintToleration")
    expect(tab.locator("#stand-2 .is-would")).to_have_text(re.compile(r"^\d+$"))
    expect(tab.locator("#stand-3")).to_contain_text("not in this cycle")
    expect(tab.locator("#rivals-table")).to_contain_text("the run has no node of this name")
    expect(tab.locator("#rivals-table")).to_contain_text("taint-c, computed now")
    assert grave_findings(tab) == []


@pytest.mark.long
def test_a_run_goes_on_with_moved_weights_and_without_them_there_is_nothing_to_go_on_with(opened, drawn):
    tab = opened(drawn, 1)
    expect(tab.locator("#wn-answer")).to_contain_text("Inputs as of this cycle")  # It brings the sliders anew.
    run_on = tab.get_by_role("button", name="Run on with these weights")
    expect(run_on).to_be_hidden()
    weight = tab.get_by_label("Weight of NodeResourcesFit")
    weight.focus()
    weight.press("ArrowRight")
    expect(run_on).to_be_visible()
    expect(tab.locator("tr.sum th")).to_have_text("Total of 700")
    tab.get_by_role("button", name="Undo").click()
    expect(run_on).to_be_hidden()
    weight.press("ArrowRight")
    weight.press("ArrowRight")
    assert grave_findings(tab) == []
    run_on.click()
    expect(tab).to_have_url(re.compile(rf"/runs/{drawn.number + 1}/"))
    branch = RunBranch.objects.get()
    assert branch.changes == [
        {"action": "configure", "profile": "default-scheduler", "weights": {"NodeResourcesFit": 3}}
    ]
