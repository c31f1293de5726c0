"""Without YAML: a dump imported, a zone of tainted nodes copied from a shape, a Deployment by form, saved and run.

Once with the mouse, once by keyboard alone.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import User
from scheduler_core.manifests import dump_yaml
from tests.browser.axe import grave_findings
from tests.dashboard.run_helpers import cluster_of

SPEC = '"spec","template","spec"'


def field(page, path):
    """Return the field of the form at a path."""
    return page.locator(f"[id='f-[{path}]']")


def write(page, path, text):
    """Write a field and wait until the form's YAML has it."""
    field(page, path).fill(text)
    field(page, path).press("Tab")
    expect(field(page, path)).to_have_attribute("data-was", text)


def add(page, path):
    """Press the button that adds a row to a list."""
    page.locator(f"[id='a-[{path}]']").click()
    expect(page.locator(f"[id^='f-[{path},0,']").first).to_be_visible()


@pytest.mark.long
def test_a_zone_and_a_deployment_by_hand_from_the_dump_to_the_run(browser_page, live_server_url, sign_in, worker):
    page = browser_page
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    page.goto(f"{live_server_url}/w/team/import/")
    page.locator("#text").fill(dump_yaml(cluster_of(4, 6)))
    page.get_by_role("button", name="Preview", exact=True).click()
    page.wait_for_url(re.compile(r"/import/\d+/$"))
    page.locator("#name").fill("prod")
    page.get_by_role("button", name="Import 10 objects").click()
    page.wait_for_url("**/clusters/prod/**")
    page.get_by_role("button", name="New draft").click()
    page.wait_for_selector("html[data-map=ready][data-hand-ready]", state="attached")

    page.fill("#wb-q", ":node")
    page.locator("#wb-tree .wb-leaf > a").first.click()
    page.get_by_role("button", name="Duplicate").click()
    copies = page.locator("#hand-duplicate")
    copies.get_by_label("Copies", exact=True).fill("20")
    copies.get_by_label("Names", exact=True).fill("new-##")
    copies.locator(".btn-primary").click()
    page.wait_for_selector(".toast >> text=20 times")
    page.fill("#wb-q", ":node /new-")
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(20)
    page.get_by_role("button", name="Select all").click()
    page.get_by_label("More for the selection", exact=True).first.click()
    page.get_by_role("menuitem", name="Zone").click()
    page.locator("#hand-zone input[name=place]").fill("zone-new")
    page.locator("#hand-zone .btn-primary").click()
    page.wait_for_selector(".toast >> text=to zone zone-new")
    page.get_by_role("button", name="Taint", exact=True).click()
    taint = page.locator("#hand-taint")
    taint.get_by_label("Key", exact=True).fill("dedicated")
    taint.locator(".btn-primary").click()
    page.wait_for_selector(".toast >> text=Taint dedicated:NoSchedule")

    page.keyboard.press("a")
    page.get_by_role("menuitem", name="Deployment").click()
    write(page, '"metadata","name"', "batch")
    write(page, '"spec","replicas"', "5")
    add(page, f'{SPEC},"tolerations"')
    write(page, f'{SPEC},"tolerations",0,"key"', "dedicated")
    field(page, f'{SPEC},"tolerations",0,"operator"').select_option("Exists")
    add(page, f'{SPEC},"topologySpreadConstraints"')
    write(page, f'{SPEC},"topologySpreadConstraints",0,"topologyKey"', "kubernetes.io/hostname")
    page.get_by_role("button", name="Add to the draft").click()
    expect(page).to_have_url(re.compile("kind=Deployment.*name=batch"))
    expect(page.locator("#object-form")).to_contain_text("Expands to 5 pods")
    assert grave_findings(page) == []
    page.locator(".cmap-strip [hx-get]", has_text="batch").click()
    page.locator("#map-unbound [data-map-pod*=batch]").first.click()
    expect(page.locator("#fit .fig")).to_have_text("Fits 24 of 24")

    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url("**/w/team/runs/new/**")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/w/team/runs/1/**")
    page.goto(f"{live_server_url}/w/team/runs/1/outcomes/?q=batch")
    expect(page.locator("#run-state")).to_contain_text("finished")
    expect(page.get_by_text("Bound: 5 pods")).to_be_visible()
    page.get_by_role("link", name="Debugger", exact=True).click()
    expect(page.locator("#clock")).to_be_visible()
    before = page.locator("#clock").inner_text()
    page.locator("#play").click()
    expect(page.locator("#clock")).not_to_have_text(before)


FOCUSED = "one => one === document.activeElement || one.contains(document.activeElement)"
MOST_STOPS = 300


def go_to(page, target):
    """Press Tab until the focus is on this control."""
    expect(target).to_be_visible()
    for _ in range(MOST_STOPS):
        if target.evaluate(FOCUSED):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {target}")


def press(page, target):
    """Go to a control and press it."""
    go_to(page, target)
    page.keyboard.press("Enter")


def type_into(page, path, text):
    """Go to a field of the form, type, and leave it; wait until the form's YAML has it."""
    go_to(page, field(page, path))
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Tab")
    expect(field(page, path)).to_have_attribute("data-was", text)


def filter_by(page, text, count):
    """Filter the tree by keys and wait for what it finds."""
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    expect(page.locator("#wb-tree .wb-leaf")).to_have_count(count)


@pytest.mark.long
def test_the_whole_way_by_keyboard_alone(browser_page, live_server_url, sign_in, worker):
    page = browser_page
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    page.goto(f"{live_server_url}/w/team/import/")
    go_to(page, page.locator("#text"))
    page.keyboard.insert_text(dump_yaml(cluster_of(4, 6)))
    press(page, page.get_by_role("button", name="Preview", exact=True))
    page.wait_for_url(re.compile(r"/import/\d+/$"))
    go_to(page, page.locator("#name"))
    page.keyboard.press("Control+a")
    page.keyboard.type("prod")
    press(page, page.get_by_role("button", name="Import 10 objects"))
    page.wait_for_url("**/clusters/prod/**")
    press(page, page.get_by_role("button", name="New draft"))
    page.wait_for_selector("html[data-map=ready][data-hand-ready]", state="attached")

    filter_by(page, ":node", 4)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hand-count]")).to_have_text("Node")
    page.keyboard.press("d")
    page.keyboard.type("20")
    page.keyboard.press("Tab")
    page.keyboard.type("new-##")
    page.keyboard.press("Enter")
    page.wait_for_selector(".toast >> text=20 times")
    filter_by(page, ":node /new-", 20)
    press(page, page.get_by_role("button", name="Select all"))
    expect(page.locator("[data-hand-count]")).to_have_text("20 selected")
    page.keyboard.press("z")
    page.keyboard.type("zone-new")
    page.keyboard.press("Enter")
    page.wait_for_selector(".toast >> text=to zone zone-new")
    page.keyboard.press("t")
    page.keyboard.type("dedicated")
    page.keyboard.press("Enter")
    page.wait_for_selector(".toast >> text=Taint dedicated:NoSchedule")

    page.keyboard.press("a")
    page.keyboard.press("ArrowDown")
    kind = page.get_by_role("menuitem", name="Deployment")
    while not kind.evaluate(FOCUSED):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field(page, '"metadata","name"')).to_be_focused()
    type_into(page, '"metadata","name"', "batch")
    type_into(page, '"spec","replicas"', "5")
    press(page, page.locator(f"[id='a-[{SPEC},\"tolerations\"]']"))
    expect(field(page, f'{SPEC},"tolerations",0,"key"')).to_be_focused()
    type_into(page, f'{SPEC},"tolerations",0,"key"', "dedicated")
    go_to(page, field(page, f'{SPEC},"tolerations",0,"operator"'))
    page.keyboard.type("Exists")
    page.keyboard.press("Tab")
    press(page, page.locator(f"[id='a-[{SPEC},\"topologySpreadConstraints\"]']"))
    spread = f'{SPEC},"topologySpreadConstraints",0,"topologyKey"'
    expect(field(page, spread)).to_be_visible()
    type_into(page, spread, "kubernetes.io/hostname")
    press(page, page.get_by_role("button", name="Add to the draft"))
    expect(page).to_have_url(re.compile("kind=Deployment.*name=batch"))
    expect(page.locator("#object-form")).to_contain_text("Expands to 5 pods")
    press(page, page.locator(".cmap-strip [hx-get]", has_text="batch"))
    press(page, page.locator("#map-unbound [data-map-pod*=batch]").first)
    expect(page.locator("#fit .fig")).to_have_text("Fits 24 of 24")

    press(page, page.get_by_role("button", name="Save and run"))
    page.wait_for_url("**/w/team/runs/new/**")
    press(page, page.get_by_role("button", name="Run", exact=True))
    page.wait_for_url("**/w/team/runs/1/**")
    press(page, page.get_by_role("link", name="Outcomes", exact=True))
    page.wait_for_url("**/runs/1/outcomes/**")
    expect(page.locator("#run-state")).to_contain_text("finished")
    press(page, page.get_by_role("link", name="Debugger", exact=True))
    expect(page.locator("#clock")).to_be_visible()
    before = page.locator("#clock").inner_text()
    press(page, page.locator("#play"))
    expect(page.locator("#clock")).not_to_have_text(before)
