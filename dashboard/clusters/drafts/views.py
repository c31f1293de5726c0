"""The pages of drafts: their list, what one changes, its operations and people; saved, run, discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts import actions, operations, saving
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import DraftConflict, manifest_at
from dashboard.clusters.drafts.page import CHANGED, changed_here, draft_bar, draft_on
from dashboard.clusters.drafts.progress import TOKEN_LENGTH, reporter
from dashboard.clusters.models import NAME_LENGTH, Draft, Revision
from dashboard.clusters.revisions.actions import DOING, newest_revision
from dashboard.clusters.revisions.diff import diff_manifests
from dashboard.clusters.revisions.object_changes import shown_changes
from dashboard.clusters.revisions.page_context import find_cluster, key_in, named_key, read_page_context, run_url
from dashboard.common.http.htmx import go, is_htmx
from dashboard.common.http.params import INT32_MAX, choice_param, int_param, optional_int, text_param
from dashboard.common.http.redirects import current_page, own_address
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.pages.pagination import paginate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import User
    from dashboard.clusters.drafts.progress import ReportProgress
    from dashboard.clusters.models import DraftOperation
    from dashboard.clusters.revisions.diff import ObjectChange

    Step = Callable[[User, Draft, int | None, ReportProgress], DraftOperation]

CHANGES_SIZE = 20
OPERATIONS_SHOWN = 100
KEPT = ("mine", "theirs")
OWN_PAGES = {"changes": "clusters:draft", "edit": "clusters:draft_edit"}


@workspace_view(Role.VIEWER)
def draft_list(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the drafts of a cluster that the reader sees."""
    page = read_page_context(access, cluster, request.GET)
    drafts = paginate(actions.visible_drafts(access.member, page.cluster), request.GET, size=25)
    lines = [draft_bar(OpenedDraft(draft), access.user) for draft in drafts.items]
    return render(request, "clusters/drafts/list.html", page.context("drafts", page=drafts, lines=lines))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def new(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Make a draft on the newest revision and lead into its editor; for a new object of the kind `add` the reader's own
    draft does, where there is one.
    """
    found, kind = find_cluster(access, cluster), text_param(request.POST, "add", NAME_LENGTH)
    if kind:
        draft, _ = actions.open_own_draft(access.member, newest_revision(found))
        return go(request, f"{address(draft, 'edit')}?{urlencode({'new': kind})}")
    draft = actions.new_draft(access.member, found, text_param(request.POST, "name", NAME_LENGTH))
    return _lead(request, draft, "edit")


@workspace_view(Role.VIEWER)
def changes(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the page of a draft's changes by object, with its operations and people and the form that saves it."""
    page = read_page_context(access, cluster, {"draft": str(draft_id)})
    draft, everything = draft_on(page).draft, draft_on(page).changes
    listed = _chosen(request, everything)
    part = paginate(listed, request.GET, size=CHANGES_SIZE)
    done = draft.operations.select_related("author").order_by("-number")
    merge = saving.plan_merge(draft)
    context = page.context(
        "drafts",
        page=part,
        shown=shown_changes(access.workspace.pk, part.items),
        is_filtered=bool(request.GET.get("kind")),
        operations=done[:OPERATIONS_SHOWN],
        more_operations=max(0, done.count() - OPERATIONS_SHOWN),
        merge=merge,
        default=saving.default_message(merge.changed, draft) if merge.changed else "",
        able=_people(draft),
        is_author=draft.author_id == access.user.pk,
        run_address=_run_address(access, draft.base) if access.member.may(Role.EDITOR) else "",
        change_query=urlencode({"cluster": page.cluster.slug, "draft": draft.pk}) if everything else "",
    )
    return render(request, "clusters/drafts/changes.html", context)


def _chosen(request: HttpRequest, listed: Sequence[ObjectChange]) -> list[ObjectChange]:
    """Return the changes that the address selects: one object, or objects of a kind with the same sort of change."""
    key, kind = key_in(request.GET), text_param(request.GET, "kind", NAME_LENGTH)
    what = choice_param(request.GET, "what", ("", "added", "changed", "removed"), "")
    if key:
        return [one for one in listed if one.key == key]
    return [one for one in listed if kind in ("", one.key.kind) and what in ("", one.what)]


def _people(draft: Draft) -> list[tuple[Any, bool]]:
    invited = set(draft.invited.values_list("pk", flat=True))
    return [(one.user, one.user_id in invited) for one in actions.invitable(draft)]


@workspace_view(Role.VIEWER)
def bar(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the bar of a draft if it changed since version `seen`, else 204."""
    draft = _draft(access, cluster, draft_id)
    if optional_int(request.GET, "seen", low=0, high=INT32_MAX) == draft.version:
        return HttpResponse(status=204)
    context = {"draft": draft, "draft_bar": draft_bar(OpenedDraft(draft), access.user), "cluster": draft.cluster}
    page = current_page(request)
    back = f"{page.path}?{page.query}" if page.query else page.path or address(draft, "changes")
    context |= {"can_edit": access.member.may(Role.EDITOR), "is_news": True, "back": back}
    context["is_here"] = page.path in (address(draft, "changes"), address(draft, "edit"))
    response = render(request, "clusters/drafts/_bar.html", context)
    response["HX-Trigger"] = CHANGED
    return response


# ---------------------------------------------------------------- undo and redo


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def undo(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Undo the reader's last operation, or show both versions where somebody changed its objects since."""
    return _step(request, access, _draft(access, cluster, draft_id), operations.undo, ("undo", "Undone"))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def redo(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Redo the operation that the reader undid last; refused in the same cases as undo."""
    return _step(request, access, _draft(access, cluster, draft_id), operations.redo, ("redo", "Done again"))


def _step(request: HttpRequest, access: Access, draft: Draft, step: Step, verbs: tuple[str, str]) -> HttpResponse:
    """Undo or redo; `verbs` are its names during and after it."""
    doing, done = verbs
    try:
        # A message's Undo has the operation in its address.
        said = request.POST if "number" in request.POST else request.GET
        number = optional_int(said, "number", low=1, high=INT32_MAX)
        report = reporter(access.user, text_param(request.POST, "progress", TOKEN_LENGTH))
        operation = step(access.user, draft, number, report)
    except DraftConflict as conflict:
        return refused(request, access, draft, conflict, doing=doing)
    back = _back(request, draft)
    if is_htmx(request) and urlsplit(back).path == address(draft, "edit"):
        return changed_here(f"{done}: {operation.name}")
    messages.success(request, f"{done}: {operation.name}")
    return go(request, back)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def settle(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Resolve a refused undo or redo: keep `theirs`, or apply `mine`."""
    draft = _draft(access, cluster, draft_id)
    number = int_param(request.POST, "number", 0, low=1, high=INT32_MAX)
    operations.settle(access.user, draft, number, is_mine_kept=_keeps_mine(request))
    return _lead(request, draft, "changes")


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def put_back(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Undo all changes of one object by a new operation."""
    draft = _draft(access, cluster, draft_id)
    key = named_key(request.POST)
    operation = actions.put_back(access.member, draft, [key])
    messages.success(request, operation.name)
    return _lead(request, draft, "changes")


def refused(
    request: HttpRequest, access: Access, draft: Draft, conflict: DraftConflict, *, doing: str, **more: Any
) -> HttpResponse:
    """Return the page with both versions of each object that somebody else changed since (409)."""
    page = read_page_context(access, draft.cluster.slug, {"draft": str(draft.pk)})
    shown = [
        (
            clash,
            diff_manifests(manifest_at(draft, clash.before), manifest_at(draft, clash.now)),
            diff_manifests(manifest_at(draft, clash.before), manifest_at(draft, clash.mine)),
        )
        for clash in conflict.clashes[:CHANGES_SIZE]
    ]
    context = page.context(
        "drafts", conflict=conflict, shown=shown, left_out=len(conflict.clashes) - len(shown), doing=doing, **more
    )
    return render(request, "clusters/drafts/conflict.html", context, status=409)


# ---------------------------------------------------------------- saving, running, discarding


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Save the draft as a revision and continue from it; show both versions where others saved the same objects."""
    draft = _draft(access, cluster, draft_id)
    version = optional_int(request.POST, "version", low=0, high=INT32_MAX)
    try:
        revision = saving.save(access.member, draft, text_param(request.POST, "message", 500), version)
    except DraftConflict as conflict:
        newest = newest_revision(draft.cluster)
        return refused(request, access, draft, conflict, doing="save", theirs=newest)
    place = {"slug": access.workspace.slug, "cluster": cluster, "number": revision.number}
    tell_with_undo(request, f"Saved as revision {revision.number}", reverse("clusters:undo", kwargs=place))
    return _lead(request, draft, "changes")


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def resolve(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Resolve one object that others saved too: keep `mine`, or take `theirs` of revision `newest`."""
    draft = _draft(access, cluster, draft_id)
    key = named_key(request.POST)
    newest = int_param(request.POST, "newest", 0, low=1, high=INT32_MAX)
    saving.resolve(access.member, draft, key, is_mine_kept=_keeps_mine(request), newest=newest)
    messages.success(request, f"Settled: {key.label}")
    return _lead(request, draft, "changes")


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def run(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Save the draft as a revision, since a run needs one, and open the launch page with that revision selected.

    A draft that changes nothing is launched from its base.
    """
    draft = _draft(access, cluster, draft_id)
    revision: Revision = draft.base
    merge = saving.plan_merge(draft)
    if merge.changed or merge.clashes:
        try:
            revision = saving.save(access.member, draft, f"{draft.name}, saved for a run")
        except DraftConflict as conflict:
            return refused(request, access, draft, conflict, doing="save", theirs=merge.newest)
        messages.success(request, f"Saved as revision {revision.number}, which the run will use")
    return go(request, _run_address(access, revision))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def discard(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Delete the draft."""
    draft = _draft(access, cluster, draft_id)
    actions.discard(access.member, draft)
    messages.success(request, f"{draft.name} is discarded")
    return go(request, "clusters:drafts", slug=access.workspace.slug, cluster=cluster)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def people(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Give the draft its name, and share it with the members that the form names."""
    draft = _draft(access, cluster, draft_id)
    actions.rename(access.member, draft, text_param(request.POST, "name", NAME_LENGTH))
    chosen = [int(one) for one in request.POST.getlist("user") if one.isdecimal() and len(one) < 19]
    actions.invite(access.member, draft, chosen)
    messages.success(request, "Saved")
    return _lead(request, draft, "changes")


def _draft(access: Access, cluster: str, draft_id: int) -> Draft:
    return actions.find_draft(access.member, find_cluster(access, cluster), draft_id)


def _keeps_mine(request: HttpRequest) -> bool:
    return choice_param(request.POST, "keep", KEPT, "theirs") == "mine"


def _run_address(access: Access, revision: Revision) -> str:
    """Return the address of the launch page with this revision chosen."""
    return f"{run_url(access.workspace.slug, revision.cluster)}&r={revision.number}"


def _lead(request: HttpRequest, draft: Draft, to: str) -> HttpResponse:
    return go(request, address(draft, to))


def address(draft: Draft, to: str) -> str:
    """Return the address of one of the draft's own pages ("changes", "edit"), or of its cluster's in the draft."""
    kwargs: dict[str, Any] = {"slug": draft.cluster.workspace.slug, "cluster": draft.cluster.slug}
    if to in OWN_PAGES:
        return reverse(OWN_PAGES[to], kwargs=kwargs | {"draft_id": draft.pk})
    return f"{reverse(f'clusters:{to}', kwargs=kwargs)}?{urlencode({'draft': draft.pk})}"


def _back(request: HttpRequest, draft: Draft) -> str:
    """Return the page of the cluster that the form came from, the draft's own otherwise."""
    back = text_param(request.POST, "back", 2_000) or text_param(request.GET, "back", 2_000)
    here = f"/w/{draft.cluster.workspace.slug}/clusters/{draft.cluster.slug}/"
    return own_address(request, back, address(draft, "changes"), below=here)
