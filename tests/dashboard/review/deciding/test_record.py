"""A review as a file."""

from __future__ import annotations

import pytest

from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.record import as_markdown, quoted
from dashboard.review.deciding.rules import ReviewRule
from dashboard.review.findings.groups import Gathered
from dashboard.review.pins.pin import Pin
from scheduler_core import ENGINE_VERSION

pytestmark = pytest.mark.django_db
SITE = "https://site.example"


def test_it_says_what_was_decided_by_whom_and_of_which_run(run, owner, editor, reviewer):
    run.recording_hash = "ab" * 32
    run.engine_version = ENGINE_VERSION
    run.save()
    request = ReviewRequest("Switch *now*?", "Look at `pod-3`\nand at node-1", "@edda", ReviewRule(needed=2))
    ask_for_review(owner.member, run, request)
    verdicts.give_verdict(reviewer.member, run, "request_changes", "too full")
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    thread = actions.open_thread(editor.member, run, Pin(2, point="Score", node="node-1"), "**Why** here?")
    actions.reply(reviewer.member, thread, "ok")
    actions.react(owner.member, thread.comments.first(), "plus")
    actions.resolve(reviewer.member, thread)
    text = as_markdown(owner.member, run, SITE)
    name = reviewer.user.name
    for line in (
        "# Review: Switch \\*now\\*?",
        f"- Recording: `{'ab' * 32}`, engine `{ENGINE_VERSION}`",
        "- State: open, 1 of 2 approvals; rule: 2 approvals, and no request for changes",
        "- Reviewers: Edda",
        "> Look at `pod-3`",
        "> and at node-1",
        "  > too full",
        "- No node at the last attempt",
        "### [Cycle 2, default/pod\\-2, Score, node\\-1]"
        f"({SITE}/w/team/runs/1/?cycle=2&tab=threads&point=Score&node=node-1#thread-{thread.pk}) (resolved by {name})",
        "> **Why** here?",
        "+1 by Asha",
    ):
        assert line in text.splitlines(), line
    assert f"- **{name}** approved, " in text
    assert " (replaced)" in text


def test_a_run_without_a_review_has_a_record_too(run, viewer):
    text = as_markdown(viewer.member, run, SITE)
    assert "Nobody has given a verdict." in text
    assert "Nobody has commented." in text


@pytest.mark.parametrize(
    ("text", "quotation"),
    [
        ("a\nb", ["> a", "> b"]),
        ("<script>x</script> `<b>`", ["> \\<script>x\\</script> `<b>`"]),
        ("![x](https://a.example/i.png)", ["> !\\[x](https://a.example/i.png)"]),
        ("[x](javascript:alert) [y](/w/team) [z](https://a.example)", [
            "> [x]\\(javascript:alert) [y](/w/team) [z](https://a.example)"
        ]),
        ("[x]: javascript:alert", ["> [x]\\: javascript:alert"]),
        ("```\n<b>\n```\n<i>", ["> ```", "> <b>", "> ```", "> \\<i>"]),
        ("", [">"]),
    ],
)  # fmt: skip
def test_what_people_wrote_is_quoted_without_html(text, quotation):
    assert list(quoted(text)) == quotation


def test_hostile_names_and_titles_are_escaped(run, owner):
    ask_for_review(owner.member, run, ReviewRequest("<img src=x> [x](javascript:1) \u202e", ""))
    owner.user.name = "**A** <b>\n# x"
    owner.user.save()
    text = as_markdown(owner.member, run, SITE)
    assert "<img" not in text.replace("\\<", "")
    assert "\n# x" not in text


def test_the_page_leads_to_the_file(run, viewer):
    url = "/w/team/runs/1/review/record.md"
    assert url in viewer.get("/w/team/runs/1/review/").content.decode()
    response = viewer.get(url)
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="review-of-run-1.md"'


@pytest.mark.parametrize(
    ("is_waiting", "line"),
    [
        (False, "On run 1 no pod would end otherwise."),
        (True, "Not complete when this was written: On run 1 no pod would end otherwise."),
    ],
)
def test_findings_are_called_incomplete_only_while_there_may_be_more(run, viewer, is_waiting, line):
    there = Gathered([], "On run 1 no pod would end otherwise", is_waiting=is_waiting)
    assert line in as_markdown(viewer.member, run, SITE, there).splitlines()
