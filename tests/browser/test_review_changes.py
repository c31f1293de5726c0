"""Comments beside the changes of a draft and of two revisions: by key and by mouse, with a number at the field."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member, User
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.review.models import Review, Thread
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.slow


@pytest.fixture
def draft(run):
    """Asha's draft of the run's cluster, in which a node has more cpu."""
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    cluster = Cluster.objects.get(workspace=run.workspace)
    draft = new_draft(member, cluster, "Larger", newest_revision(cluster))
    key = Key("Node", "", "full-a")
    edits = [Edit(key, node("full-a", "32"), one.address) for key, one in OpenedDraft(draft).objects([key]).items()]
    put_in(member.user, draft, "Grow", edits)
    draft.refresh_from_db()
    return draft


@pytest.fixture
def team(chromium, live_server_url, run):
    """The people of the run's workspace."""
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


@pytest.mark.long
def test_a_field_of_a_draft_is_commented_by_key_and_of_its_revision_by_mouse(team, run, draft):
    place = f"/w/team/clusters/{draft.cluster.slug}"
    asha = team.open(User.objects.get(email="asha@example.org"), f"{place}/drafts/{draft.pk}/")
    expect(asha.locator("#change-thread-list")).to_contain_text("Nobody has commented on this change yet")
    row = asha.locator("tr[data-field='status.allocatable.cpu']")
    row.locator("a[data-field-pin]").focus()
    asha.keyboard.press("c")
    expect(asha.locator("#change-text")).to_be_focused()
    expect(asha.locator("[data-change-form] [data-pinned]")).to_have_text("status.allocatable.cpu")
    asha.keyboard.type("Is *that* much there?")
    asha.keyboard.press("Control+Enter")
    expect(asha.locator("#change-thread-list .said em")).to_have_text("that")
    expect(row.locator(".rv-anchor")).to_have_text("1")
    expect(asha.locator("#change-text")).to_have_value("")
    assert Thread.objects.get().field == "status.allocatable.cpu"
    assert not Review.objects.get().is_asked

    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    revision = save(member, draft, "Grown")
    address = f"{place}/diff/?from={revision.number - 1}&to={revision.number}"
    ben = team.open(team.join("Ben Okoro"), address)
    ravi = team.open(team.join("Ravi Shah"), address)
    for page in (ben, ravi):
        expect(page.locator("#change-thread-list")).to_contain_text("Nobody has commented")
        page.wait_for_selector("html[data-feed=live]")
    head = ben.locator(".diff-head").first
    head.hover()
    head.locator("a[data-field-pin]").click()
    ben.locator("#change-text").fill("The whole node?")
    ben.locator("[data-change-form]").get_by_role("button", name="Comment").click()
    # Nobody loads a page again.
    for page in (ben, ravi):
        expect(page.locator("#change-thread-list .said")).to_have_text("The whole node?")
        expect(page.locator(".diff-head .rv-anchor")).to_have_text("1")
    ravi.locator("#change-thread-list [data-show-field]").click()
    expect(ravi.locator(".diff-head .rv-anchor")).to_be_focused()


@pytest.mark.long
def test_drafts_beside_a_change_are_private_and_submitted_in_its_review(team, run, draft):
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    revision = save(member, draft, "Grown")
    address = f"/w/team/clusters/{draft.cluster.slug}/diff/?from={revision.number - 1}&to={revision.number}"
    ben, ravi = (team.open(team.join(name), address) for name in ("Ben Okoro", "Ravi Shah"))
    expect(ben.locator("#change-thread-list")).to_contain_text("Nobody has commented")
    row = ben.locator("tr[data-field='status.allocatable.cpu']")
    row.locator("a[data-field-pin]").focus()
    ben.keyboard.press("c")
    expect(ben.locator("#change-text")).to_be_focused()
    ben.keyboard.type("Too much?")
    ben.locator("[data-change-form]").get_by_role("button", name="Keep as draft").click()
    expect(ben.locator("#change-thread-list .rv-draft-text")).to_have_text("Too much?")
    expect(ben.locator("#change-text")).to_have_value("")
    ben.locator("#change-thread-list").get_by_role("link", name="Submit them in review 1").click()
    expect(ben.locator("#review-threads .rv-draft-text")).to_have_text("Too much?")
    expect(ravi.locator("#change-thread-list")).to_contain_text("Nobody has commented")
    ben.locator("#review-verdict").get_by_role("button", name="Submit").click()
    expect(ben.locator("#review-threads article.thread .said")).to_have_text("Too much?")
    expect(ravi.locator("#change-thread-list .said")).to_have_text("Too much?")
    expect(ravi.locator("tr[data-field='status.allocatable.cpu'] .rv-anchor")).to_have_text("1")
