"""Two people talk about a cycle in the debugger: each sees the other's words without loading the page again."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review import actions as review
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.models import Review, Thread
from dashboard.review.pins.pin import Pin
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle
from tests.browser.axe import grave_findings
from tests.browser.conftest import PATIENCE_MS
from tests.dashboard.run_helpers import cluster_of

# The page asks for news every ten seconds while somebody looks at it.
POLL_MS = 10_500


@pytest.fixture
def run(live_server_url, monkeypatch):
    """A finished run of ten pods in the workspace "team", whose admin is Asha."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    user = User.objects.create_user("asha@example.org", "Asha")
    workspace = create_workspace(user, "Team", "team")
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    revision = object_store.save_revision(cluster, cluster_of(3, 10), Saving(None))
    member = Member.objects.select_related("workspace", "user").get(user=user)
    run = actions.create_run(member, Launch(revision))
    while execution.work():
        pass
    return run


@pytest.fixture
def open_as(chromium, live_server_url, run):
    """A function that opens an address as a new member, in a window of their own, and returns (page, complaints)."""
    contexts = []

    def open_as(name, path):
        user = User.objects.create_user(f"{name.lower()}@example.org", name)
        Member.objects.create(workspace=run.workspace, user=user, role=Role.REVIEWER)
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server_url}])
        page = context.new_page()
        complaints = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.clock.install()
        page.goto(f"{live_server_url}{path}")
        return page, complaints

    yield open_as
    for context in contexts:
        context.close()


@pytest.mark.slow
def test_two_people_talk_about_a_cycle(open_as, run, live_server_url):
    address = f"/w/team/runs/{run.number}/?cycle=3&tab=threads"
    ravi, ravis = open_as("Ravi", address)
    edda, eddas = open_as("Edda", address)
    expect(edda.locator("#cycle-threads")).to_contain_text("Nobody has commented on this yet")

    ravi.locator(".new-thread textarea").fill("Why `node-1`?\n<b>really</b>")
    ravi.locator(".new-thread .btn-primary").click()
    expect(ravi.locator("article.thread .said")).to_contain_text("<b>really</b>")
    expect(ravi.locator(".new-thread textarea")).to_have_value("")
    thread = Thread.objects.get()
    assert (thread.run_id, thread.cycle) == (run.pk, 3)

    edda.clock.fast_forward(POLL_MS)
    expect(edda.locator("article.thread code")).to_have_text("node-1")
    expect(edda.locator(".comment.is-new")).to_have_count(1)

    edda.locator(".reply textarea").last.fill("half a sentence")
    ravi.locator("article.thread .reply textarea").fill("Nobody?")
    ravi.locator("article.thread .reply textarea").press("Control+Enter")
    expect(ravi.locator("article.thread .comment")).to_have_count(2)
    edda.clock.fast_forward(POLL_MS)
    expect(edda.locator("article.thread .comment")).to_have_count(2)
    expect(edda.locator("article.thread .reply textarea")).to_have_value("half a sentence")

    edda.reload()
    expect(edda.locator("article.thread .reply textarea")).to_have_value("half a sentence")
    edda.get_by_role("button", name="Resolve").click()
    expect(edda.get_by_role("button", name="Reopen")).to_be_visible()
    ravi.clock.fast_forward(POLL_MS)
    expect(ravi.get_by_role("button", name="Reopen")).to_be_visible()
    assert (ravis, eddas) == ([], [])


