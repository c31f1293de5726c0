"""The tokens of a workspace: made, seen, taken over and revoked by its admins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.forms import TokenForm
from dashboard.accounts.models import Role
from dashboard.accounts.tokens import actions, scopes
from dashboard.accounts.tokens.checking import requests_in_this_minute
from dashboard.common.http.htmx import render_page
from dashboard.common.http.origins import site_address
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import AccessToken, User

PAGE = "accounts/tokens.html"
SHOWN_ONCE = "new_token"


@dataclass(frozen=True)
class TokenRow:
    """A token in use as the page shows it: what its scopes are for, its requests in this minute, of how many."""

    token: AccessToken
    labels: list[tuple[str, str]]
    maker: User | None
    has_maker_left: bool
    requests: int
    per_minute: int


@workspace_view(Role.ADMIN, doing="see tokens")
def tokens(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the tokens of the workspace, and the form that makes one."""
    return _page(request, access, TokenForm(initial={"kind": next(iter(scopes.kinds()), ""), "days": "365"}))


def _page(request: HttpRequest, access: Access, form: TokenForm, status: int = 200) -> HttpResponse:
    opened, ended = actions.tokens_for_page(access.member)
    left = set(actions.without_maker(access.workspace).values_list("pk", flat=True))
    context = {
        "rows": [_row(token, token.pk in left) for token in opened],
        "ended": ended,
        "form": form,
        "kinds": [(name, kind, kind.choices(access.workspace)) for name, kind in scopes.kinds().items()],
        "new_token": request.session.pop(SHOWN_ONCE, None) if status == 200 else None,
    }
    return render_page(request, PAGE, context, status)


def _row(token: AccessToken, has_maker_left: bool) -> TokenRow:
    kinds, labels = scopes.kinds(), []
    for scope in token.scopes:
        name, _, about = scope.partition(":")
        labels.append((kinds[name].label if name in kinds else name, about))
    return TokenRow(
        token,
        labels,
        token.made_by,
        has_maker_left,
        requests_in_this_minute(token),
        scopes.per_minute(token.scopes),
    )


@workspace_view(Role.ADMIN, WRITE, doing="make tokens")
def make(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a token and lead to the page, which shows its secret once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, access, form, 422)
    data = form.cleaned_data
    try:
        token, secret = actions.make_token(access.member, actions.NewToken(data["name"], form.scopes, data["days"]))
    except Problem as problem:
        form.add_error("name" if problem.status == 409 else "about", problem.detail)
        return _page(request, access, form, 422)
    # In clear until it is shown. A reader of the table of sessions has the admin's own session, too.
    commands = scopes.commands(site_address(request), access.workspace, token.scopes)
    request.session[SHOWN_ONCE] = {"name": token.name, "secret": secret, "commands": commands}
    return redirect("accounts:tokens", slug=access.workspace.slug)


@workspace_view(Role.ADMIN, WRITE, doing="revoke tokens")
def revoke(request: HttpRequest, access: Access, token_id: int) -> HttpResponse:
    """End a token."""
    token = actions.revoke_token(access.member, token_id)
    messages.success(request, f"{token.name} is revoked: its next request is refused")
    return redirect("accounts:tokens", slug=access.workspace.slug)


@workspace_view(Role.ADMIN, WRITE, doing="take over tokens")
def take_over(request: HttpRequest, access: Access, token_id: int) -> HttpResponse:
    """Answer for a token whose maker left."""
    token = actions.take_over_token(access.member, token_id)
    messages.success(request, f"{token.name} is yours to look after now")
    return redirect("accounts:tokens", slug=access.workspace.slug)
