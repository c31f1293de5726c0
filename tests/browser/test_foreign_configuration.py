"""A configuration of an older version, as the seed prints it, in Chromium: converted, saved, run with Coscheduling."""

from __future__ import annotations

from pathlib import Path

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
from dashboard.runs.storage.recordings import read_events
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.recording import events as ev

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GANG = Path(__file__).parents[2] / "examples" / "coscheduling" / "gang.yaml"
POINTS = "".join(
    f"    {point}:\n      enabled:\n        - name: Coscheduling\n"
    for point in ("preFilter", "permit", "reserve", "postBind")
)
OLD = (
    "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"
    "leaderElection:\n  leaderElect: false\n"
    'clientConnection:\n  kubeconfig: "REPLACE_ME_WITH_KUBE_CONFIG_PATH"\n'
    "profiles:\n- schedulerName: default-scheduler\n  plugins:\n"
    '    queueSort:\n      enabled:\n        - name: Coscheduling\n      disabled:\n        - name: "*"\n' + POINTS
)


@pytest.fixture
def gang(sign_in):
    """A workspace with two groups of pods on room for one of them, and its owner signed in."""
    user = User.objects.create_user("asha@example.org", "Asha", "correct horse battery")
    workspace = actions.create_workspace(user, "Team", "team")
    cluster = Cluster.objects.create(workspace=workspace, name="Gang", slug="gang")
    sign_in(user)
    loaded = load_cluster([ManifestSource("gang.yaml", GANG.read_bytes())])
    return object_store.save_revision(cluster, [one.complete for one in loaded.manifests], Saving(user))


@pytest.mark.long
def test_it_is_converted_by_a_click_and_a_group_waits_at_permit(browser_page, live_server_url, gang, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: execution.work())
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/new/")
    page.wait_for_selector(".ace_editor")
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", OLD)
    expect(page.get_by_text("is not served by current Kubernetes")).to_be_visible()
    save = page.get_by_role("button", name="Save", exact=True)
    expect(save).to_be_disabled()
    page.locator("#name").fill("gang")
    page.get_by_role("button", name="Use the v1 conversion").click()
    expect(page.get_by_text("This is the conversion to v1.")).to_be_visible()
    expect(save).to_be_enabled()
    save.click()
    page.wait_for_url("**/configurations/gang/")

    page.goto(f"{live_server_url}/w/team/runs/new/?cluster=gang&config=gang&schedule=pending&seed=1")
    page.locator("#launch .panel-foot button").click()
    page.wait_for_url("**/runs/1/**")
    page.wait_for_load_state("networkidle")
    run = Run.objects.get()
    assert (run.state, run.left_out) == (State.FINISHED, [])
    events = list(read_events(run.pk, 0, run.head.seq))
    held = [seq for seq, event in events if isinstance(event, ev.PermitWaiting)]
    bound = [event.pod for _, event in events if isinstance(event, ev.Bound)]
    assert held
    assert len(bound) == 6

    page.goto(f"{live_server_url}/w/team/runs/1/?seq={held[1] + 1}")
    expect(page.get_by_text("waits at Permit for").first).to_be_visible()
