"""The list of clusters, a cluster's overview, tables and history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.forms import no_nul
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.models import NAME_LENGTH, Cluster, Revision
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.diff import diff_revisions
from dashboard.clusters.revisions.object_changes import shown_changes
from dashboard.clusters.revisions.page_context import find_cluster, read_page_context
from dashboard.clusters.revisions.short_views import changes_path
from dashboard.clusters.revisions.totals import read_totals
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import INT32_MAX, bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import Conflict, WayOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

LIST = "clusters/revisions/list.html"
HISTORY = "clusters/revisions/history.html"
DIFF = "clusters/revisions/diff.html"
DOING = actions.DOING
CHANGES_SIZE = 20
# The state of runs that are being deleted, as a text: this app must not import runs.
DELETING = "deleting"
# Where undo redirects to.
UNDO_TABS = ("nodes", "pods", "objects", "history")


class ClusterForm(forms.Form):
    """Name and description of a cluster."""

    name = forms.CharField(max_length=NAME_LENGTH, validators=[no_nul])
    description = forms.CharField(max_length=2_000, required=False, validators=[no_nul])

    def as_new(self) -> ClusterForm:
        """Return the form with examples, for a cluster that has neither yet."""
        self.fields["name"].widget.attrs["placeholder"] = "prod-eu-1"
        self.fields["description"].widget.attrs["placeholder"] = "what this cluster is for"
        return self

    def as_settings(self) -> ClusterForm:
        """Return the form with what a new name changes."""
        self.fields["name"].help_text = "Its address stays when the name changes, so links keep working."
        return self

    def new(self) -> NewCluster:
        """Return what a valid form says."""
        return NewCluster(self.cleaned_data["name"], self.cleaned_data["description"])


@workspace_view(Role.VIEWER)
def cluster_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of clusters, by name; archived ones on demand."""
    archived, text = bool_param(request.GET, "archived"), text_param(request.GET, "q")
    clusters = Cluster.objects.filter(workspace=access.workspace, archived_at__isnull=not archived)
    if text:
        clusters = clusters.filter(name__icontains=text)
    page = paginate(_with_last_run(clusters).order_by("name", "id"), request.GET)
    newest = Revision.objects.filter(cluster=OuterRef("pk")).order_by("-number")
    ids = Cluster.objects.filter(pk__in=[one.pk for one in page.items]).annotate(
        newest=Subquery(newest.values("pk")[:1])
    )
    revisions = {
        one.cluster_id: one
        for one in Revision.objects.filter(pk__in=ids.values("newest")).select_related("author", "cluster")
    }
    outcomes = _outcomes(page.items)
    lines = [(one, revisions.get(one.pk), _totals(revisions.get(one.pk)), outcomes.get(one.pk)) for one in page.items]
    n_archived = Cluster.objects.filter(workspace=access.workspace).exclude(archived_at=None).count()
    context = {"page": page, "lines": lines, "q": text, "archived": archived, "n_archived": n_archived}
    return render_page(request, LIST, context)


def _with_last_run(clusters: QuerySet[Cluster]) -> QuerySet[Cluster]:
    # By the reverse relation, since this app must not import runs.
    visible = ~Q(revisions__runs__state=DELETING)
    return clusters.annotate(last_run=Max("revisions__runs__number", filter=visible))


def _outcomes(clusters: Sequence[Any]) -> dict[int, Any]:
    """Return {cluster id: state, bound and pending pods of its last run}; numbers of runs are unique in a workspace."""
    numbers = [one.last_run for one in clusters if one.last_run]
    rows = Revision.objects.filter(cluster__in=clusters, runs__number__in=numbers).values(
        "cluster_id", state=F("runs__state"), bound=F("runs__head__bound"), pending=F("runs__head__pending")
    )
    return {row["cluster_id"]: row for row in rows}


