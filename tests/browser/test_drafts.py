"""Drafts in a real Chromium: edited, undone and redone by name across a reload, shared and live, saved, discarded."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from tests.browser.axe import grave_findings
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.dashboard.clusters.conftest import node, pod, small
from tests.dashboard.clusters.drafts.draft_helpers import change, cpu_of, new_draft

HERE = "/w/team/clusters/prod/"


@pytest.fixture
def people(live_server_url, sign_in):
    """Asha, who is signed in, and Jonas, editors of "team" with the cluster "prod"."""
    cache.clear()
    asha = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(asha, "Team", "team")
    sign_in(asha)
    first = Member.objects.select_related("workspace", "user").get(user=asha)
    jonas = User.objects.create_user("jonas@example.org", "Jonas")
    second = Member.objects.create(workspace=first.workspace, user=jonas, role=Role.EDITOR)
    actions.create_cluster(first, NewCluster("prod"), small())
    return first, second


@pytest.fixture
def page(browser_page, live_server_url, people):
    """A page; `page.at(path)` opens a page of the cluster."""
    browser_page.at = lambda path="": browser_page.goto(f"{live_server_url}{HERE}{path}")
    return browser_page


def chosen(page, what, *names):
    """Choose these nodes in their table, and the action in the bar."""
    for name in names:
        page.get_by_label(f"Choose {name}", exact=True).check()
    page.locator(f"#bulk button[value={what}]").first.click()


@pytest.mark.long
@pytest.mark.parametrize(("width", "shown", "more"), [(1024, 2, 5), (1280, 4, 3), (1920, 6, 1)])
def test_changes_that_do_not_fit_in_the_bar_are_counted(page, people, width, shown, more):
    draft = new_draft(people[0], Cluster.objects.get(), name="Room for the evening of the production cluster")
    for number in range(5):
        change(people[0], draft, node(f"node-of-the-pool-{number}"))
    for number in range(3):
        change(people[0], draft, pod(f"checkout-recommendations-{number}"))
        name = f"of-the-checkout-{number}"
        of_pods = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        change(people[0], draft, {**of_pods, "value": number})
    page.set_viewport_size({"width": width, "height": 800})
    page.at(f"?draft={draft.pk}")
    expect(page.locator("#draftbar .chg:visible")).to_have_count(shown)
    expect(page.locator("#draftbar .draft-more:visible")).to_have_text(f"+{more} more")
    assert page.locator(".draft-chips").evaluate("one => one.scrollWidth <= one.clientWidth")


def boxes(page):
    """Where the panes of a draft's page are."""
    return {
        name: page.locator(name).bounding_box()
        for name in ("#draftbar", "#save-draft", "#draft-operations", "#changes > section >> nth=0")
    }


@pytest.mark.long
def test_edits_are_undone_and_redone_by_name_after_a_reload_too(page):
    page.at("nodes/")
    chosen(page, "cordon", "node-a", "node-b")
    page.wait_for_selector(".toast >> text=Cordon node-a and 1 more, in Draft 1")
    expect(page.locator("td .say.m-unres")).to_have_count(2)
    chosen(page, "delete", "node-b")
    expect(page.locator("#nodes tbody tr")).to_have_count(1)
    expect(page.locator("#draftbar [data-key='Mod+z']")).to_have_attribute("title", "Undo: Delete Node node-b")
    page.reload()
    page.keyboard.press("Control+z")
    page.wait_for_selector(".toast >> text=Undone: Delete Node node-b")
    expect(page.locator("#nodes tbody tr")).to_have_count(2)
    page.reload()
    page.keyboard.press("Control+z")
    page.wait_for_selector(".toast >> text=Undone: Cordon node-a and 1 more")
    expect(page.locator("td .say.m-unres")).to_have_count(0)
    page.reload()
    page.keyboard.press("Control+Shift+Z")
    page.wait_for_selector(".toast >> text=Done again: Cordon node-a and 1 more")
    expect(page.locator("td .say.m-unres")).to_have_count(2)
    assert grave_findings(page) == []
    assert len(Cluster.objects.get().revisions.all()) == 1


@pytest.mark.long
def test_what_others_do_appears_while_one_looks_and_nothing_that_one_has_moves_or_goes(page, people):
    asha, jonas = people
    draft = new_draft(asha, Cluster.objects.get(), jonas, name="More room")
    change(asha, draft, pod("job-1", cpu="4"), "Change Pod default/job-1")
    page.at(f"drafts/{draft.pk}/")
    page.evaluate("window.stillHere = true")
    page.locator("#changes .draft-lines summary").click()
    page.fill("#message", "half a sen")
    before = boxes(page)
    change(jonas, draft, node("node-c"), "Add Node node-c")
    expect(page.locator("#changes")).to_contain_text("Node node-c")
    expect(page.locator("#draftbar")).to_contain_text("Jonas: Add Node node-c")
    expect(page.locator("#draft-operations")).to_contain_text("Add Node node-c")
    expect(page.locator("#draft-save-what")).to_have_text(re.compile(r"2\s+objects\s+as\s+r2\s*$"))
    after = boxes(page)
    for name in ("#draftbar", "#save-draft", "#changes > section >> nth=0"):
        assert after[name] == pytest.approx(before[name], abs=1), name
    assert [after["#draft-operations"][side] for side in "xy"] == [before["#draft-operations"][side] for side in "xy"]
    assert page.evaluate("window.stillHere") is True
    expect(page.locator("#message")).to_have_value("half a sen")
    expect(page.locator("#message")).to_be_focused()
    expect(page.locator("#changes .draft-lines").first).to_have_attribute("open", "")
    page.keyboard.type("tence")
    page.keyboard.press("Control+s")
    page.wait_for_selector("text=Saved as revision 2")
    assert actions.newest_revision(Cluster.objects.get()).message == "half a sentence"


