"""The page of a review: each subject from its request to its record, evidence by address, what is refused."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Review
from dashboard.review.pins.pin import Pin
from dashboard.runs.actions import delete_run
from scheduler_core.compare.report import escaped
from tests.dashboard.review.conftest import make_run
from tests.dashboard.review.pages import page
from tests.seeds import long_after

EVIDENCE = {"HX-Request": "true", "HX-Target": "evidence"}


def named(kind, two_runs, configuration, draft):
    """Return the query that names a subject of a kind."""
    return {
        "comparison": {"a": two_runs[0].number, "b": two_runs[1].number},
        "draft": {"cluster": "drafted", "draft": draft.pk},
        "revision": {"cluster": "prod", "revision": 1},
        "configuration": {"configuration": "fit", "revision": 2},
        "on a run": {"configuration": "fit", "revision": 2, "on": f"run:{two_runs[0].number}"},
    }[kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", long_after(["comparison", "draft", "revision", "configuration", "on a run"], 1))
def test_a_subject_from_its_request_to_its_record(kind, two_runs, configuration, draft, editor, reviewer):
    query = named(kind, two_runs, configuration, draft)
    form = page(editor, "/w/team/reviews/new/?" + "&".join(f"{name}={value}" for name, value in query.items()))
    assert 'action="/w/team/reviews/new/ask"' in form
    sent = {**query, "title": "Should we?", "description": "Look at **all**", "needed": "1", "reviewers": "@ravi"}
    url = editor.post("/w/team/reviews/new/ask", sent)["Location"]
    review = Review.objects.get()
    assert url == f"/w/team/reviews/{review.number}/"
    assert f'href="{url}"' in page(reviewer, "/w/team/reviews/?show=waiting")
    shown = page(reviewer, url)
    assert "Look at <strong>all</strong>" in shown
    assert "0 of 1 approval" in shown

    there = gathered(reviewer.member, review)
    assert there.findings
    assert not there.is_waiting
    for finding in there.findings:
        part = page(reviewer, f"{url}?finding={quote(finding.key)}", **EVIDENCE)
        assert f'id="show-{finding.key.replace(":", "")}"' in part
        assert 'id="inspector"' in part or 'id="evidence-part"' in part or "rv-own" in part
    key = there.findings[0].key
    marked = reviewer.post(f"{url}viewed", {"key": key, "viewed": "yes"}, headers={"HX-Request": "true"})
    assert marked.content.decode().count("rv-row is-viewed") == 1

    reviewer.post(f"{url}verdict", {"kind": "approve", "text": "yes, because"})
    review.refresh_from_db()
    record = review.records.get()
    assert (review.state, record.outcome, record.decided_by) == ("approved", "approved", reviewer.user)
    assert all(len(value) == 64 for _, value in record.hashes)
    decided = page(editor, url)
    assert record.hashes[0][1][:16] in decided
    text = editor.get(f"{url}record.md").content.decode()
    assert "yes, because" in text
    assert f"`{record.hashes[0][1]}`" in text
    for finding in there.findings:
        assert escaped(finding.what) in text


@pytest.mark.slow
def test_the_record_of_a_comparison_outlives_its_runs_an_open_review_does_not(two_runs, ask_about_one, owner, reviewer):
    a, b = two_runs
    decided, still_open = (ask_about_one(a=a.number, b=b.number) for _ in range(2))
    actions.open_thread(reviewer.member, a, Pin(1), "Why so full?", decided)
    verdicts.give_verdict(reviewer.member, decided, "request_changes", "too full")
    delete_run(owner.member, a)
    listed = page(reviewer, "/w/team/reviews/")
    assert f"/reviews/{decided.number}/" in listed
    assert f"/reviews/{still_open.number}/" not in listed
    type(a).everything.filter(pk=a.pk).delete()
    assert list(Review.everything.all()) == [decided]
    shown = page(reviewer, f"/w/team/reviews/{decided.number}/")
    assert "has been deleted" in shown
    assert "Why so full?" in shown
    assert "too full" in shown
    assert a.recording_hash in shown
    assert "Request changes" not in shown
    assert "Choose a finding" not in shown
    assert f'href="/w/team/runs/{b.number}/"' in shown
    assert f"/runs/{a.number}/" not in shown
    assert f"/compare/?a={a.number}" not in shown
    text = reviewer.get(f"/w/team/reviews/{decided.number}/record.md").content.decode()
    assert "deleted since" in text
    assert "Why so full?" in text
    assert f"](http://testserver/w/team/runs/{b.number}/)" in text
    assert f"/runs/{a.number}/" not in text


def test_a_number_leads_to_the_review_of_a_run_with_what_is_chosen(run, reviewer):
    review = ask_for_review(reviewer.member, run, ReviewRequest("x"))
    response = reviewer.get(f"/w/team/reviews/{review.number}/?finding=close:ties")
    assert response["Location"] == "/w/team/runs/1/review/?finding=close%3Aties"


def test_a_thread_shows_the_inspector_at_its_cursor(run, thread, viewer):
    part = page(viewer, f"/w/team/runs/1/review/?thread={thread.pk}", **EVIDENCE)
    assert 'hx-get="/w/team/runs/1/?cycle=2&amp;tab=why"' in part
    assert f'data-thread-shown="{thread.pk}"' in part
    assert "Here 1" in part


def test_threads_at_the_evidence_come_first(run, thread, reviewer):
    actions.open_thread(reviewer.member, run, Pin(3), "elsewhere")
    key = next(one.key for one in gathered(reviewer.member, run).findings if one.cycles == ((run.pk, 3),))
    part = page(reviewer, f"/w/team/runs/1/review/?finding={quote(key)}", **EVIDENCE)
    assert "elsewhere" in part
    assert "Why <code>node-1" not in part
    assert 'value="3"' in part, "a comment goes to the cycle that is shown"


def test_what_is_chosen_and_gone_shows_the_overview(run, viewer):
    assert "Nobody has asked" in page(viewer, "/w/team/runs/1/review/?finding=error:99")


def test_a_record_looks_like_its_outcome_while_the_review_is_open_again(run, reviewer, editor):
    ask_for_review(editor.member, run, ReviewRequest())
    verdicts.give_verdict(reviewer.member, run, "request_changes", "No")
    verdicts.withdraw_verdict(reviewer.member, run)
    record = page(editor, f"/w/team/runs/{run.number}/review/").partition("rv-record")[2].partition("</p>")[0]
    assert "m-unsched" in record
    assert "changes requested" in record


def test_a_review_is_closed_by_whoever_asked_with_a_reason(run, reviewer, editor, owner):
    ask_for_review(reviewer.member, run, ReviewRequest("x"))
    assert "close-review" in page(reviewer, "/w/team/runs/1/review/")
    assert "close-review" not in page(editor, "/w/team/runs/1/review/")
    assert editor.post("/w/team/runs/1/review/close", {"text": "no"}).status_code == 403
    assert reviewer.post("/w/team/runs/1/review/close", {"text": " "}).status_code == 400
    assert reviewer.post("/w/team/runs/1/review/close", {"text": "overtaken"}).status_code == 302
    shown = page(editor, "/w/team/runs/1/review/")
    assert "overtaken" in shown
    assert "Closed by" in shown
    assert "Nobody commented before" in shown
    assert 'value="approve"' not in shown
    assert editor.post("/w/team/runs/1/review/verdict", {"kind": "approve"}).status_code == 409
    assert owner.post("/w/team/runs/1/review/reopen").status_code == 302
    assert editor.post("/w/team/runs/1/review/verdict", {"kind": "approve"}).status_code == 302
    assert [one.outcome for one in Review.objects.get().records.all()] == ["approved", "closed"]


def test_ids_of_other_workspaces_are_refused_in_addresses_and_forms(run, foreign_run, stranger, reviewer, draft):
    theirs = ask_for_review(stranger.user.memberships.get(), foreign_run, ReviewRequest("secret"))
    mine = ask_for_review(reviewer.member, run, ReviewRequest("mine"))
    make_run(run.workspace, 2)
    assert stranger.get(f"/w/elsewhere/reviews/{mine.number + 1}/").status_code == 404
    for form in (
        {"a": "1", "b": "99"},
        {"cluster": "nothing", "revision": "1"},
        {"cluster": "drafted", "draft": str(draft.pk)},
        {"configuration": "fit", "revision": "1"},
        {"text": "kind: x", "on": "run:77"},
    ):
        assert reviewer.post("/w/team/reviews/new/ask", {**form, "title": "x"}).status_code in {400, 404}
    cycle = {"cycle": "1", "text": "x", "review": str(theirs.number + 7)}
    assert reviewer.post("/w/team/runs/1/review/threads/new", cycle).status_code == 404
    assert Review.objects.filter(workspace=run.workspace).count() == 1


def test_what_a_verdict_changes_is_had_alone_and_reads_nothing(viewer, reviewer, thread, django_assert_max_num_queries):
    page = f"/w/team/runs/{thread.run.number}/review/"
    verdicts.give_verdict(reviewer.member, thread.run, "approve", "Good.")
    viewer.get(page)
    with django_assert_max_num_queries(40) as asked:
        answer = viewer.get(f"{page}parts").content.decode()
    assert set(re.findall(r'id="(review-[a-z]+)"', answer)) >= {"review-state", "review-verdicts", "review-verdict"}
    assert "Good." in answer
    assert 'id="findings"' not in answer
    assert 'id="review-threads"' not in answer
    assert not any("INSERT" in query["sql"] or "UPDATE" in query["sql"] for query in asked.captured_queries)
    whole = viewer.get(page).content.decode()
    assert len(answer) < len(whole) / 3


def test_a_review_and_each_thread_have_links_to_copy(viewer, thread):
    shown = page(viewer, "/w/team/runs/1/review/")
    assert 'data-key="y"' in shown
    assert f'data-copy-text="http://testserver/w/team/threads/{thread.pk}/"' in shown


def test_words(run, reviewer):
    url = "/w/team/runs/1/review/"
    assert "Nobody has asked for a review" in page(reviewer, url)
    ask_for_review(reviewer.member, run, ReviewRequest("x"))
    assert 'title="Copy the link to this review (Y)"' in page(reviewer, url)
    reviewer.post(f"{url}close", {"text": "overtaken"})
    assert "Nobody commented before it was closed" in page(reviewer, url)
