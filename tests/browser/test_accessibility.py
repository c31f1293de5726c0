"""Pages for people who hear them, use keys alone or have little room: axe, and windows of 1,024 pixels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import RequestFactory
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.http import problem_pages
from dashboard.runs import execution
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from scheduler_core.manifests import dump_yaml
from tests.browser.axe import grave_findings
from tests.browser.test_boxes import ANSWERS, DEBUGGER, INPUTS
from tests.browser.test_debugger import number_of
from tests.dashboard.run_helpers import cluster_of, node, pod
from tests.seeds import long_after

CUT = (Path(__file__).parent / "cut.js").read_text()
LONG = "recommendation-7d9f8b6c5d-x7kq2"


@pytest.fixture
def addresses(live_server_url, sign_in, monkeypatch):
    """The pages outside of the debugger, with a cluster of long names, a run with pending pods and a bad import."""
    cache.clear()
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    name = "ip-10-0-12-34.eu-central-1.compute.internal"
    objects = [*cluster_of(3, 6), node(name), pod(LONG, "400"), pod("here", nodeName=name)]
    cluster = actions.create_cluster(member, NewCluster("prod"), objects)
    create_run(member, Launch(actions.newest_revision(cluster), name="every night, spread over all zones"))
    while execution.work():
        pass
    draft = imports.new_draft(member, [Upload("a.yaml", dump_yaml([pod("bad", "4 cores"), node("n")]).encode())])
    here = "/w/team/clusters/prod/"
    return [
        "/w/team/",
        "/w/team/runs/",
        "/w/team/runs/new/",
        "/w/team/runs/observed/?run=1&waiting=1",
        "/w/team/runs/1/outcomes/",
        "/w/team/runs/1/outcomes/?by=owner&outcome=pending",
        "/w/team/runs/1/review/",
        "/w/team/tokens/",
        "/w/team/clusters/",
        "/w/team/clusters/new/",
        here,
        f"{here}nodes/",
        f"{here}pods/",
        f"{here}objects/",
        f"{here}history/",
        f"{here}diff/?from=0&to=1",
        f"{here}object/?kind=Node&name={name}",
        f"{here}object/new/?kind=Pod",
        "/w/team/import/",
        "/w/team/message/?text=0/2 nodes are available: 2 Too many pods.",
        f"/w/team/import/{draft.pk}/",
        f"/w/team/import/{draft.pk}/files/0/",
        "/w/team/configurations/",
        "/w/team/configurations/new/",
        "/w/team/configurations/default/",
        "/w/team/configurations/presets/pack-gpus/",
        "/w/team/timelines/",
        "/w/team/timelines/new/",
        "/w/team/reviews/",
        "/w/team/members/",
        "/w/team/settings/",
        "/w/team/audit/",
        "/account/",
        "/workspaces/new/",
        "/w/team/nothing/",
        "/help/",
    ]


# Whether a tabindex leads away from the order of reading, and the class of what has the focus.
ORDER = """() => {
    const all = [...document.querySelectorAll('a[href], button, select, input, textarea, summary, [tabindex]')];
    return [all.some((one) => one.tabIndex > 0), document.activeElement.className];
}"""


@pytest.mark.slow
@pytest.mark.essential
@pytest.mark.parametrize("stride", long_after([3, 1], 1))
@pytest.mark.browser_complains("404")
def test_no_page_has_a_grave_finding_and_the_tab_key_goes_in_the_order_it_is_read(
    browser_page, live_server_url, addresses, stride
):
    page, grave = browser_page, []
    for address in addresses[::stride]:
        page.goto(f"{live_server_url}{address}")
        assert page.evaluate(ORDER)[0] is False, address
        grave += grave_findings(page)
    assert grave == []
    page.goto(f"{live_server_url}/w/team/runs/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    page.keyboard.press("Tab")
    expect(page.get_by_label("Search runs by name or cluster")).to_be_focused()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.browser_complains("status of")
def test_pages_before_signing_in_and_pages_of_problems_have_no_grave_finding(browser_page, live_server_url, sign_in):
    page = browser_page
    admin = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(admin, "Team", "team")
    member = Member.objects.select_related("workspace", "user").get(user=admin)
    grave = []
    for address in ("/signin", f"/join/{accounts.invite(member, 'new@example.org', Role.VIEWER)[1]}", "/join/gone"):
        page.goto(f"{live_server_url}{address}")
        grave += grave_findings(page)
    page.goto(f"{live_server_url}/signin")
    page.get_by_label("E-mail").fill("asha@example.org")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    grave += grave_findings(page)
    viewer = User.objects.create_user("vera@example.org", "Vera")
    Member.objects.create(workspace=member.workspace, user=viewer, role=Role.VIEWER)
    sign_in(viewer)
    assert page.goto(f"{live_server_url}/w/team/settings/").status == 403
    grave += grave_findings(page)
    failed = problem_pages.page_500(RequestFactory().get("/"))
    page.route("**/broken", lambda route: route.fulfill(status=500, body=failed.content, content_type="text/html"))
    page.goto(f"{live_server_url}/broken")
    grave += grave_findings(page)
    assert grave == []


def states_of(run):
    """Return addresses of a run's pages: a bound, a refused and a preempting cycle, each tab, and who was not tried."""
    bound, refused, preempting = (number_of(run, name) for name in ("small-0", "never-0", "big-0"))
    return [
        "outcomes/?q=nobody",
        "?seq=1",
        f"?cycle={bound}&point=Score&step=call",
        f"?cycle={bound}&cluster=table&tab=why&node=full-a",
        f"?cycle={refused}",
        *(f"?cycle={refused}&tab={tab}" for tab in ("why", "story", "yaml", "threads")),
        f"?cycle={preempting}&tab=preemption",
        f"?seq={run.head.seq}&pod=default/gated-0",
        f"events/?cycle={refused}&step=event",
        "search/?q=outcome:unschedulable",
        f"objects/Node/?key=full-a&cycle={bound}",
    ]


