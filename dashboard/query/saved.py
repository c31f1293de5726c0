"""Saved searches of a workspace, and short links to others: written, renamed, shared, deleted.

Every member may save searches; only editors share them.
"""

from __future__ import annotations

import json
from base64 import b32encode
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role, Workspace
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.query.models import CODE_LENGTH, SEARCH_NAME_LENGTH, SavedSearch, SearchLink
from scheduler_core.query import QueryError, parse

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.accounts.models import Member

MAX_OF_MEMBER = 100
SHARING = "share searches here"


def searches_of(member: Member) -> QuerySet[SavedSearch]:
    """Return the searches that the member sees by name: their own and shared ones."""
    visible = Q(owner=member.user) | Q(is_shared=True)
    return SavedSearch.objects.filter(visible, workspace=member.workspace).select_related("owner")


def find_search(member: Member, pk: int) -> SavedSearch:
    """Return a search that the member sees; raises NotFound."""
    if existing := searches_of(member).filter(pk=pk).first():
        return existing
    raise NotFound("This saved search does not exist here. It may have been deleted.")


def save_search(member: Member, name: str, query: str, is_shared: bool) -> SavedSearch:
    """Save a query under a name.

    Raises Forbidden if it is to be shared and the member is no editor, Conflict if the member has a search of this
    name, Problem for a wrong name or query or too many searches.
    """
    require(member, Role.EDITOR if is_shared else Role.VIEWER, SHARING)
    name, query = _checked_name(name), _checked_query(query)
    with transaction.atomic():
        _lock(member)
        _check_free(member, name)
        own = SavedSearch.objects.filter(workspace=member.workspace, owner=member.user)
        if own.count() >= MAX_OF_MEMBER:
            raise Problem(f"One keeps at most {MAX_OF_MEMBER} searches in a workspace. Delete one first.")
        made = SavedSearch.objects.create(
            workspace=member.workspace, owner=member.user, name=name, query=query, is_shared=is_shared
        )
        _record(member, made, "saved")
    return made


def change_search(member: Member, search: SavedSearch, name: str, is_shared: bool) -> SavedSearch:
    """Rename the search, and share it or stop sharing it.

    Raises Forbidden for searches of other members (admins may change shared ones), else as `save_search`.
    """
    with transaction.atomic():
        _lock(member)
        existing = _changeable(member, search)
        if is_shared and not existing.is_shared:
            require(member, Role.EDITOR, SHARING)
        existing.name, existing.is_shared = _checked_name(name), is_shared
        _check_free(member, existing.name, existing)
        existing.save(update_fields=["name", "is_shared"])
        _record(member, existing, "changed")
    return existing


def delete_search(member: Member, search: SavedSearch) -> None:
    """Delete the search; raises NotFound, and Forbidden for searches of other members (admins may delete
    shared ones).
    """
    with transaction.atomic():
        existing = _changeable(member, search)
        _record(member, existing, "deleted")
        existing.delete()


def may_change(member: Member, search: SavedSearch) -> bool:
    """Return whether the member may rename, share or delete the search."""
    return search.owner_id == member.user.pk or (search.is_shared and member.may(Role.ADMIN))


# ---------------------------------------------------------------- checks


def _changeable(member: Member, search: SavedSearch) -> SavedSearch:
    existing = find_search(member, search.pk)
    if not may_change(member, existing):
        raise Forbidden("Only who saved a search, or an admin where it is shared, may change it.")
    return existing


def _checked_name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > SEARCH_NAME_LENGTH or not name.isprintable():
        raise Problem(f"A saved search needs a name of 1 to {SEARCH_NAME_LENGTH} characters in one line.")
    return name


def _checked_query(text: str) -> str:
    query = text.strip()
    try:
        parse(query)
    except QueryError as error:
        raise Problem(error.text(), title="The query cannot be read") from error
    return query


def _lock(member: Member) -> None:
    """Lock the workspace, so that two requests cannot take the same name or exceed the limit together."""
    Workspace.objects.select_for_update().get(pk=member.workspace.pk)


def _check_free(member: Member, name: str, own: SavedSearch | None = None) -> None:
    owner = member.user if own is None else own.owner
    taken = SavedSearch.objects.filter(workspace=member.workspace, owner=owner, name__iexact=name)
    if own is not None:
        taken = taken.exclude(pk=own.pk)
    if taken.exists():
        raise Conflict(f'There is a saved search "{name}" already. Choose another name.')


def _record(member: Member, search: SavedSearch, verb: str) -> None:
    """Write to the audit log; the name and query only of shared searches, since other members read it."""
    what = search.name if search.is_shared else "a private search"
    details = {"query": search.query} if search.is_shared else {}
    audit.record(member.workspace, member.user, f"search.{verb}", what, **details)


LONGEST_QUERY = 4_000
LINKS_OF_A_MEMBER = 5_000


def short_code(run: int | None, query: str) -> str:
    """Return the code of a search: `query` is that of its address, `run` the number of the run whose tab it is on."""
    return b32encode(sha256(json.dumps([run, query]).encode()).digest()).decode()[:CODE_LENGTH].lower()


def make_link(member: Member, run: int | None, query: str) -> SearchLink:
    """Return the short link of a search, the same for everybody who asks for it.

    Raises Problem for a query that is too long, Conflict where the member made too many: their full address serves.
    """
    if len(query) > LONGEST_QUERY:
        raise Problem("This search is too long for a short link. Copy the address of the page.")
    code = short_code(run, query)
    existing = SearchLink.objects.filter(workspace=member.workspace, code=code).first()
    if existing is None:
        if SearchLink.objects.filter(workspace=member.workspace, made_by=member.user).count() >= LINKS_OF_A_MEMBER:
            raise Conflict(f"One makes at most {LINKS_OF_A_MEMBER:,} short links. Copy the address of the page.")
        columns = {"run": run, "query": query, "made_by": member.user}
        existing, _ = SearchLink.objects.get_or_create(workspace=member.workspace, code=code, defaults=columns)
    return existing


def find_link(workspace: Workspace, code: str) -> SearchLink:
    """Return the link with this code; raises NotFound."""
    if existing := SearchLink.objects.filter(workspace=workspace, code=code).first():
        return existing
    raise NotFound("This short link of a search does not exist here. Check that all of it was copied.")
