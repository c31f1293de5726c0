"""Threads on fields of diffs and on findings, carried to a later review or run."""

from __future__ import annotations

import pytest
from django.db.models import Q

from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.revisions.object_keys import Key
from dashboard.review import actions, links
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Review, Thread
from dashboard.review.pins.carried_fields import carried_to_review, earlier_reviews
from dashboard.review.pins.carrying import carried_to
from dashboard.review.pins.fields import FieldPin
from dashboard.runs.models import Cycle
from tests.dashboard.review.conftest import make_run
from tests.dashboard.review.pages import page
from tests.dashboard.run_helpers import node

NODE = Key("Node", "", "node-0")


@pytest.fixture
def ask(editor, draft):
    """A function that asks, as Edda, for a review of the draft as it is now."""

    def ask(**named_by):
        named_by = named_by or {"draft": str(draft.pk)}
        return ask_about(
            editor.member, subject_in(editor.member, {"cluster": "drafted", **named_by}), ReviewRequest("?")
        )

    return ask


@pytest.fixture
def field_thread(reviewer, ask):
    """A thread on the cpu that the draft gives node-0, in its first review."""
    review = ask()
    finding = next(one for one in gathered(reviewer.member, review).findings if one.what == NODE.name)
    field = finding.more.partition(":")[0]
    return actions.open_field_thread(reviewer.member, review, FieldPin(finding.key, field), "So <i>much</i>?")


def edit(editor, draft, manifest):
    draft.refresh_from_db()
    edits = [Edit(key, manifest, one.address) for key, one in OpenedDraft(draft).objects([NODE]).items()]
    put_in(editor.user, draft, "Change", edits)
    draft.refresh_from_db()


def only(member, review):
    (carried,) = carried_to_review(member, review)
    return carried


def test_an_equal_field_carries_to_the_next_review_of_the_draft(owner, editor, draft, ask, field_thread):
    edit(editor, draft, node("node-0", "32", pool="new"))
    later = ask()
    carried = only(owner.member, later)
    assert (carried.state, carried.view.thread, carried.now) == ("same", field_thread, field_thread.fact)
    shown = page(owner, links.review_url("team", later))
    assert "From earlier reviews" in shown
    assert "carries over" in shown
    assert "So &lt;i&gt;much&lt;/i&gt;?" in shown
    assert page(owner, f"{links.review_url('team', later)}?{carried.choosing}").count(field_thread.field) > 1
    assert carried_to_review(owner.member, field_thread.review) == []


def test_another_value_is_outdated_with_both(owner, editor, draft, ask, field_thread):
    edit(editor, draft, node("node-0", "64"))
    carried = only(owner.member, ask())
    assert carried.state == "outdated"
    assert "32" in carried.before
    assert "64" in carried.now


def test_what_the_draft_does_not_change_any_more_is_gone(owner, editor, draft, ask, field_thread):
    edit(editor, draft, None)
    carried = only(owner.member, ask())
    assert (carried.state, carried.now, carried.choosing) == ("gone", "", "")


def test_only_threads_that_may_be_shown_are_read(owner, reviewer, ask, field_thread, django_assert_max_num_queries):
    """Many threads on what the later review does not change, and many on what it does."""
    like = {"review": field_thread.review, "workspace": field_thread.workspace, "kind": "field", "seq": 0, "cycle": 0}
    elsewhere = {"finding": "object:elsewhere", "fact": "gone"}
    on_it = {"finding": field_thread.finding, "field": field_thread.field, "fact": field_thread.fact}
    Thread.objects.bulk_create([Thread(**like, **elsewhere) for _ in range(300)])
    Thread.objects.bulk_create([Thread(**like, **on_it) for _ in range(30)])
    later = ask()
    Review.everything.filter(pk=later.pk).update(draft=None)
    later.refresh_from_db()
    about = Q(draft=field_thread.review.draft_id)
    Review.everything.filter(about).update(draft=None, base=later.base)
    with django_assert_max_num_queries(30):
        carried = carried_to_review(owner.member, later)
    assert {one.state for one in carried} == {"same"}
    assert (len(carried), carried[0].view.thread) == (20, field_thread)


def test_it_carries_to_the_revision_that_the_draft_became(owner, editor, draft, ask, field_thread):
    save(editor.member, draft, "Grown")
    later = ask(revision="2", base="1")
    assert only(owner.member, later).state == "same"
    actions.resolve(owner.member, field_thread)
    assert earlier_reviews(later) == []


def test_a_field_of_a_configuration_carries_and_is_outdated(owner, reviewer, ask_about_one, configuration):
    first = ask_about_one(configuration="fit", revision=2)
    finding = next(one for one in gathered(owner.member, first).findings if one.key.startswith("field:"))
    actions.open_field_thread(reviewer.member, first, FieldPin(finding.key), "Packed?")
    later = ask_about_one(configuration="fit", revision=2)
    assert only(owner.member, later).state == "same"


def test_findings_of_a_run_are_told_by_the_pods_attempt(run, workspace, reviewer):
    Cycle.objects.filter(run=run, number=3).update(outcome="error")
    pending = gathered(reviewer.member, run)
    error = next(one for one in pending.findings if one.key == "error:3")
    thread = actions.open_field_thread(reviewer.member, run, FieldPin(error.key), "Why an error?")
    later = make_run(workspace, 2, cycles=4)
    Cycle.objects.filter(run=later, number=3).update(pod="default/pod-9")
    (gone,) = carried_to(reviewer.member, later)
    assert (gone.state, gone.view.thread) == ("gone", thread)
    Cycle.objects.filter(run=later, number=4).update(pod="default/pod-3", outcome="error")
    (carried,) = carried_to(reviewer.member, later)
    assert (carried.state, carried.field.finding) == ("same", "error:4")
    shown = page(reviewer, f"/w/team/runs/{later.number}/review/")
    assert "carries over" in shown
    assert "finding=error%3A4" in shown
