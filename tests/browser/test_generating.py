"""Generating a cluster: form, YAML and preview stay in step while somebody types, and the result is a cluster."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import User
from tests.browser.axe import grave_findings

SHOWN = re.compile("shown")
FIND = "words => window.ace.edit(document.querySelector('.gen-yaml .ace-host')).find(words)"


@pytest.fixture
def signed_in(live_server_url, sign_in) -> None:
    """Asha, admin of "team", is signed in."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)


def opened(page: Page, live_server_url: str, recipe: str = "web") -> None:
    """Open the page and wait until its script listens."""
    page.goto(f"{live_server_url}/w/team/generate/?recipe={recipe}")
    expect(page.locator("html")).to_have_attribute("data-gen-ready", "")


def test_form_yaml_and_preview_stay_in_step_and_make_a_cluster(
    browser_page: Page, live_server_url: str, signed_in
) -> None:
    page = browser_page
    opened(page, live_server_url)
    stage = page.locator("#gen-stage")
    nodes = page.locator('[name="pools.0.nodes"]')
    nodes.fill("30")
    expect(page.get_by_text("34 nodes, 186 pods in")).to_be_visible()
    expect(nodes).to_be_focused()
    page.locator("#gen-yaml > summary").click()
    text, editor = page.locator("[data-gen-text]"), page.locator(".gen-yaml .ace_text-input")
    expect(text).to_have_value(re.compile("nodes: 30"))
    expect(stage).to_have_attribute("data-gen-state", SHOWN)
    editor.focus()
    page.evaluate(FIND, "name: batch")
    page.keyboard.type("name: night")
    expect(page.locator('[name="pools.1.name"]')).to_have_value("night")
    expect(editor).to_be_focused()
    expect(stage).to_have_attribute("data-gen-state", SHOWN)
    # One step or several, as quickly as it was typed; the step before them is what the form changed.
    while "name: batch" not in text.input_value():
        page.keyboard.press("Control+z")
    expect(page.locator('[name="pools.1.name"]')).to_have_value("batch")
    expect(nodes).to_have_value("30")
    page.get_by_role("button", name="Poisson").click()
    expect(page.get_by_role("button", name="Poisson")).to_have_attribute("aria-pressed", "true")
    expect(text).to_have_value(re.compile("process: poisson"))
    expect(stage).to_have_attribute("data-gen-state", SHOWN)
    page.evaluate(FIND, "process: poisson")
    expect(page.locator(".gen-yaml .ace_content")).to_contain_text("process: poisson")
    page.get_by_label("Name of the new cluster").fill("synthetic")
    page.get_by_role("button", name="Generate").click()
    page.wait_for_url(re.compile("/w/team/clusters/synthetic/$"))
    expect(page.get_by_text("34 nodes, 186 pods, seed 1")).to_be_visible()


@pytest.mark.long
def test_fields_and_values_of_a_description_are_offered_and_explained(
    browser_page: Page, live_server_url: str, signed_in
) -> None:
    page = browser_page
    opened(page, live_server_url)
    page.locator("#gen-yaml > summary").click()
    page.locator(".gen-yaml .ace_text-input").focus()
    page.evaluate(FIND, "shape:")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".gen-yaml .yaml-says")).to_contain_text("A ready shape, instead of resources.")
    # The answer that arrives meanwhile leaves the list of completions open.
    with page.expect_response(re.compile("/generate/$")):
        page.keyboard.press("Control+Home")
        page.keyboard.type("\n")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Control+Space")
        expect(page.locator(".ace_autocomplete")).to_contain_text("namespace")
    # The policy lets Ace add no styles of its own: the page links them.
    expect(page.locator(".ace_autocomplete")).to_have_css("position", "fixed")
    page.keyboard.type("na")
    page.keyboard.press("Enter")
    page.keyboard.type("shop")
    expect(page.locator("[data-gen-text]")).to_have_value(re.compile("^namespace: shop\n"))
    expect(page.locator("#gen-stage")).to_have_attribute("data-gen-state", SHOWN)
    expect(page.locator(".gen-yaml .yaml-says")).to_contain_text("namespace The namespace of workloads that name none.")
    assert grave_findings(page) == []


@pytest.mark.long
def test_errors_name_their_line_and_a_warning_is_mended_by_a_click(
    browser_page: Page, live_server_url: str, signed_in
) -> None:
    page = browser_page
    opened(page, live_server_url, "perf")
    page.locator('[name="pools.0.nodes"]').fill("30")
    mend = page.get_by_role("button", name=re.compile(r"Add \d+ nodes to node"))
    expect(mend).to_be_visible()
    mend.click()
    expect(page.get_by_text("no warnings")).to_be_visible()
    zones = page.locator('[name="pools.0.zones"]')
    zones.fill("lots")
    expect(page.locator(".gen-findings")).to_contain_text("Line ")
    expect(page.locator(".gen-row .bad")).to_contain_text('zones: "lots" is no whole number')
    expect(zones).to_have_attribute("aria-invalid", "true")
    expect(zones).to_have_accessible_description(re.compile("is no whole number"))
    expect(zones).to_be_focused()
    assert grave_findings(page) == []
    page.locator('[name="pools.0.shape"]').select_option("own")
    own = page.get_by_role("group", name="Resources").get_by_label("cpu", exact=True)
    own.fill("some")
    expect(own).to_have_attribute("aria-invalid", "true")
    assert grave_findings(page) == []
    own.fill("4")
    zones.fill("2")
    expect(zones).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".gen-row .bad")).to_have_count(0)


