"""Threads on the things of a run: from the key in the debugger to the number beside the thing in the review."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.review.models import Thread
from tests.browser.test_review import HOSTILE, open_as, run

__all__ = ["open_as", "run"]


@pytest.mark.slow
def test_a_queue_move_is_commented_by_key_and_shown_in_the_review(open_as, run, live_server_url):
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/?cycle=3&tab=story")
    outside = []
    ravi.on("request", lambda request: outside.append(request.url) if "evil" in request.url else None)
    move = ravi.locator(".tale-line").first
    link = move.locator("a[data-thing]")
    expect(link).to_have_attribute("title", "Comment on the queue move to activeQ")
    link.focus()
    link.press("c")
    field = ravi.locator("dialog[open] .new-thread textarea")
    expect(field).to_be_focused()
    field.fill(HOSTILE)
    field.press("Control+Enter")
    said = ravi.locator("dialog[open] article.thread .said")
    expect(said).to_contain_text("onerror")
    expect(said.locator("script, img, svg, iframe, style, [onload], [onerror], a[href^=javascript]")).to_have_count(0)
    ravi.keyboard.press("Escape")
    expect(link.locator("b")).to_have_text("1")

    thread = Thread.objects.get()
    assert thread.kind == "move"
    ravi.goto(f"{live_server_url}/w/team/threads/{thread.pk}/")
    expect(ravi.locator("#inspector .tale-line").first.locator(".rv-anchor")).to_have_text("1")
    expect(ravi.locator("article.thread .thread-fact")).to_contain_text("moved from outside of the queue to activeQ")
    ravi.locator("#inspector .tale-head a[data-thing]").click()
    expect(ravi.locator("[data-pinned]")).to_have_text("the pod's story")
    expect(ravi.locator("#new-text")).to_be_focused()
    ravi.locator("#new-text").fill("All of it")
    ravi.locator("#new-text").press("Control+Enter")
    expect(ravi.locator("article.thread").filter(has_text="All of it")).to_contain_text("story of default/")
    assert (outside, complaints) == ([], [])
