"""The questions of test_questions.py about dumps of real clusters, imported by the page, and about the demo runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.accounts import account_actions as accounts
from dashboard.debugger.outcomes import summary_cache
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from tests.browser.reader import Reader

DUMPS = Path(__file__).parents[1] / "cases" / "dumps"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """Nobody is woken up by messages."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    summary_cache.forget()


@pytest.fixture
def owner(live_server_url, sign_in):
    """The member that a new installation has, signed in."""
    user, workspace = accounts.first_owner()
    sign_in(user)
    return workspace.members.select_related("user", "workspace").get(user=user)


@pytest.fixture
def imported(browser_page, live_server_url, owner):
    """Return a function that imports files by the page, starts a run by the page and returns its reader."""

    def import_(*names):
        page = browser_page
        page.goto(f"{live_server_url}/w/default/import/")
        page.locator("#text").fill("\n---\n".join((DUMPS / name).read_text() for name in names))
        page.get_by_role("button", name="Preview", exact=True).click()
        page.wait_for_url(re.compile(r"/import/\d+/$"))
        page.locator("#name").fill("dump")
        page.get_by_role("button", name=re.compile("Import .* objects")).click()
        page.wait_for_url("**/clusters/dump/**")
        page.goto(f"{live_server_url}/w/default/runs/new/?cluster=dump")
        page.get_by_label("Seed").fill("7")
        page.get_by_role("button", name="Run", exact=True).click()
        page.wait_for_url("**/runs/1/**")
        return ran(browser_page, live_server_url)

    return import_


def ran(page, origin):
    """Have what waits carried out; the reader of the first run."""
    page.goto("about:blank")
    while execution.work():
        pass
    return Reader(page, f"{origin}/w/default/runs/1/")


@pytest.mark.long
def test_a_pod_that_asks_more_gpus_than_any_node_of_a_dump_has(imported):
    reader = imported("seven-nodes.json")

    # Q1, Q3, Q7, Q8, Q9
    tab = reader.why("Larger than any node")
    expect(tab.locator("#main")).to_have_attribute("data-pod", re.compile("/pending-pod-resources-"))
    expect(tab.locator("#cause .an-code")).to_contain_text("NOT_OFFERED")
    expect(tab.locator("#do-this")).to_contain_text("verified")
    for change in ("Ask for 1 cpu instead of 3 and ask for 1 gpu instead of 5", "Enlarge node-2 by 2 cpu and 4 gpu"):
        expect(tab.locator("#remedies")).to_contain_text(change)
    for nodes in ("On 4 nodes", "On 2 nodes", "On 1 node"):
        expect(tab.locator("#no-preemption")).to_contain_text(
            f"{nodes} no eviction mends what NodeResourcesFit refuses"
        )
    for event in ("PodDelete", "NodeAdd", "Timer for unschedulable pods"):
        expect(tab.locator("#why-side")).to_contain_text(event)
    expect(tab.locator("#room")).to_contain_text("0 of 1 gpu requested")

    # Q2
    reader.why("Larger than any node")
    reader.click(tab.locator(".an-row.is-open").first.locator("summary"))
    expect(tab.locator(".an-row.is-open + .an-opened .chip-link").first).to_be_visible()
    expect(tab.locator(".an-opened .chip-link")).to_have_count(7)
    expect(tab.locator(".an-opened", has_text="biggernode-3i745")).to_have_count(1)

    # Q12
    reader.why("Larger than any node")
    reader.click(tab.locator(".att").first)
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "4")
    expect(tab.locator(".att").first).to_have_attribute("aria-current", "true")

    # Q4, Q5
    tab = reader.first_of_list("Won by fewer than 5 points")
    expect(tab.locator("h1")).to_contain_text("Why")
    expect(tab.locator(".wn-side")).to_contain_text("no, by")
    expect(tab.locator("#rivals-table tr.sum")).to_contain_text(re.compile(r"\+\d"))
    tab = reader.first_of_list("Drawn from a tie")
    expect(tab.locator("h1")).to_have_text("Drawn, not decided")


@pytest.mark.long
def test_a_pod_of_a_dump_that_a_more_important_one_evicted(imported):
    reader = imported("two-nodes.json", "urgent.yaml")

    # Q1, Q3, Q7, Q8, Q9: made anew by its StatefulSet, it finds the room taken.
    tab = reader.why("has enough memory free")
    expect(tab.locator("#main")).to_have_attribute("data-pod", "openshift-monitoring/prometheus-k8s-1")
    expect(tab.locator("#cause .an-code")).to_contain_text("SHORT_MEMORY")
    expect(tab.locator("#do-this [title*=REQUEST_LESS]")).to_be_visible()
    remedies = tab.locator("#remedies")
    for code in ("REQUEST_LESS", "EVICT_POD", "GROW_NODE", "TOLERATE"):
        expect(remedies.locator(f"b[title={code}]").first).to_be_visible()
    expect(tab.locator("#no-preemption")).to_contain_text("prometheus-k8s-0 (priority 2,000,000,000) would have to go")
    expect(tab.locator("#no-preemption")).to_contain_text("no eviction mends what TaintToleration refuses")
    for event in ("PodDelete", "NodeAdd", "Timer for unschedulable pods"):
        expect(tab.locator("#why-side")).to_contain_text(event)
    expect(tab.locator("#room .side-l").first).to_contain_text("shop/urgent")
    expect(tab.locator("#room .side-l").first).to_contain_text("cycle 2")

    # Q2
    reader.click(tab.locator(".an-row", has_text="master-0").locator("summary"))
    expect(tab.locator(".an-opened .chip-link", has_text="master-0")).to_be_visible()

    # Q12
    reader.why("has enough memory free")
    reader.click(tab.locator(".att").first)
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "3")

    # Q6
    tab = reader.why("Preempted")
    expect(tab.locator("#inspector")).to_contain_text("urgent")
    expect(tab.locator("#inspector")).to_contain_text("worker-0 is nominated: 1 victim leaves")


