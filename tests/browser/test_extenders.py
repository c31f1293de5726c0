"""Extenders in Chromium: a tape is uploaded, a run takes it, and its pages say what extenders did."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions
from dashboard.accounts.access import find_member
from dashboard.accounts.models import User
from dashboard.documents.extenders import answering
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, State
from tests.browser.axe import grave_findings
from tests.dashboard.extender_scene import tape_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def scene(sign_in, monkeypatch):
    """The run of the demo scene, finished, and its owner signed in."""
    answering._tapes.clear()
    monkeypatch.setattr(waiting, "_send", lambda name: execution.work())
    user = User.objects.create_user("asha@example.org", "Asha", "correct horse battery")
    workspace = actions.create_workspace(user, "Team", "team")
    sign_in(user)
    run = demo.load_scene(find_member(user, workspace.slug), demo.EXTENDERS)
    while execution.work():
        pass
    return run


@pytest.mark.long
def test_a_tape_is_uploaded_and_a_run_answers_from_it(browser_page, live_server_url, scene, tmp_path):
    page, team = browser_page, f"{live_server_url}/w/team"
    file = tmp_path / "monday.tape"
    file.write_bytes(tape_of(scene))
    page.goto(f"{team}/extenders/tapes/")
    page.get_by_role("link", name="Upload a tape").first.click()
    page.get_by_label("Tape", exact=True).set_input_files(str(file))
    page.get_by_label("Name").fill("monday")
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/extenders/tapes/monday/")
    expect(page.get_by_role("heading", name="monday")).to_be_visible()
    expect(page.locator("#calls")).to_contain_text("shop/db-0")
    assert grave_findings(page) == []

    page.goto(f"{team}/runs/new/?from={scene.number}")
    page.locator("#id_answers").select_option("tape:monday")
    expect(page.locator("#answers-what")).to_contain_text("describe the real cluster as it was")
    assert grave_findings(page) == []
    page.locator("#launch .panel-foot button").click()
    page.wait_for_url("**/runs/2/**")
    run = Run.objects.get(number=2)
    assert (run.state, str(run.tape_revision)) == (State.FINISHED, "monday r1")
    expect(page.locator("#extender-answers summary")).to_contain_text("extenders by a tape")

    page.goto(f"{team}/runs/2/?cycle=2")
    expect(page.locator("th", has_text="data.example:8888").first).to_be_attached()
    expect(page.get_by_text("the disk is too slow for a database").first).to_be_visible()
    page.goto(f"{team}/runs/2/?cycle=5&tab=preemption")
    expect(page.get_by_text("gave up fast-1")).to_be_attached()
    page.goto(f"{team}/runs/2/why/?pod=shop/ledger-0")
    expect(page.locator("#cause .an-code")).to_contain_text("EXTENDER_REFUSED")
    expect(page.locator("#cause")).to_contain_text("no licence is left")
    expect(page.get_by_role("heading", name="Remedies")).to_be_visible()


@pytest.mark.long
def test_the_page_of_declared_extenders_has_no_grave_fault(browser_page, live_server_url, scene):
    browser_page.goto(f"{live_server_url}/w/team/extenders/declared/extenders/")
    browser_page.wait_for_selector(".ace_editor")
    assert grave_findings(browser_page) == []
    browser_page.goto(f"{live_server_url}/w/team/extenders/declared/")
    assert grave_findings(browser_page) == []
