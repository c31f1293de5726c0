"""Who may enter a workspace and do what in it. Every view, action, consumer and task of the dashboard asks here."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.sessions.backends.db import SessionStore
from django.db.models import F
from django.http import HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, resolve_url

from dashboard.accounts.models import Member, Role, User, Workspace
from dashboard.common.http.htmx import is_htmx
from dashboard.common.http.page_reader import reading
from dashboard.common.monitoring.log_context import log_also
from dashboard.common.problems import Forbidden, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.contrib.auth.models import AnonymousUser
    from django.http import HttpRequest

READ = ("GET", "HEAD")
WRITE = ("POST",)


class Access(NamedTuple):
    """A workspace and the reader's membership in it."""

    workspace: Workspace
    member: Member

    @property
    def user(self) -> User:
        """Return the reader."""
        return self.member.user


def find_member(user: User | AnonymousUser, slug: str) -> Member:
    """Return the user's membership in the workspace (workspace and user loaded); raises NotFound for strangers."""
    if user.is_authenticated and user.is_active:
        member = (
            # The feed's version is read here, before everything that the page shows.
            Member.objects.select_related("workspace__feed", "user")
            .filter(workspace__slug=slug, user_id=user.pk)
            .first()
        )
        if member:
            return member
    raise NotFound("This workspace does not exist, or you are not a member of it.")


def workspace_for(request: HttpRequest, slug: str, role: Role | str = Role.VIEWER, doing: str = "") -> Access:
    """Return (workspace, member); raises NotFound for strangers, Forbidden for a role too small to be `doing` it."""
    member = find_member(request.user, slug)
    require(member, role, doing or "open this page")
    return Access(member.workspace, member)


def require(member: Member, role: Role | str, doing: str) -> None:
    """Return if the member's role covers `role`; else raise Forbidden: `doing` completes "You cannot ..."."""
    if member.may(role):
        return
    needed, place = Role(role).label, member.workspace.name
    admins = Member.objects.filter(workspace=member.workspace, role=Role.ADMIN).select_related("user")[:3]
    names = ", ".join(admin.user.label for admin in admins)
    raise Forbidden(
        f"Your role in {place} is {member.role}; this needs {needed}. An admin can change it: {names}.",
        title=f"You cannot {doing}",
    )


def workspace_view(
    role: Role | str = Role.VIEWER, methods: Iterable[str] = READ, doing: str = ""
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Return a decorator for views under /w/<slug>/...: the view gets (request, access, **rest), members only.

    The anonymous are sent to sign in, strangers get 404, too small a role 403, another method 405. It also sets
    request.workspace and request.member for the frame of the page.
    """
    allowed = tuple(methods)

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, **rest: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return to_sign_in(request)
            access = workspace_for(request, slug, role, doing)
            log_also(member=access.member.pk)
            request.workspace, request.member = access  # type: ignore[attr-defined]
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            with reading(request, access.user.pk):
                return view(request, access, **rest)

        inner.needed_role = Role(role)  # type: ignore[attr-defined]
        inner.allowed_methods = allowed  # type: ignore[attr-defined]
        return inner

    return decorate


def signed_in_view(
    methods: Iterable[str] = READ,
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Return a decorator for views outside workspaces that need a signed-in reader only."""
    allowed = tuple(methods)

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def inner(request: HttpRequest, **rest: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return to_sign_in(request)
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            return view(request, **rest)

        return inner

    return decorate


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """Return the way to the sign-in page and back; htmx gets HX-Redirect, a POST comes back to the first page."""
    back = request.get_full_path() if request.method in READ else resolve_url("accounts:root")
    if is_htmx(request):
        answer = HttpResponse(status=401)
        answer["HX-Redirect"] = resolve_url("accounts:sign_in")
        return answer
    return redirect(f"{resolve_url('accounts:sign_in')}?{urlencode({'next': back})}")


def bump(user: User, workspaces: Iterable[int]) -> None:
    """Raise the access version of a user and of these workspaces (ids), so that live sockets ask again."""
    User.objects.filter(pk=user.pk).update(access_version=F("access_version") + 1)
    Workspace.objects.filter(pk__in=list(workspaces)).update(access_version=F("access_version") + 1)


def bump_everywhere(user: User) -> None:
    """Raise the access version of a user and of all their workspaces, e.g. when they sign out."""
    bump(user, user.memberships.values_list("workspace_id", flat=True))


def socket_member(user_id: int, session_key: str | None, workspace_id: int) -> Member | None:
    """Return the membership that a live socket may go on under, None where its session, user or membership ended."""
    if not session_key:
        return None
    stored = SessionStore(session_key).load()
    if str(stored.get("_auth_user_id", "")) != str(user_id):
        return None
    member = (
        Member.objects.select_related("workspace", "user").filter(workspace_id=workspace_id, user_id=user_id).first()
    )
    if (
        member is None
        or not member.user.is_active
        or stored.get("_auth_user_hash") != member.user.get_session_auth_hash()
    ):
        return None
    return member