def opened(page, address):
    """Open a page of a run; the debugger's own says when its scripts are there."""
    page.goto(address)
    if page.locator("#transport").count():
        page.wait_for_selector("html[data-debugger=ready]")


@pytest.mark.slow
@pytest.mark.long
def test_no_state_of_a_run_has_a_grave_finding(browser_page, live_server_url, run):
    grave = []
    for state in states_of(run):
        opened(browser_page, f"{live_server_url}/w/team/runs/{run.number}/{state}")
        grave += grave_findings(browser_page)
    assert grave == []


@pytest.mark.slow
@pytest.mark.long
def test_no_text_of_a_run_s_pages_is_cut_without_a_sign_in_a_small_window(browser_page, live_server_url, run):
    cut = []
    browser_page.set_viewport_size({"width": 1024, "height": 768})
    for state in states_of(run):
        opened(browser_page, f"{live_server_url}/w/team/runs/{run.number}/{state}")
        cut += [(state, text) for text in browser_page.evaluate(CUT)]
        if browser_page.evaluate("document.documentElement.scrollWidth") > 1024:
            cut.append((state, "the page"))
    assert cut == []


# Controls of the page that stand, in part or as a whole, beyond the edge of the panel or the window that they are in.
BEYOND = """() => [...document.querySelectorAll('main :is(a, button, select, input, textarea, summary)')]
    .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.closest('.sr, .ace_editor, [hidden]'))
    .filter((one) => {
        const box = one.getBoundingClientRect();
        const frame = one.closest('.panel, .side-pane, .editor-pane, main').getBoundingClientRect();
        return box.width > 1 && box.right > Math.min(frame.right, innerWidth) + 1;
    })
    .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture
def long_named(addresses):
    """Members of the workspace whose names and addresses ask for much room."""
    team = Member.objects.select_related("workspace").get(user__email="asha@example.org").workspace
    for number in range(3):
        name = f"Alexandria Konstantinopoulou-Featherstonehaugh {number}"
        user = User.objects.create_user(f"alexandria.konstantinopoulou-{number}@platform.example.org", name)
        Member.objects.create(workspace=team, user=user, role=Role.EDITOR)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.browser_complains("404")
def test_in_a_small_window_no_page_is_wider_no_text_is_cut_without_a_sign_and_no_control_stands_beyond_the_edge(
    browser_page, live_server_url, addresses, long_named
):
    page, faults = browser_page, []
    page.set_viewport_size({"width": 1024, "height": 768})
    for address in addresses:
        page.goto(f"{live_server_url}{address}")
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 1024:
            faults.append((address, "wide", width))
        faults += [(address, "cut", text) for text in page.evaluate(CUT)]
        faults += [(address, "beyond", html) for html in page.evaluate(BEYOND)]
    assert faults == []


def open_dialogs(page):
    """Open each dialog of the page in turn, yielding while it is open."""
    for dialog in page.query_selector_all("dialog:not([open])"):
        dialog.evaluate("(dialog) => dialog.showModal()")
        yield
        dialog.evaluate("(dialog) => dialog.close()")


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("paths", [DEBUGGER, ANSWERS, INPUTS], ids=["debugger", "answers", "inputs"])
def test_nothing_grave_on_any_kind_of_page_nor_in_its_dialogs(browser_page, demo_home, paths):
    page, grave = browser_page, []
    for path in paths:
        page.goto(f"{demo_home}{path}", wait_until="load")
        grave += grave_findings(page)
        for _ in open_dialogs(page):
            grave += grave_findings(page)
    assert not grave, "\n".join(map(str, grave))
