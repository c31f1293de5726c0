"""The draft that an editor's form changes, and the content from which the form started.

A form on a page of a draft names the draft. A form on a page of a saved revision names the revision: it changes the
reader's own draft of that revision, which the first edit opens.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.urls import reverse

from dashboard.clusters.drafts.actions import drop_unused, open_own_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.page import draft_on
from dashboard.clusters.revisions.actions import find_revision
from dashboard.clusters.revisions.object_keys import canonical_text
from dashboard.clusters.revisions.page_context import key_query
from dashboard.common.http.params import INT32_MAX, int_param, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import BadQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from django.http import HttpRequest

    from dashboard.clusters.models import Draft, DraftOperation
    from dashboard.clusters.revisions.object_keys import Key, Raw
    from dashboard.clusters.revisions.page_context import PageContext

ADDRESS_LENGTH = 64
PLACE_LENGTH = 2_000
SELECTING = ("node", "pod", "kind", "ns", "name", "new")
"""Parameters of the editor's address that say which object is selected, or which kind of a new one is written."""


def in_draft(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that name the edited draft, {} without one."""
    return {"draft": query["draft"]} if query.get("draft") else {}


def base_in(request: HttpRequest) -> int:
    """Return the number of the revision for which the form was shown, 0 if it names none."""
    return int_param(request.POST, "base", 0, low=1, high=INT32_MAX)


@contextmanager
def edited_draft(request: HttpRequest, page: PageContext) -> Iterator[OpenedDraft]:
    """Yield the draft that the form changes; one that was made for it is deleted if the edit fails."""
    if page.draft:
        yield draft_on(page)
        return
    revision = find_revision(page.cluster, base_in(request))
    draft, is_new = open_own_draft(page.access.member, revision)
    try:
        yield OpenedDraft(draft)
    except Exception:
        if is_new:
            drop_unused(draft)
        raise


def tell(request: HttpRequest, page: PageContext, operation: DraftOperation, back: str) -> None:
    """Show a message that names the operation, and the draft if it was opened just now; its Undo returns to `back`."""
    draft = operation.draft
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug, "draft_id": draft.pk}
    query = urlencode({"number": operation.number, "back": draft_url(back, draft)})
    place = "" if page.draft else f", in {draft.name}"
    tell_with_undo(request, f"{operation.name}{place}", f"{reverse('clusters:draft_undo', kwargs=kwargs)}?{query}")


def draft_url(address: str, draft: Draft) -> str:
    """Return the address of a page of the cluster, with the draft open."""
    parts = urlsplit(address)
    given = parse_qsl(parts.query)
    if ("draft", str(draft.pk)) in given or f"/drafts/{draft.pk}/" in parts.path:
        return address
    query = [(name, value) for name, value in given if name not in ("draft", "r")]
    return f"{parts.path}?{urlencode([*query, ('draft', draft.pk)])}"


def judged_against(page: PageContext) -> Mapping[Key, Raw]:
    """Return the objects against which a text is checked; for a draft only those that admission reads, to keep edits
    quick.
    """
    return draft_on(page).admission if page.draft else page.contents.by_key


def address_seen(page: PageContext, key: Key | None) -> str:
    """Return the hex SHA-256 of the object on the page, "" if there is none."""
    stored = page.contents.by_key.stored.get(key) if key else None
    return hashlib.sha256(canonical_text(stored)).hexdigest() if stored is not None else ""


def seen_in(request: HttpRequest) -> bytes | None:
    """Return the address of the content from which the form started, None if the form does not have it."""
    address = text_param(request.POST, "seen", ADDRESS_LENGTH)
    if len(address) != ADDRESS_LENGTH:
        return None
    try:
        return bytes.fromhex(address)
    except ValueError as error:
        raise BadQuery("The form does not say which content it started from.") from error


# ---------------------------------------------------------------- the editor of a draft


def selecting(key: Key | None) -> dict[str, str]:
    """Return the parameters that select an object in the editor of a draft, {} for none."""
    if key is None:
        return {}
    if key.kind == "Node":
        return {"node": key.name}
    return {"pod": f"{key.namespace}/{key.name}"} if key.kind == "Pod" else key_query(key)


def editor_place(request: HttpRequest, page: PageContext) -> Callable[[Key | None], str] | None:
    """Return where in the editor of the draft to go on, by the object to select; None if the form is of another page.

    The form's `place` is the query of the editor's page.
    """
    if "place" not in request.POST or page.draft is None:
        return None
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug, "draft_id": page.draft.pk}
    path = reverse("clusters:draft_edit", kwargs=kwargs)
    parameters = parse_qsl(text_param(request.POST, "place", PLACE_LENGTH))
    others = [(name, value) for name, value in parameters if name not in SELECTING]

    def place(key: Key | None) -> str:
        query = urlencode([*others, *selecting(key).items()])
        return f"{path}?{query}" if query else path

    return place
