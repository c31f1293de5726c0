"""What the editor asks for by hand: an action on the selected objects, and the objects that a filter selects."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import JsonResponse
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.catalogue import WHATS
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts.actions import find_draft
from dashboard.clusters.drafts.node_changes import EFFECTS
from dashboard.clusters.drafts.page import changed_here, draft_on
from dashboard.clusters.drafts.progress import TOKEN_LENGTH, read_progress, reporter
from dashboard.clusters.drafts.views import address
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.page_context import NAME_LIMIT, find_cluster, read_page_context
from dashboard.clusters.workbench.picks import FILTER_LIMIT, filtered, picks_in
from dashboard.common.http.htmx import go, is_htmx
from dashboard.common.http.params import choice_param, int_param, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import BadQuery, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import DraftOperation

AMOUNTS = ("cpu", "memory", "pods")
MOST_PODS = 200_000


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def act_on(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Carry out an action on the selected objects of a draft, as one operation."""
    page = read_page_context(access, cluster, {"draft": str(draft_id)})
    draft = draft_on(page)
    what = choice_param(request.POST, "what", WHATS, "")
    if not what:
        raise BadQuery("Say what to do.")
    report = reporter(access.user, text_param(request.POST, "progress", TOKEN_LENGTH))
    operation = act(access.member, draft, what, picks_in(page, request.POST), values_in(request.POST), report)
    return done(request, operation)


@workspace_view(Role.EDITOR)
def progress(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return how far the reader's change with the token ?progress= is, as JSON: {"stage", "done", "total"} or null.

    Null is a change of this draft that was begun a moment ago, or is over. Raises NotFound without a draft or a token.
    """
    find_draft(access.member, find_cluster(access, cluster), draft_id)
    noted = read_progress(access.user, _token(request.GET))
    return JsonResponse(noted and noted._asdict(), safe=False)


def _token(query: Mapping[str, str]) -> str:
    token = text_param(query, "progress", TOKEN_LENGTH)
    if not token:
        raise NotFound("Name a change by ?progress=.")
    return token


def done(request: HttpRequest, operation: DraftOperation) -> HttpResponse:
    """Tell the editor what was done and how it is undone; without scripts, lead back to it."""
    draft = operation.draft
    place = {"slug": draft.cluster.workspace.slug, "cluster": draft.cluster.slug, "draft_id": draft.pk}
    query = urlencode({"number": operation.number, "back": address(draft, "edit")})
    undo = f"{reverse('clusters:draft_undo', kwargs=place)}?{query}"
    if not is_htmx(request):
        tell_with_undo(request, operation.name, undo)
        return go(request, address(draft, "edit"))
    return changed_here(operation.name, undo)


def values_in(form: Mapping[str, str]) -> HandValues:
    """Return what the dialogs of a form say; raises BadQuery."""
    effect = choice_param(form, "taint_effect", (*EFFECTS, "any"), EFFECTS[0])
    amounts = {name: text_param(form, name, NAME_LIMIT) for name in AMOUNTS}
    other = text_param(form, "resource", NAME_LIMIT)
    if other:
        amounts[other] = text_param(form, "amount", NAME_LIMIT)
    prefix = "label" if text_param(form, "label_key", NAME_LIMIT) else "taint"
    return HandValues(
        key=text_param(form, f"{prefix}_key", NAME_LIMIT),
        value=text_param(form, f"{prefix}_value", NAME_LIMIT),
        effect="" if effect == "any" else effect,
        place=text_param(form, "place", NAME_LIMIT),
        amounts={name: amount for name, amount in amounts.items() if amount},
        number=int_param(form, "number", 1, low=0, high=MOST_PODS),
        pattern=text_param(form, "pattern", NAME_LIMIT),
        labels=labels_in(text_param(form, "labels", 4_000)),
    )


def labels_in(text: str) -> dict[str, str]:
    """Return the labels of a text: "pool=gpu, tier=a"; raises BadQuery."""
    labels = {}
    for part in text.replace("\n", ",").split(","):
        if not part.strip():
            continue
        key, sign, value = part.partition("=")
        if not sign or not key.strip():
            raise BadQuery(f'Write labels as key=value, with commas between them: "{part.strip()[:40]}" is none.')
        labels[key.strip()] = value.strip()
    return labels


@workspace_view(Role.VIEWER)
def picked(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the objects that a filter (`q`) finds in a draft, as JSON: {"objects": ["Kind/namespace/name"]}."""
    page = read_page_context(access, cluster, {"draft": str(draft_id)})
    keys = filtered(page.contents, text_param(request.GET, "q", FILTER_LIMIT))
    return JsonResponse({"objects": ["/".join(key) for key in keys]})
