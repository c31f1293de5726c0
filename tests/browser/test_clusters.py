"""Clusters in a real Chromium: the editor, findings as one types, saving, tables, import."""

from __future__ import annotations

import re
import zipfile
from threading import Event, Thread

import pytest
from django.db import connection
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.background import asking
from dashboard.clusters.importing import reading
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions, contents
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import cache
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.uploads import sent_files
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from dashboard.runs.workers import background_tasks
from scheduler_core.manifests import dump_yaml
from tests.browser.axe import grave_findings
from tests.browser.held import HeldRequests
from tests.dashboard.clusters.conftest import node, pod, small
from tests.patience import until

HERE = "/w/team/clusters/prod/"
NAMES = ["训练-数据", "مهندس المنصة", "n" * 120]


@pytest.fixture
def member(live_server_url, sign_in) -> Member:
    """Asha, admin of "team", signed in; the cluster "prod" is there."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    actions.create_cluster(member, NewCluster("prod"), small())
    return member


def type_over(page, text, by):
    """Replace a text in the editor as somebody who types would."""
    page.evaluate(
        """([text, by]) => {
            const editor = window.schedscopeEditor;
            editor.setValue(editor.getValue().replace(text, by), -1);
        }""",
        [text, by],
    )


def test_a_node_is_edited_in_a_draft_reviewed_and_saved(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}object/?kind=Node&name=node-a")
    page.wait_for_selector(".ace_editor")
    page.wait_for_selector("#findings .m-bound")
    type_over(page, 'cpu: "8"', "cpu: 8 cores")
    page.wait_for_selector("#findings .m-error")
    annotations = "window.schedscopeEditor.session.getAnnotations().map((one) => one.type)"
    until(lambda: page.evaluate(annotations) == ["error"])
    put = page.get_by_role("button", name="Put into a draft")
    expect(put).to_be_disabled()
    expect(put).to_have_attribute("title", "Correct the error first")
    type_over(page, "cpu: 8 cores", 'cpu: "12"')
    page.wait_for_selector("#findings .m-bound")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#draftbar >> text=Node node-a")
    assert len(Cluster.objects.get().revisions.all()) == 1
    page.click("text=Review and save")
    page.wait_for_selector("text=status.allocatable.cpu")
    page.fill("#message", "twelve")
    page.keyboard.press("Control+s")
    page.wait_for_selector("text=Saved as revision 2")
    assert actions.newest_revision(Cluster.objects.get()).message == "twelve"


@pytest.mark.long
@pytest.mark.browser_complains("422")
def test_a_text_that_cannot_be_put_in_comes_back_with_the_words_about_it(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}object/new/?kind=Pod")
    page.wait_for_selector(".ace_editor")
    type_over(page, "name: web-1", "name: web-2")
    page.wait_for_selector("#findings .m-bound")
    page.click("text=Put into a draft")
    page.wait_for_selector("text=web-2 exists already")
    page.wait_for_selector(".ace_editor")
    until(lambda: "name: web-2" in page.evaluate("window.schedscopeEditor.getValue()"))


def test_the_editor_follows_the_theme(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}object/?kind=Node&name=node-a")
    page.wait_for_selector(".ace_editor")
    before = page.evaluate("window.schedscopeEditor.getTheme()")
    page.click("[data-toggle-theme]")
    page.wait_for_function("(before) => window.schedscopeEditor.getTheme() !== before", arg=before)


def test_tables_are_searched_without_a_reload_and_the_address_follows(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}nodes/")
    page.evaluate("window.stillHere = true")
    page.keyboard.press("/")
    page.keyboard.type("node-b")
    page.wait_for_url("**/nodes/?q=node-b")
    expect(page.locator("#nodes tbody tr")).to_have_count(1)
    page.click("text=CPU requested")
    page.wait_for_url("**sort=-cpu**")
    assert page.evaluate("window.stillHere") is True
    page.reload()
    expect(page.locator("#nodes tbody tr")).to_have_count(1)


@pytest.mark.browser_complains("htmx:sendAbort")
@pytest.mark.browser_complains("htmx:afterRequest")
def test_an_answer_to_an_older_text_takes_back_nothing_that_is_typed_since(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}nodes/")
    first = HeldRequests(page, re.compile(r"/nodes/\?q=n$"))
    page.keyboard.press("/")
    page.keyboard.type("n")
    expect(page.locator("input[name=q]")).to_have_class(re.compile("htmx-request"))
    page.keyboard.type("o")
    first.let_go()
    page.keyboard.type("de-b")
    page.wait_for_url("**/nodes/?q=node-b")
    expect(page.locator("input[name=q]")).to_have_value("node-b")


@pytest.mark.long
def test_chosen_nodes_are_cordoned_and_tainted_together(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}nodes/")
    expect(page.locator("#bulk")).to_be_hidden()
    page.check("[data-pick-all]")
    expect(page.locator("[data-picked]")).to_have_text("2")
    page.click("#bulk button[value=cordon]")
    page.wait_for_selector(".toast >> text=Cordon node-a and 1 more, in Draft 1")
    expect(page.locator("td .say.m-unres")).to_have_count(2)
    page.check("[data-pick] >> nth=0")
    page.click("#bulk >> text=Taint")
    page.fill("#taint-key", "dedicated")
    page.click("#taint-many button[value=taint]")
    page.wait_for_selector(".toast >> text=Taint dedicated:NoSchedule on node-a")
    expect(page.locator("td .chip")).to_have_text("dedicated:NoSchedule")
    page.click(".toast >> text=Undo")
    page.wait_for_selector(".toast >> text=Undone: Taint dedicated:NoSchedule on node-a")
    expect(page.locator("td .chip")).to_have_count(0)
    expect(page.locator("td .say.m-unres")).to_have_count(2)


@pytest.mark.long
@pytest.mark.browser_complains("400")
def test_a_refused_change_is_a_toast_and_the_page_stays(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}{HERE}nodes/")
    page.check("[data-pick] >> nth=0")
    page.click("#bulk >> text=Label")
    page.fill("#label-key", "not a key")
    page.click("#label-many button[value=label]")
    page.wait_for_selector(".toast.m-error")
    expect(page.locator("#nodes tbody tr")).to_have_count(2)


@pytest.mark.long
@pytest.mark.browser_complains("422")
@pytest.mark.browser_complains("400")
def test_why_an_archive_is_refused_stays_in_the_form(browser_page, live_server_url, member, tmp_path):
    page, archive, good = browser_page, tmp_path / "dump.zip", tmp_path / "good.yaml"
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("../outside.yaml", "kind: Node")
    good.write_text(dump_yaml([node("n1")]))
    page.goto(f"{live_server_url}/w/team/import/")
    page.set_input_files("input[name=files]", archive)
    page.click("text=Preview")
    expect(page.locator("[data-problem] [role=alert]")).to_contain_text("outside.yaml")
    expect(page.locator(".toast")).to_have_count(0)
    page.set_input_files("input[name=files]", good)
    page.click("text=Preview")
    page.wait_for_url("**/import/*/")


def test_files_are_imported_by_the_page(browser_page, live_server_url, member, tmp_path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(dump_yaml([node("n1"), node("n2")]))
    bad.write_text(dump_yaml([pod("p", cpu="4 cores")]))
    page = browser_page
    page.goto(f"{live_server_url}/w/team/import/")
    page.set_input_files("input[name=files]", [good, bad])
    page.click("[data-send]")
    page.wait_for_selector("text=Nothing is saved yet")
    expect(page.locator("[data-save]")).to_be_disabled()
    page.click("text=Correct it here")
    page.wait_for_selector(".ace_editor")
    type_over(page, "4 cores", "4")
    page.click("text=Read again")
    expect(page.locator("[data-save]")).to_be_enabled()
    page.fill("#name", "imported")
    page.click("[data-save]")
    page.wait_for_selector("text=3 objects saved as revision 1")


@pytest.mark.long
def test_a_large_import_says_how_far_it_is_and_can_be_cancelled(
    browser_page, live_server_url, member, tmp_path, monkeypatch
):
    go_on, load = Event(), reading.load

    def slowly(uploads, report_progress=None):
        report_progress(0.25)
        assert go_on.wait(30), "the page never said it"
        return load(uploads, report_progress)

    monkeypatch.setattr(reading, "load", slowly)
    monkeypatch.setattr(sent_files, "SMALL_BYTES", 10)
    monkeypatch.setattr(asking, "wake_worker", lambda task: None)
    (tmp_path / "one.yaml").write_text(dump_yaml([node("n1")]))
    page = browser_page

    def send():
        page.goto(f"{live_server_url}/w/team/import/")
        page.set_input_files("input[name=files]", tmp_path / "one.yaml")
        page.click("[data-send]")

    send()
    expect(page.get_by_role("status")).to_have_text("Waits for a worker.")
    page.click("text=Cancel")
    page.wait_for_selector("text=cancelled. Nothing was saved")
    send()
    expect(page.get_by_role("status")).to_have_text("Waits for a worker.")
    worker = Thread(target=work_once)
    worker.start()
    expect(page.get_by_role("status")).to_have_text("25 % done.")
    expect(page.locator("#task progress")).to_have_js_property("value", 25)
    assert grave_findings(page) == []
    go_on.set()
    page.wait_for_selector("text=Nothing is saved yet")
    worker.join()


def work_once():
    """Do what waits, on a connection of this thread's own."""
    try:
        background_tasks.work()
    finally:
        connection.close()