@pytest.mark.slow
@pytest.mark.long
def test_what_one_does_is_seen_on_the_others_screen_at_once(open_as, run):
    """No clock is moved and no page loaded again: comment, resolve, verdict and the count of the inbox."""
    ravi, ravis = open_as("Ravi", f"/w/team/runs/{run.number}/?cycle=3&tab=threads")
    edda, eddas = open_as("Edda", f"/w/team/runs/{run.number}/review/")
    for page in (ravi, edda):
        page.wait_for_selector("html[data-feed=live]")
    expect(edda.locator("#inbox .count")).to_be_hidden()
    edda.locator("#verdict-text").fill("half a sentence")

    ravi.locator(".new-thread textarea").fill("Why here?")
    ravi.locator(".new-thread .btn-primary").click()
    expect(edda.locator("#review-threads article.thread .said")).to_have_text("Why here?", timeout=5_000)
    expect(edda.locator("#verdict-text")).to_have_value("half a sentence")
    expect(edda.locator("#verdict-text")).to_be_focused()

    edda.get_by_role("button", name="Resolve").click()
    expect(ravi.get_by_role("button", name="Reopen")).to_be_visible(timeout=5_000)

    member = Member.objects.select_related("workspace", "user").get(user__name="Ravi")
    verdicts.give_verdict(member, run, "request_changes", "Not yet")
    expect(edda.locator("#review-verdict")).to_contain_text("asked for changes", timeout=5_000)

    asha = Member.objects.select_related("workspace", "user").get(user__name="Asha")
    review.open_thread(asha, run, Pin(1), "Look, @ravi")
    expect(ravi.locator("#inbox .count")).to_have_text("1", timeout=5_000)
    assert (ravis, eddas) == ([], [])


HOSTILE = (
    "<script>document.title='pwned'</script><img src=https://evil.example/a.png onerror=\"document.title='pwned'\">\n\n"
    "![x](https://evil.example/b.png) [x](javascript:document.title='pwned') [a]: javascript:1\n\n[a]\n\n"
    "</textarea><svg onload=\"document.title='pwned'\"> \u202egnp.exe \u0007 `</code><script>` | a | b |\n|---|---|\n"
)


@pytest.mark.slow
@pytest.mark.long
def test_markdown_mentions_quotes_and_reactions_by_keyboard(open_as, run):
    edda, eddas = open_as("Edda", f"/w/team/runs/{run.number}/?cycle=3")
    ravi, ravis = open_as("Ravi", f"/w/team/runs/{run.number}/?cycle=3&tab=threads")
    field = ravi.locator(".new-thread textarea")
    field.press_sequentially("**Why** `node-1`, @ed")
    expect(ravi.locator("#mentions li")).to_have_text(["@edda Edda"])
    field.press("Enter")
    expect(ravi.locator("#mentions li")).to_have_count(0)
    expect(field).to_have_value("**Why** `node-1`, @edda ")
    field.press_sequentially("@as")
    expect(ravi.locator("#mentions li")).to_have_text(["@asha Asha"])
    field.press("Escape")
    expect(ravi.locator("#mentions li")).to_have_count(0)
    expect(field).to_be_focused()
    field.press_sequentially(f" #{run.number}")
    field.press("Control+Enter")
    said = ravi.locator("article.thread .said")
    expect(said.locator("strong")).to_have_text("Why")
    expect(said.locator("a.ref").first).to_have_attribute("href", f"/w/team/runs/{run.number}/?cycle=3&node=node-1")
    expect(said.locator("a.ref").last).to_have_text(f"#{run.number}")
    expect(said.locator(".mention")).to_have_text("@edda")

    ravi.locator("article.thread [data-quote]").focus()
    ravi.keyboard.press("Enter")
    expect(ravi.locator("article.thread .reply textarea")).to_have_value(f"> Why node-1, @edda @as #{run.number}\n\n")
    edda.reload()
    expect(edda.locator("#inbox")).to_contain_text("1")
    edda.goto(edda.url + "&tab=threads")
    expect(edda.locator(".mention.is-me")).to_have_text("@edda")
    edda.locator("article.thread .react", has_text="eyes").focus()
    edda.keyboard.press("Enter")
    eyes = edda.locator("article.thread .react", has_text="eyes")
    expect(eyes).to_have_attribute("aria-pressed", "true")
    expect(eyes).to_have_attribute("title", "Edda")
    assert (ravis, eddas) == ([], [])


