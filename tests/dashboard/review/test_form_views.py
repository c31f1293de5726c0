"""Forms of reviews: threads, comments and verdicts, sent once or four times, with and without scripts."""

from __future__ import annotations

import pytest

from dashboard.review.models import Comment, Thread, Verdict
from tests.dashboard.review.pages import page

HTMX = {"HX-Request": "true"}
PAGES = ["/w/team/reviews/", "/w/team/runs/1/review/", "/w/team/runs/1/cycles/2/threads/"]


def test_a_form_without_scripts_leads_back_to_the_thread(run, reviewer):
    data = {"cycle": "2", "seq": "15", "point": "Score", "plugin": "P", "node": "n", "text": "hm", "from": "run"}
    response = reviewer.post("/w/team/runs/1/review/threads/new", data)
    thread = Thread.objects.get()
    assert response["Location"] == f"/w/team/runs/1/review/?thread={thread.pk}#thread-{thread.pk}"
    assert (thread.seq, thread.point, thread.plugin, thread.node) == (15, "Score", "P", "n")
    assert f'id="thread-{thread.pk}"' in page(reviewer, response["Location"])


def test_from_the_inspector_it_leads_to_the_permalink(run, thread, reviewer):
    response = reviewer.post(f"/w/team/threads/{thread.pk}/reply", {"text": "yes", "from": "cycle"})
    assert response["Location"] == f"/w/team/threads/{thread.pk}/"
    assert reviewer.get(response["Location"])["Location"] == f"/w/team/runs/1/?cycle=2&tab=threads#thread-{thread.pk}"


@pytest.mark.parametrize("verb", ["reply", "resolve", "reopen"])
def test_htmx_hears_that_threads_changed(thread, reviewer, verb):
    response = reviewer.post(f"/w/team/threads/{thread.pk}/{verb}", {"text": "x"}, headers=HTMX)
    assert (response.status_code, response["HX-Trigger"]) == (204, "threads-changed")


def test_a_comment_is_edited_through_the_form(thread, reviewer, editor):
    comment = thread.comments.get()
    assert editor.post(f"/w/team/comments/{comment.pk}/edit", {"text": "theirs"}).status_code == 403
    assert reviewer.post(f"/w/team/comments/{comment.pk}/edit", {"text": "mine"}).status_code == 302
    comment.refresh_from_db()
    assert comment.text == "mine"
    assert ">edited</a>" in " ".join(page(editor, PAGES[2]).split())
    versions = page(editor, f"/w/team/comments/{comment.pk}/versions/")
    assert ">mine</pre>" in versions
    assert ">Why `node-1`?</pre>" in versions


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"cycle": "2", "text": ""}, 400),
        ({"cycle": "2", "text": "x" * 10_001}, 413),
        ({"cycle": "", "text": "x"}, 400),
        ({"cycle": "two", "text": "x"}, 400),
        ({"cycle": "9", "text": "x"}, 404),
        ({"cycle": "2", "seq": "9999", "text": "x"}, 400),
        ({"cycle": "2", "seq": "-1", "text": "x"}, 400),
    ],
    ids=["empty", "too long", "no cycle", "no number", "no such cycle", "other event", "negative event"],
)
def test_bad_comments_are_refused_with_words(run, reviewer, data, status):
    response = reviewer.post("/w/team/runs/1/review/threads/new", data, headers=HTMX)
    assert response.status_code == status
    assert response["X-Problem"]
    assert not Comment.objects.exists()


def test_a_form_sent_four_times_is_taken_once(run, thread, reviewer):
    """The forms of the page carry tokens; every answer leads to the same place."""
    assert page(reviewer, PAGES[1]).count('name="once"') == 4  # comment, reply, verdict, asking
    forms = {
        "/w/team/runs/1/review/threads/new": {"cycle": "2", "text": "Why?"},
        f"/w/team/threads/{thread.pk}/reply": {"text": "Because."},
        "/w/team/runs/1/review/verdict": {"kind": "comment", "text": "Hm."},
        "/w/team/runs/1/review/ask": {"title": "Night", "description": ""},
    }
    for url, data in forms.items():
        leads = {reviewer.post(url, {**data, "once": "a-token"})["Location"] for _ in range(4)}
        assert len(leads) == 1
    assert Thread.objects.count() == 2
    assert thread.comments.count() == 2
    assert Verdict.objects.count() == 1


def test_verdicts_through_the_forms(run, editor, reviewer):
    url = "/w/team/runs/1/review/"
    assert reviewer.post(f"{url}verdict", {"kind": "approve", "text": ""}).status_code == 302
    assert "approved" in page(editor, url)
    assert f"{url}withdraw" in page(reviewer, url)
    assert f"{url}withdraw" not in page(editor, url)
    assert reviewer.post(f"{url}withdraw").status_code == 302
    assert reviewer.post(f"{url}withdraw").status_code == 409
    assert "withdrawn" in page(editor, url)
    assert reviewer.post(f"{url}verdict", {"kind": "request_changes"}).status_code == 400
    assert Verdict.objects.filter(stands=True).count() == 0


def test_a_reply_asks_for_each_thing_once(thread, reviewer, django_assert_max_num_queries):
    address = f"/w/team/threads/{thread.pk}/reply"
    reviewer.post(address, {"text": "first"})
    with django_assert_max_num_queries(17):  # four of them begin and end transactions within that of the test
        assert reviewer.post(address, {"text": "second"}).status_code == 302