@pytest.mark.long
def test_an_older_configuration_is_converted_by_one_click(browser_page, live_server_url, member):
    page = browser_page
    page.goto(f"{live_server_url}/w/team/configurations/new/")
    page.wait_for_selector(".ace_editor")
    type_over(page, "config.k8s.io/v1\n", "config.k8s.io/v1beta3\n")
    page.fill("#name", "old one")
    page.click("text=Use the v1 conversion")
    page.wait_for_selector("text=This is the conversion to v1")
    until(lambda: "config.k8s.io/v1\n" in page.evaluate("window.schedscopeEditor.getValue()"))
    expect(page.locator("#name")).to_have_value("old one")
    page.click(".btn-primary[value=save]")
    page.wait_for_selector("text=Saved as revision 1")


@pytest.mark.long
def test_no_page_is_wider_than_the_window_with_odd_names(browser_page, live_server_url, member):
    for number, name in enumerate(NAMES):
        manifests = [node("n" * 253, zone="z" * 63, taints=[{"key": f"{'t' * 250}/k", "effect": "NoSchedule"}])]
        manifests.append(pod(f"p-{'p' * 251}", "n" * 253))
        actions.create_cluster(member, NewCluster(name, "d" * 400), manifests)
        save_config(member, None, NewText(name, CONFIGURATION_TEMPLATES["default"].text, message=f"{number}" * 300))
    pages = ["/w/team/clusters/", "/w/team/configurations/", "/w/team/import/"]
    for cluster in Cluster.objects.exclude(slug="prod"):
        here = f"/w/team/clusters/{cluster.slug}/"
        pages += [here, here + "nodes/", here + "pods/", here + "history/", here + "diff/"]
        pages += [f"{here}object/?kind=Node&name={'n' * 253}", f"{here}object/?kind=Pod&ns=default&name=p-{'p' * 251}"]
    for url in pages:
        browser_page.goto(live_server_url + url)
        wider = browser_page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, url