@pytest.mark.slow
@pytest.mark.long
def test_findings_are_walked_and_marked_by_keys(open_as, run):
    rows = Cycle.objects.filter(run=run)
    message = "0/3 nodes are available: 3 Insufficient cpu."
    rows.filter(number__in=[4, 6]).update(outcome="unschedulable", node="", message=message, tie_count=0)
    rows.filter(number=5).update(outcome="error", node="", tie_count=0)
    rows.filter(number__in=[7, 8]).update(tie_count=2, margin=0)
    rows.filter(number=9).update(tie_count=1, margin=2)
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/review/")
    expect(ravi.locator("#findings .pane-head")).to_contain_text("0 of 4 viewed")
    ravi.keyboard.press("n")
    ravi.keyboard.press("n")
    expect(ravi.locator("#findings a:focus")).to_contain_text("ended in an error")
    ravi.keyboard.press("v")
    expect(ravi.locator("#findings .pane-head")).to_contain_text("1 of 4 viewed")
    expect(ravi.locator("#findings a:focus")).to_contain_text("ended in an error")
    ravi.keyboard.press("p")
    expect(ravi.locator("#findings a:focus")).to_contain_text("3 Insufficient cpu")
    ravi.reload()
    expect(ravi.locator("#findings [aria-checked=true]")).to_have_count(1)
    ravi.locator("#findings a", has_text="ties, drawn").click()
    expect(ravi).to_have_url(re.compile(r"\?finding=close%3Aties$"))
    expect(ravi.locator("#findings a[aria-current]")).to_contain_text("ties, drawn")
    expect(ravi.locator("#evidence #inspector .mx-group, #evidence #inspector tr[data-node]").first).to_be_visible()
    ravi.locator("#evidence #inspector").get_by_role("link", name="Why", exact=True).click()
    expect(ravi.locator("#evidence #inspector .tab[aria-current]")).to_have_text("Why")
    expect(ravi).to_have_url(re.compile(r"\?finding=close%3Aties$"))
    ravi.reload()
    expect(ravi.locator("#evidence #inspector .tab[aria-current]")).to_contain_text("Matrix")
    ravi.keyboard.press("c")
    expect(ravi.locator("#new-text")).to_be_focused()
    ravi.keyboard.type("Drawn, really?")
    ravi.keyboard.press("Control+Enter")
    expect(ravi.locator("#review-threads")).to_contain_text("Drawn, really?")
    talk = ravi.locator("#findings .rv-row", has_text="ties, drawn").locator("[data-talk]")
    expect(talk).to_have_text("1 open thread")
    ravi.wait_for_selector("html[data-feed=live]")
    asha = Member.objects.select_related("workspace", "user").get(user__name="Asha")
    review.resolve(asha, Thread.objects.get())
    expect(talk).to_have_text("")
    largest = rows.filter(outcome="scheduled").order_by("-tie_count", "number").first()
    assert Thread.objects.get().cycle == largest.number
    assert complaints == []


@pytest.mark.slow
@pytest.mark.long
def test_a_review_asks_people_by_name_and_is_approved_by_its_rule(open_as, run):
    edda, eddas = open_as("Edda", f"/w/team/runs/{run.number}/")
    ravi, ravis = open_as("Ravi", f"/w/team/runs/{run.number}/review/")
    ravi.get_by_role("button", name="Ask for a review").click()
    ravi.locator("#ask-name").fill("Switch to MostAllocated?")
    ravi.locator("#ask-people").press_sequentially("@ed")
    expect(ravi.locator("#mentions li")).to_have_text(["@edda Edda"])
    ravi.locator("#mentions li").click()
    ravi.locator("#ask-people").press_sequentially("@as")
    ravi.keyboard.press("Tab")
    expect(ravi.locator("#ask-people")).to_have_value("@edda @asha ")
    ravi.locator("#ask-needed").fill("2")
    ravi.locator("#ask").get_by_role("button", name="Ask for a review").click()
    expect(ravi.locator(".rv-state")).to_contain_text("0 of 2 approvals")
    edda.reload()
    edda.locator("#inbox").click()
    expect(edda.locator("#reviews")).to_contain_text("asks for your verdict")
    edda.goto(ravi.url)
    edda.get_by_role("button", name="Approve").click()
    expect(edda.locator(".rv-state")).to_contain_text("1 of 2 approvals")
    expect(edda.locator("#review-verdict")).to_contain_text("Asha's turn")
    edda.emulate_media(media="print", color_scheme="dark")
    expect(edda.locator("html")).to_have_css("color-scheme", "light")
    expect(edda.locator(".rv-main section").first).to_be_visible()
    expect(edda.locator("#verdict-text")).to_be_hidden()
    assert (ravis, eddas) == ([], [])


