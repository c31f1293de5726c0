"""The ways of somebody new to an answer, walked by what can be seen: each ends where it should, with few clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.long]
REFUSED = "lab/batch-10"
DUMP = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
---
apiVersion: v1
kind: Pod
metadata: {name: large, namespace: default}
spec: {containers: [{name: main, resources: {requests: {cpu: "64"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: refused, namespace: default}
spec: {containers: [{name: main, resources: {requests: {cpu: "1"}}}]}
status:
  phase: Pending
  conditions:
  - type: PodScheduled
    status: "False"
    reason: Unschedulable
    message: "0/1 nodes are available: 1 Insufficient cpu."
"""


def test_from_home_to_why_and_to_the_first_trouble_which_stands_still(walk):
    walk.at("").click("link", re.compile("pods? pending"))
    walk.ends("tab=why", 1, shows="Remedies")
    walk.at("").click("link", "Open the demo run")
    walk.ends("cycle=24", 1)
    walk.tab.wait_for_timeout(2_000)
    expect(walk.tab.locator("#main")).to_have_attribute("data-cycle", "24")


def test_from_anywhere_to_a_cycle_and_in_a_run_to_a_preemption(walk):
    walk.at("clusters/").tab.keyboard.press("Control+k")
    walk.tab.keyboard.type("cycle 28")
    expect(walk.tab.get_by_role("option").first).to_contain_text("28")
    walk.tab.keyboard.press("Enter")
    walk.ends("cycle=28", 0)
    walk.at("runs/1/?cycle=24&tab=preemption").click("link", re.compile("^Next preemption"))
    walk.ends("cycle=28", 1, shows="victims?")


def test_from_a_cycle_to_why_this_node(walk):
    walk.at("runs/1/?cycle=22").click("link", "Why", exact=True)
    walk.click("link", re.compile("nodes beside each other|Compare"))
    walk.ends("why-node", 2)


def test_from_a_remedy_to_a_run_at_the_same_moment_and_its_comparison(walk):
    walk.at(f"runs/1/why/?pod={REFUSED}").on(walk.tab.locator("#remedies summary").first)
    expect(walk.tab.locator(".wy-tried-h").first).to_contain_text("It fits")
    assert walk.clicks <= 2
    walk.click("button", "Run on with this change")
    walk.tab.wait_for_url(re.compile("/runs/2/"))
    expect(walk.tab.locator("#main")).to_have_attribute("data-cycle", "63")
    walk.ends("pod=lab%2Fbatch-10", 3)
    walk.click("link", "Compare with the run that it left")
    walk.ends(r"compare/\?a=1&b=2", 4)


def test_two_remedies_are_tried_together_and_run_on(walk):
    walk.at(f"runs/1/why/?pod={REFUSED}").click("button", re.compile("^Add to your changes: Ask for 0.7"))
    expect(walk.tab.locator("#own-changes")).to_contain_text("1")
    walk.click("button", re.compile("^Add to your changes: Add one more node"))
    expect(walk.tab.locator("#own-changes")).to_contain_text("2")
    walk.click("link", re.compile("^Changes"))
    expect(walk.tab.locator("#change-list")).to_contain_text("Fits now")
    walk.click("button", "Run on", exact=True)
    walk.ends("/runs/2/", 5)


def test_from_a_dump_to_why_of_its_pods(walk):
    walk.at("").click("link", "Import")
    walk.choose_files("d.yaml", DUMP)
    walk.click("button", "Preview")
    walk.tab.wait_for_selector("#save")
    walk.ends("import", 3)
    walk.on(walk.tab.locator("[data-save]"))
    walk.tab.wait_for_selector("#pending")
    walk.clicks = 0
    walk.click("button", "Why? default/large")
    walk.tab.wait_for_url(re.compile("runs/2/why/.*large"))
    walk.ends("large", 1, shows="cpu")
    walk.tab.go_back()
    walk.tab.wait_for_selector("#pending")
    walk.clicks = 0
    walk.click("button", "Why? default/refused")
    walk.tab.wait_for_url(re.compile("runs/2/why/.*refused"))
    walk.ends("refused", 1, shows="0/1 nodes are available: 1 Insufficient cpu")
    expect(walk.tab.locator("#real-scheduler")).to_contain_text("1 Insufficient cpu")
