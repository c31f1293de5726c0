"""Who may ask for upgrade reports and cancel them, and that each is computed once however many ask."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dashboard.accounts.models import Member, Role
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.upgrade import actions, computing
from dashboard.upgrade.actions import AskedVersion, subject_of
from dashboard.upgrade.models import StoredUpgrade


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_those_who_may_not_edit_are_refused(editor, ask, role):
    row = ask()
    Member.objects.filter(pk=editor.member.pk).update(role=role)
    with pytest.raises(Forbidden):
        ask(seed=1)
    with pytest.raises(Forbidden):
        actions.cancel(editor.member, "prod", row.pk)
    assert StoredUpgrade.objects.get().state == "waiting"


def test_what_is_asked_twice_is_one_report_and_a_stored_one_is_shown_again(ask, owner, no_worker):
    first = ask()
    assert ask(person=owner) == first
    assert no_worker == [actions.TASK]
    computing.work()
    assert ask(person=owner).pk == first.pk
    assert no_worker == [actions.TASK]
    assert ask(after="1.37").pk != first.pk
    assert (first.before, first.after, first.config, first.author) == ("1.34.1", "1.36", "default", first.author)


def test_all_that_decides_the_report_is_in_its_key(revision):
    a, b, gated = AskedVersion("1.34"), AskedVersion("1.36"), AskedVersion("1.36", "NodeDeclaredFeatures=false")
    asked = [
        subject_of(revision, (a, b), "", None, 0),
        subject_of(revision, (a, b), "", None, 1),
        subject_of(revision, (b, a), "", None, 0),
        subject_of(revision, (a, gated), "", None, 0),
        subject_of(revision, (a, b), "preset:most-allocated", None, 0),
    ]
    assert len({one.key for one in asked}) == len(asked)
    assert asked[0].key == subject_of(revision, (a, b), "default", None, 0).key


@pytest.mark.parametrize(
    ("a", "config", "error"),
    [
        (AskedVersion("x"), "", Problem),
        (AskedVersion("1.36", "Nope=true"), "", Problem),
        (AskedVersion("1.36"), "nothing", NotFound),
    ],
)
def test_what_is_no_version_gate_or_configuration_is_refused_by_name(revision, a, config, error):
    with pytest.raises(error):
        subject_of(revision, (a, AskedVersion("1.37")), config, None, 0)


def test_one_that_waits_is_cancelled_at_once_and_asked_for_again_is_another(ask, editor):
    first = ask()
    cancelled = actions.cancel(editor.member, "prod", first.pk)
    assert (cancelled.state, cancelled.cancelled_by) == ("cancelled", editor.user)
    computing.work()
    assert StoredUpgrade.objects.get().state == "cancelled"
    again = ask()
    assert again.pk != first.pk
    assert StoredUpgrade.objects.get() == again


def test_one_under_way_ends_with_its_worker_and_one_that_has_ended_stays(ask, editor):
    row = ask()
    claim = computing.QUEUE.claim()
    assert actions.cancel(editor.member, "prod", row.pk).state == "running"
    claim.update(ended_at=Now(), data=b"x", size=1)
    assert actions.cancel(editor.member, "prod", row.pk).state == "cancelled"
    with pytest.raises(NotFound):
        actions.cancel(editor.member, "other", row.pk)


def test_one_that_was_cancelled_ends_though_its_worker_died(ask, editor, monkeypatch):
    row = ask()
    computing.QUEUE.claim()
    actions.cancel(editor.member, "prod", row.pk)
    StoredUpgrade.objects.update(claimed_at=Now() - timedelta(seconds=61))
    assert computing.QUEUE.claim() is None
    computing.wake()
    assert StoredUpgrade.objects.get().state == "cancelled"


def test_a_workspace_has_a_number_of_them_and_those_without_a_result_go_after_a_day(ask, monkeypatch):
    monkeypatch.setattr(actions, "MOST_ASKED", 2)
    ask(seed=0)
    ask(seed=1)
    with pytest.raises(Problem):
        ask(seed=2)
    StoredUpgrade.objects.update(ended_at=Now() - timedelta(days=2), error="it failed")
    assert StoredUpgrade.objects.get(pk=ask(seed=3).pk)
    assert StoredUpgrade.objects.count() == 1
