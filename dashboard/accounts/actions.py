"""What people do with workspaces, members and invitations; each function checks the right and is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from dashboard.accounts import audit
from dashboard.accounts.access import bump, require
from dashboard.accounts.models import Invitation, Member, Role, User, Workspace, new_secret, secret_hash
from dashboard.accounts.tokens.actions import note_that_maker_left
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True)
class WorkspaceLimits:
    """The limits of a workspace that its admins choose; retention_days None keeps runs for ever."""

    max_storage_bytes: int
    retention_days: int | None


@dataclass(frozen=True)
class NewPerson:
    """What somebody without an account gives when they accept an invitation."""

    name: str
    password: str


# ---------------------------------------------------------------- workspaces


@transaction.atomic
def create_workspace(user: User, name: str, slug: str = "") -> Workspace:
    """Return a new workspace with the user as its admin; raises Conflict where the slug is taken."""
    chosen_slug = slug or free_slug(name)
    if Workspace.objects.filter(slug=chosen_slug).exists():
        raise Conflict(f'A workspace with the address "{chosen_slug}" exists. Choose another.')
    workspace = Workspace(name=name.strip(), slug=chosen_slug)
    workspace.full_clean()
    workspace.save()
    Member.objects.create(workspace=workspace, user=user, role=Role.ADMIN)
    bump(user, [workspace.pk])
    audit.record(workspace, user, "workspace.created", workspace.name)
    return workspace


def free_slug(name: str) -> str:
    """Return a slug made from the name that no workspace has yet."""
    base = slugify(name)[:40].strip("-_").replace("_", "-") or "workspace"
    taken = set(Workspace.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for n in range(len(taken) + 1) if (slug := base if n == 0 else f"{base}-{n + 1}") not in taken)


@transaction.atomic
def rename_workspace(member: Member, name: str) -> Workspace:
    """Return the workspace with its new name; its address stays, so links do."""
    require(member, Role.ADMIN, "rename this workspace")
    workspace = member.workspace
    before, workspace.name = workspace.name, name.strip()
    workspace.full_clean()
    workspace.save(update_fields=["name"])
    if before != workspace.name:
        audit.record(workspace, member.user, "workspace.renamed", workspace.name, before=before)
    return workspace


@transaction.atomic
def set_limits(member: Member, limits: WorkspaceLimits) -> Workspace:
    """Return the workspace with new limits for storage and retention."""
    require(member, Role.ADMIN, "change the limits")
    workspace = member.workspace
    before = WorkspaceLimits(workspace.max_storage_bytes, workspace.retention_days)
    workspace.max_storage_bytes, workspace.retention_days = limits.max_storage_bytes, limits.retention_days
    workspace.full_clean()
    workspace.save(update_fields=["max_storage_bytes", "retention_days"])
    if before != limits:
        audit.record(workspace, member.user, "workspace.limits_changed", workspace.name, **vars(limits))
    return workspace


# ---------------------------------------------------------------- invitations


@transaction.atomic
def invite(member: Member, email: str, role: Role | str) -> tuple[Invitation, str]:
    """Return the invitation and the secret of its link, shown once; an open one for this address is replaced."""
    require(member, Role.ADMIN, "invite people")
    workspace, address = member.workspace, email.strip().lower()
    if Member.objects.filter(workspace=workspace, user__email=address).exists():
        raise Conflict(f"{address} is a member of {workspace.name} already.")
    _open_invitations(workspace).filter(email=address).update(revoked_at=timezone.now())
    secret = new_secret()
    invitation = Invitation.objects.create(
        workspace=workspace,
        email=address,
        role=Role(role),
        invited_by=member.user,
        secret_hash=secret_hash(secret),
        expires_at=timezone.now() + Invitation.LIFETIME,
    )
    audit.record(workspace, member.user, "invitation.created", address, role=str(role))
    return invitation, secret


@transaction.atomic
def revoke_invitation(member: Member, invitation_id: int) -> Invitation:
    """Return the invitation, from now on useless; raises NotFound where the workspace has no such open one."""
    require(member, Role.ADMIN, "revoke invitations")
    invitation = _open_invitations(member.workspace).filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound("This invitation is not open any more.")
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    audit.record(member.workspace, member.user, "invitation.revoked", invitation.email)
    return invitation


def find_invitation(secret: str) -> Invitation:
    """Return the open invitation of a link; raises NotFound."""
    invitation = (
        Invitation.objects.select_related("workspace", "invited_by").filter(secret_hash=secret_hash(secret)).first()
    )
    if invitation is None or not invitation.is_open:
        raise NotFound("This invitation was used, revoked or is older than a week. Ask an admin for a new link.")
    return invitation


@transaction.atomic
def accept_invitation(secret: str, user: User | None = None, person: NewPerson | None = None) -> Member:
    """Return the new membership: of `user`, whose e-mail must match, or of a new account made from `person`."""
    invitation = find_invitation(secret)
    taken = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(
        accepted_at=timezone.now()
    )
    if not taken:
        raise NotFound("This invitation was used by somebody else a moment ago.")
    user = user or _new_account(invitation, person)
    if user.email != invitation.email:
        raise Forbidden(
            f"The invitation is for {invitation.email}, but you are signed in as {user.email}. Sign out first."
        )
    member, is_new = Member.objects.get_or_create(
        workspace=invitation.workspace, user=user, defaults={"role": invitation.role}
    )
    bump(user, [invitation.workspace_id])
    if is_new:
        audit.record(invitation.workspace, user, "member.joined", user.email, role=member.role)
    return member


def _new_account(invitation: Invitation, person: NewPerson | None) -> User:
    if person is None:
        raise Problem("Give a name and a password to make your account.")
    try:
        with transaction.atomic():
            return User.objects.create_user(invitation.email, person.name, person.password)
    except IntegrityError as error:
        raise Conflict(f"{invitation.email} has an account. Sign in first, then open the link again.") from error


def _open_invitations(workspace: Workspace) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        workspace=workspace, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )


def open_invitations(member: Member) -> list[Invitation]:
    """Return the invitations that can still be accepted, newest first."""
    require(member, Role.ADMIN, "see invitations")
    return list(_open_invitations(member.workspace).select_related("invited_by"))


# ---------------------------------------------------------------- members


@transaction.atomic
def change_role(member: Member, member_id: int, role: Role | str) -> Member:
    """Return the changed membership; raises Conflict where the workspace would be left without an admin."""
    require(member, Role.ADMIN, "change roles")
    other = _member(member.workspace, member_id)
    before, other.role = other.role, Role(role)
    if before == other.role:
        return other
    if before == Role.ADMIN:
        _keep_an_admin(other)
    other.save(update_fields=["role"])
    bump(other.user, [member.workspace_id])
    audit.record(
        member.workspace, member.user, "member.role_changed", other.user.email, before=before, after=other.role
    )
    return other


@transaction.atomic
def remove_member(member: Member, member_id: int) -> User:
    """Return the user who is no member any more; everybody may remove themselves, the last admin nobody."""
    other = _member(member.workspace, member_id)
    if other.pk != member.pk:
        require(member, Role.ADMIN, "remove members")
    if other.role == Role.ADMIN:
        _keep_an_admin(other)
    bump(other.user, [member.workspace_id])
    audit.record(member.workspace, member.user, "member.removed", other.user.email, role=other.role)
    user = other.user
    note_that_maker_left(member.workspace, user, member.user)
    other.delete()
    return user


def _member(workspace: Workspace, member_id: int) -> Member:
    # The row of the workspace is the lock: two admins who demote each other at once must not both succeed.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    member = Member.objects.select_related("user", "workspace").filter(workspace=workspace, pk=member_id).first()
    if member is None:
        raise NotFound("This person is not a member any more.")
    return member


def _keep_an_admin(leaving: Member) -> None:
    if not Member.objects.filter(workspace=leaving.workspace, role=Role.ADMIN).exclude(pk=leaving.pk).exists():
        raise Conflict(
            f"{leaving.user.label} is the only admin of {leaving.workspace.name}. Make somebody else admin first."
        )
