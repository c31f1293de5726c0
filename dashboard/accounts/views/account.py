"""One's own account and looks, and new workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from dashboard.accounts import account_actions, actions
from dashboard.accounts.access import READ, WRITE, signed_in_view
from dashboard.accounts.forms import NameForm, PasswordForm, WorkspaceForm
from dashboard.accounts.once import once
from dashboard.accounts.views.sign_in import safe_next
from dashboard.common.http.context import LOOKS
from dashboard.common.http.params import choice_param
from dashboard.common.problems import Conflict

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.models import User

YEAR_SECONDS = 365 * 24 * 3600


@signed_in_view(READ)
def account(request: HttpRequest) -> HttpResponse:
    """Return the reader's own page: name, password, looks, workspaces."""
    return _account_page(request, NameForm(initial={"name": _user(request).name}), PasswordForm())


def _user(request: HttpRequest) -> User:
    return cast("User", request.user)


def _account_page(request: HttpRequest, name: NameForm, password: PasswordForm, status: int = 200) -> HttpResponse:
    memberships = _user(request).memberships.select_related("workspace")
    context = {"name_form": name, "password_form": password, "memberships": memberships}
    return render(request, "accounts/account.html", context, status=status)


@signed_in_view(WRITE)
def rename(request: HttpRequest) -> HttpResponse:
    """Change the reader's name."""
    form = NameForm(request.POST)
    if not form.is_valid():
        return _account_page(request, form, PasswordForm(), 422)
    account_actions.rename_user(_user(request), form.cleaned_data["name"])
    messages.success(request, "Name saved")
    return redirect("accounts:account")


@sensitive_post_parameters("password", "again")
@signed_in_view(WRITE)
def password(request: HttpRequest) -> HttpResponse:
    """Set the reader's password; this session goes on, others end."""
    user = _user(request)
    form = PasswordForm(request.POST, user=user)
    if not form.is_valid():
        return _account_page(request, NameForm(initial={"name": user.name}), form, 422)
    account_actions.set_password(user, form.cleaned_data["password"])
    update_session_auth_hash(request, user)
    messages.success(request, "Password saved. Your other sessions have ended.")
    return redirect("accounts:account")


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Remember theme, density or motion in cookies, for readers without scripts; anybody may, signed in or not."""
    response = redirect(safe_next(request))
    for name, values in LOOKS.items():
        if request.POST.get(name) == "system":
            response.delete_cookie(f"look_{name}", samesite="Lax")
        elif name in request.POST:
            value = choice_param(request.POST, name, values, values[0])
            response.set_cookie(f"look_{name}", value, max_age=YEAR_SECONDS, samesite="Lax", secure=request.is_secure())
    return response


@signed_in_view(READ + WRITE)
def new_workspace(request: HttpRequest) -> HttpResponse:
    """Return the form for a new workspace, or make it and lead there."""
    form = WorkspaceForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            with once(request) as claim:
                made = actions.create_workspace(_user(request), form.cleaned_data["name"], form.cleaned_data["slug"])
                claim.leads_to(f"{reverse('accounts:root')}w/{made.slug}/")
        except Conflict as conflict:
            form.add_error("slug", conflict.detail)
        else:
            return redirect(claim.location)
    return render(request, "accounts/new_workspace.html", {"form": form}, status=422 if form.is_bound else 200)
