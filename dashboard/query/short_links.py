"""Short addresses of searches that nobody shares: what is asked for, under a code that it always has."""

from __future__ import annotations

import json
from base64 import b32encode
from hashlib import sha256
from typing import TYPE_CHECKING

from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.query.models import CODE_LENGTH, SearchLink

if TYPE_CHECKING:
    from dashboard.accounts.models import Member, Workspace

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
