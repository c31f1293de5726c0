"""Text that means to harm, in what people name and write: none of it runs or asks anybody, on pages and in exports."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import expect

from dashboard.accounts.models import Member, User, Workspace
from dashboard.clusters.models import Cluster
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.findings.gathering import gathered
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin
from dashboard.runs.models import Run
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team

pytestmark = pytest.mark.slow

# For names; no longer than the shortest of them may be.
NAME = "</title>\"'><img src=//evil.example/x onerror=pwned=1><svg onload=pwned=2>\u202e{{7*7}}"
TEXT = (
    f"{NAME}\n\n<script>window.pwned=3</script> <iframe src=https://evil.example></iframe>\n"
    "![x](https://evil.example/b) [x](javascript:window.pwned=4) [a]: https://evil.example\n\n"
    "<style>@import url(//evil.example/c)</style></textarea><body onload=pwned=5>\n"
    "`</code><script>pwned=6</script>` \u2066\u0007 @all https://evil.example | a |\n"
    f"{'a' * 3000}"
)
PAGES = (
    *("", "runs/", "runs/1/", "runs/1/?cycle=1&tab=threads", "runs/1/outcomes/", "runs/1/events/"),
    *(
        "runs/1/why/?cycle=1",
        "runs/1/review/",
        "runs/1/search/",
        "reviews/",
        "reviews/?show=waiting",
        "compare/",
        "compare/?a=1&b=1&a_seq=9",
    ),
    *("clusters/", "clusters/prod/", "clusters/prod/history/", "clusters/prod/settings/", "configurations/"),
    *("configurations/hostile/", "timelines/", "members/", "audit/", "settings/", "search/"),
)
EXPORTS = (
    *(
        "runs/1/review/record.md",
        "runs/1/decision.md?cycle=1",
        "runs/1/decision.txt?cycle=1",
        "runs/1/story.md?cycle=1",
    ),
    *("runs/1/outcomes.md", "compare/comparison.md?a=1&b=1&a_seq=9", "compare/note.md?a=1&b=1&a_seq=9"),
)


@pytest.fixture
def team(chromium, live_server_url, run):
    """A workspace in which everything that somebody can name or write is hostile."""
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    Workspace.objects.update(name=NAME)
    User.objects.update(name=NAME)
    Cluster.objects.update(name=NAME)
    Run.objects.update(name=NAME)
    member.refresh_from_db()
    config = save_config(member, None, NewText("hostile", "# </textarea><script>pwned=7</script>\n" + CONFIG))
    type(config.config).objects.update(name=NAME)
    run = Run.objects.select_related("head", "workspace").get(pk=run.pk)
    actions.open_thread(member, run, Pin(1), TEXT)
    finding = gathered(member, run, seconds=60).groups[0].findings[0]
    actions.open_field_thread(member, run, FieldPin(finding.key), TEXT)
    ask_for_review(member, run, ReviewRequest(NAME, TEXT))
    verdicts.give_verdict(member, run, "request_changes", TEXT)
    verdicts.close(member, run, TEXT)
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def assert_inert(page, outside, what):
    """Nothing ran, and nobody else was asked."""
    assert page.evaluate("() => String(window.pwned)") == "undefined", what
    assert outside == [], what


@pytest.mark.essential
def test_hostile_text_is_inert_on_every_page_and_in_every_export(team, run):
    owner = User.objects.get(email="asha@example.org")
    page = team.open(owner, "/w/team/")
    outside = []

    def note(request):
        if not request.url.startswith((team.origin, "data:", "blob:", "about:")):
            outside.append(request.url)

    page.context.on("request", note)
    other = team.open(team.join(NAME), "/w/team/runs/1/")
    for path in PAGES:
        answer = page.goto(f"{team.origin}/w/team/{path}")
        assert answer.status == 200, path
        page.wait_for_load_state()
        if path.startswith("runs/1/"):
            expect(page.locator("#people [data-avatars] .avatar")).to_have_count(1)
        assert_inert(page, outside, path)
        assert "49" not in page.title(), path
    assert_inert(other, outside, "the page of somebody else")

    paper = page.context.new_page()
    markdown = MarkdownIt("gfm-like")
    for path in EXPORTS:
        answer = page.context.request.get(f"{team.origin}/w/team/{path}")
        assert answer.status == 200, path
        paper.set_content(markdown.render(answer.text()))
        paper.wait_for_load_state()
        assert_inert(paper, outside, path)
        # What people write may link elsewhere; that asks nobody until it is clicked. A link that leads nowhere is ":".
        links = paper.evaluate("() => [...document.querySelectorAll('[href]')].map((one) => one.protocol)")
        assert set(links) <= {"http:", "https:", ":"}, path
        assert paper.evaluate("() => document.querySelectorAll('[src], script, style, iframe, svg').length") == 0, path
