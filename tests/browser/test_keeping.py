"""What was changed in a branch, kept in a browser: as a draft with its change in it, and as a timeline by a name."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.clusters.models import Draft
from dashboard.documents.models import Timeline
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle
from tests.browser.axe import grave_findings

CORDON = {
    "action": "patch",
    "object": {"kind": "Node", "metadata": {"name": "full-a"}, "spec": {"unschedulable": True}},
}
WIDTH = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture
def branched(run):
    """A finished branch in which a node was cordoned before a pod was refused."""
    refused = Cycle.objects.filter(run=run, pod="default/never-0").order_by("number").first()
    owner = Member.objects.select_related("workspace", "user").get(workspace=run.workspace)
    made = branch_run(owner, run, Branching(refused.first_seq, (CORDON,), name="cordoned"))
    while execution.work():
        pass
    return find_run(made.workspace, made.number)


@pytest.fixture
def tab(browser_page, live_server_url, branched):
    """The page of the branch where it begins."""
    browser_page.set_viewport_size({"width": 1280, "height": 800})
    browser_page.goto(f"{live_server_url}/w/team/runs/{branched.number}/?seq={branched.branch.begins + 1}")
    browser_page.wait_for_selector("html[data-debugger=ready]")
    return browser_page


def test_from_the_branch_to_its_change_in_a_draft_and_back(tab, branched):
    tab.get_by_role("link", name="Keep", exact=True).click()
    tab.wait_for_selector("#keep")
    expect(tab.get_by_text("spec.unschedulable")).to_be_visible()
    assert grave_findings(tab) == []
    assert tab.evaluate(WIDTH)
    tab.get_by_role("button", name="Keep as a draft").click()
    tab.wait_for_selector("#draft-operations")
    draft = Draft.objects.get()
    assert tab.url.endswith(reverse("clusters:draft", args=["team", draft.cluster.slug, draft.pk]))
    row = tab.get_by_role("row", name=re.compile("spec.unschedulable"))
    expect(row).to_contain_text("not set")
    expect(row).to_contain_text("true")
    expect(tab.locator("#draft-operations")).to_contain_text(f"Kept from run {branched.number}: cordoned")
    assert grave_findings(tab) == []
    tab.get_by_role("link", name="cordoned", exact=True).click()
    tab.wait_for_selector(".lineage")
    assert f"/runs/{branched.number}/" in tab.url


@pytest.mark.long
def test_undo_of_the_message_takes_the_change_out_of_the_draft(tab):
    tab.get_by_role("link", name="Keep", exact=True).click()
    tab.get_by_role("button", name="Keep as a draft").click()
    tab.wait_for_selector("#draft-operations")
    tab.locator(".toast").get_by_role("button", name="Undo").click()
    expect(tab.get_by_text("The draft changes nothing")).to_be_visible()


@pytest.mark.long
@pytest.mark.browser_complains("409")
def test_a_name_that_is_taken_stays_in_its_field(tab, run):
    Timeline.objects.create(workspace=run.workspace, name="Cordon", slug="cordon")
    tab.get_by_role("link", name="Keep", exact=True).click()
    name = tab.get_by_label("Name of a new timeline")
    name.fill("Cordon")
    name.press("Enter")
    expect(tab.get_by_role("alert")).to_contain_text('"Cordon" exists already')
    expect(name).to_have_value("Cordon")
    name.fill("Cordon at 3")
    name.press("Enter")
    tab.wait_for_function("() => location.pathname.includes('/timelines/')")
    assert Timeline.objects.filter(name="Cordon at 3", revisions__number=1).exists()
