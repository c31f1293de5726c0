"""The main path in a real browser: from the printed link over an imported cluster to a run that plays."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.accounts import account_actions as accounts
from dashboard.clusters.models import Revision
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.runs import demo, execution
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, State
from tests.dashboard.run_helpers import cluster_of

PASTED = json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster_of(4, 24)})


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """Nobody is woken up by messages."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)


@pytest.fixture
def link(live_server_url):
    """The sign-in link of the local owner, as the terminal prints it."""
    user, _ = accounts.first_owner()
    return live_server_url + reverse("accounts:sign_in_link", kwargs={"token": accounts.make_signin_token(user)})


def clock(page):
    """Return the words of the page's clock: time, seq, cycle."""
    return page.locator("#clock").inner_text()


@pytest.mark.fresh_profile
def test_from_the_link_to_a_run_that_plays(browser_page, live_server_url, link, worker):
    page = browser_page
    page.emulate_media(reduced_motion="no-preference")  # who asks for less motion has to press play
    page.goto(link)
    expect(page).to_have_url(f"{live_server_url}/w/default/")
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()

    page.get_by_role("main").get_by_role("link", name="Import").click()
    page.locator("#text").fill(PASTED)
    page.get_by_role("button", name="Preview", exact=True).click()
    page.wait_for_url(re.compile(r"/w/default/import/\d+/$"))
    page.locator("#name").fill("edge-lab")
    page.get_by_role("button", name="Import 28 objects").click()
    page.wait_for_url("**/w/default/clusters/edge-lab/**")
    assert Revision.objects.get().counts == {"Node": 4, "Pod": 24}

    page.goto(f"{live_server_url}/w/default/runs/new/?cluster=edge-lab")
    expect(page.locator("input[name=schedule]:checked")).to_have_value("pending")
    expect(page.get_by_text("24 pods").first).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(f"{live_server_url}/w/default/runs/1/**")

    # A new run is followed while it goes on; one that is over already opens on its outcomes. Both lead to the debugger.
    page.goto(f"{live_server_url}/w/default/runs/1/outcomes/")
    expect(page.locator("#run-state")).to_contain_text("finished")
    page.goto(f"{live_server_url}/w/default/runs/1/")
    expect(page).to_have_url(f"{live_server_url}/w/default/runs/1/outcomes/")
    page.get_by_role("link", name="Debugger", exact=True).click()
    page.locator("#play").click()
    before = clock(page)
    expect(page.locator("#clock")).not_to_have_text(before)
    page.locator("#play").click()
    assert Run.objects.get().state in (State.RUNNING, State.FINISHED)


def test_reload_keeps_the_place(browser_page, live_server_url, link):
    user, workspace = accounts.first_owner()
    demo.load_teaching(workspace.members.select_related("user", "workspace").get(user=user))
    execution.work()
    page = browser_page
    page.goto(link)
    page.get_by_role("link", name="Open the demo run").click()
    page.wait_for_url(f"{live_server_url}/w/default/runs/1/**")
    page.goto(f"{live_server_url}/w/default/runs/1/?cycle=7")
    page.get_by_role("link", name="Step over, to the next cycle").click()
    page.wait_for_url(re.compile(r"cycle=8"))
    expect(page.locator("#clock")).to_contain_text("cycle 8")
    clock_text = clock(page)
    page.reload()
    expect(page).to_have_url(re.compile(r"cycle=8"))
    expect(page.locator("#clock")).to_contain_text("cycle 8")
    assert clock(page) == clock_text


@pytest.mark.long
def test_a_waiting_run_ends_on_the_list_without_a_reload(browser_page, live_server_url, link):
    user, workspace = accounts.first_owner()
    demo.load_teaching(workspace.members.select_related("user", "workspace").get(user=user))
    page = browser_page
    page.goto(link)
    page.goto(f"{live_server_url}/w/default/runs/")
    expect(page.locator("#run-1")).to_contain_text("queued")
    page.evaluate("window.sameDocument = true")
    execution.work()
    expect(page.locator("#run-1")).to_contain_text("finished")
    assert page.evaluate("window.sameDocument")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.wait_for_timeout(3_500)
    assert requests == []  # nothing moves any more, so nothing is asked

    page.get_by_role("button", name="Delete run 1").click()
    page.get_by_role("button", name="Delete run", exact=True).click()
    expect(page.get_by_text("No run yet")).to_be_visible()


@pytest.mark.long
@pytest.mark.browser_complains("status of 422")
def test_another_choice_of_cluster_shows_what_it_would_run(browser_page, live_server_url, link):
    user, workspace = accounts.first_owner()
    member = workspace.members.select_related("user", "workspace").get(user=user)
    demo.load_teaching(member)
    create_cluster(member, NewCluster("other"), cluster_of(3, 11))
    page = browser_page
    page.goto(link)
    page.goto(f"{live_server_url}/w/default/runs/new/?cluster=teaching")
    expect(page.locator("input[name=schedule]:checked")).to_have_value("timeline")
    page.locator("#id_name").fill("kept")
    page.locator("#id_cluster").select_option("other")
    expect(page.locator("input[name=schedule]:checked")).to_have_value("pending")
    expect(page.get_by_text("11 of 11 to be scheduled")).to_be_visible()
    expect(page.locator("#id_name")).to_have_value("kept")
    assert "csrf" not in page.url
    assert "cluster=other" in page.url
    page.get_by_text("Policies and limits").click()
    page.locator("#id_max_time").fill("5")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Stop at virtual time")
    assert not Run.objects.filter(name="kept").exists()