@pytest.mark.long
def test_own_sizes_labels_and_tolerations_are_rows_in_step_with_the_yaml(
    browser_page: Page, live_server_url: str, signed_in
) -> None:
    page = browser_page
    opened(page, live_server_url)
    stage, text = page.locator("#gen-stage"), page.locator("[data-gen-text]")
    sizes = page.get_by_role("group", name="Requests").last
    sizes.get_by_label("How cpu is chosen").select_option("one of several")
    weights = page.get_by_role("group", name="Amounts and their weights")
    added = weights.get_by_label("Add to Amounts and their weights")
    added.fill("8=20")
    # Enter sends the entry; it does not make the cluster.
    added.press("Enter")
    expect(weights.get_by_label("8", exact=True)).to_have_value("20")
    expect(added).to_be_focused()
    expect(text).to_have_value(re.compile(r'choices: \{"2": 1, "8": 20\}'))
    page.locator("#more-workloads-2 > summary").click()
    tolerations = page.locator("#more-workloads-2").get_by_role("group", name="Tolerations")
    tolerations.get_by_role("button", name="Add a toleration").click()
    key = tolerations.get_by_label("Key").nth(1)
    expect(key).to_be_focused()
    expect(tolerations.get_by_text("without a key the operator must be Exists")).to_be_visible()
    assert grave_findings(page) == []
    page.keyboard.type("gpu")
    expect(text).to_have_value(re.compile("key: gpu"))
    expect(page.get_by_text("tolerates dedicated, gpu")).to_be_visible()
    expect(stage).to_have_attribute("data-gen-state", SHOWN)
    tolerations.get_by_role("button", name="Remove toleration 2 of Tolerations").click()
    expect(key).to_have_count(0)
    expect(page.locator("#more-workloads-2 > summary")).to_be_focused()
    expect(page).to_have_url(re.compile("/generate/"))


@pytest.mark.long
def test_a_list_of_times_begins_without_an_error(browser_page: Page, live_server_url: str, signed_in) -> None:
    page = browser_page
    opened(page, live_server_url)
    page.get_by_role("button", name="List of times").click()
    expect(page.get_by_label("Times")).to_have_value(re.compile(r"^\[\{at: 0s, pods: 31\}"))
    expect(page.get_by_text("16 nodes, 186 pods in")).to_be_visible()
    page.get_by_label("Times").fill("[soon]")
    expect(page.get_by_label("Times")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".gen-arrivals .bad").first).to_contain_text("is no time")


@pytest.mark.long
def test_the_page_never_scrolls_however_long_the_form_is(browser_page: Page, live_server_url: str, signed_in) -> None:
    page = browser_page
    page.set_viewport_size({"width": 1024, "height": 700})
    opened(page, live_server_url)
    for row in ("workloads-0", "workloads-1", "workloads-2"):
        page.locator(f"#more-{row} > summary").click()
    page.locator("#gen-shapes > summary").click()
    expect(page.get_by_role("button", name="openb-g2-8-96 as a pool")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.locator(".gen-ready").evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")


@pytest.mark.long
def test_an_empty_description_says_what_is_missing(browser_page: Page, live_server_url: str, signed_in) -> None:
    page = browser_page
    opened(page, live_server_url, "perf")
    page.locator("#gen-yaml > summary").click()
    page.locator(".gen-yaml .ace_text-input").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.get_by_text("No pods yet.")).to_be_visible()
    assert grave_findings(page) == []


BENCHMARK = """\
- name: Basic
  workloadTemplate: [{opcode: createNodes, countParam: $nodes}, {opcode: createPods, count: 2}]
  workloads: [{name: small, params: {nodes: 3}}, {name: large, params: {nodes: 9}}]
"""


@pytest.mark.long
def test_a_test_case_of_the_benchmark_becomes_a_cluster(
    browser_page: Page, live_server_url: str, signed_in, tmp_path
) -> None:
    page = browser_page
    page.goto(f"{live_server_url}/w/team/generate/")
    page.get_by_role("link", name="a test case of scheduler_perf").click()
    wrong, file = tmp_path / "wrong.yaml", tmp_path / "performance-config.yaml"
    wrong.write_text(BENCHMARK.replace("count: 2", "count: x"))
    page.get_by_label("Files").set_input_files(wrong)
    expect(page.locator("#cases")).to_contain_text("Line 2")
    file.write_text(BENCHMARK)
    page.get_by_label("Files").set_input_files(file)
    page.get_by_label("large").check()
    assert not grave_findings(page)
    page.get_by_role("button", name="Make").click()
    expect(page).to_have_url(re.compile("/clusters/basic-large/$"))
    expect(page.get_by_text("10 objects, and 2 entries")).to_be_visible()