def _totals(revision: Revision | None) -> dict[str, object] | None:
    return read_totals(revision) if revision else None


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def new_cluster(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for a cluster from scratch, or make it and lead to its page."""
    form = ClusterForm(request.POST or None).as_new()
    if request.method == "POST" and form.is_valid():
        try:
            empty = actions.checked((), "")
            with once(request) as claim:
                made = actions.create_cluster(access.member, form.new(), empty, "Empty cluster", "from scratch")
                claim.leads_to(_detail_url(made))
        except Conflict as conflict:
            form.add_error("name", conflict.detail)
        else:
            return redirect(claim.location)
    return render(
        request, "clusters/revisions/new.html", {"form": form}, status=422 if request.method == "POST" else 200
    )


def _detail_url(cluster: Cluster) -> str:
    return reverse("clusters:detail", kwargs={"slug": cluster.workspace.slug, "cluster": cluster.slug})


# ---------------------------------------------------------------- history


@workspace_view(Role.VIEWER)
def history(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the revisions, newest first."""
    page = read_page_context(access, cluster, request.GET)
    revisions = (
        page.cluster.revisions.select_related("author", "parent").defer("pages", "parent__pages").order_by("-number")
    )
    return render_page(request, HISTORY, page.context("history", page=paginate(revisions, request.GET, size=25)))


@workspace_view(Role.VIEWER)
def diff(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the differences between two revisions (`from`, `to`) by object; `from` 0 is no objects."""
    page = read_page_context(access, cluster, {})
    new = actions.find_revision(page.cluster, int_param(request.GET, "to", page.newest, low=1, high=INT32_MAX))
    number = optional_int(request.GET, "from", low=0, high=INT32_MAX)
    if number is None:  # the one before may have been removed: a followed cluster keeps some
        number = new.parent.number if new.parent is not None else 0
    old = actions.find_revision(page.cluster, number) if number else None
    changes = diff_revisions(old, new)
    part = paginate(changes, request.GET, size=CHANGES_SIZE)
    shown = shown_changes(access.workspace.pk, part.items)
    counts = {what: sum(change.what == what for change in changes) for what in ("added", "changed", "removed")}
    named = {"cluster": page.cluster.slug, "revision": new.number, "base": number}
    context = page.context("history", page=part, shown=shown, counts=counts, old=old, new=new, old_number=number)
    context["change_query"] = urlencode(named) if changes else ""
    return render_page(request, DIFF, {**context, "short_path": changes_path(page, new.number, number)})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def restore(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Save an earlier revision's objects as the newest revision."""
    changed = find_cluster(access, cluster)
    revision = actions.restore_revision(access.member, changed, int_param(request.POST, "r", 0, low=1, high=INT32_MAX))
    messages.success(request, f"Saved as revision {revision.number}")
    return go(request, "clusters:history", slug=access.workspace.slug, cluster=changed.slug)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def undo(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """Undo the newest revision by a new one; refused if there is a later one."""
    changed = find_cluster(access, cluster)
    place = {"slug": access.workspace.slug, "cluster": changed.slug}
    try:
        revision = actions.undo_revision(access.member, changed, number)
    except Conflict as conflict:
        conflict.way_out = WayOut(reverse("clusters:history", kwargs=place), "Go to the history")
        raise
    messages.success(request, f"Undone: all objects are as in r{number - 1} again, saved as r{revision.number}")
    return go(request, f"clusters:{choice_param(request.GET, 'tab', UNDO_TABS, 'history')}", **place)


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def settings(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the form of a cluster's name and description, or save it."""
    page = read_page_context(access, cluster, {})
    initial = {"name": page.cluster.name, "description": page.cluster.description}
    form = ClusterForm(request.POST or None, initial=initial).as_settings()
    if request.method == "POST" and form.is_valid():
        actions.rename_cluster(access.member, page.cluster, form.new())
        messages.success(request, "Saved")
        return redirect("clusters:detail", slug=access.workspace.slug, cluster=page.cluster.slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "clusters/revisions/settings.html", page.context(form=form), status=status)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def archive(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Archive a cluster or show it in lists again."""
    changed = find_cluster(access, cluster)
    is_archived = bool_param(request.POST, "archived")
    actions.archive_cluster(access.member, changed, is_archived)
    messages.success(request, f"{changed.name} is {'archived' if is_archived else 'back in the list'}")
    return go(request, "clusters:list", slug=access.workspace.slug)
