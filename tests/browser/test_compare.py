"""Two runs beside each other in a browser: keys, the strip, the list, and the way back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from tests.browser.axe import grave_findings
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import node


@pytest.fixture
def other(run):
    """The scene with a node that takes what fits nowhere else, in the same workspace."""
    cluster = Cluster.objects.create(workspace=run.workspace, slug="larger", name="Larger")
    revision = object_store.save_revision(cluster, [*scene(), node("spare", "128")], Saving(None))
    started = actions.create_run(Member.objects.get(user=run.created_by), Launch(revision, schedule=run.schedule))
    while execution.work():
        pass
    return actions.find_run(run.workspace, started.number)


@pytest.fixture
def compared(browser_page, live_server_url, run, other):
    """The page of both."""
    browser_page.set_viewport_size({"width": 1280, "height": 800})
    browser_page.goto(f"{live_server_url}/w/team/compare/?a={run.number}&b={other.number}")
    expect(browser_page.locator("#cmp-pods")).to_contain_text("never-0")
    expect(browser_page.locator(".cmp-deltas")).to_be_visible()
    return browser_page


def head(page):
    """Which cycles both sides show."""
    return page.locator(".twin-head .strong").all_inner_texts()


@pytest.mark.long
def test_keys_walk_along_attempts_and_differences(compared):
    assert grave_findings(compared) == []
    first = head(compared)
    compared.keyboard.press("F10")
    expect(compared.locator(".twin-head .strong").first).not_to_have_text(first[0])
    compared.keyboard.press("1")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 1 of")
    compared.keyboard.press("n")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 2 of")
    compared.keyboard.press("Shift+N")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 1 of")
    assert head(compared) == first


@pytest.mark.long
def test_a_key_goes_by_the_page_that_is_shown_even_before_its_links_are_taken_up(compared):
    compared.keyboard.press("n")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 2 of")
    compared.evaluate(
        "() => document.addEventListener('htmx:afterSwap',"
        " () => document.querySelector('[data-key=\"n\"]').click(), { once: true })"
    )
    compared.keyboard.press("n")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 4 of")


@pytest.mark.long
def test_swapped_sides_show_the_same_from_the_other_side_and_back_leads_back(compared, run, other):
    expect(compared.locator("#cmp-pods")).to_contain_text("Newly placed in B")
    compared.keyboard.press("x")
    expect(compared).to_have_url(re.compile(f"a={other.number}&b={run.number}"))
    expect(compared.locator("#cmp-pods")).to_contain_text("Newly without a node in B")
    compared.go_back()
    expect(compared.locator("#cmp-pods")).to_contain_text("Newly placed in B")


@pytest.mark.long
def test_a_pod_of_the_list_leads_both_cursors_to_it_and_survives_a_reload(compared):
    compared.locator("#cmp-pods").get_by_role("link", name="never-0").click()
    expect(compared.locator(".twin-head").first).to_contain_text("never-0")
    expect(compared.locator(".twin-head").last).to_contain_text("spare")
    compared.reload()
    expect(compared.locator(".twin-head").last).to_contain_text("spare")
    expect(compared.locator("#cmp-pods tr[aria-selected]")).to_contain_text("never-0")


@pytest.mark.long
def test_a_click_in_the_strip_moves_both_there(compared):
    box = compared.locator("#cmp-svg").bounding_box()
    compared.mouse.click(box["x"] + 2, box["y"] + 12)
    expect(compared).to_have_url(re.compile("a_cycle=1$"))
    expect(compared.locator(".twin-head").first).to_contain_text("cycle 1")
    compared.mouse.click(box["x"] + 2, box["y"] + 55)
    expect(compared).to_have_url(re.compile("b_cycle=1$"))


@pytest.mark.long
def test_all_pods_and_a_part_of_a_name(compared):
    compared.keyboard.press("a")
    expect(compared.locator("#cmp-pods")).to_contain_text("The same")
    compared.keyboard.press("/")
    compared.keyboard.type("small")
    expect(compared.locator("#cmp-pods")).not_to_contain_text("never-0")
    expect(compared.locator("#cmp-q")).to_be_focused()
    expect(compared.locator("#cmp-q")).to_have_value("small")


@pytest.mark.long
def test_free_cursors_step_each_by_itself(compared):
    compared.keyboard.press("1")
    expect(compared.locator("#cmp-both")).to_contain_text("difference 1 of")
    compared.get_by_role("link", name="Free").click()
    expect(compared).to_have_url(re.compile("a_cycle=.*b_cycle="))
    before = head(compared)
    compared.get_by_role("link", name="B on", exact=True).or_(
        compared.get_by_role("link", name="B back", exact=True)
    ).first.click()
    compared.wait_for_function(
        "(before) => document.querySelectorAll('.twin-head .strong')[2]?.textContent !== before", arg=before[1]
    )
    assert head(compared)[0] == before[0]