@pytest.mark.long
def test_the_forty_pods_of_the_demo(browser_page, live_server_url, owner):
    demo.load_teaching(owner)
    reader = ran(browser_page, live_server_url)

    # Q1, Q3, Q7, Q8, Q9
    tab = reader.why("No node has enough cpu free")
    expect(tab.locator("#main")).to_have_attribute("data-pod", "lab/batch-10")
    expect(tab.locator("#cause .an-code")).to_contain_text("SHORT_CPU")
    expect(tab.locator("#cause .an-opens.is-lit")).to_have_text("opens 7 of 8 nodes")
    expect(tab.locator("#cause .an-or .an-k")).to_have_text(["B"])
    expect(tab.locator("#do-this")).to_contain_text("Ask for 0.7 cpu instead of 1.1")
    expect(tab.locator("#no-preemption")).to_contain_text("nvme-a-3: index-0 (priority 100) would have to go")
    for event in ("PodDelete", "NodeUpdateNodeTaint", "Timer for unschedulable pods"):
        expect(tab.locator("#why-side")).to_contain_text(event)
    expect(tab.locator("#room .side-l").first).to_contain_text("lab/batch-*")
    expect(tab.locator("#room")).to_contain_text("27.8 of 34 cpu requested")

    # Q2
    reader.click(tab.locator(".an-row.is-open summary"))
    expect(tab.locator(".an-row.is-open + .an-opened .chip-link")).to_have_count(7)

    # Q12
    reader.why("No node has enough cpu free")
    reader.click(tab.locator(".att").first)
    expect(tab.locator("#main")).to_have_attribute("data-cycle", "24")

    # Q4, Q5
    tab = reader.first_of_list("Won by fewer than 5 points")
    expect(tab.locator("h1")).to_have_text("Why ssd-b-2 and not nvme-a-3")
    expect(tab.locator(".wn-side")).to_contain_text("no, by 1")
    expect(tab.locator("#rivals-table tr", has_text="NodeResourcesFit")).to_contain_text("+2")

    # Q6
    tab = reader.why("Preempted")
    expect(tab.locator("#inspector")).to_contain_text("worker-a-2 is nominated: 3 victims leave")
    for victim in ("mailer-1", "batch-03", "batch-08"):
        expect(tab.locator("#inspector")).to_contain_text(victim)

    # From the decision to what it follows from, and along causes both ways.
    reader.click(tab.locator(".ev-line").get_by_role("link", name=re.compile("^cause: ")))
    expect(tab.locator(".ev-line").first).to_contain_text("db-primary-0")
    tab.goto(f"{reader.first}events/?seq=389")
    here = tab.locator("#chain h2")
    expect(tab.locator("#chain")).to_contain_text("db-primary-0 woken")
    for key, number in (("Left", 385), ("Left", 344), ("Right", 385), ("Right", 386)):
        tab.keyboard.press(f"Alt+Arrow{key}")
        expect(here).to_have_text(f"Event {number}")


@pytest.mark.long
def test_the_eight_thousand_pods_of_the_demo(browser_page, live_server_url, owner):
    """All but Q6: nobody is preempted in it."""
    demo.load_large(owner)
    reader = ran(browser_page, live_server_url)

    # Q1, Q3, Q7, Q8, Q9
    tab = reader.why("No T4 node has enough gpu-milli free")
    expect(tab.locator("#cause .an-code")).to_contain_text("SELECTOR_NO_MATCH")
    expect(tab.locator("#do-this")).to_contain_text("verified")
    expect(tab.locator("#remedies .an-act").first).to_be_visible()
    expect(tab.locator("#no-preemption")).to_contain_text("On 1,103 nodes")
    expect(tab.locator("#why-side")).to_contain_text("NodeUpdateNodeLabel")
    expect(tab.locator("#room .side-l").first).to_contain_text("cycles")

    # Q2
    group = tab.locator(".an-row.is-open").first
    reader.click(group.locator("summary"))
    expect(tab.locator(".an-row.is-open + .an-opened .chip-link").first).to_be_visible()

    # Q12
    reader.why("No T4 node has enough gpu-milli free")
    reader.click(tab.locator(".att").first)
    expect(tab.locator(".att").first).to_have_attribute("aria-current", "true")

    # Q4, Q5
    tab = reader.first_of_list("Won by fewer than 5 points")
    expect(tab.locator("h1")).to_contain_text("Why a10-0748 and not")
    expect(tab.locator("#rivals-table tr", has_text="NodeResourcesFit")).to_contain_text("+1")