@pytest.mark.long
@pytest.mark.browser_complains("409")
def test_an_undo_of_what_somebody_changed_since_shows_both_versions_and_is_settled(page, people):
    asha, jonas = people
    draft = new_draft(asha, Cluster.objects.get(), jonas)
    change(asha, draft, pod("job-1", cpu="3"), "Give job-1 three")
    change(jonas, draft, pod("job-1", cpu="4"), "Give job-1 four")
    page.at(f"drafts/{draft.pk}/")
    page.keyboard.press("Control+z")
    page.wait_for_selector("text=Two versions of the same object")
    expect(page.locator("main")).to_contain_text("Jonas: Give job-1 four")
    expect(page.locator(".diff-2").first).to_contain_text('cpu: "4"')
    assert grave_findings(page) == []
    page.get_by_role("button", name="Undo mine over it").click()
    page.wait_for_url(f"**/drafts/{draft.pk}/")
    assert cpu_of(draft) == "500m"
    expect(page.locator("#draft-operations")).to_contain_text("Undo over later changes: Give job-1 three")


def test_a_draft_is_shared_saved_and_discarded(page, people):
    _, jonas = people
    page.at()
    page.get_by_role("button", name="New draft").first.click()
    page.wait_for_selector("#draftbar >> text=no changes yet")
    page.get_by_role("link", name="Nodes").first.click()
    chosen(page, "cordon", "node-a")
    page.wait_for_selector(".toast >> text=Cordon node-a")
    page.get_by_role("link", name="Review and save").click()
    page.get_by_role("checkbox", name="Jonas").check()
    page.fill("#draft-name", "Maintenance")
    page.get_by_role("button", name="Save name and people").click()
    expect(page.locator("#draftbar .draft-name")).to_have_text("Maintenance")
    draft = Draft.objects.get()
    assert list(draft.invited.all()) == [jonas.user]
    assert grave_findings(page) == []
    page.fill("#message", "node-a is serviced")
    page.get_by_role("button", name="Save as r2").click()
    page.wait_for_selector("text=Saved as revision 2")
    expect(page.locator("#changes")).to_contain_text("The draft changes nothing")
    expect(page.locator("#draft-save-button")).to_be_disabled()
    page.at("drafts/")
    expect(page.locator("#drafts")).to_contain_text("Maintenance")
    assert grave_findings(page) == []
    page.get_by_role("link", name="0", exact=True).click()
    page.get_by_role("button", name="Discard the draft").click()
    page.get_by_role("button", name="Discard", exact=True).click()
    page.wait_for_selector("text=Maintenance is discarded")
    assert not Draft.objects.exists()


@pytest.mark.long
def test_people_in_a_draft_see_which_object_each_has_open(people, chromium, live_server_url):
    asha, jonas = people
    draft = new_draft(asha, Cluster.objects.get(), jonas)
    team = Team(chromium, live_server_url, asha.workspace, PATIENCE_MS)
    path = f"{HERE}drafts/{draft.pk}/edit/"
    first, second = team.open(asha.user, path), team.open(jonas.user, f"{path}?node=node-a")
    for page in (first, second):
        page.wait_for_selector("html[data-map=ready][data-hand-ready]", state="attached")
    one = first.locator("#draftbar .draft-one")
    expect(one).to_have_accessible_name("Jonas Node node-a")
    expect(one).to_contain_text("node-a")
    expect(second.locator("#draftbar .draft-one")).to_have_accessible_name("Asha has no object open")
    second.fill("#wb-q", ":node")
    second.locator("#wb-tree a[title='Node node-b']").click()
    expect(one).to_have_accessible_name("Jonas Node node-b")
    first.fill("#wb-q", ":node")
    expect(first.locator("#wb-tree li:has(a[title='Node node-b']) .avatar")).to_have_accessible_name("Jonas")
    assert grave_findings(first) == []

    # A press goes to the same object, and following goes on doing so; the page is not loaded again.
    first.evaluate("window.stillHere = true")
    one.click()
    expect(first).to_have_url(re.compile("node=node-b"))
    first.locator("#people summary").click()
    first.locator("#people [data-follow]").click()
    expect(first.locator("#follow-bar")).to_contain_text("Following Jonas")
    second.locator("#wb-tree a[title='Node node-a']").click()
    expect(first).to_have_url(re.compile("node=node-a"))
    expect(first.locator("#follow-bar")).to_be_visible()
    first.locator("#wb-tree a[title='Node node-b']").click()
    expect(first.locator("#follow-bar")).to_have_count(0)
    assert first.evaluate("window.stillHere") is True

    # Whoever edits is told apart from whoever only looks by what the bar says they did.
    second.locator("[data-hand=cordon]").click()
    expect(first.locator("#draftbar")).to_contain_text("Jonas: Cordon node-a")
    expect(one).to_have_accessible_name("Jonas Node node-a")
    second.close()
    expect(one).to_have_count(0)
    team.leave()
    assert team.complaints == []
