"""Threads on the things of a run: from the key in the debugger to the number beside the thing in the review."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Member
from dashboard.review import actions as review
from dashboard.review.models import Thread
from dashboard.review.pins.pin import Pin
from tests.browser.test_review import HOSTILE, open_as, run

__all__ = ["open_as", "run"]


@pytest.mark.slow
@pytest.mark.long
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


@pytest.mark.long
def test_a_cell_of_the_matrix_is_commented_by_key_and_by_mouse(open_as, run):
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/?cycle=3&tab=matrix")
    row = ravi.locator("#inspector tr[data-node]").first
    expect(row).to_be_visible()
    row.locator("a").first.focus()
    ravi.keyboard.press("ArrowRight")
    ravi.keyboard.press("c")
    field = ravi.locator("dialog[open] .new-thread textarea")
    expect(field).to_be_focused()
    expect(ravi.locator("dialog[open] h2")).to_contain_text("Threads on verdict of")
    field.fill("Why did it pass?")
    field.press("Control+Enter")
    expect(ravi.locator("dialog[open] article.thread .said")).to_have_text("Why did it pass?")
    ravi.keyboard.press("Escape")
    expect(row.locator("td").first.locator(".pin-mark")).to_have_text("1")

    score = row.locator("td.sc").first
    score.click()
    ravi.locator("#cellbar a[data-thing]").click()
    expect(ravi.locator("dialog[open] h2")).to_contain_text("Threads on score of")
    field.fill("And so many points?")
    field.press("Control+Enter")
    expect(ravi.locator("dialog[open] article.thread .said")).to_have_text("And so many points?")
    ravi.keyboard.press("Escape")
    expect(ravi.locator("#cellbar a[data-thing] b")).to_have_text("1")
    verdict, points = Thread.objects.order_by("pk")
    assert [verdict.kind, points.kind] == ["verdict", "score"]
    assert verdict.node == points.node
    assert complaints == []


@pytest.mark.slow
@pytest.mark.long
def test_a_cell_is_chosen_in_a_review_and_has_the_number_of_its_thread(open_as, run, live_server_url):
    member = Member.objects.select_related("workspace", "user").get(user__email="asha@example.org")
    cycle = review.open_thread(member, run, Pin(3), "The whole of it")
    ravi, complaints = open_as("Ravi", f"/w/team/runs/{run.number}/review/?thread={cycle.pk}")
    ravi.locator("#evidence #inspector").get_by_role("link", name="Matrix").click()
    expect(ravi.locator("#cell-hint")).to_contain_text("click it to comment on it")
    ravi.locator("#evidence tr[data-node] td[title]").first.hover()
    expect(ravi.locator("#cell-hint")).to_contain_text("node-")
    score = ravi.locator("#evidence tr[data-node]").first.locator("td.sc").first
    score.click()
    expect(ravi.locator("#cellbar .formula")).to_contain_text("points")
    expect(ravi.locator("#evidence td.sc.at")).to_be_focused()
    expect(ravi.locator("[data-pinned]")).to_contain_text("node-")
    ravi.keyboard.press("ArrowRight")
    ravi.keyboard.press("c")
    expect(ravi.locator("#new-text")).to_be_focused()
    expect(ravi.locator("[data-pinned]")).to_contain_text("score of")
    # What others write meanwhile does not change what the comment is about.
    review.reply(member, cycle, "Meanwhile")
    expect(ravi.locator("#review-threads article.thread").first).to_contain_text("Meanwhile")
    expect(ravi.locator("[data-pinned]")).to_contain_text("score of")
    ravi.keyboard.type("Only so few?")
    ravi.keyboard.press("Control+Enter")
    expect(ravi.locator("#evidence tr[data-node]").first.locator("td.sc").nth(1).locator(".rv-anchor")).to_be_visible()
    thread = Thread.objects.latest("pk")
    assert (thread.kind, thread.cycle) == ("score", 3)
    expect(ravi.locator(f"#thread-{thread.pk} .thread-fact")).to_contain_text(f"{thread.plugin} scored {thread.node}")

    ravi.locator(f"#thread-{thread.pk}").get_by_role("button", name="Resolve").click()
    ravi.locator(".toast", has_text="Thread resolved").get_by_role("button", name="Undo").click()
    expect(ravi.locator(f"#thread-{thread.pk}").get_by_role("button", name="Resolve")).to_be_visible()
    actions = ravi.goto(f"{live_server_url}/w/team/runs/{run.number}/?cycle=3&tab=threads")
    assert actions.status == 200
    ravi.locator(f"#thread-{thread.pk}").get_by_role("button", name="Resolve").click()
    ravi.locator(f"#thread-{thread.pk}").get_by_role("button", name="Reopen").click()
    ravi.locator(".toast", has_text="Thread open again").get_by_role("button", name="Undo").click()
    expect(ravi.locator(f"#thread-{thread.pk}").get_by_role("button", name="Reopen")).to_be_visible()
    assert complaints == []
