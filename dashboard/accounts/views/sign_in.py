"""Coming in and going out: one-time link, password, invitation, sign out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth import authenticate, login, logout
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.accounts import account_actions, actions, throttle
from dashboard.accounts.access import to_sign_in
from dashboard.accounts.forms import JoinForm, SignInForm
from dashboard.accounts.models import User
from dashboard.common.http.clients import client_address
from dashboard.common.http.redirects import own_address
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.models import Invitation

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_GET
def root(request: HttpRequest) -> HttpResponse:
    """Return the way to the reader's first workspace, or the page that offers to make one."""
    if not request.user.is_authenticated:
        return redirect("accounts:sign_in")
    user = request.user
    member = user.memberships.select_related("workspace").first()
    if member is None:
        return redirect("accounts:new_workspace")
    return redirect(f"{reverse('accounts:root')}w/{member.workspace.slug}/")


def safe_next(request: HttpRequest) -> str:
    """Return the address to go to after signing in: only one of our own is followed."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    return own_address(request, asked, reverse("accounts:root"))


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Return the sign-in page; a right e-mail and password go on to where the reader wanted."""
    if request.method == "POST":
        return _with_password(request)
    if request.user.is_authenticated:
        return redirect(safe_next(request))
    return _sign_in_page(request, SignInForm())


def _sign_in_page(request: HttpRequest, form: SignInForm, bad: str = "", status: int = 200) -> HttpResponse:
    context = {"form": form, "bad": bad, "next": request.POST.get("next") or request.GET.get("next") or ""}
    return render(request, "accounts/sign_in.html", context, status=status)


def _with_password(request: HttpRequest) -> HttpResponse:
    form = SignInForm(request.POST)
    if not form.is_valid():
        return _sign_in_page(request, form, "Write your e-mail address and your password.", 422)
    email, address = form.cleaned_data["email"].strip().lower(), client_address(request)
    tried = throttle.take(email, address)
    if tried.is_refused:
        error = "Too many tries. Wait five minutes, or use a one-time link."
        response = _sign_in_page(request, form, error, 429)
        response["Retry-After"] = str(int(throttle.WINDOW.total_seconds()))
        return response
    user = authenticate(request, username=email, password=form.cleaned_data["password"])
    if user is None:
        error = f"E-mail or password is not right. {tried.left} {'try' if tried.left == 1 else 'tries'} left."
        return _sign_in_page(request, form, error, 422)
    throttle.give_back(tried, email, address)
    _let_in(request, user)
    return redirect(safe_next(request))


def _let_in(request: HttpRequest, user: User) -> None:
    login(request, user, backend=BACKEND)
    throttle.remember(user, client_address(request))
    account_actions.note_sign_in(user)


@never_cache
@require_GET
def by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign the reader in by a one-time link and lead to the first page; a spent one is harmless when signed in."""
    try:
        user = account_actions.spend_signin_token(token)
    except Problem:
        if request.user.is_authenticated:
            return redirect("accounts:root")
        raise
    _let_in(request, user)
    return redirect("accounts:root")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session and return the way to the sign-in page."""
    user = request.user
    logout(request)
    if user.is_authenticated:
        account_actions.note_sign_out(user)
    return redirect("accounts:sign_in")


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Return the page of an invitation; accepting it leads into the workspace."""
    invitation = actions.find_invitation(token)
    if request.user.is_authenticated:
        return _join_as(request, token, invitation, request.user)
    if User.objects.filter(email=invitation.email).exists():
        return to_sign_in(request)
    form = JoinForm(request.POST or None, user=User(email=invitation.email))
    if request.method == "POST" and form.is_valid():
        person = actions.NewPerson(form.cleaned_data["name"], form.cleaned_data["password"])
        member = actions.accept_invitation(token, person=person)
        _let_in(request, member.user)
        return redirect("accounts:root")
    return _join_page(request, invitation, form)


def _join_as(request: HttpRequest, token: str, invitation: Invitation, user: User) -> HttpResponse:
    if request.method == "POST":
        member = actions.accept_invitation(token, user=user)
        return redirect(f"{reverse('accounts:root')}w/{member.workspace.slug}/")
    return _join_page(request, invitation, None)


def _join_page(request: HttpRequest, invitation: Invitation, form: JoinForm | None) -> HttpResponse:
    status = 422 if form is not None and form.is_bound else 200
    return render(request, "accounts/join.html", {"invitation": invitation, "form": form}, status=status)
