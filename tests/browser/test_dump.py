"""From a dump to an answer in a real Chromium: import, one click on a pending pod, and why it waits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import User
from dashboard.agreement import computing
from dashboard.runs import execution
from tests.browser.axe import grave_findings
from tests.dashboard.agreement.conftest import MESSAGE, dump

DUMPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "cluster-dumps"
REAL = ["troubleshoot-nodelist.json", "troubleshoot-pod-pending-resources.json"]


@pytest.fixture
def team(live_server_url, sign_in):
    """The address of Asha's workspace, who is signed in."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    return f"{live_server_url}/w/team/"


def sent(page, team, files):
    """Send the files; the page that it leads to says what was understood."""
    page.goto(f"{team}import/")
    page.set_input_files("input[name=files]", files)
    page.click("[data-send]")
    page.wait_for_selector("#save")


def imported(page, team, files):
    """Send the files and save what was understood; the page that it leads to is the cluster's."""
    sent(page, team, files)
    page.locator("[data-save]").click()
    page.wait_for_url("**/clusters/*/")
    page.wait_for_selector("#pending")


@pytest.mark.long
def test_import_then_one_click_says_why_a_pod_waits(browser_page, team, tmp_path):
    path = tmp_path / "prod.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": dump()}))
    page = browser_page
    imported(page, team, [path])
    expect(page.locator("#pending")).to_contain_text(MESSAGE)
    page.get_by_role("button", name="Why? default/wide").click()
    expect(page.locator("#follow")).to_contain_text("waits for a worker")
    execution.work()
    page.wait_for_url("**/runs/1/why/?pod=default/wide*")
    expect(page.locator("h1")).to_contain_text("wide")
    expect(page.locator("main")).to_contain_text("cpu")


@pytest.mark.long
@pytest.mark.skipif(not DUMPS.is_dir(), reason="the shared data is not here")
def test_a_dump_of_a_real_cluster_is_one_click_from_its_answer_too(browser_page, team):
    page = browser_page
    imported(page, team, [DUMPS / name for name in REAL])
    expect(page.locator("#pending")).to_contain_text("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
    answer = page.get_by_role("button", name="Why? message-pending-pod-resources/")
    expect(answer).to_be_in_viewport(ratio=1)  # A long message or name does not push it out of its table.
    answer.click()
    page.wait_for_selector("#follow")
    execution.work()
    page.wait_for_url("**/runs/1/why/?pod=message-pending-pod-resources/*")
    expect(page.locator("main")).to_contain_text("nvidia.com/gpu")


@pytest.mark.skipif(not DUMPS.is_dir(), reason="the shared data is not here")
def test_the_import_s_result_names_pods_that_wait_and_one_click_saves_it_and_opens_the_answer(browser_page, team):
    page = browser_page
    sent(page, team, [DUMPS / name for name in REAL])
    expect(page.locator("#pending")).to_contain_text("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
    assert grave_findings(page) == []
    answer = page.get_by_role("button", name="Why? message-pending-pod-resources/")
    expect(answer).to_be_in_viewport(ratio=1)  # A long message or name does not push it out of its table.
    answer.click()
    page.wait_for_selector("#follow")
    execution.work()
    page.wait_for_url("**/runs/1/why/?pod=message-pending-pod-resources/*")
    expect(page.locator("main")).to_contain_text("nvidia.com/gpu")


@pytest.mark.long
def test_an_answer_worker_compares_while_the_page_opens_and_keys_go_through_the_differences(
    browser_page, team, tmp_path
):
    path = tmp_path / "prod.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": dump()}))
    page = browser_page
    imported(page, team, [path])
    page.get_by_role("link", name="Agreement").click()
    expect(page.locator(".agree-fig")).to_contain_text("1 of 2")
    expect(page.locator(".tab[aria-current] .count")).to_have_text("1/2")
    expect(page.locator(".diffrow")).to_contain_text("Without the cordon the real node is among the best of 2 (tried)")
    page.wait_for_load_state()  # A key counts once the scripts are there.
    page.keyboard.press("n")
    expect(page.locator(".diffrow")).to_be_focused()
    expect(page.get_by_role("button", name="Copy both")).to_be_visible()
    assert grave_findings(page) == []


@pytest.mark.long
def test_agreement_is_computed_while_the_page_waits_and_opens_at_once_from_then_on(
    browser_page, team, tmp_path, monkeypatch
):
    monkeypatch.setattr(computing, "MOST_IN_A_MOMENT", 0)
    path = tmp_path / "prod.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": dump()}))
    page = browser_page
    imported(page, team, [path])
    page.get_by_role("link", name="Agreement").click()
    expect(page.locator("#agreement")).to_contain_text("Waiting for a worker")
    computing.work()
    expect(page.locator(".agree-fig")).to_contain_text("1 of 2")
    page.reload()
    expect(page.locator(".diffrow")).to_contain_text("NodeUnschedulable")
    assert grave_findings(page) == []
    page.locator(".class-c", has_text="only one fits").click()
    expect(page).to_have_url(re.compile(r"show=only_one"))
    expect(page.locator("main")).to_contain_text("no other node fits")
    page.get_by_text("Scheduler's log").click()
    page.fill("#log-text", 'I1 "Plugin scored node for pod" pod="default/gone" plugin="X" node="n" score=3')
    page.get_by_role("button", name="Compare scores").click()
    page.wait_for_url("**/agreement/?log=*")
    computing.work()
    expect(page.locator("#agreement")).to_contain_text("the pod is not in the input")
    assert grave_findings(page) == []
