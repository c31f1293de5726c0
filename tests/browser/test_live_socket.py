"""static/live/socket.js in a real browser: batches arrive in order, a lost connection goes on where it was."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, RunHead, State
from dashboard.runs.storage import recordings
from tests.dashboard.run_helpers import cluster_of

# Cuts the connection behind the second and the fourth message, as a network would.
WATCH = """async ([url, head]) => {
  const { watch } = await pageModule('live/socket.js');
  const Real = window.WebSocket;
  let messages = 0;
  window.WebSocket = class extends Real {
    constructor(address) {
      super(address);
      this.addEventListener('message', () => { if (++messages === 2 || messages === 4) this.close(); });
    }
  };
  const seqs = [], states = [], element = document.body;
  return new Promise((done) => {
    element.addEventListener('run:batch', (event) => seqs.push(...event.detail.events.map((one) => one.seq)));
    element.addEventListener('run:status', (event) => states.push(event.detail.connection || event.detail.state));
    element.addEventListener('run:head', () => { if (live.seq === head) { live.close(); done({ seqs, states }); } });
    const live = watch(element, { url, from: 0 });
  });
}"""


@pytest.fixture
def user(live_server_url):
    """The owner of a workspace, signed in nowhere yet."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    return user


@pytest.fixture
def run(user, monkeypatch):
    """A finished run of 900 events or so."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    cluster = Cluster.objects.create(workspace=member.workspace, name="Prod", slug="prod")
    run = actions.create_run(member, Launch(object_store.save_revision(cluster, cluster_of(3, 80), Saving(user))))
    assert execution.work()
    return run


def test_a_browser_whose_connection_is_cut_misses_nothing(
    browser_page, live_server_url, sign_in, user, run, monkeypatch
):
    monkeypatch.setattr("dashboard.live.consumers.PAGE_EVENTS", 150)
    head = RunHead.objects.get(run=run).seq
    expected = [seq for seq, event in recordings.read_events(run.pk, 0, head) if _is_public(seq, event)]
    sign_in(user)
    browser_page.goto(f"{live_server_url}/account/")
    seen = browser_page.evaluate(WATCH, [f"/ws/w/team/runs/{run.number}/", head])
    assert seen["seqs"] == expected
    assert seen["states"].count("lost") == 2
    assert seen["states"].count("open") == 3
    assert "finished" in seen["states"]


@pytest.mark.long
def test_a_refused_socket_is_not_tried_again(browser_page, live_server_url, sign_in, user, run):
    sign_in(user)
    browser_page.goto(f"{live_server_url}/account/")
    codes = browser_page.evaluate(
        """async (url) => {
          const { watch } = await pageModule('live/socket.js');
          const codes = [];
          document.body.addEventListener('run:status', (event) => codes.push(event.detail.code ?? 'open'));
          const live = watch(document.body, { url });
          await new Promise((done) => setTimeout(done, 900));
          live.close();
          return codes;
        }""",
        "/ws/w/team/runs/77/",
    )
    assert codes == ["open", 4404]


def _is_public(seq, event):
    from dashboard.live.messages import public

    return public(seq, event) is not None


# Stands for the browser's: what it was asked and what it showed.
NOTIFICATIONS = """() => {
  const said = window.said = { asked: 0, shown: [] };
  window.Notification = class extends EventTarget {
    static permission = 'default';
    static async requestPermission() { said.asked++; return (this.permission = 'granted'); }
    constructor(text) { super(); said.shown.push(text); }
  };
}"""
AWAY = """away => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (away ? 'hidden' : 'visible') });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.mark.long
def test_a_tab_that_nobody_looks_at_says_that_its_run_has_ended(browser_page, live_server_url, sign_in, user, run):
    sign_in(user)
    tab, runs = browser_page, Run.objects.filter(pk=run.pk)
    for wants in (False, True):
        runs.update(state=State.RUNNING)
        tab.goto(f"{live_server_url}/w/team/runs/{run.number}/events/")
        tab.evaluate(NOTIFICATIONS)
        title = tab.title()
        if wants:
            tab.get_by_label("More of run").click()
            tab.get_by_role("menuitemcheckbox").click()
            expect(tab.get_by_role("menuitemcheckbox")).to_be_checked()
        tab.evaluate(AWAY, True)
        runs.update(state=State.FINISHED)
        expect(tab).to_have_title(re.compile(rf"^✓ run {run.number} "), timeout=10_000)
        assert tab.evaluate("() => window.said") == {
            "asked": int(wants),
            "shown": [tab.title().split(" · ")[0]] * wants,
        }
        tab.evaluate(AWAY, False)
        expect(tab).to_have_title(title)
