"""Who may use which address of reviews: the table role x endpoint."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.review.deciding import verdicts
from dashboard.review.findings.groups import digest
from dashboard.review.models import CommentDraft, Review
from dashboard.runs.models import RunBranch
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.review.conftest import make_run
from tests.dashboard.role_tables import ORDER, assert_each_address_has_a_row, assert_each_role_gets_its_answer

# The finding of the run's pod that is pending without a message.
PENDING = f"pending:{digest('')}"
DRAFT = 7
# The first revision of the run's cluster, against no objects.
CHANGE = {"cluster": "prod", "revision": "1", "base": "0"}
ADDED = f"object:{digest('Node', '', 'node-0')}"
# name, method, smallest role that may, form data, status where it works
ENDPOINTS = [
    ("list", "get", "viewer", {}, 200),
    ("inbox", "get", "viewer", {}, 200),
    ("review", "get", "viewer", {}, 302),
    ("run", "get", "viewer", {}, 200),
    ("cycle_threads", "get", "viewer", {}, 200),
    ("thread", "get", "viewer", {}, 302),
    ("ask", "post", "reviewer", {"title": "t", "description": "d"}, 302),
    ("give_verdict", "post", "reviewer", {"kind": "approve"}, 302),
    ("withdraw", "post", "reviewer", {}, 302),
    ("marks", "get", "viewer", {}, 200),
    ("record", "get", "viewer", {}, 200),
    ("viewed", "post", "viewer", {"key": "pending:none", "viewed": "no"}, 302),
    ("open_thread", "post", "reviewer", {"cycle": "1", "text": "x"}, 302),
    ("open_field_thread", "post", "reviewer", {"finding": PENDING, "text": "x"}, 302),
    ("thing_threads", "get", "viewer", {"cycle": "1"}, 200),
    ("reply", "post", "reviewer", {"text": "x"}, 302),
    ("resolve", "post", "reviewer", {}, 302),
    ("reopen", "post", "reviewer", {}, 302),
    ("edit", "post", "reviewer", {"text": "x"}, 302),
    ("react", "post", "reviewer", {"kind": "eyes"}, 302),
    ("edit_draft", "post", "reviewer", {"text": "x"}, 302),
    ("discard_draft", "post", "reviewer", {}, 302),
    ("effect", "get", "viewer", {}, 200),
    ("versions", "get", "viewer", {}, 200),
    ("people", "get", "viewer", {}, 200),
    ("findings", "get", "viewer", {}, 200),
    ("close", "post", "admin", {"text": "overtaken"}, 302),
    ("reopen_review", "post", "admin", {}, 302),
    ("new", "get", "reviewer", {"a": "1", "b": "2"}, 200),
    ("new_of_text", "post", "reviewer", {"text": PACKING}, 200),
    ("ask_new", "post", "reviewer", {"text": PACKING, "title": "t"}, 302),
    ("review_findings", "get", "viewer", {}, 200),
    ("review_record", "get", "viewer", {}, 200),
    ("review_ask", "post", "reviewer", {"title": "t", "description": "d"}, 302),
    ("review_give_verdict", "post", "reviewer", {"kind": "approve"}, 302),
    ("review_withdraw", "post", "reviewer", {}, 302),
    ("review_close", "post", "admin", {"text": "overtaken"}, 302),
    ("review_reopen_review", "post", "admin", {}, 302),
    ("review_open_field_thread", "post", "reviewer", {"finding": PENDING, "text": "x"}, 302),
    ("parts", "get", "viewer", {}, 200),
    ("review_parts", "get", "viewer", {}, 200),
    ("mute", "post", "viewer", {"muted": "1"}, 302),
    ("mark", "post", "viewer", {"read": "0"}, 302),
    ("review_mute", "post", "viewer", {"muted": "1"}, 302),
    ("review_mark", "post", "viewer", {"read": "1"}, 302),
    ("change_threads", "get", "viewer", CHANGE, 200),
    ("comment_on_change", "post", "reviewer", {**CHANGE, "finding": ADDED, "text": "x"}, 302),
    ("review_viewed", "post", "viewer", {"key": "pending:none", "viewed": "no"}, 302),
]
ENDS = {
    *("ask", "give_verdict", "withdraw", "viewed", "record", "findings", "close", "reopen_review"),
    *("open_field_thread", "mute", "mark", "parts"),
}
# What names nothing of a workspace but in its form; test_page_views sends ids of other workspaces in it.
OF_A_TEXT = {"new_of_text", "ask_new"}
OF_A_RUN = {"run", "open_thread", "cycle_threads", "thing_threads", "marks", *ENDS}
IDS = [f"{endpoint[1]} {endpoint[0]}" for endpoint in ENDPOINTS]


def address(name, thread, slug="team"):
    kwargs = {"slug": slug}
    if name in OF_A_RUN:
        kwargs["number"] = thread.run.number
    if name == "review" or name.startswith("review_"):
        kwargs["review"] = thread.review.number
    if name == "cycle_threads":
        kwargs["cycle"] = thread.cycle
    if name in {"thread", "reply", "resolve", "reopen"}:
        kwargs["thread_id"] = thread.pk
    if name in {"edit_draft", "discard_draft"}:
        kwargs["draft_id"] = DRAFT
    if name in {"edit", "react", "versions", "effect"}:
        kwargs["comment_id"] = thread.comments.get().pk
    return reverse(f"review:{name}", kwargs=kwargs)


@pytest.mark.parametrize(("name", "method", "needed", "data", "works"), ENDPOINTS, ids=IDS)
def test_each_endpoint_lets_in_who_may(people, thread, name, method, needed, data, works):
    def ask(person, role):
        if name.endswith("withdraw") and role in ORDER[1:]:
            verdicts.give_verdict(person.member, thread.run, "approve", "")
        if name.endswith(("close", "reopen_review")):
            Review.everything.update(is_asked=True, opened_by=None)
        if name.endswith("reopen_review"):
            Review.everything.update(closed_at=thread.created_at, state="closed")
        if name == "new":
            make_run(thread.workspace, 2)
        if name in {"edit_draft", "discard_draft"}:
            author = person.user if role in ORDER else thread.created_by
            CommentDraft.objects.create(pk=DRAFT, workspace=thread.workspace, author=author, run=thread.run, text="x")
        if name == "effect":
            RunBranch.objects.get_or_create(run=thread.run, defaults={"origin_number": 9, "asked_seq": 0})
            thread.comments.update(suggested=thread.run, suggested_number=1)
        if name == "edit" and role in ORDER[1:]:
            thread.comments.update(author=person.user)
        return getattr(person, method)(address(name, thread), data)

    assert_each_role_gets_its_answer(people, needed, works, ask)


@pytest.mark.parametrize(
    ("name", "method", "needed", "data", "works"), [one for one in ENDPOINTS if one[0] not in OF_A_TEXT]
)
def test_another_workspaces_things_are_not_found_through_ones_own(stranger, thread, name, method, needed, data, works):
    if name in {"list", "inbox", "people"}:
        response = stranger.get(address(name, thread, "elsewhere"))
        assert response.status_code == 200
        assert not re.search("night|Rhea|Asha", response.content.decode())
    else:
        response = getattr(stranger, method)(address(name, thread, "elsewhere"), data)
        assert response.status_code == 404


def test_every_address_is_in_the_table():
    assert_each_address_has_a_row("review", [endpoint[0] for endpoint in ENDPOINTS])


@pytest.mark.parametrize(("name", "method"), [endpoint[:2] for endpoint in ENDPOINTS], ids=IDS)
def test_the_other_method_is_refused(owner, thread, name, method):
    other = owner.get if method == "post" else owner.post
    assert other(address(name, thread)).status_code == 405
