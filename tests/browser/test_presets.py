"""Presets in a real Chromium: from the list to the launch page, what a choice sets there, and the run."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions
from dashboard.accounts.models import User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs import execution
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, State
from scheduler_core.versions.trains import NEWEST_MEASURED
from tests.dashboard.run_helpers import cluster_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def prod(sign_in):
    """A workspace with a cluster, and its owner signed in."""
    user = User.objects.create_user("asha@example.org", "Asha", "correct horse battery")
    workspace = actions.create_workspace(user, "Team", "team")
    cluster = Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")
    sign_in(user)
    return object_store.save_revision(cluster, cluster_of(3, 10), Saving(user))


@pytest.mark.long
def test_a_preset_is_run_from_the_list(browser_page, live_server_url, prod, monkeypatch):
    # The worker does the run before the answer leads to its page, so that nothing is live when the test ends.
    monkeypatch.setattr(waiting, "_send", lambda name: execution.work())
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/")
    row = page.locator("#presets tr", has_text="Queue with move-request cycles")
    row.get_by_role("link", name="Run").click()
    expect(page.locator("#id_queue")).to_have_value("move-cycle")
    expect(page.locator("#id_kubernetes")).to_have_value("1.34")
    expect(page.locator("#id_stay_s")).to_have_value("60")

    page.select_option("#id_victims", "at_once")
    page.select_option("#id_config", "preset:map-reduce-scores-2019")
    expect(page.locator("#id_draw")).to_have_value("reservoir")
    expect(page.locator("#id_queue")).to_have_value("hints")
    expect(page.locator("#id_stay_s")).to_have_value("")
    expect(page.locator("#id_victims")).to_have_value("at_once")
    page.select_option("#id_config", "")
    expect(page.locator("#id_draw")).to_have_value("seeded")
    expect(page.locator("#id_kubernetes")).to_have_value(NEWEST_MEASURED)
    page.select_option("#id_config", "preset:map-reduce-scores-2019")
    expect(page.locator("#id_draw")).to_have_value("reservoir")

    page.locator("#launch .panel-foot button").click()
    page.wait_for_url("**/runs/1/**")
    page.wait_for_load_state("networkidle")
    run = Run.objects.get()
    assert (run.preset, run.state) == ("map-reduce-scores-2019", State.FINISHED)
    assert (run.policies["draw"], run.policies["victims"]) == ("reservoir", "at_once")
