"""The YAML editor of objects: completion, what fields mean, fixes, with mouse and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from tests.browser.axe import grave_findings
from tests.browser.yaml_text import put
from tests.dashboard.clusters.conftest import small
from tests.patience import until

NEW = "/w/team/clusters/prod/object/new/?kind=Deployment"
PLACE = """async ([text, row, column]) => {
  const { placeAt, objectAt } = await pageModule('clusters/yaml/place.js');
  const lines = text.split('\\n');
  const place = placeAt(lines, row, column);
  if (!place) return null;
  const { kind, path } = objectAt(lines, place);
  return [kind, path, place.side, [...place.keys.keys()]];
}"""
TEXT = """\
# kind: Comment
apiVersion: v1
kind: Pod
metadata:
  name: "a # b" # said
  labels: {a: b}
spec:
  containers:
  - name: main
    image: x

    command:
    - sh
  - name: other
    args: |
      key: text
  tolerations:
    - key: gpu
      operator:
---
kind: List
items:
- kind: Node
  spec:
    taints:
    - effect: No
"""


@pytest.fixture
def editor(browser_page, live_server_url, sign_in):
    """The editor with a new Deployment, the guide read."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    actions.create_cluster(
        Member.objects.select_related("workspace", "user").get(user=user), NewCluster("prod"), small()
    )
    with browser_page.expect_response("**/field-guide"):
        browser_page.goto(f"{live_server_url}{NEW}")
    browser_page.wait_for_selector(".ace_editor")
    browser_page.wait_for_selector("#findings .m-bound")
    return browser_page


def text_of(page):
    return page.evaluate("window.schedscopeEditor.getValue()")


POD_HEAD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n"


# (row, column, what is there: kind, path, key or value, and the neighbours in any order)
PLACES = [
    (0, 4, None),
    (2, 6, ["Pod", ["kind"], "value", ["apiVersion", "kind", "metadata", "spec"]]),
    (4, 12, ["Pod", ["metadata", "name"], "value", ["name", "labels"]]),
    (4, 18, None),
    (8, 6, ["Pod", ["spec", "containers", 0], "key", ["name", "image", "command"]]),
    (10, 4, ["Pod", ["spec", "containers", 0], "key", ["image", "name", "command"]]),
    (10, 2, ["Pod", ["spec"], "key", ["containers", "tolerations"]]),
    (12, 7, ["Pod", ["spec", "containers", 0, "command", 0], "key", []]),
    (13, 6, ["Pod", ["spec", "containers", 1], "key", ["name", "args"]]),
    (15, 8, None),
    (18, 15, ["Pod", ["spec", "tolerations", 0, "operator"], "value", ["operator", "key"]]),
    (25, 14, ["Node", ["spec", "taints", 0, "effect"], "value", ["effect"]]),
]


def test_a_place_is_known_by_path_kind_and_neighbours(editor):
    for row, column, place in PLACES:
        answer = editor.evaluate(PLACE, [TEXT, row, column])
        assert sorted_neighbours(answer) == sorted_neighbours(place), (row, column)


def sorted_neighbours(place):
    return place and [*place[:3], sorted(place[3])]


def test_fields_and_values_are_completed_by_keyboard(editor):
    lines = editor.locator(".ace-host .ace_text-layer")
    put(editor, POD_HEAD + "  toler|")
    editor.keyboard.press("Control+Space")
    expect(editor.locator(".ace_autocomplete")).to_contain_text("tolerations")
    editor.keyboard.press("Enter")
    expect(lines).to_contain_text(re.compile(r"tolerations:\s*- "))
    editor.keyboard.press("Control+Space")
    expect(editor.locator(".ace_autocomplete")).to_contain_text("operator")
    expect(editor.locator(".ace_doc-tooltip")).to_contain_text("The key of the taint")
    # What would fit is asked anew beside it, and its old answer is dim meanwhile.
    assert {rule for _, _, rule, _ in grave_findings(editor)} <= {"color-contrast"}
    editor.keyboard.press("ArrowDown")
    editor.keyboard.press("Enter")
    expect(lines).to_contain_text("- operator: ")
    editor.keyboard.press("Control+Space")
    expect(editor.locator(".ace_autocomplete")).to_contain_text("Exists")
    editor.keyboard.press("ArrowDown")
    editor.keyboard.press("Enter")
    expect(lines).to_contain_text("- operator: Exists")


def test_nothing_is_offered_inside_of_a_comment(editor):
    put(editor, POD_HEAD + "  # toler|")
    editor.keyboard.press("Control+Space")
    editor.keyboard.press("End")
    expect(editor.locator(".ace_autocomplete:visible")).to_have_count(0)
    expect(editor.locator(".yaml-says")).to_have_text("")


