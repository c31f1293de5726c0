"""The form of an object in a real Chromium: by keyboard alone, in step with its YAML, in both themes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from tests.browser.axe import grave_findings
from tests.browser.held import HeldRequests
from tests.dashboard.clusters.conftest import pod, small
from tests.dashboard.clusters.drafts.draft_helpers import JOB, change, cpu_of, manifest_of, new_draft

CPU = '["spec","containers",0,"resources","requests","cpu"]'
MEMORY = CPU.replace("cpu", "memory")
BOTH = re.compile('cpu: "4"\n *memory: 1Gi')
TOLERATIONS = '["spec","tolerations"]'


@pytest.fixture
def form(browser_page, live_server_url, sign_in):
    """The page of the form of job-1; `form.draft` is the draft."""
    cache.clear()
    asha = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(asha, "Team", "team")
    sign_in(asha)
    member = Member.objects.select_related("workspace", "user").get(user=asha)
    actions.create_cluster(member, NewCluster("prod"), small())

    class Person:
        user = asha

    browser_page.draft = new_draft(Person, Cluster.objects.get(slug="prod"))
    browser_page.goto(
        f"{live_server_url}/w/team/clusters/prod/drafts/{browser_page.draft.pk}/form/?kind=Pod&ns=default&name=job-1"
    )
    expect(browser_page.locator("html[data-forms-ready]")).to_be_attached()
    return browser_page


def written(page, state="written"):
    """Wait until the answer to the last edit is shown."""
    expect(page.locator("#object-form")).to_have_attribute("data-state", state)


def test_a_field_is_written_by_enter_and_the_yaml_follows(form):
    form.locator(f"[id='f-{CPU}']").fill("4")
    form.keyboard.press("Enter")
    expect(form.locator("#form-text")).to_have_value(re.compile('cpu: "4"'))
    written(form)
    expect(form.locator(f"[id='f-{CPU}']")).to_be_focused()
    assert cpu_of(form.draft) == "4"


def test_a_toleration_is_added_by_keyboard_alone(form):
    form.locator(f"[id='a-{TOLERATIONS}']").focus()
    form.keyboard.press("Enter")
    expect(form.get_by_label("Key", exact=True)).to_be_focused()
    written(form, "errors")
    form.keyboard.type("dedicated")
    form.keyboard.press("Tab")
    expect(form.locator("#form-text")).to_have_value(re.compile("key: dedicated"))
    written(form)
    rows = manifest_of(form.draft, JOB)["spec"]["tolerations"]
    assert rows == [{"key": "dedicated", "operator": "Equal", "effect": "NoSchedule"}]
    operator = TOLERATIONS.replace("]", ',0,"operator"]')
    expect(form.locator(f"[id='f-{operator}']")).to_be_focused()


def test_the_form_follows_the_yaml(form):
    text = form.locator("#form-text")
    text.fill(f"# why\n{text.input_value().replace('cpu: 500m', 'cpu: 750m')}")
    text.blur()
    expect(form.locator(f"[id='f-{CPU}']")).to_have_value("750m")
    written(form)
    form.locator(f"[id='f-{CPU}']").fill("1")
    form.keyboard.press("Tab")
    expect(text).to_have_value(re.compile('^# why\n(.|\n)*cpu: "1"'))


@pytest.fixture
def held(form):
    """Requests of the form: what is done before `held.let_go()`, is done while an answer is under way."""
    return HeldRequests(form, "**/form/**")


@pytest.mark.parametrize("leaving", ["Tab", "Enter"])
def test_what_is_typed_while_an_answer_is_under_way_is_sent_when_its_field_is_left(form, held, leaving):
    form.locator(f"[id='f-{CPU}']").fill("4")
    form.locator(f"[id='f-{MEMORY}']").fill("1Gi")
    held.let_go()
    expect(form.locator("#form-text")).to_have_value(re.compile('cpu: "4"\n *memory: 64Mi'))
    expect(form.locator(f"[id='f-{MEMORY}']")).to_have_value("1Gi")
    expect(form.locator(f"[id='f-{MEMORY}']")).to_be_focused()
    form.keyboard.press(leaving)
    expect(form.locator("#form-text")).to_have_value(BOTH)
    written(form)
    assert cpu_of(form.draft) == "4"


def test_a_field_that_is_left_while_an_answer_is_under_way_is_sent_after_it(form, held):
    form.locator(f"[id='f-{CPU}']").fill("4")
    form.locator(f"[id='f-{MEMORY}']").fill("1Gi")
    form.locator("#form-text").focus()
    held.let_go()
    expect(form.locator("#form-text")).to_have_value(BOTH)
    written(form)
    assert cpu_of(form.draft) == "4"


# The body of the first answer comes long after its headers, and the second answer longer after that.
SLOW_ANSWERS = """() => {
  const fetched = window.fetch;
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  let number = 0;
  window.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    number += 1;
    if (number === 2) await later(900);
    if (number !== 1) return answer;
    document.documentElement.dataset.headers = 'there';
    const text = answer.text.bind(answer);
    answer.text = () => later(300).then(text);
    return answer;
  };
}"""


def test_yaml_left_while_the_rest_of_an_answer_is_under_way_keeps_the_edit_of_the_form(form):
    form.evaluate(SLOW_ANSWERS)
    text = form.locator("#form-text")
    form.locator(f"[id='f-{CPU}']").fill("4")
    text.fill(text.input_value().replace("memory: 64Mi", "memory: 1Gi"))
    form.wait_for_selector("html[data-headers=there]")
    form.keyboard.press("Shift+Tab")
    expect(text).to_have_value(BOTH)
    written(form)
    assert cpu_of(form.draft) == "4"


def test_yaml_typed_while_an_answer_is_under_way_keeps_the_edit_of_the_form(form, held):
    text = form.locator("#form-text")
    form.locator(f"[id='f-{CPU}']").fill("4")
    text.fill(text.input_value().replace("memory: 64Mi", "memory: 1Gi"))
    held.let_go()
    expect(form.locator(f"[id='f-{CPU}']")).to_have_value("4")
    expect(text).to_be_focused()
    form.keyboard.press("Shift+Tab")
    expect(text).to_have_value(BOTH)
    written(form)
    assert cpu_of(form.draft) == "4"
    expect(form.locator(f"[id='f-{MEMORY}']")).to_have_value("1Gi")


@pytest.mark.browser_complains("500")
def test_a_refused_field_is_sent_again_when_it_is_left_again(form):
    form.route("**/form/**", lambda route: route.fulfill(status=500))
    field = form.locator(f"[id='f-{CPU}']")
    field.fill("4")
    form.keyboard.press("Enter")
    expect(form.get_by_text("The server answered 500. What you typed is still here.")).to_be_visible()
    form.unroute("**/form/**")
    expect(field).to_be_focused()
    form.keyboard.press("Tab")
    expect(form.locator("#form-text")).to_have_value(re.compile('cpu: "4"'))
    written(form)


@pytest.mark.long
def test_two_versions_of_an_object_are_compared_and_one_is_chosen(form):
    jonas = User.objects.create_user("jonas@example.org", "Jonas")
    person = Member.objects.create(workspace=form.draft.cluster.workspace, user=jonas, role=Role.EDITOR)
    change(person, form.draft, pod("job-1", cpu="7"), "Give job-1 seven")
    form.locator(f"[id='f-{CPU}']").fill("4")
    form.keyboard.press("Enter")
    both = form.locator("#of-versions")
    expect(both).to_be_visible()
    expect(both).to_contain_text("Jonas: Give job-1 seven")
    now, mine = both.get_by_label(re.compile("now$")), both.get_by_label(re.compile("yours$"))
    expect(now).to_contain_text('cpu: "7"')
    expect(mine).to_contain_text('cpu: "4"')
    assert grave_findings(form) == []
    both.get_by_role("button", name="Go on editing").click()
    expect(both).to_be_hidden()
    expect(form.locator("#form-text")).to_have_value(re.compile('cpu: "4"'))
    form.get_by_role("button", name="Compare both").click()
    both.get_by_role("button", name="Write mine over it").click()
    written(form)
    assert cpu_of(form.draft) == "4"

    change(person, form.draft, pod("job-1", cpu="9"), "Give job-1 nine")
    form.locator(f"[id='f-{CPU}']").fill("5")
    form.keyboard.press("Enter")
    both.get_by_role("link", name="Take theirs").click()
    expect(form.locator(f"[id='f-{CPU}']")).to_have_value("9")
    assert cpu_of(form.draft) == "9"


@pytest.mark.browser_complains("ERR_INTERNET_DISCONNECTED")
def test_edits_are_kept_while_the_server_is_away_and_sent_once_it_is_back(form):
    form.context.set_offline(True)
    form.locator(f"[id='f-{CPU}']").fill("4")
    form.keyboard.press("Enter")
    status = form.locator("#object-form .of-head [role=status]")
    expect(status).to_have_text("kept here, 1 change not sent yet")
    add = form.get_by_role("group", name="Tolerations").get_by_role("button").first
    add.click()
    expect(status).to_have_text("kept here, 2 changes not sent yet")
    assert cpu_of(form.draft) == "500m"
    form.context.set_offline(False)
    expect(form.locator("#form-text")).to_have_value(re.compile('cpu: "4"'))
    expect(form.get_by_label("Key", exact=True)).to_be_visible()
    form.get_by_label("Key", exact=True).fill("dedicated")
    form.keyboard.press("Tab")
    written(form)
    assert cpu_of(form.draft) == "4"


@pytest.mark.long
def test_the_form_is_accessible_in_both_themes(form):
    assert grave_findings(form) == []
