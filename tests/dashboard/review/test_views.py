"""What the pages of reviews show, to browsers and to htmx."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.review import actions, views
from dashboard.review import page as review_page
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_about, ask_for_review
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.models import ReadMark, Review
from dashboard.review.pins.pin import Pin
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.review.conftest import make_run
from tests.dashboard.review.pages import page

HTMX = {"HX-Request": "true"}
ATTACK = "<script>alert(1)</script> `</code><img src=x onerror=alert(1)>`"
PAGES = ["/w/team/reviews/", "/w/team/runs/1/review/", "/w/team/runs/1/cycles/2/threads/"]


@pytest.mark.parametrize("url", PAGES)
def test_a_page_and_its_part(run, thread, editor, url):
    whole, part = page(editor, url), page(editor, url, **HTMX)
    assert whole.startswith("<!DOCTYPE html>")
    assert not part.startswith("<!DOCTYPE html>")
    assert "<html" not in part
    for html in (whole, part):
        assert_strict_csp(html)


@pytest.mark.parametrize("url", PAGES)
def test_an_empty_place_says_so(run, viewer, url):
    html = page(viewer, url)
    assert_strict_csp(html)
    assert "No review yet" in html or "Nobody has commented" in html


@pytest.mark.slow
def test_nothing_that_people_write_becomes_markup(run, reviewer, editor):
    ask_for_review(reviewer.member, run, ReviewRequest("<b>title</b>", ATTACK))
    thread = actions.open_thread(reviewer.member, run, Pin(2, None, "", "<i>plugin</i>", "<i>node</i>"), ATTACK)
    actions.reply(editor.member, thread, '"><svg onload=alert(1)></textarea><script>1</script>')
    verdicts.give_verdict(reviewer.member, run, "request_changes", ATTACK)
    for url in [*PAGES, "/w/team/runs/1/cycles/2/threads/?plugin=<u>x</u>&node=%22%3E<u>y</u>"]:
        for person in (reviewer, editor):
            html = page(person, url)
            assert_strict_csp(html)
            for tag in ("<b>title", "<img", "<svg onload", "<script>", "<i>plugin", "<i>node", "<u>"):
                assert tag not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; <code>&lt;/code&gt;" in page(editor, PAGES[1])


def test_the_pin_of_the_form_is_the_cursor(run, reviewer):
    url = "/w/team/runs/1/cycles/2/threads/?seq=15&point=Score&plugin=NodeAffinity&node=node-1"
    html = page(reviewer, url, **HTMX)
    for name, value in {"cycle": 2, "seq": 15, "point": "Score", "plugin": "NodeAffinity", "node": "node-1"}.items():
        assert f'name="{name}" value="{value}"' in html
    assert "Comment on <b>cycle 2, Score, NodeAffinity, node-1</b>" in html
    assert 'name="seq" value="20"' in page(reviewer, "/w/team/runs/1/cycles/2/threads/", **HTMX)


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/w/team/runs/1/cycles/9/threads/", 404),
        ("/w/team/runs/9/cycles/1/threads/", 404),
        ("/w/team/runs/9/review/", 404),
        ("/w/team/runs/1/cycles/2/threads/?point=Guess", 400),
        ("/w/team/runs/1/cycles/2/threads/?seq=x", 400),
        ("/w/team/runs/1/review/?show=x", 400),
        ("/w/team/reviews/?show=x", 400),
        ("/w/team/runs/1/review/?thread=99", 404),
        ("/w/team/threads/99/", 404),
    ],
)
def test_addresses_that_cannot_be(run, reviewer, url, status):
    assert reviewer.get(url).status_code == status


def test_a_viewer_sees_no_forms(run, thread, viewer, reviewer):
    verdicts.give_verdict(reviewer.member, run, "approve", "fine")
    for url in PAGES[1:]:
        html = page(viewer, url)
        assert re.search(r"Why <a [^>]*node=node-1[^>]*><code>node-1</code></a>\?", html)
        assert "/react" not in html
        assert "<textarea" not in html
        assert "/threads/new" not in html


def test_only_the_author_gets_the_editor(run, thread, reviewer, editor):
    edit = f"/w/team/comments/{thread.comments.get().pk}/edit"
    assert edit in page(reviewer, PAGES[2])
    assert edit not in page(editor, PAGES[2])


def test_looking_at_a_thread_reads_it(run, viewer, thread):
    assert "comment is-new" in page(viewer, PAGES[2], **HTMX)
    assert ReadMark.objects.filter(member=viewer.member).count() == 1
    assert "comment is-new" not in page(viewer, PAGES[2], **HTMX)


def test_news_in_a_resolved_thread_are_shown_at_once(run, viewer, thread, reviewer):
    actions.resolve(reviewer.member, thread)
    assert "Why <code>" not in page(viewer, PAGES[1])
    actions.reply(reviewer.member, thread, "and yet")
    assert "and yet" in page(viewer, PAGES[1])


def test_the_inbox_counts_what_waits(run, viewer, thread):
    url = reverse("review:inbox", kwargs={"slug": "team"})
    assert 'data-most="100">1</span>' in page(viewer, url)
    assert 'data-most="100">1</span>' in page(viewer, "/w/team/members/")
    page(viewer, PAGES[2])
    assert 'data-most="100" hidden>0</span>' in page(viewer, url)


# ---------------------------------------------------------------- forms


def test_asking_shows_on_the_page_and_in_the_list(run, editor, reviewer):
    editor.post("/w/team/runs/1/review/ask", {"title": "Most allocated?", "description": "Look at `etl`"})
    html = page(reviewer, "/w/team/runs/1/review/")
    assert "Most allocated?" in html
    assert "Look at <code>etl</code>" in html
    assert "Most allocated?" in page(reviewer, "/w/team/reviews/?show=waiting")
    assert "Most allocated?" not in page(editor, "/w/team/reviews/?show=waiting")


# ---------------------------------------------------------------- pages of pages


def sub_of(html):
    """Return what stands below the name of the first review of a list."""
    return html.partition('<div class="sub cut">')[2].partition("</div>")[0]


@pytest.mark.slow
def test_a_name_is_not_said_twice_where_nobody_gave_a_title(two_runs, editor):
    subject = subject_in(editor.member, {"a": str(two_runs[0].number), "b": str(two_runs[1].number)})
    ask_about(editor.member, subject, ReviewRequest())
    html = page(editor, "/w/team/reviews/")
    assert "comparison" in sub_of(html)
    assert "run 1" not in sub_of(html)


def test_threads_are_paged(run, reviewer, monkeypatch):
    for module in (views, review_page):
        monkeypatch.setattr(module, "THREADS_PER_PAGE", 2)
    threads = [actions.open_thread(reviewer.member, run, Pin(1), f"remark {n}") for n in range(5)]
    first = page(reviewer, "/w/team/runs/1/review/")
    assert "2 of 5 threads" in first
    assert "remark 1" in first
    assert "remark 2" not in first
    last = page(reviewer, f"/w/team/runs/1/review/?thread={threads[4].pk}")
    assert "5 of 5 threads" in last
    cycle = page(reviewer, "/w/team/runs/1/cycles/1/threads/?seq=5&threads_page=2", **HTMX)
    assert "4 of 5 threads" in cycle
    assert "seq=5&amp;threads_page=3" in cycle


def test_a_page_of_threads_takes_as_many_queries_for_many(run, reviewer, django_assert_max_num_queries):
    for n in range(15):
        thread = actions.open_thread(reviewer.member, run, Pin(1 + n % 3), "x")
        actions.reply(reviewer.member, thread, "y")
    with django_assert_max_num_queries(22):
        page(reviewer, "/w/team/runs/1/review/", **HTMX)


def test_reviews_are_paged(workspace, reviewer):
    for number in range(1, 32):
        Review.objects.create(
            workspace=workspace, number=number, is_asked=True, run=make_run(workspace, number, cycles=1)
        )
    assert "30 of 31 reviews" in page(reviewer, "/w/team/reviews/")
    assert "31 of 31 reviews" in page(reviewer, "/w/team/reviews/?page=2")


def test_a_review_of_a_configuration_alone_has_no_cluster(configuration, ask_about_one, reviewer):
    ask_about_one("Pack?", configuration=configuration.slug, revision=2)
    row = page(reviewer, "/w/team/reviews/").rpartition("Pack?")[2].partition("</tr>")[0]
    assert re.search(r"<td[^>]*>\s*none\s*</td>", row)


@pytest.mark.parametrize(
    ("person", "sentence"), [("reviewer", "asks for your verdict"), ("editor", "Nothing waits for you")]
)
def test_words_of_what_waits(people, run, person, sentence):
    people["editor"].post("/w/team/runs/1/review/ask", {"title": "Most allocated?", "description": ""})
    assert sentence in page(people[person], "/w/team/reviews/?show=waiting")


def test_words_for_whose_approval_does_not_count(people, run):
    asked = {"title": "Most allocated?", "description": "", "needed": "1", "role": "editor"}
    people["admin"].post("/w/team/runs/1/review/ask", asked)
    assert "asks for your opinion" in page(people["reviewer"], "/w/team/reviews/?show=waiting")
    assert "asks for your verdict" in page(people["editor"], "/w/team/reviews/?show=waiting")
