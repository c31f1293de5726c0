"""Members, settings and the audit log of a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts import actions
from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.forms import InviteForm, RoleForm, SettingsForm
from dashboard.accounts.models import GIB, AuditEntry, Member, Role
from dashboard.common.http.htmx import render_page
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import BadQuery, Conflict

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

AUDIT = "accounts/audit.html"
MEMBERS = "accounts/members.html"
# What the filter of the audit log offers; the first word of an action is its subject.
SUBJECTS = (
    *("all", "member", "invitation", "workspace", "account", "cluster", "config", "timeline", "tape", "extenders"),
    *("run", "review", "token"),
)
ROLE_HELP = {
    Role.VIEWER: "sees everything, changes nothing",
    Role.REVIEWER: "also comments and gives verdicts",
    Role.EDITOR: "also edits clusters and configurations, starts and deletes runs",
    Role.ADMIN: "also manages members, limits and this workspace",
}


@workspace_view(Role.VIEWER)
def members(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of members; admins also see invitations."""
    return _members_page(request, access, InviteForm(initial={"role": Role.REVIEWER}))


def _members_page(request: HttpRequest, access: Access, form: InviteForm, status: int = 200) -> HttpResponse:
    search = text_param(request.GET, "q")
    members = Member.objects.filter(workspace=access.workspace).select_related("user").order_by("joined_at", "id")
    if search:
        members = members.filter(user__email__icontains=search) | members.filter(user__name__icontains=search)
    context = {
        "page": paginate(members, request.GET),
        "q": search,
        "form": form,
        "roles": [(role, ROLE_HELP[role]) for role in Role],
        "invitations": actions.open_invitations(access.member) if access.member.may(Role.ADMIN) else [],
        "new_link": request.session.pop("new_invitation", None),
    }
    return render_page(request, MEMBERS, context, status)


@workspace_view(Role.ADMIN, WRITE, doing="invite people")
def invite(request: HttpRequest, access: Access) -> HttpResponse:
    """Make an invitation and lead to the members page, which shows its link once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _members_page(request, access, form, 422)
    try:
        invitation, secret = actions.invite(access.member, form.cleaned_data["email"], form.cleaned_data["role"])
    except Conflict as conflict:
        form.add_error("email", conflict.detail)
        return _members_page(request, access, form, 422)
    link = site_address(request) + reverse("accounts:join", kwargs={"token": secret})
    # In clear until it is shown. A reader of the table of sessions has the admin's own session, too.
    request.session["new_invitation"] = {"email": invitation.email, "role": invitation.role, "link": link}
    return redirect("accounts:members", slug=access.workspace.slug)


@workspace_view(Role.ADMIN, WRITE, doing="revoke invitations")
def revoke(request: HttpRequest, access: Access, invitation_id: int) -> HttpResponse:
    """Take an invitation back."""
    invitation = actions.revoke_invitation(access.member, invitation_id)
    messages.success(request, f"The invitation of {invitation.email} is revoked")
    return redirect("accounts:members", slug=access.workspace.slug)


@workspace_view(Role.ADMIN, WRITE, doing="change roles")
def change_role(request: HttpRequest, access: Access, member_id: int) -> HttpResponse:
    """Give a member another role."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise BadQuery(f'"role" must be one of {", ".join(Role.values)}.')
    member = actions.change_role(access.member, member_id, form.cleaned_data["role"])
    messages.success(request, f"{member.user.label} is {member.role} now")
    return redirect("accounts:members", slug=access.workspace.slug)


@workspace_view(Role.VIEWER, WRITE)
def remove_member(request: HttpRequest, access: Access, member_id: int) -> HttpResponse:
    """Remove a member; members who remove themselves are led out of the workspace."""
    user = actions.remove_member(access.member, member_id)
    if user.pk == access.user.pk:
        messages.success(request, f"You left {access.workspace.name}")
        return redirect("accounts:account")
    messages.success(request, f"{user.label} is no member any more")
    return redirect("accounts:members", slug=access.workspace.slug)


@workspace_view(Role.ADMIN, READ + WRITE, doing="change the settings")
def settings(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the settings page, or save name and limits."""
    workspace = access.workspace
    if request.method == "POST":
        form = SettingsForm(request.POST)
        if form.is_valid():
            actions.rename_workspace(access.member, form.cleaned_data["name"])
            actions.set_limits(access.member, form.limits())
            messages.success(request, "Settings saved")
            return redirect("accounts:settings", slug=workspace.slug)
        return render(request, "accounts/settings.html", {"form": form}, status=422)
    initial = {
        "name": workspace.name,
        "max_storage_gib": f"{workspace.max_storage_bytes / GIB:.3f}".rstrip("0").rstrip("."),
        "retention_days": workspace.retention_days,
    }
    return render(request, "accounts/settings.html", {"form": SettingsForm(initial=initial)})


@workspace_view(Role.ADMIN, doing="read the audit log")
def audit_log(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the audit log, newest first, paged, filtered by subject."""
    subject = choice_param(request.GET, "subject", SUBJECTS, SUBJECTS[0])
    entries = AuditEntry.objects.filter(workspace=access.workspace).select_related("actor")
    if subject != SUBJECTS[0]:
        entries = entries.filter(action__startswith=f"{subject}.")
    context = {"page": paginate(entries, request.GET), "subject": subject, "subjects": SUBJECTS}
    return render_page(request, AUDIT, context)
