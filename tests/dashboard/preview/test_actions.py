"""Who may ask what a configuration would change and cancel it, and that it is computed once however many ask."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dashboard.accounts.models import Member, Role
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.preview import actions, computing
from dashboard.preview.models import Computation, PreviewResult
from dashboard.preview.queries import changes_in
from dashboard.preview.subject import tried_text
from dashboard.runs.lifecycle import waiting
from tests.dashboard.preview.conftest import PACKING


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.EDITOR])
def test_those_who_may_edit_have_it_computed_and_others_are_refused(editor, ask, worker, role):
    Member.objects.filter(pk=editor.member.pk).update(role=role)
    if role == Role.EDITOR:
        assert isinstance(ask(), PreviewResult)
    else:
        with pytest.raises(Forbidden):
            ask()
        assert not Computation.objects.exists()


def test_a_result_is_shown_again_without_a_worker(ask, editor, worker, monkeypatch):
    first = ask()
    monkeypatch.setattr(waiting, "wake_task", lambda name: pytest.fail("a worker was woken up"))
    again = ask()
    assert (again.pk, again.made_at, again.author) == (first.pk, first.made_at, editor.user)
    assert tried_text(again) == PACKING
    assert changes_in(again).pods[0].pod == "default/new"
    assert changes_in(again).divergence is not None


def test_what_is_asked_twice_is_one_computation(ask, no_worker, owner):
    first = ask()
    assert (first.state, no_worker) == ("waiting", [actions.TASK])
    assert ask(person=owner) == first
    assert no_worker == [actions.TASK]
    computing.work()
    assert ask(person=owner).author == first.author
    assert PreviewResult.objects.count() == 1


def test_who_presses_joins_what_was_begun_by_itself_and_it_becomes_everybodys(ask, editor, no_worker):
    saved = save_config(editor.member, None, NewText("Packing", PACKING)).config
    changed = f"{PACKING}# 1\n"
    begun = ask(changed, is_automatic=True)
    joined = ask(changed, before="packing@1")
    assert joined.pk != begun.pk
    assert ask(changed).pk == begun.pk
    assert not Computation.objects.get(pk=begun.pk).is_automatic
    assert joined.document == saved


def test_a_later_edit_takes_the_place_of_what_an_earlier_one_began(ask, no_worker, owner):
    pressed, first, other = ask(), ask(f"{PACKING}# 1\n", is_automatic=True), None
    other = ask(f"{PACKING}# 9\n", is_automatic=True, person=owner)
    ask(f"{PACKING}# 2\n", is_automatic=True)
    states = {one.pk: one.state for one in Computation.objects.all()}
    assert (states[pressed.pk], states[first.pk], states[other.pk]) == ("waiting", "cancelled", "waiting")
    assert len(states) == 4


def test_a_workspace_has_a_limit_of_computations_that_have_not_ended(ask, no_worker, monkeypatch):
    monkeypatch.setattr(actions, "MOST_ASKED", 2)
    first, _ = ask(f"{PACKING}# 1\n"), ask(f"{PACKING}# 2\n")
    with pytest.raises(Problem, match="have not ended") as refused:
        ask(f"{PACKING}# 3\n")
    assert refused.value.status == 429
    assert ask(f"{PACKING}# 1\n") == first
    Computation.objects.filter(pk=first.pk).update(ended_at=Now())
    ask(f"{PACKING}# 3\n")


def test_an_editor_cancels_what_another_asked_for_and_asks_again(ask, owner, editor, no_worker):
    asked = ask(person=owner)
    cancelled = actions.cancel(editor.member, asked.pk)
    assert (cancelled.state, cancelled.cancelled_by) == ("cancelled", editor.user)
    computing.work()
    assert not PreviewResult.objects.exists()
    again = ask()
    assert (again.state, again.author) == ("waiting", editor.user)


def test_others_may_not_cancel_and_what_has_ended_stays(ask, viewer, editor, stranger, worker):
    result = ask()
    computation = Computation.objects.get()
    with pytest.raises(Forbidden):
        actions.cancel(viewer.member, computation.pk)
    with pytest.raises(NotFound):
        actions.cancel(stranger.user.memberships.select_related("workspace", "user").get(), computation.pk)
    assert actions.cancel(editor.member, computation.pk).state == "done"
    assert PreviewResult.objects.get() == result


def test_a_computation_that_failed_is_begun_anew_and_old_ones_are_forgotten(ask, no_worker):
    failed, old = ask(), ask(f"{PACKING}# 1\n")
    Computation.objects.filter(pk=failed.pk).update(ended_at=Now(), error="no memory")
    Computation.objects.filter(pk=old.pk).update(ended_at=Now() - timedelta(days=2))
    again = ask()
    assert (again.state, again.error) == ("waiting", "")
    assert Computation.objects.count() == 1


def test_a_result_belongs_to_the_configuration_whose_page_asked(ask, editor, worker):
    saved = save_config(editor.member, None, NewText("Packing", PACKING))
    assert ask(before="packing@1", text=f"{PACKING}# 1\n").document == saved.config
    assert ask().document is None
