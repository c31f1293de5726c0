"""A pod bound to a node by hand, and nodes drained: the dialogs of the editor that ask the engine first."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import JsonResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.questions import MOST_DRAINED, DrainOf, FitOf
from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.by_hand.drain import drain_plan
from dashboard.clusters.drafts.page import draft_on
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import NAME_LIMIT, PageContext, read_page_context
from dashboard.clusters.workbench.hand_views import done
from dashboard.clusters.workbench.picks import picks_in
from dashboard.common.http.params import bool_param, text_param
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.fit.asking import ask, asked_draft
from dashboard.fit.panel import lit_nodes
from dashboard.fit.places import DrainPanel, PlacesPanel, node_refusal
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse


@workspace_view(Role.VIEWER)
def places(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the nodes for the pod `pod` (namespace/name) of a draft, as a part: those that fit first."""
    page = _page(access, cluster, draft_id)
    pod, word = _pod(page, request.GET), text_param(request.GET, "word", NAME_LIMIT)
    outcome, more = ask(page, _ask_fit(page, pod), request.GET)
    again = f"{_path(page, 'places')}?{urlencode({'pod': pod, 'word': word, **more})}"
    now = page.contents.pods[_names(pod)].node_name
    panel = PlacesPanel(outcome, pod, again, word, now)
    return render(request, "fit/_places.html", {"panel": panel})


@workspace_view(Role.VIEWER)
def fits(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return where the pod `pod` of a draft fits, as JSON for the map: {"lit"}, or {"again", "pause"} while it is
    computed, or {"problem"}.
    """
    page = _page(access, cluster, draft_id)
    pod = _pod(page, request.GET)
    outcome, more = ask(page, _ask_fit(page, pod), request.GET)
    panel = PlacesPanel(outcome, pod, f"{_path(page, 'fits')}?{urlencode({'pod': pod, **more})}")
    if panel.fit is not None:
        return JsonResponse({"lit": lit_nodes(panel.fit)})
    if panel.is_waiting:
        return JsonResponse({"again": panel.again, "pause": panel.pause_ms})
    return JsonResponse({"problem": panel.text})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def place(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Bind a pod to a node where the engine lets it, or where that is forced (`force`); else say why it does not."""
    page = _page(access, cluster, draft_id)
    pod, node = _pod(page, request.POST), text_param(request.POST, "place", NAME_LIMIT)
    if not node:
        raise BadQuery("Choose a node.")
    if node not in page.contents.nodes:
        raise NotFound(f"There is no node {node} in this draft (any more).")
    if not bool_param(request.POST, "force"):
        refusal = node_refusal(ask(page, _ask_fit(page, pod), request.POST)[0], node)
        if refusal:
            context = {"pod": pod, "node": node, "refusal": refusal}
            return render(request, "fit/_refused.html", context)
    operation = act(access.member, draft_on(page), "bind", [Key("Pod", *_names(pod))], HandValues(place=node))
    return done(request, operation)


@workspace_view(Role.VIEWER, WRITE)
def drained(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return what draining the selected nodes means for their pods, as a part; it changes nothing."""
    page = _page(access, cluster, draft_id)
    keys = picks_in(page, request.POST)
    nodes = tuple(dict.fromkeys(key.name for key in keys if key.kind == "Node"))
    if not nodes or len(nodes) < len(set(keys)):
        raise Problem("Only nodes can be drained. Select these alone.")
    plan = drain_plan(page.contents, nodes)
    leaving = tuple(f"{row.namespace}/{row.name}" for row in plan.leaving)
    if max(len(nodes), len(leaving)) > MOST_DRAINED:
        raise Problem(f"At most {MOST_DRAINED:,} nodes with as many pods can be tried at a time. Select fewer.")
    configuration = chosen.of_cluster(page.cluster)
    question = DrainOf(nodes=nodes, pods=leaving, config=configuration.name, **asked_draft(page))
    outcome, more = ask(page, question, request.POST)
    panel = DrainPanel(outcome, plan, urlencode(more))
    return render(request, "fit/_drained.html", {"panel": panel, "nodes": nodes, "path": _path(page, "drained")})


def _page(access: Access, cluster: str, draft_id: int) -> PageContext:
    return read_page_context(access, cluster, {"draft": str(draft_id)})


def _ask_fit(page: PageContext, pod: str) -> FitOf:
    return FitOf(config=chosen.of_cluster(page.cluster).name, pod=pod, **asked_draft(page))


def _pod(page: PageContext, query: Mapping[str, str]) -> str:
    pod = text_param(query, "pod", NAME_LIMIT)
    if _names(pod) not in page.contents.pods:
        raise NotFound(f"There is no pod {pod} in this draft (any more).")
    return pod


def _names(pod: str) -> tuple[str, str]:
    namespace, _, name = pod.partition("/")
    return namespace, name


def _path(page: PageContext, name: str) -> str:
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug}
    return reverse(f"fit:{name}", kwargs=kwargs | {"draft_id": page.draft.pk if page.draft else 0})
