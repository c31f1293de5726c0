"""The table of a configuration in a real Chromium: in step with the YAML, by mouse and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import User
from dashboard.documents.models import ConfigRevision
from tests.browser.axe import grave_findings

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(browser_page, live_server_url, sign_in):
    user = User.objects.create_user("asha@example.org", "Asha")
    create_workspace(user, "Team", "team")
    sign_in(user)
    browser_page.goto(f"{live_server_url}/w/team/configurations/new/?start=two-profiles")
    browser_page.wait_for_selector(".ace_editor")
    return browser_page


def text_of(page):
    return page.evaluate("window.schedscopeEditor.getValue()")


def cell(page, plugin, point):
    return page.locator(f'tr[data-plugin="{plugin}"] td[data-point="{point}"]').locator("button, input")


@pytest.mark.long
def test_table_and_yaml_are_edited_in_step_and_undone_together(page):
    before = text_of(page)
    ports = cell(page, "NodePorts", "filter")
    ports.click()
    expect(ports).to_have_attribute("aria-pressed", "false")
    assert "- name: NodePorts" in text_of(page)
    expect(page.locator("#config-differences")).to_contain_text("NodePorts")

    page.get_by_role("button", name="Undo").click()
    expect(ports).to_have_attribute("aria-pressed", "true")
    assert text_of(page) == before
    page.get_by_role("button", name="Redo").click()
    expect(ports).to_have_attribute("aria-pressed", "false")

    page.evaluate(
        "text => window.schedscopeEditor.setValue(text, -1)", before.replace("MostAllocated", "LeastAllocated")
    )
    expect(ports).to_have_attribute("aria-pressed", "true")
    page.evaluate("window.schedscopeEditor.setValue(window.schedscopeEditor.getValue() + 'profile: []', -1)")
    expect(page.locator("#findings")).to_contain_text("is no known field")
    expect(page.locator("main")).to_have_class("cfg-page view-both is-invalid")
    expect(page.locator(".btn-primary[value=save]")).to_be_disabled()
    ports.click()
    expect(page.get_by_text("The YAML has errors. Correct them first")).to_be_visible()
    assert text_of(page).endswith("profile: []")


@pytest.mark.long
def test_the_whole_by_keys(page, live_server_url):
    """Cells by arrows, a weight by digits, the order by Alt, the name and Ctrl S; the reloaded page shows the same."""
    page.locator('#config-table td [tabindex="0"]').focus()
    cell(page, "NodeResourcesFit", "preScore").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    weight = cell(page, "NodeResourcesFit", "score")
    expect(weight).to_be_focused()
    expect(weight).to_have_js_property("defaultValue", "5")
    page.keyboard.press("ArrowDown")
    expect(cell(page, "VolumeBinding", "score")).to_be_focused()
    page.keyboard.press("Space")
    expect(cell(page, "VolumeBinding", "score")).to_have_js_property("defaultValue", "")

    page.locator('thead a[href*="point=filter"]').click()
    order = page.locator(".cfg-order li")
    expect(order.first).to_contain_text("NodeUnschedulable")
    cell(page, "NodeName", "filter").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(order.first).to_contain_text("NodeName")
    expect(cell(page, "NodeName", "filter")).to_be_focused()

    page.fill("#name", "by keys")
    page.keyboard.press("Control+s")
    page.wait_for_selector("text=Saved as revision 1")
    saved = ConfigRevision.objects.get().text
    page.goto(f"{live_server_url}/w/team/configurations/by-keys/?point=filter")
    expect(page.locator(".cfg-order li").first).to_contain_text("NodeName")
    expect(cell(page, "NodeResourcesFit", "score")).to_have_value("5")
    assert "weight: 5" in saved
    assert grave_findings(page) == []


@pytest.mark.long
def test_arguments_have_forms_and_a_refused_value_changes_nothing(page):
    page.locator('tr[data-plugin="NodeResourcesFit"] th a').click()
    page.get_by_role("radio", name="Ratio").click()
    shape = page.locator('[data-config-rows$="shape"]')
    expect(shape.locator("tbody tr")).to_have_count(3)
    assert "requestedToCapacityRatio:" in text_of(page)
    resources = page.locator('[data-config-rows$="resources"]')
    new = resources.locator("tbody tr").last.locator("input")
    new.first.fill("nvidia.com/gpu")
    new.first.press("Enter")
    expect(resources.locator("tbody tr")).to_have_count(4)
    assert "- name: nvidia.com/gpu" in text_of(page)

    page.locator('tr[data-plugin="InterPodAffinity"] th a').click()
    weight = page.locator('[data-config-path="hardPodAffinityWeight"]')
    before = text_of(page)
    weight.fill("101")
    weight.press("Enter")
    expect(page.get_by_text("Not changed:")).to_be_visible()
    expect(weight).to_have_value("1")
    assert text_of(page) == before
    page.reload()
    page.wait_for_selector(".ace_editor")
    expect(weight).to_be_visible()


@pytest.mark.long
def test_a_profile_is_added_renamed_and_removed(page):
    page.get_by_role("button", name="Profile").click()
    page.locator("#config-add input").fill("nightly")
    page.keyboard.press("Enter")
    tabs = page.locator("#config-tabs a.tab")
    expect(tabs).to_have_text(["default-scheduler", "batch-scheduler2", "nightly", "Settings"], use_inner_text=False)
    tabs.nth(2).click()
    name = page.locator('[data-config-as="name"]')
    expect(name).to_have_value("nightly")
    name.fill("weekly")
    name.press("Enter")
    expect(tabs.nth(2)).to_contain_text("weekly")
    page.get_by_role("button", name="Remove").click()
    expect(tabs).to_have_count(3)
    assert "weekly" not in text_of(page)
    tabs.last.click()
    seconds = page.locator("[data-config-number*=podMaxBackoffSeconds]")
    expect(seconds).to_have_value("10")
    seconds.fill("60")
    seconds.press("Enter")
    expect(tabs.last).to_contain_text("1")
    assert "podMaxBackoffSeconds: 60" in text_of(page)


def test_parts_of_the_page_are_chosen_and_stay_after_a_reload(page):
    page.get_by_role("link", name="YAML", exact=True).click()
    expect(page.locator("#config-table")).to_be_hidden()
    page.reload()
    page.wait_for_selector(".ace_editor")
    expect(page.locator("#config-table")).to_be_hidden()
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.locator("#config-table")).to_be_visible()
    expect(page.locator(".ace_editor")).to_be_hidden()


@pytest.mark.long
def test_on_a_narrow_screen_the_parts_stand_below_each_other(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    page.locator("button[data-key='Mod+s']").click(trial=True)
    page.locator('tr[data-plugin="DefaultBinder"] th').click(trial=True)
    page.get_by_role("tab", name="Differences").click(trial=True)
    page.locator(".ace_content").click(trial=True)
