"""Permalinks of threads."""

from __future__ import annotations

from dashboard.review import actions, links, threads
from dashboard.review.pins.pin import Pin


def test_lists_say_once_what_a_review_is_about(run, thread):
    review = thread.review
    assert (review.subject, links.about_line(review)) == ("night 1", "run 1")
    review.run.name = ""
    assert (review.subject, links.about_line(review)) == ("run 1", f"run of {review.run.revision}")
    review.title = "Fit?"
    assert links.about_line(review) == "run 1"


def test_permalinks_name_the_cursor(run, thread, reviewer):
    at_point = actions.open_thread(reviewer.member, run, Pin(2, 15, "Score", "NodeAffinity", "a b"), "x")
    within = actions.open_thread(reviewer.member, run, Pin(2, 15), "x")
    urls = [view.url for view in threads.thread_views(reviewer.member, list(threads.threads_of(run)))]
    assert urls == [
        f"/w/team/runs/1/?cycle=2&tab=threads#thread-{thread.pk}",
        f"/w/team/runs/1/?cycle=2&tab=threads&point=Score&plugin=NodeAffinity&node=a+b#thread-{at_point.pk}",
        f"/w/team/runs/1/?seq=15&tab=threads#thread-{within.pk}",
    ]
    assert links.cycle_url("team", 1, 2) == "/w/team/runs/1/?cycle=2"
