"""An account of one's own: the first owner, links that sign in once, name and password."""

from __future__ import annotations

import pytest

from dashboard.accounts import account_actions
from dashboard.accounts.models import AuditEntry, Member, Role, User, Workspace
from dashboard.common.problems import NotFound

pytestmark = pytest.mark.django_db


def test_the_first_owner_is_made_once_with_a_workspace_of_their_own():
    user, workspace = account_actions.first_owner()
    assert account_actions.first_owner() == (user, workspace)
    assert Member.objects.get(user=user, workspace=workspace).role == Role.ADMIN
    assert (User.objects.count(), Workspace.objects.count(), workspace.slug) == (1, 1, "default")


def test_the_first_owner_takes_another_address_where_the_usual_one_is_taken():
    Workspace.objects.create(name="Other", slug=account_actions.DEFAULT_SLUG)
    assert account_actions.first_owner()[1].slug == "my-workspace"


def test_a_link_signs_in_once_and_ends_with_the_next_one(viewer):
    older, newer = (account_actions.make_signin_token(viewer.user) for _ in range(2))
    with pytest.raises(NotFound):
        account_actions.spend_signin_token(older)
    assert account_actions.spend_signin_token(newer) == viewer.user
    with pytest.raises(NotFound):
        account_actions.spend_signin_token(newer)


def test_a_link_of_an_account_that_was_closed_signs_nobody_in(viewer):
    secret = account_actions.make_signin_token(viewer.user)
    User.objects.filter(pk=viewer.user.pk).update(is_active=False)
    with pytest.raises(NotFound):
        account_actions.spend_signin_token(secret)


def test_a_name_is_saved_trimmed(viewer):
    assert account_actions.rename_user(viewer.user, "  Vera B ").name == "Vera B"
    viewer.user.refresh_from_db()
    assert viewer.user.name == "Vera B"


def test_a_new_password_is_written_down_without_the_password(viewer):
    account_actions.set_password(viewer.user, "something new 77")
    viewer.user.refresh_from_db()
    assert viewer.user.check_password("something new 77")
    entry = AuditEntry.objects.get(action="account.password_set")
    assert "something new" not in str(vars(entry))
