"""From a dump to an answer in a real Chromium: import, one click on a pending pod, and why it waits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import User
from dashboard.runs import execution
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


def imported(page, team, files):
    """Send the files and save what was understood; the page that it leads to is the cluster's."""
    page.goto(f"{team}import/")
    page.set_input_files("input[name=files]", files)
    page.click("[data-send]")
    page.wait_for_selector("#save")
    page.locator("[data-save]").click()
    page.wait_for_selector("#pending")


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


@pytest.mark.skipif(not DUMPS.is_dir(), reason="the shared data is not here")
def test_a_dump_of_a_real_cluster_is_one_click_from_its_answer_too(browser_page, team):
    page = browser_page
    imported(page, team, [DUMPS / name for name in REAL])
    expect(page.locator("#pending")).to_contain_text("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
    page.get_by_role("button", name="Why? message-pending-pod-resources/").click()
    page.wait_for_selector("#follow")
    execution.work()
    page.wait_for_url("**/runs/1/why/?pod=message-pending-pod-resources/*")
    expect(page.locator("main")).to_contain_text("nvidia.com/gpu")
