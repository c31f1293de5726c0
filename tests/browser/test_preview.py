"""What would change in a real Chromium: a text is tried on a cluster before it is saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.models import ConfigRevision
from dashboard.preview import computing
from dashboard.preview.actions import ask_what_changes
from dashboard.preview.models import Computation
from dashboard.preview.subject import subject_named
from dashboard.runs.lifecycle import waiting
from tests.browser.axe import grave_findings
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import node, pod

DEFAULTS = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """A worker does at once what it is woken up for; once this is emptied, none does."""
    workers = [computing.work]
    monkeypatch.setattr(waiting, "wake_task", lambda name: [work() for work in workers])
    return workers


@pytest.mark.long
def test_a_pod_that_moves_is_shown_before_anything_is_saved(start, browser_page, live_server_url):
    bound = pod("held", "2", nodeName="a") | {"status": {"phase": "Running"}}
    start([node("a", "8"), node("b", "8"), bound, pod("new", "1")], is_run=False)
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/new/")
    page.wait_for_selector(".ace_editor")
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", PACKING)
    panel = page.locator("#preview")
    expect(panel.get_by_text("1 of 2 pods")).to_be_visible()
    expect(panel.get_by_role("status").get_by_text("Up to date")).to_be_visible()
    expect(panel.locator("dl > div", has_text="empty nodes")).to_contain_text("1")
    row = panel.locator("tbody tr", has_text="default/new")
    expect(row.locator("td").nth(1)).to_have_text("b")
    expect(row.locator("td").nth(2)).to_have_text("a")
    expect(row.locator("td").nth(3)).to_contain_text("NodeResourcesFit +")
    expect(panel.get_by_text("The cause is what differs in their inputs: configuration.")).to_be_visible()
    assert grave_findings(page) == []

    chip = panel.get_by_role("link", name="1 on another node")
    chip.click()
    expect(chip).to_have_attribute("aria-current", "true")

    page.locator('tr[data-plugin="NodeResourcesFit"] input[data-config-weight]').fill("7")
    page.keyboard.press("Enter")
    expect(page.locator("#config-differences")).to_contain_text("7")
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", DEFAULTS)
    expect(panel.get_by_text("0 of 2 pods")).to_be_visible()
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", PACKING)
    expect(panel.get_by_text("1 of 2 pods")).to_be_visible()

    page.evaluate("window.schedscopeEditor.setValue('kind: [', -1)")
    expect(panel.get_by_text("has changed since this was computed")).to_be_visible()
    panel.get_by_role("button", name="Compute").click()
    expect(panel.get_by_text("Not computed:")).to_be_visible()
    expect(row).to_have_count(0)
    expect(panel.get_by_role("button", name="Cancel")).to_be_hidden()
    assert not ConfigRevision.objects.exists()


@pytest.mark.long
def test_many_pods_wait_for_a_key_and_the_answer_is_there_again_after_a_reload(start, browser_page, live_server_url):
    start([node("a", "8"), node("b", "8"), *(pod(f"new-{i}", "1") for i in range(1001))], is_run=False)
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/new/?start=most-allocated")
    page.wait_for_selector(".ace_editor")
    panel = page.locator("#preview")
    page.get_by_role("tab", name="What would change").click()
    expect(panel.get_by_role("button", name="Compute")).to_be_enabled()
    expect(panel.locator("[data-preview-cancel]")).to_be_hidden()
    page.keyboard.press("w")
    expect(panel.get_by_text("of 1,001 pods")).to_be_visible()
    page.reload()
    expect(panel.get_by_text("of 1,001 pods")).to_be_visible()
    expect(panel.get_by_text("Up to date")).to_be_visible()


@pytest.mark.long
def test_a_result_is_listed_on_the_configurations_page_and_has_a_page(start, browser_page, live_server_url):
    start([node("a", "8"), node("b", "8"), pod("held", "2", nodeName="a"), pod("new", "1")], is_run=False)
    save_config(Member.objects.select_related("workspace", "user").get(), None, NewText("Packing", DEFAULTS))
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/packing/")
    page.wait_for_selector(".ace_editor")
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", PACKING)
    expect(page.locator("#preview").get_by_text("1 of 2 pods")).to_be_visible()
    page.get_by_role("tab", name="Computed").click()
    page.locator("#preview-results").get_by_role("link").click()
    expect(page.get_by_role("heading", name="What would change on")).to_be_visible()
    expect(page.locator("tbody tr", has_text="default/new")).to_be_visible()
    expect(page.get_by_text("NodeResourcesFit").first).to_be_visible()
    assert grave_findings(page) == []


@pytest.mark.long
def test_who_closes_the_page_finds_progress_and_result_when_it_is_opened_again(
    start, browser_context, live_server_url, woken
):
    start([node("a", "8"), node("b", "8"), pod("held", "2", nodeName="a"), pod("new", "1")], is_run=False)
    save_config(Member.objects.select_related("workspace", "user").get(), None, NewText("Packing", PACKING))
    woken.clear()
    address = f"{live_server_url}/w/team/configurations/packing/"
    first = browser_context.new_page()
    first.goto(address)
    first.wait_for_selector(".ace_editor")
    first.evaluate("text => window.schedscopeEditor.setValue(text, -1)", DEFAULTS)
    expect(first.locator("#preview").get_by_text("Waiting for a worker").first).to_be_visible()
    first.locator("#preview").get_by_role("button", name="Cancel").click()
    expect(first.locator("#preview").get_by_role("status").get_by_text("Cancelled", exact=True)).to_be_visible()
    first.locator("#preview").get_by_role("button", name="Compute").click()
    expect(first.locator("#preview").get_by_text("Waiting for a worker").first).to_be_visible()
    first.close()

    claim = computing.QUEUE.claim()
    claim.update(step="after", before_cycles=1200, after_cycles=300)
    second = browser_context.new_page()
    second.goto(address)
    second.get_by_role("tab", name="Computed").click()
    running = second.locator("#preview-results tbody tr")
    expect(running).to_contain_text("Step 3 of 4: run with this text, 300 cycles so far")
    expect(running.get_by_role("progressbar")).to_be_visible()
    assert grave_findings(second) == []
    progress = browser_context.new_page()
    progress.goto(address)
    progress.get_by_role("tab", name="Computed").click()
    progress.locator("#preview-results").get_by_role("link").click()
    expect(progress.get_by_text("Step 3 of 4")).to_be_visible()
    assert grave_findings(progress) == []

    claim.release()
    computing.work()
    expect(running.get_by_role("link", name="Prod r1")).to_be_visible()
    expect(running.get_by_role("progressbar")).to_have_count(0)
    expect(progress.get_by_role("heading", name="What would change on")).to_be_visible()
    expect(progress.locator("tbody tr", has_text="default/new")).to_be_visible()
    assert Computation.objects.get().state == "done"


@pytest.mark.long
def test_what_another_asked_about_the_saved_text_is_shown_without_pressing(start, browser_page, live_server_url, woken):
    start([node("a", "8"), node("b", "8"), pod("held", "2", nodeName="a"), pod("new", "1")], is_run=False)
    member = Member.objects.select_related("workspace", "user").get()
    save_config(member, None, NewText("Packing", PACKING))
    woken.clear()
    ask_what_changes(member, subject_named(member.workspace, "cluster:prod", "packing@1", PACKING))
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/packing/")
    panel = page.locator("#preview")
    expect(panel.get_by_text("Waiting for a worker").first).to_be_visible()
    computing.work()
    expect(panel.get_by_text("0 of 2 pods")).to_be_visible()
    expect(panel.get_by_role("status").get_by_text("Up to date")).to_be_visible()
