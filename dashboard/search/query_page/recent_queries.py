"""Queries that a member searched for lately, kept in their session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.search.query_page.address import PRESET

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase

    from dashboard.accounts.access import Access

KEPT, LONGEST = 6, 300
_IN_SESSION = "queries_asked"


def remembered(session: SessionBase, access: Access) -> list[str]:
    """Return what the member asked in this workspace, the last one first."""
    queries: list[str] = session.get(_IN_SESSION, {}).get(str(access.workspace.pk), [])
    return queries


def remember(session: SessionBase, access: Access, query: str) -> None:
    """Put a query in front; one that everybody begins with, or a very long one, is not kept."""
    before = remembered(session, access)
    if query == PRESET or len(query) > LONGEST or before[:1] == [query]:
        return
    latest = [query, *(one for one in before if one != query)][:KEPT]
    session[_IN_SESSION] = session.get(_IN_SESSION, {}) | {str(access.workspace.pk): latest}