@pytest.mark.slow
@pytest.mark.long
def test_a_kept_record_is_printed_alone(open_as, run):
    people = Member.objects.select_related("workspace", "user")
    asha = people.get(user__email="asha@example.org")
    other = actions.create_run(asha, Launch(run.revision))
    while execution.work():
        pass
    subject = subject_in(asha, {"a": str(run.number), "b": str(other.number)})
    about = ask_about(asha, subject, ReviewRequest("Which one?"))
    page, complaints = open_as("Lin", f"/w/team/reviews/{about.number}/")
    verdicts.give_verdict(people.get(user__email="lin@example.org"), about, "approve", "The first.")
    actions.delete_run(asha, other)
    page.reload()
    expect(page.locator("#findings")).to_contain_text("has been deleted")
    page.emulate_media(media="print")
    expect(page.locator(".rv-kept")).to_contain_text("The first.")
    expect(page.locator("#findings")).to_be_hidden()
    expect(page.locator("#review-threads")).to_be_hidden()
    assert complaints == []


@pytest.mark.slow
@pytest.mark.long
def test_the_help_lists_the_keys_of_a_review(open_as, run):
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    Cycle.objects.filter(run=run, number=5).update(outcome="error", node="")
    review.open_thread(member, run, Pin(5), "Why?")
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/review/?finding=error%3A5")
    expect(ravi.locator("#review-threads article.thread")).to_have_count(1)
    expect(ravi.locator("#evidence #inspector [data-composer]")).to_have_attribute("title", "All threads on this cycle")
    ravi.keyboard.press("?")
    expect(ravi.locator("#keys [data-list]")).not_to_contain_text("omment on this cycle")
    for key, label in (
        ("N", "Next finding"),
        ("P", "Finding before"),
        ("V", "viewed"),
        ("C", "Comment on cycle 5, or on the cell or field with the focus"),
        ("J", "Next thread"),
        ("K", "Thread before"),
        ("E", "Resolve the thread"),
        ("R", "Reply to the thread"),
        ("Enter", "Approve"),
    ):
        expect(ravi.locator("#keys .kr", has_text=label)).to_contain_text(key)
    assert complaints == []


@pytest.mark.slow
@pytest.mark.long
def test_threads_are_walked_and_resolved_by_keys_and_brought_back(open_as, run):
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    first, second = (review.open_thread(member, run, Pin(cycle), f"about {cycle}") for cycle in (3, 5))
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/review/")
    ravi.keyboard.press("j")
    expect(ravi.locator(f"#thread-{first.pk}")).to_be_focused()
    ravi.keyboard.press("j")
    expect(ravi.locator(f"#thread-{second.pk}")).to_be_focused()
    expect(ravi.locator("#evidence")).to_have_attribute("data-thread-shown", str(second.pk))
    ravi.keyboard.press("e")
    expect(ravi.locator("article.thread")).to_have_count(1)
    assert Thread.objects.get(pk=second.pk).is_resolved
    ravi.locator(".toast", has_text="Thread resolved").get_by_role("button", name="Undo").click()
    expect(ravi.locator("article.thread")).to_have_count(2)
    assert not Thread.objects.get(pk=second.pk).is_resolved
    ravi.keyboard.press("k")
    expect(ravi.locator(f"#thread-{second.pk}")).to_be_focused()
    assert complaints == []