def test_reading_works_without_scripts(chromium, live_server_url, member, browser_context):
    context = chromium.new_context(java_script_enabled=False, storage_state=browser_context.storage_state())
    page = context.new_page()
    page.goto(f"{live_server_url}{HERE}object/?kind=Node&name=node-a")
    expect(page.locator("textarea")).to_have_value(re.compile("name: node-a"))
    page.locator("textarea").fill(page.locator("textarea").input_value().replace('cpu: "8"', 'cpu: "9"'))
    page.get_by_role("button", name="Put into a draft").click()
    page.click("text=Review and save")
    page.click("#draft-save-button")
    page.wait_for_selector("text=Saved as revision 2")
    page.goto(f"{live_server_url}{HERE}history/")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.goto(f"{live_server_url}{HERE}pods/?sort=-cpu")
    expect(page.locator("tbody tr")).to_have_count(3)
    context.close()


def test_an_export_is_streamed_whole_by_the_real_server(browser_page, live_server_url, member):
    manifests = [node(f"node-{number}") for number in range(450)]
    actions.create_cluster(member, NewCluster("wide"), manifests)
    answer = browser_page.request.get(f"{live_server_url}/w/team/clusters/wide/export")
    assert answer.status == 200
    assert answer.text().count("kind: Node") == 450
    assert answer.headers["content-disposition"] == 'attachment; filename="wide-r1.yaml"'


