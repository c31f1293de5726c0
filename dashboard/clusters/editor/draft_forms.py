"""What forms of the editor say about the draft that they edit: which one, and from which content they started."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dashboard.clusters.drafts.actions import draft_of
from dashboard.clusters.editor import draft_edits
from dashboard.clusters.revisions.object_keys import text_of
from dashboard.common.http.params import text_param
from dashboard.common.problems import BadQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpRequest

    from dashboard.clusters.drafts.contents import Address
    from dashboard.clusters.editor.edits import HasManifests
    from dashboard.clusters.models import Draft
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.clusters.revisions.page_context import PageContext

ADDRESS_LENGTH = 64


def in_draft(query: Mapping[str, str]) -> dict[str, str]:
    """Return the part of a query or form that says which draft is edited, if any."""
    return {"draft": query["draft"]} if query.get("draft") else {}


def opened(page: PageContext) -> Draft:
    """Return the draft that the page is in."""
    return draft_of(page.access.member, page.cluster, page.draft.pk if page.draft else 0)


def judged_against(page: PageContext) -> HasManifests:
    """Return what a text is judged against; of a draft only what admission looks at, so that an edit costs little."""
    return draft_edits.context_of(opened(page)) if page.draft else page.contents


def address_seen(page: PageContext, key: Key | None) -> str:
    """Return the hex SHA-256 of the object as the page shows it, "" where there is none."""
    stored = page.contents.by_key.stored.get(key) if key else None
    return hashlib.sha256(text_of(stored)).hexdigest() if stored is not None else ""


def seen_in(request: HttpRequest, keys: Sequence[Key]) -> dict[Key, Address]:
    """Return the content that the form started from, where it says so."""
    address = text_param(request.POST, "seen", ADDRESS_LENGTH)
    if len(address) != ADDRESS_LENGTH or not keys:
        return {}
    try:
        return {keys[0]: bytes.fromhex(address)}
    except ValueError as error:
        raise BadQuery("The form does not say which content it started from.") from error
