"""The page of a review stays what a fresh one is: whatever another member does reaches it by the feed."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from django.urls import get_resolver

from dashboard.accounts.access import WRITE
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Comment, CommentDraft, Thread
from dashboard.review.urls import OF_A_REVIEW
from tests.dashboard.review.open_page import OpenPage, lines
from tests.dashboard.review.test_roles import CHANGE
from tests.dashboard.role_tables import taken_back
from tests.seeds import long_but

RULE = {"needed": "1", "role": "reviewer"}
WHY, DRAFT = {"text": "Why?"}, {"text": "Why?", "keep": "draft"}
# What makes a review, which no page shows before.
MAKING = {"new_of_text", "ask_new"}


class Act(NamedTuple):
    """What another member sends to an address of reviews; what is private changes no page but theirs."""

    name: str
    data: dict[str, str] = {}
    is_private: bool = False


ASKING = [
    Act("ask", {"title": "Asked", **RULE}),
    Act("ask", {"title": "Another title", **RULE}),
    Act("ask", {"title": "Another title", "description": "At the **spread**", **RULE}),
    Act("ask", {"title": "Another title", "reviewers": "@ravi @asha", **RULE}),
    Act("ask", {"title": "Another title", "reviewers": "@asha", **RULE}),
    Act("ask", {"title": "Another title", "needed": "3", "role": "editor", "asker_counts": "on"}),
    Act("viewed", {"viewed": "yes"}, is_private=True),
    Act("mute", {"muted": "1"}, is_private=True),
    Act("close", {"text": "Overtaken"}),
    Act("reopen_review"),
]
TALKING = [
    Act("open_field_thread", DRAFT, is_private=True),
    Act("edit_draft", {"text": "So?"}, is_private=True),
    Act("discard_draft", is_private=True),
    Act("open_field_thread", WHY),
    Act("reply", DRAFT, is_private=True),
    Act("edit", {"text": "Why at all?"}),
    Act("react", {"kind": "eyes"}),
    Act("reply", {"text": "Because"}),
    Act("resolve"),
    Act("reopen"),
    Act("mark", {"read": "0"}, is_private=True),
]
DECIDING = [
    Act("open_field_thread", DRAFT, is_private=True),
    Act("give_verdict", {"kind": "comment", "text": "Hm"}),
    Act("give_verdict", {"kind": "approve", "text": "Good"}),
    Act("withdraw"),
    Act("give_verdict", {"kind": "request_changes", "text": "Not so"}),
]
ON_A_RUN = [
    Act("open_thread", {"cycle": "3", **DRAFT}, is_private=True),
    Act("open_thread", {"cycle": "3", **WHY}),
]
ACTS = {"ask": ASKING, "talk": TALKING, "decide": DECIDING, "pin": ON_A_RUN}
ON_A_CHANGE = [
    Act("comment_on_change", {**CHANGE, **DRAFT}, is_private=True),
    Act("comment_on_change", {**CHANGE, **WHY}),
]


def address(act, page_url):
    """Return where an act is sent: on the first comment, draft or thread that there is."""
    ends = {name: end for end, (_, name) in OF_A_REVIEW.items()} | {"open_thread": "threads/new"}
    if act.name in ends:
        return f"{page_url}{ends[act.name]}"
    if act.name == "comment_on_change":
        return "/w/team/reviews/changes/comment"
    of, rows = {
        "edit_draft": ("comment-drafts", CommentDraft),
        "discard_draft": ("comment-drafts", CommentDraft),
        "edit": ("comments", Comment),
        "react": ("comments", Comment),
    }.get(act.name, ("threads", Thread))
    return f"/w/team/{of}/{rows.objects.order_by('pk')[0].pk}/{act.name.removesuffix('_draft')}"


def assert_page_follows(reader, other, of, page_url, acts):
    """Open the page, let the other one act, and compare each time what the feed makes of the page with a fresh one."""
    opened = OpenPage(reader, page_url)
    key = gathered(other.member, of).findings[0].key
    for act in acts:
        before = opened.fresh() if act.is_private else opened.shown
        answer = other.post(address(act, page_url), {"key": key, "finding": key, **act.data})
        assert answer.status_code == 302, (act, answer.content)
        with taken_back():  # what it shows is unread to the open page
            fresh = opened.fresh()
        assert (lines(fresh) == lines(before)) == act.is_private, act
        if not act.is_private:
            opened.hear()
            assert lines(opened.shown) == lines(fresh), act


@pytest.mark.slow
@pytest.mark.parametrize("acts", long_but(ACTS, ("pin",)))
def test_the_open_page_of_a_run_follows_what_another_member_does(run, reviewer, editor, owner, acts):
    if acts != "ask":
        ask_for_review(editor.member, run, ReviewRequest("Look"))
    assert_page_follows(editor, owner, run, "/w/team/runs/1/review/", ACTS[acts])


def test_the_open_page_of_a_run_follows_its_name(run, viewer, editor):
    opened = OpenPage(viewer, "/w/team/runs/1/review/")
    editor.post("/w/team/runs/1/rename", {"name": "Another night"})
    fresh = opened.fresh()
    assert lines(opened.shown) != lines(fresh)
    opened.hear()
    assert lines(opened.shown) == lines(fresh)


@pytest.mark.slow
@pytest.mark.long
def test_the_open_page_of_a_change_follows_what_another_member_does(run, reviewer, editor, owner, ask_about_one):
    review = ask_about_one(**CHANGE)
    acts = [*ASKING, *TALKING, *DECIDING, *ON_A_CHANGE]
    assert_page_follows(editor, owner, review, f"/w/team/reviews/{review.number}/", acts)


def test_each_address_that_writes_is_one_of_these_acts():
    _, resolver = get_resolver().namespace_dict["review"]
    writing = {one.name for one in resolver.url_patterns if set(WRITE) <= set(one.callback.allowed_methods)}
    tried = {act.name for act in [*ASKING, *TALKING, *DECIDING, *ON_A_RUN, *ON_A_CHANGE]}
    assert {name.removeprefix("review_") for name in writing} - MAKING == tried
