"""Hostile names, notes and texts of saved searches, breakpoints, drafts, timelines, extenders, tapes and suggestions:
inert on their pages, in what is exported or copied of them, and on paper."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from markdown_it import MarkdownIt

from dashboard.accounts.models import Member, User
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import Cluster, Draft, Revision
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.extenders.actions import save_declared
from dashboard.documents.models import DeclaredExtenders, ExtenderTape, ExtenderTapeRevision, SchedulerConfig, Timeline
from dashboard.documents.timelines.actions import save_timeline
from dashboard.documents.yaml_templates import DECLARED_TEMPLATE, TIMELINE_TEMPLATE
from dashboard.query.saved import save_search
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_about, ask_for_review
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.drafts.actions import keep_thread
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Review
from dashboard.review.on_changes.actions import comment_on_change
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin
from dashboard.runs import execution
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.breakpoints.attachments import attach
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from dashboard.runs.models import Breakpoint, Run
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.browser.test_hostile_text import CONFIG, NAME, TEXT, assert_inert
from tests.dashboard.documents.tapes import small_tape, take
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.slow

SHORT = NAME[:80]
QUERY = 'message~"<img src=//evil.example onerror=pwned=8>"'
HOSTILE_COMMENT = "# </textarea><script>pwned=9</script><img src=//evil.example onerror=pwned=10>\n"


@pytest.fixture
def team(chromium, live_server_url, run):
    """The people of the run's workspace, one of whom is called what nobody should be."""
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


@pytest.fixture
def member(run):
    """Asha, who made everything."""
    return Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")


@pytest.fixture
def draft(run, member):
    """A draft whose name, operations and objects are hostile."""
    cluster = Cluster.objects.get(workspace=run.workspace)
    draft = new_draft(member, cluster, NAME, newest_revision(cluster))
    key = Key("Node", "", "full-a")
    changed = node("full-a", "32")
    changed["metadata"]["annotations"] = {"example.org/note": TEXT[:2000]}
    edits = [Edit(one, changed, one.address) for one, one in OpenedDraft(draft).objects([key]).items()]
    put_in(member.user, draft, SHORT, edits)
    draft.refresh_from_db()
    return draft


@pytest.fixture
def things(run, member, draft):
    """Everything else that has a name or a note."""
    Revision.objects.update(message=NAME)
    saved = save_search(member, "search", QUERY, is_shared=True)
    type(saved).objects.update(name=SHORT)
    made = create_breakpoint(member, BreakpointFields("stop", QUERY))
    attach(member, run, made)
    Breakpoint.objects.update(name=SHORT)
    for save, kind, text in (
        (save_timeline, Timeline, TIMELINE_TEMPLATE),
        (save_declared, DeclaredExtenders, DECLARED_TEMPLATE),
        (save_config, SchedulerConfig, CONFIG),
    ):
        save(member, None, NewText("thing", HOSTILE_COMMENT + text, 0, NAME))
        kind.objects.update(name=NAME)
    take(member, small_tape(source=NAME), "tape", file_name=f"{NAME.replace('/', '')}.tape")
    ExtenderTape.objects.update(name=NAME)
    ExtenderTapeRevision.objects.update(message=NAME)
    return Run.objects.select_related("head", "workspace").get(pk=run.pk)


@pytest.fixture
def reviews(things, member, draft):
    """Reviews with mentions, a kept draft of a comment, a suggested branch, and one of the draft."""
    branch = branch_run(member, things, Branching(0, [{"action": "put", "object": node("room", "128")}], name=NAME))
    while execution.work():
        pass
    actions.open_thread(member, things, Pin(1), f"@asha @all {TEXT}", None, branch)
    keep_thread(member, things, Pin(1), TEXT)
    ask_for_review(member, things, ReviewRequest(NAME, f"@asha {TEXT}"))
    subject = subject_in(member, {"cluster": draft.cluster.slug, "draft": str(draft.pk)})
    review = ask_about(member, subject, ReviewRequest(NAME, TEXT))
    Review.everything.update(about=NAME)
    key = gathered(member, review).findings[0].key
    return comment_on_change(member, subject, FieldPin(key), TEXT).review


@pytest.mark.long
def test_hostile_names_and_notes_are_inert_on_pages_on_paper_and_in_exports(team, draft, reviews):
    owner = User.objects.get(email="asha@example.org")
    drafts = f"clusters/{draft.cluster.slug}/drafts"
    change = urlencode({"cluster": draft.cluster.slug, "draft": draft.pk})
    slugs = {kind: kind.objects.get().slug for kind in (Timeline, DeclaredExtenders, SchedulerConfig, ExtenderTape)}
    pages = (
        *("", "search/", f"search/?{urlencode({'q': QUERY})}", f"runs/1/search/?{urlencode({'q': QUERY})}"),
        *("runs/1/?cycle=1", "runs/1/breakpoints/", "runs/1/?cycle=1&tab=threads", "runs/", "runs/new/"),
        *(f"{drafts}/", f"{drafts}/{draft.pk}/", f"{drafts}/{draft.pk}/edit/", "reviews/", "audit/"),
        *(
            f"reviews/{reviews.number}/",
            f"reviews/changes/threads?{change}",
            "runs/1/review/",
            "runs/2/",
            "compare/?a=1&b=2",
        ),
        *("timelines/", f"timelines/{slugs[Timeline]}/", "extenders/tapes/", f"extenders/tapes/{slugs[ExtenderTape]}/"),
        *("extenders/declared/", f"extenders/declared/{slugs[DeclaredExtenders]}/", "configurations/"),
        *(f"configurations/{slugs[SchedulerConfig]}/", f"clusters/{draft.cluster.slug}/history/"),
    )
    page = team.open(owner, "/w/team/")
    outside = []
    page.context.on("request", lambda one: outside.append(one.url) if "evil" in one.url.split("?")[0] else None)
    for path in pages:
        answer = page.goto(f"{team.origin}/w/team/{path}")
        assert answer.status == 200, path
        page.wait_for_load_state()
        assert_inert(page, outside, path)
        assert "49" not in page.title(), path
        page.emulate_media(media="print")
        assert_inert(page, outside, f"{path} on paper")
        page.emulate_media(media="screen")

    paper = page.context.new_page()
    markdown = MarkdownIt("gfm-like")
    for path in (f"reviews/{reviews.number}/record.md", "runs/1/review/record.md", "runs/2/decision.md?cycle=1"):
        answer = page.context.request.get(f"{team.origin}/w/team/{path}")
        assert answer.status == 200, path
        paper.set_content(markdown.render(answer.text()))
        paper.wait_for_load_state()
        assert_inert(paper, outside, path)
        assert paper.evaluate("() => document.querySelectorAll('[src], script, style, iframe, svg').length") == 0, path
    for path in (
        *(f"timelines/{slugs[Timeline]}/export", f"configurations/{slugs[SchedulerConfig]}/export"),
        *(f"extenders/declared/{slugs[DeclaredExtenders]}/export", f"extenders/tapes/{slugs[ExtenderTape]}/export"),
        *(f"clusters/{draft.cluster.slug}/export?draft={draft.pk}", "runs/2/decision.txt?cycle=1"),
    ):
        answer = page.context.request.get(f"{team.origin}/w/team/{path}")
        assert answer.status == 200, path
        # Whoever opens the address gets a file or plain text, never a page of ours.
        kind, filed = answer.headers["content-type"], answer.headers.get("content-disposition", "")
        assert "html" not in kind, path
        assert filed.startswith("attachment") or kind.startswith("text/plain"), path
        assert "\n" not in filed
    assert Draft.objects.get().name == NAME
