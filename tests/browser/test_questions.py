"""The questions that users ask of a scheduler, each answered in at most two clicks from a run's first tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.debugger.outcomes import summary_cache
from tests.browser.axe import grave_findings
from tests.browser.held import HeldRequests
from tests.browser.reader import Reader
from tests.dashboard.run_helpers import cluster_of

NEVER = "Larger than any node"  # the row of the pod that no node can hold


@pytest.fixture
def reader(browser_page, live_server_url, run):
    summary_cache.forget()
    return Reader(browser_page, f"{live_server_url}/w/team/runs/{run.number}/")


def test_why_is_this_pod_pending_and_what_would_mend_it(reader):
    """Q1, Q3, Q7, Q8, Q9: all on the page where the row leads."""
    held = HeldRequests(reader.tab, "**/answers/**")
    tab = reader.why(NEVER)
    expect(tab.locator("#cause .an-code")).to_contain_text("TOO_LARGE")
    expect(tab.locator("#cause .an-opens.is-lit")).to_have_text("opens 2 of 3 nodes")
    expect(tab.locator("#cause [aria-current=step]")).to_contain_text("0 of 3 fit")
    top = "document.getElementById('an-matrix').getBoundingClientRect().top"
    before = tab.evaluate(top)
    held.let_go()
    expect(tab.locator("#do-this")).to_contain_text("verified")
    expect(tab.locator("#remedies .an-act").first).to_have_text("Workload")
    assert tab.evaluate(top) == before
    expect(tab.locator("#why-side")).to_contain_text("What wakes it")
    expect(tab.locator("#wakes")).to_contain_text("NodeAdd")
    expect(tab.locator("#wakes .wake-timer")).to_contain_text("Timer for unschedulable pods")
    expect(tab.locator("#facts")).to_contain_text("too small: needs 64 cpu, has 4 in all")
    expect(tab.locator("#facts")).to_contain_text("kube-scheduler says: Insufficient cpu")
    expect(tab.locator("#no-preemption")).to_contain_text("no eviction mends what NodeResourcesFit refuses")
    expect(tab.locator("#room .side-l").first).to_contain_text("cycle")
    expect(tab.locator("#room")).to_contain_text("cpu requested")
    assert grave_findings(tab) == []


@pytest.mark.long
def test_which_node_failed_for_what(reader):
    """Q2: a group opens to the names of its nodes."""
    tab = reader.why(NEVER)
    group = tab.locator(".an-row.is-open")
    expect(group.locator(".an-left")).to_have_text("open", use_inner_text=True)
    reader.click(group.locator("summary"))
    expect(tab.locator(".an-row.is-open + .an-opened .chip-link")).to_have_text(["full-a", "full-b"])


@pytest.mark.long
def test_what_the_scheduler_knew_at_an_attempt(reader):
    """Q12: an attempt is a moment; everything on the page is as of it."""
    tab = reader.why(NEVER)
    first = tab.locator(".att").first
    cycle = re.search(r"cycle ([\d,]+)", first.text_content())[1]
    reader.click(first)
    expect(tab.locator("#main")).to_have_attribute("data-cycle", cycle)
    expect(tab.locator(".att").first).to_have_attribute("aria-current", "true")


@pytest.fixture
def drawn(start):
    """A run of its own, in which pods are drawn among equal nodes."""
    return start(cluster_of(4, 6))


def test_why_this_node_and_not_that_one_and_which_plugin_decided(browser_page, live_server_url, drawn):
    """Q4, Q5: narrow decisions are listed on the first tab and lead to the nodes beside each other."""
    summary_cache.forget()
    reader = Reader(browser_page, f"{live_server_url}/w/team/runs/{drawn.number}/")
    held = HeldRequests(browser_page, re.compile(r"/debugger/why-node[^/]*\.js"))
    tab = reader.start().tab
    reader.click(tab.locator("tr", has_text="Drawn from a tie").get_by_role("link", name="List"))
    reader.click(tab.locator("tr.oc-pod").first.get_by_role("link", name="Why"))
    expect(tab.locator("h1")).to_have_text("Drawn, not decided")
    expect(tab.locator(".wn-side")).to_contain_text("yes, 1 of")
    line = tab.locator("#rivals-table tbody tr", has_text="NodeResourcesFit")
    expect(line.locator("[data-points]").first).to_have_text(re.compile(r"^\d+$"))
    assert grave_findings(tab) == []

    # A weight that is moved changes totals in place, even before the script has started, and is taken back; no line of
    # the table moves.
    box = "document.getElementById('rivals-table').getBoundingClientRect().height"
    total = tab.locator("tr.sum td").first
    before, height = total.text_content(), tab.evaluate(box)
    tab.get_by_label("Weight of NodeResourcesFit").focus()
    tab.keyboard.press("ArrowRight")
    held.let_go()
    expect(total).not_to_have_text(before)
    expect(tab.locator("#tried")).to_contain_text("tried, not run")
    assert tab.evaluate(box) == height
    tab.keyboard.press("u")
    expect(total).to_have_text(before)
    expect(tab.locator("[data-tried]")).to_be_hidden()


def test_who_preempted_whom(reader):
    """Q6: the row of the preempted pods leads to the decision that evicted them."""
    tab = reader.start().tab
    reader.click(tab.locator("tr.g", has_text="Preempted").get_by_role("link", name="Why"))
    expect(tab.locator("#inspector")).to_contain_text("big-0")
    expect(tab.locator("#inspector")).to_contain_text(re.compile("fill-[ab]"))


@pytest.mark.long
def test_keys_walk_attempts_and_lead_back_to_the_outcomes(reader):
    tab = reader.why(NEVER)
    shown = tab.locator("#main").get_attribute("data-cycle")
    tab.locator("body").press("[")
    expect(tab.locator("#main")).not_to_have_attribute("data-cycle", shown)
    expect(tab.locator("#main")).to_have_attribute("data-pod", "default/never-0")
    tab.reload()
    expect(tab.locator("#main")).to_have_attribute("data-pod", "default/never-0")
    tab.locator("body").press("Escape")
    expect(tab).to_have_url(re.compile(r"/outcomes/$"))
