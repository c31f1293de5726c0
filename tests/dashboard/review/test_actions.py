"""What people write in reviews: threads and comments; who may; what is written down."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.models import Comment, ReadMark, Review, ReviewState, Thread
from dashboard.review.pins.pin import Pin
from tests.dashboard.review.conftest import cycle_row


def audited(workspace):
    return list(AuditEntry.objects.filter(workspace=workspace).order_by("id").values_list("action", flat=True))


# ---------------------------------------------------------------- threads


def test_the_first_comment_makes_the_review(run, reviewer):
    thread = actions.open_thread(reviewer.member, run, Pin(2, None, "Score", "NodeResourcesFit", "node-1"), "Why?")
    review = Review.objects.get(run=run)
    assert (review.state, review.is_asked, review.opened_by) == (ReviewState.OPEN, False, reviewer.user)
    assert (thread.run_id, thread.seq, thread.cycle, thread.point) == (run.pk, 20, 2, "Score")
    assert (thread.plugin, thread.node) == ("NodeResourcesFit", "node-1")
    assert [comment.text for comment in thread.comments.all()] == ["Why?"]
    assert "review.thread_opened" in audited(run.workspace)


def test_a_second_thread_joins_the_review(run, reviewer, editor):
    actions.open_thread(reviewer.member, run, Pin(1), "a")
    actions.open_thread(editor.member, run, Pin(1), "b")
    assert Review.objects.get(run=run).threads.count() == 2


@pytest.mark.parametrize("seq", [11, 15, 20], ids=["after its first event", "within", "behind its last"])
def test_a_pin_within_its_cycle_is_kept(run, reviewer, seq):
    assert actions.open_thread(reviewer.member, run, Pin(2, seq), "x").seq == seq


@pytest.mark.parametrize(
    ("pin", "error", "message"),
    [
        (Pin(9), NotFound, "no cycle 9"),
        (Pin(0), NotFound, "no cycle 0"),
        (Pin(2, 10), Problem, "Event 10 does not belong to cycle 2"),
        (Pin(2, 21), Problem, "Event 21 does not belong to cycle 2"),
        (Pin(3, 31), Problem, "Event 31 does not belong to cycle 3"),
        (Pin(2, None, "Guess"), Problem, "no extension point"),
        (Pin(2, None, "", "p" * 101), Problem, "longer"),
        (Pin(2, None, "", "", "n" * 254), Problem, "longer"),
    ],
    ids=str,
)
def test_a_pin_that_is_no_cursor_is_refused(run, reviewer, pin, error, message):
    with pytest.raises(error, match=message):
        actions.open_thread(reviewer.member, run, pin, "x")
    assert not Review.objects.exists()


def test_another_workspaces_run_does_not_exist(foreign_run, reviewer):
    with pytest.raises(NotFound):
        actions.open_thread(reviewer.member, foreign_run, Pin(1), "x")
    with pytest.raises(NotFound):
        verdicts.give_verdict(reviewer.member, foreign_run, "approve", "")
    assert not Review.everything.exists()


def test_another_workspaces_thread_does_not_exist(thread, stranger):
    member = stranger.user.memberships.select_related("workspace", "user").get()
    for act in (actions.resolve, actions.reopen):
        with pytest.raises(NotFound):
            act(member, thread)
    with pytest.raises(NotFound):
        actions.reply(member, thread, "hello")
    thread.refresh_from_db()
    assert (thread.is_resolved, thread.n_comments) == (False, 1)


def test_replies_count_and_move_the_review_up(run, thread, editor):
    before = Review.objects.get(run=run).touched_at
    comment = actions.reply(editor.member, thread, "Because.")
    thread.refresh_from_db()
    assert (thread.n_comments, thread.last_comment_id, thread.last_by) == (2, comment.pk, editor.user)
    assert Review.objects.get(run=run).touched_at > before


def test_resolve_and_reopen(thread, editor, reviewer):
    done = actions.resolve(editor.member, thread)
    assert (done.is_resolved, done.resolved_by) == (True, editor.user)
    first = done.resolved_at
    assert actions.resolve(reviewer.member, thread).resolved_at == first, "resolving twice keeps who did it first"
    again = actions.reopen(reviewer.member, thread)
    assert (again.is_resolved, again.resolved_by) == (False, None)
    actions.reopen(reviewer.member, thread)
    steps = [name for name in audited(thread.workspace) if name.startswith("review.thread_re")]
    assert steps == ["review.thread_resolved", "review.thread_reopened"]


def test_a_reply_leaves_a_resolved_thread_resolved(thread, editor):
    actions.resolve(editor.member, thread)
    actions.reply(editor.member, thread, "and yet")
    assert Thread.objects.get(pk=thread.pk).is_resolved


def test_only_the_author_edits(thread, reviewer, owner):
    comment = thread.comments.get()
    with pytest.raises(Forbidden, match="Only its author"):
        actions.edit_comment(owner.member, comment, "mine now")
    actions.edit_comment(reviewer.member, comment, "better")
    comment.refresh_from_db()
    assert comment.text == "better"
    assert comment.edited_at is not None


def test_an_edit_without_a_change_leaves_no_trace(thread, reviewer):
    comment = thread.comments.get()
    actions.edit_comment(reviewer.member, comment, comment.text + "\n")
    assert Comment.objects.get().edited_at is None
    assert "review.comment_edited" not in audited(thread.workspace)


def test_what_a_comment_said_before_is_kept(run, thread, reviewer):
    comment = thread.comments.get()
    written = comment.created_at
    actions.edit_comment(reviewer.member, comment, "second")
    edited = comment.edited_at
    actions.edit_comment(reviewer.member, comment, "third")
    assert list(comment.versions.values_list("text", "written_at")) == [("Why `node-1`?", written), ("second", edited)]


def test_a_reaction_is_given_and_taken_back(thread, reviewer, editor):
    comment = thread.comments.get()
    assert actions.react(editor.member, comment, "plus")
    assert actions.react(reviewer.member, comment, "plus")
    assert actions.react(reviewer.member, comment, "eyes")
    assert not actions.react(editor.member, comment, "plus")
    assert list(comment.reactions.values_list("user__name", "kind")) == [
        (reviewer.user.name, "plus"),
        (reviewer.user.name, "eyes"),
    ]
    with pytest.raises(Problem, match='"heart"'):
        actions.react(editor.member, comment, "heart")


def test_threads_and_reviews_are_bounded(thread, run, reviewer, monkeypatch):
    monkeypatch.setattr(actions, "COMMENTS_PER_THREAD", 1)
    monkeypatch.setattr(actions, "THREADS_PER_REVIEW", 1)
    with pytest.raises(Conflict, match="1 comments"):
        actions.reply(reviewer.member, thread, "more")
    with pytest.raises(Conflict, match="1 threads"):
        actions.open_thread(reviewer.member, run, Pin(1), "more")


# ---------------------------------------------------------------- rights, reading, deletion


def test_a_viewer_only_reads(run, thread, viewer):
    member, comment = viewer.member, thread.comments.get()
    for act in (
        lambda: actions.open_thread(member, run, Pin(1), "x"),
        lambda: actions.reply(member, thread, "x"),
        lambda: actions.edit_comment(member, comment, "x"),
        lambda: actions.resolve(member, thread),
        lambda: actions.reopen(member, thread),
        lambda: verdicts.give_verdict(member, run, "approve", ""),
        lambda: verdicts.withdraw_verdict(member, run),
        lambda: ask_for_review(member, run, ReviewRequest("", "")),
    ):
        with pytest.raises(Forbidden):
            act()


def test_read_marks_go_forwards_only(thread, viewer):
    actions.mark_read(viewer.member, [thread])
    old = Thread(pk=thread.pk, last_comment_id=thread.last_comment_id - 1)
    actions.mark_read(viewer.member, [old])
    assert ReadMark.objects.get(member=viewer.member).comment_id == thread.last_comment_id


def test_a_pin_behind_the_last_cycle_may_go_up_to_the_head(run, reviewer):
    run.head.seq = 35
    run.head.save()
    assert actions.open_thread(reviewer.member, run, Pin(3, 35), "after binding").seq == 35
    cycle_row(run, 4, first_seq=33, last_seq=34)
    with pytest.raises(Problem, match="to cycle 3"):
        actions.open_thread(reviewer.member, run, Pin(3, 35), "x")


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (lambda member, run, thread: actions.reply(member, thread, "more"), "at most 1 comments"),
        (lambda member, run, thread: actions.open_thread(member, run, Pin(1), "more"), "at most 1 threads"),
        (lambda member, run, thread: actions.react(member, thread.comments.get(), "heart"), '"heart" is no reaction'),
    ],
)
def test_words(thread, run, reviewer, monkeypatch, step, sentence):
    monkeypatch.setattr(actions, "COMMENTS_PER_THREAD", 1)
    monkeypatch.setattr(actions, "THREADS_PER_REVIEW", 1)
    with pytest.raises(Problem) as raised:
        step(reviewer.member, run, thread)
    assert sentence in raised.value.detail
