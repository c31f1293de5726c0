"""Actions of accounts: their rights, their refusals, what they leave in the audit log and in the access versions."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from dashboard.accounts import account_actions, actions
from dashboard.accounts.access import socket_member
from dashboard.accounts.models import GIB, AuditEntry, Invitation, Member, Role, User, Workspace
from dashboard.common.problems import Conflict, Forbidden, NotFound


def versions(person) -> tuple[int, int]:
    return User.objects.get(pk=person.user.pk).access_version, Workspace.objects.get(slug="team").access_version


def newest(workspace) -> AuditEntry:
    return AuditEntry.objects.filter(workspace=workspace).first()


CALLS = {
    "rename": lambda member: actions.rename_workspace(member, "Other"),
    "limits": lambda member: actions.set_limits(member, actions.WorkspaceLimits(GIB, 3)),
    "invite": lambda member: actions.invite(member, "x@example.org", Role.VIEWER),
    "revoke": lambda member: actions.revoke_invitation(member, 1),
    "role": lambda member: actions.change_role(member, member.pk, Role.ADMIN),
    "invitations": actions.open_invitations,
}


@pytest.mark.parametrize("role", ["viewer", "reviewer", "editor"])
@pytest.mark.parametrize("name", CALLS)
def test_admins_only(people, name, role):
    with pytest.raises(Forbidden, match=f"Team is {role}"):
        CALLS[name](people[role].member)


@pytest.mark.parametrize("role", ["viewer", "reviewer", "editor"])
def test_others_are_removed_by_admins_only(people, role):
    with pytest.raises(Forbidden):
        actions.remove_member(people[role].member, people["admin"].member.pk)


def test_everybody_may_leave(viewer, workspace):
    actions.remove_member(viewer.member, viewer.member.pk)
    assert not Member.objects.filter(user=viewer.user, workspace=workspace).exists()


class TestLastAdmin:
    def test_cannot_leave(self, owner):
        with pytest.raises(Conflict, match="Asha is"):
            actions.remove_member(owner.member, owner.member.pk)

    def test_cannot_be_demoted(self, owner):
        with pytest.raises(Conflict):
            actions.change_role(owner.member, owner.member.pk, Role.EDITOR)
        assert owner.member.role == Role.ADMIN

    def test_of_two_one_may(self, owner, editor):
        actions.change_role(owner.member, editor.member.pk, Role.ADMIN)
        actions.remove_member(owner.member, owner.member.pk)
        assert editor.member.role == Role.ADMIN


class TestVersions:
    def test_grow_with_a_role(self, owner, viewer):
        before = versions(viewer)
        actions.change_role(owner.member, viewer.member.pk, Role.EDITOR)
        assert versions(viewer) == (before[0] + 1, before[1] + 1)

    def test_stay_when_nothing_changed(self, owner, viewer):
        before = versions(viewer)
        actions.change_role(owner.member, viewer.member.pk, Role.VIEWER)
        assert versions(viewer) == before

    def test_grow_with_removal_sign_out_and_password(self, owner, viewer, editor):
        before = versions(viewer)
        account_actions.set_password(viewer.user, "something new 77")
        editor.post("/signout")
        actions.remove_member(owner.member, viewer.member.pk)
        assert versions(viewer) == (before[0] + 2, before[1] + 3)


class TestSockets:
    def test_go_on_while_session_and_membership_last(self, viewer, workspace):
        key = viewer.session.session_key
        assert socket_member(viewer.user.pk, key, workspace.pk) == viewer.member

    def test_end_with_the_membership(self, owner, viewer, workspace):
        key = viewer.session.session_key
        actions.remove_member(owner.member, viewer.member.pk)
        assert socket_member(viewer.user.pk, key, workspace.pk) is None

    def test_end_with_the_session(self, viewer, workspace):
        key = viewer.session.session_key
        viewer.post("/signout")
        assert socket_member(viewer.user.pk, key, workspace.pk) is None

    def test_end_with_the_password(self, viewer, workspace):
        key = viewer.session.session_key
        account_actions.set_password(viewer.user, "something new 77")
        assert socket_member(viewer.user.pk, key, workspace.pk) is None

    def test_are_not_lent(self, viewer, editor, workspace):
        assert socket_member(viewer.user.pk, editor.session.session_key, workspace.pk) is None
        assert socket_member(viewer.user.pk, None, workspace.pk) is None


class TestWorkspaces:
    def test_address_follows_the_name_and_stays_free(self, stranger):
        made = [actions.create_workspace(stranger.user, "Platform Team!").slug for _ in range(3)]
        assert made == ["platform-team", "platform-team-2", "platform-team-3"]

    def test_name_without_letters_still_gets_an_address(self, stranger):
        assert actions.create_workspace(stranger.user, "平台组").slug == "workspace"

    def test_taken_address_is_a_conflict(self, stranger, workspace):
        with pytest.raises(Conflict, match='"team" exists'):
            actions.create_workspace(stranger.user, "Team", "team")

    @pytest.mark.parametrize("slug", ["Team", "a b", "-a", "a-", "a\n", "x" * 51])
    def test_odd_addresses_are_refused(self, stranger, slug):
        with pytest.raises(ValidationError):
            actions.create_workspace(stranger.user, "Team", slug)

    def test_limits_are_saved_and_logged(self, owner, workspace):
        actions.set_limits(owner.member, actions.WorkspaceLimits(3 * GIB, 14))
        workspace.refresh_from_db()
        assert (workspace.max_storage_bytes, workspace.retention_days) == (3 * GIB, 14)
        assert newest(workspace).details == {"max_storage_bytes": 3 * GIB, "retention_days": 14}

    @pytest.mark.parametrize(
        "limits", [actions.WorkspaceLimits(0, 1), actions.WorkspaceLimits(1, 0), actions.WorkspaceLimits(1, 3651)]
    )
    def test_limits_have_bounds(self, owner, limits):
        with pytest.raises(ValidationError):
            actions.set_limits(owner.member, limits)


class TestInvitations:
    def test_a_second_one_replaces_the_first(self, owner):
        first = actions.invite(owner.member, "x@example.org", Role.VIEWER)[1]
        second = actions.invite(owner.member, "X@example.org", Role.EDITOR)[1]
        with pytest.raises(NotFound):
            actions.find_invitation(first)
        assert actions.find_invitation(second).role == Role.EDITOR

    def test_members_are_not_invited_again(self, owner, viewer):
        with pytest.raises(Conflict, match="of Team already"):
            actions.invite(owner.member, viewer.user.email, Role.ADMIN)

    def test_revoked_is_revoked(self, owner):
        invitation, secret = actions.invite(owner.member, "x@example.org", Role.VIEWER)
        actions.revoke_invitation(owner.member, invitation.pk)
        with pytest.raises(NotFound):
            actions.accept_invitation(secret, person=actions.NewPerson("X", "abc"))
        with pytest.raises(NotFound):
            actions.revoke_invitation(owner.member, invitation.pk)

    def test_another_workspaces_cannot_be_revoked(self, owner, stranger):
        theirs = Member.objects.get(user=stranger.user)
        invitation, _ = actions.invite(theirs, "x@example.org", Role.VIEWER)
        with pytest.raises(NotFound):
            actions.revoke_invitation(owner.member, invitation.pk)
        assert Invitation.objects.get().is_open


@pytest.mark.parametrize(
    ("refused", "sentence"),
    [
        (
            lambda owner, viewer: actions.remove_member(owner.member, owner.member.pk),
            "Asha is the only admin of Team",
        ),
        (
            lambda owner, viewer: actions.invite(owner.member, viewer.user.email, Role.ADMIN),
            "is a member of Team already",
        ),
    ],
)
def test_words(owner, viewer, refused, sentence):
    with pytest.raises(Conflict) as raised:
        refused(owner, viewer)
    assert sentence in raised.value.detail