COMPARED = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: 1
"""


@pytest.mark.slow
@pytest.mark.long
def test_a_comparison_and_a_configuration_from_request_to_record_by_keys(open_as, run):
    """Answers are computed by whoever asks; the comparison's evidence is its own page's, the change's its own."""
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    saved = save_config(member, None, NewText("Pack", COMPARED))
    other = actions.create_run(member, Launch(run.revision, config=saved))
    while execution.work():
        pass
    ravi, complaints = open_as("Ravi", f"/w/team/compare/?a={run.number}&b={other.number}")
    ravi.get_by_role("link", name="Ask for a review").click()
    ravi.locator("#ask-name").fill("Pack the nodes?")
    ravi.get_by_role("button", name="Ask for a review").click()
    expect(ravi).to_have_url(re.compile(r"/reviews/1/$"))
    ravi.wait_for_load_state()
    expect(ravi.locator("#findings")).to_contain_text("First divergence")
    ravi.keyboard.press("n")
    expect(ravi.locator("#evidence-part")).to_contain_text("Both cursors")
    expect(ravi.locator("#evidence")).to_contain_text("cause: configuration")
    ravi.locator("#evidence .seg").get_by_text(f"B run {other.number}").click()
    expect(ravi.locator("#evidence #inspector .tab[aria-current]")).to_have_text("Why")
    ravi.locator("#verdict-text").fill("Too full")
    ravi.get_by_role("button", name="Request changes").click()
    expect(ravi.locator(".rv-record")).to_contain_text("changes requested")

    ravi.goto(f"{ravi.url.split('/w/')[0]}/w/team/reviews/new/?configuration=pack&revision=1")
    ravi.locator("#ask-on").select_option(f"run:{run.number}")
    ravi.get_by_role("button", name="Ask for a review").click()
    expect(ravi).to_have_url(re.compile(r"/reviews/2/$"))
    ravi.wait_for_load_state()
    expect(ravi.locator("#findings")).to_contain_text("scoringStrategy.type: LeastAllocated → MostAllocated")
    ravi.keyboard.press("n")
    expect(ravi.locator("#evidence .rv-diff")).to_contain_text("MostAllocated")
    expect(ravi.locator("#findings")).to_contain_text("First divergence")
    ravi.get_by_role("button", name="Close", exact=True).click()
    ravi.locator("#close-text").fill("Not now")
    ravi.get_by_role("button", name="Close the review").click()
    expect(ravi.locator(".rv-record")).to_contain_text("Not now")
    assert Review.objects.get(number=2).records.get().outcome == "closed"
    assert grave_findings(ravi) == []
    assert complaints == []


@pytest.mark.slow
@pytest.mark.long
def test_hostile_text_runs_nothing_and_fetches_nothing(open_as, run):
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/?cycle=3&tab=threads")
    outside = []
    ravi.on("request", lambda request: outside.append(request.url) if "evil" in request.url else None)
    ravi.locator(".new-thread textarea").fill(HOSTILE)
    ravi.locator(".new-thread .btn-primary").click()
    said = ravi.locator("article.thread .said")
    expect(said).to_contain_text("<script>document.title='pwned'</script>")
    expect(said.locator("script, img, svg, iframe, style, [onload], [onerror], a[href^=javascript]")).to_have_count(0)
    ravi.goto(f"{ravi.url.split('/w/')[0]}/w/team/runs/{run.number}/review/")
    expect(ravi.locator("article.thread .said")).to_contain_text("onerror")
    assert "pwned" not in ravi.title()
    assert (outside, complaints) == ([], [])


@pytest.mark.slow
@pytest.mark.long
def test_a_permalink_opens_its_cycle_and_its_thread(open_as, run, live_server_url):
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/review/")
    ravi.locator("#new-cycle").fill("7")
    ravi.locator("#new-text").fill("Look at this one")
    ravi.locator("#new-text").press("Control+Enter")
    pin = ravi.locator("article.thread .thread-pin a")
    expect(pin).to_contain_text("cycle 7, default/pod-")
    pin.click()
    expect(ravi).to_have_url(re.compile(r"\?cycle=7&tab=threads#thread-\d+$"))
    expect(ravi.locator("article.thread")).to_be_focused()
    expect(ravi.locator("#inspector h2").first).to_have_text(Cycle.objects.get(run=run, number=7).pod.partition("/")[2])

    ravi.goto(f"{live_server_url}/w/team/runs/{run.number}/review/")
    ravi.locator("#verdict-text").fill("Too full")
    ravi.get_by_role("button", name="Request changes").click()
    expect(ravi.locator(".verdictbar")).to_contain_text("asked for changes")
    assert Review.objects.get().state == "changes"
    assert complaints == []