def test_the_line_below_says_what_the_field_at_the_cursor_means(editor):
    put(editor, POD_HEAD + "  nodeSele|ctor:\n    zone: a\n")
    expect(editor.locator(".yaml-says")).to_have_text(
        "nodeSelector Labels that a node must have, each with this value (plugin NodeAffinity)."
    )
    editor.locator(".ace_line", has_text="nodeSelector").hover(position={"x": 40, "y": 8}, force=True)
    expect(editor.locator(".ace_tooltip .yaml-tip")).to_contain_text("Pod spec.nodeSelector")


def test_all_slips_are_named_at_once_and_fixed_by_click_and_by_key(editor):
    put(
        editor,
        POD_HEAD + "  containers:\n  - {name: main, image: x}\n  tolerations:\n"
        "  - key: gpu\n    operator: Exist\n    efect: NoSchedule\n  prioty: 5\n|",
    )
    findings = editor.locator("[data-finding]")
    expect(findings).to_have_count(3)
    expect(editor.locator(".yaml-wrong")).to_have_count(1)
    expect(editor.locator(".yaml-doubt")).to_have_count(2)
    findings.filter(has_text="Exist").get_by_role("button", name="Write Exists").click()
    expect(findings).to_have_count(2)
    editor.evaluate("window.schedscopeEditor.moveCursorTo(9, 2)")
    editor.evaluate("window.schedscopeEditor.focus()")
    row = editor.evaluate("window.schedscopeEditor.getValue().split('\\n').findIndex((l) => l.includes('efect'))")
    editor.evaluate("(row) => window.schedscopeEditor.moveCursorTo(row, 2)", row)
    editor.keyboard.press("Alt+Enter")
    expect(findings).to_have_count(1)
    assert "    effect: NoSchedule\n" in text_of(editor)
    assert "    operator: Exists\n" in text_of(editor)
    editor.keyboard.press("Control+z")
    expect(findings).to_have_count(2)


@pytest.fixture
def texts(browser_page, live_server_url, sign_in):
    """A function that opens the editor of a new timeline or configuration, the guide read."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)

    def opened(sort):
        with browser_page.expect_response("**/field-guide"):
            browser_page.goto(f"{live_server_url}/w/team/{sort}/new/")
        browser_page.wait_for_selector(".ace_editor")
        return browser_page

    return opened


SAID = """async ([text, row, column]) => {
  const { meaningAt } = await pageModule('clusters/yaml/saying.js');
  return meaningAt(text.split('\\n'), row, column)?.title ?? null;
}"""
ENTRIES = """\
entries:
- at: 10s
  action: add
  object:
    apiVersion: v1
    kind: Pod
    metadata:
      name: web-1
    spec:
      tolerations:
      - key: gpu
- at: 20s
  object: {kind: Node}
"""
PROFILES = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: a
  plugins:
    score:
      enabled:
      - name: NodeResourcesFit
  pluginConfig:
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 5
  - args:
      scoringStrategy:
        type: MostAllocated
    name: NodeResourcesFit
"""


TITLES = {
    "timelines": {
        (ENTRIES, 1, 4): "entries[0].at",
        (ENTRIES, 3, 4): "entries[0].object",
        (ENTRIES, 7, 8): "Pod metadata.name",
        (ENTRIES, 10, 9): "Pod spec.tolerations[0].key",
        (ENTRIES, 12, 4): "entries[1].object",
    },
    "configurations": {
        (PROFILES, 3, 4): "profiles[0].schedulerName",
        (PROFILES, 7, 10): "profiles[0].plugins.score.enabled[0].name",
        (PROFILES, 11, 8): "profiles[0].pluginConfig[0].args.hardPodAffinityWeight",
        (PROFILES, 14, 9): "profiles[0].pluginConfig[1].args.scoringStrategy.type",
    },
}


@pytest.mark.parametrize("sort", TITLES)
def test_fields_of_timelines_and_configurations_have_meanings(texts, sort):
    page = texts(sort)
    for place, title in TITLES[sort].items():
        # The guides of a text and of the objects in it are loaded one after the other.
        until(lambda place=place, title=title: page.evaluate(SAID, list(place)) == title)


def test_a_timeline_is_completed_down_into_its_objects(texts):
    page = texts("timelines")
    lines = page.locator(".ace-host .ace_text-layer")
    put(page, "entries:\n- at: 0s\n  act|")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("action")
    page.keyboard.press("Enter")
    expect(lines).to_contain_text("action: ")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("delete")
    page.keyboard.press("Escape")
    put(page, "entries:\n- at: 0s\n  object:\n    kind: Pod\n    spec:\n      toler|")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("tolerations")
    page.keyboard.press("Enter")
    expect(lines).to_contain_text(re.compile(r"tolerations:\s*- "))
    put(page, "entries:\n- at: 0s\n  object:\n    k|")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("kind")


def test_a_configuration_is_completed_by_plugin(texts):
    page = texts("configurations")
    put(page, "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      |")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("scoringStrategy")
    page.keyboard.press("Escape")
    put(page, "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: Node|")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_contain_text("NodeAffinity")