LINES = """() => {
    const top = (one) => one.getBoundingClientRect().top;
    const numbers = [...document.querySelectorAll('.ace_gutter-cell')].map(top);
    const texts = [...document.querySelectorAll('.ace_text-layer > .ace_line, .ace_text-layer > .ace_line_group')];
    const box = document.querySelector('.ace-host').getBoundingClientRect();
    return {numbers, texts: texts.map(top), above: box.top, first: Math.min(...numbers)};
}"""


@pytest.mark.long
@pytest.mark.parametrize(
    "address",
    [f"{HERE}object/?kind=Pod&name=web-1&ns=default", "/w/team/configurations/new/", "/w/team/timelines/new/"],
)
def test_line_numbers_stand_beside_their_lines_after_edits_and_scrolling(
    browser_page, live_server_url, member, address
):
    page = browser_page
    page.goto(f"{live_server_url}{address}")
    page.wait_for_selector(".ace_editor")

    def look():
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        seen = page.evaluate(LINES)
        # The gutter may draw a line more at the end.
        beside = list(zip(seen["numbers"], seen["texts"], strict=False))
        assert len(beside) >= 5
        assert all(number == text for number, text in beside)
        return seen

    seen = look()
    assert seen["first"] == seen["above"]
    page.click(".ace_content", position={"x": 200, "y": 30})
    page.keyboard.press("End")
    page.keyboard.insert_text("\nfoo: [1\n" * 26)
    page.keyboard.type("\nfoo: [1\n" * 4)
    look()
    page.keyboard.press("Control+Home")
    assert look()["first"] == seen["above"]
    page.mouse.wheel(0, 130)
    page.wait_for_function("() => window.schedscopeEditor.renderer.getScrollTop() > 0")
    look()
    page.wait_for_selector("#findings [data-goto]")
    page.click("#findings [data-goto]")
    look()


@pytest.mark.long
def test_the_line_that_one_is_on_shows_that_it_is_wrong(browser_page, live_server_url, member):
    browser_page.goto(f"{live_server_url}/w/team/configurations/new/")
    browser_page.wait_for_selector(".ace_editor")
    browser_page.click(".ace_content", position={"x": 200, "y": 30})
    browser_page.keyboard.press("Control+End")
    browser_page.keyboard.type("plugins: {}")
    mark = browser_page.locator(".ace_gutter-cell.ace_error.ace_gutter-active-line")
    expect(mark).to_have_css("background-image", re.compile("url"))


@pytest.mark.long
def test_what_nobody_schedules_by_is_folded_and_saved_as_it_was(browser_page, live_server_url, member):
    page = browser_page
    noisy = node("noisy")
    noisy["status"]["conditions"] = [{"type": f"C{n}", "status": "True"} for n in range(9)]
    cluster = Cluster.objects.get(slug="prod")
    actions.import_revision(member, cluster, [*small(), noisy], "noise", "a test")
    page.goto(f"{live_server_url}{HERE}object/?kind=Node&name=noisy")
    page.wait_for_selector(".ace_fold")
    expect(page.locator(".ace_fold")).to_have_text("18 lines")
    type_over(page, 'cpu: "8"', 'cpu: "12"')
    page.wait_for_selector("#findings .m-bound")
    page.click("text=Put into a draft")
    page.wait_for_selector("#draftbar")
    page.click("text=Review and save")
    page.click("text=Save as r3")
    page.wait_for_selector("text=Saved as revision 3")
    saved = contents.read_contents(actions.newest_revision(cluster)).by_key[Key("Node", "", "noisy")]
    assert len(saved["status"]["conditions"]) == 9
    assert saved["status"]["allocatable"]["cpu"] == "12"
