"""Tags of the cluster pages: addresses that keep the choices of a table, amounts, node cards and cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.text import capfirst

from dashboard.clusters.editor.fixes import offers
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import key_query
from dashboard.clusters.revisions.short_views import revision_path
from dashboard.clusters.yaml_folds import find_folds
from dashboard.common.pages import numbers
from dashboard.common.templatetags.forms import render_here
from dashboard.common.templatetags.schedscope import say
from scheduler_core.manifests import DEVICES_COMMAND, DUMP_COMMAND, SEPARATE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.utils.safestring import SafeString

    from dashboard.clusters.editor.fixes import FindingOffer
    from dashboard.clusters.revisions.object_rows import NodeRow, PodRow
    from dashboard.clusters.revisions.page_context import PageContext
    from scheduler_core.manifests import Finding

register = template.Library()

CELL, GAP, COLUMNS = 12, 2, 54
TILES_WIDTH = 200
METERS = (("cpu", "CPU"), ("memory", "Memory"))
# A pod's status as a style and, where the style has another word, its own.
POD_STATES = {
    "bound": ("bound",),
    "gated": ("gated",),
    "pending": ("wait", "pending"),
    "finished": ("none", "finished"),
}


@register.inclusion_tag("clusters/importing/_dump_command.html")
def dump_command() -> dict[str, Any]:
    """Return the parts of the command that brings a cluster; lines may break between them."""
    return _command("kubectl", DUMP_COMMAND)


@register.inclusion_tag("clusters/importing/_dump_command.html")
def devices_command() -> dict[str, Any]:
    """Return the parts of the command that brings devices and what asks for them."""
    return _command("kubectl-devices", DEVICES_COMMAND)


def _command(name: str, command: str) -> dict[str, Any]:
    *parts, last = command.split(",")
    return {"name": name, "parts": [*(f"{part}," for part in parts), last]}


@register.simple_tag
def separate_kinds() -> str:
    """Return what that command cannot bring, as not every server has it: "podgroups,elasticquotas"."""
    return ",".join(SEPARATE.values())


@register.simple_tag(takes_context=True)
def table_link(context: template.Context, **choices: Any) -> str:
    """Return the address of the same table with other choices, from its first page; an empty choice is left out."""
    query = {name: value for name, value in context["request"].GET.items() if name != "page"}
    query.update(choices)
    return "?" + urlencode({name: value for name, value in query.items() if value not in ("", "all")})


@register.simple_tag(takes_context=True)
def object_link(context: template.Context, key: Key) -> str:
    """Return the address of an object's page at the revision that is shown."""
    page: PageContext = context["page_context"]
    return page.url("object", **key_query(key))


@register.simple_tag(takes_context=True)
def cluster_link(context: template.Context, name: str, **query: Any) -> str:
    """Return the address of another page of the cluster at the revision that is shown: nodes, pods, objects, ..."""
    page: PageContext = context["page_context"]
    return page.url(name, **query)


@register.simple_tag(takes_context=True)
def short_revision(context: template.Context) -> str:
    """Return the short path of the revision that is shown."""
    page: PageContext = context["page_context"]
    return revision_path(page)


@register.simple_tag
def pod_key(row: PodRow) -> str:
    """Return namespace/name of a pod."""
    return f"{row.namespace}/{row.name}"


@register.simple_tag(takes_context=True)
def revision_link(context: template.Context, number: int) -> str:
    """Return the address of the cluster's overview at another revision."""
    page: PageContext = context["page_context"]
    return page.url_at(number, "detail")


@register.simple_tag
def finding_say(severity: str) -> SafeString:
    """Return the severity of a finding as a state inside a row."""
    return say("error", "error", "alert") if severity == "error" else say("backoff", "warning", "alert")


@register.simple_tag
def pod_say(status: str) -> SafeString:
    """Return the status of a pod as a state inside a row."""
    return say(*POD_STATES[status])


@register.simple_tag(takes_context=True)
def node_link(context: template.Context, name: str) -> str:
    """Return the address of a node's page at the revision that is shown."""
    return object_link(context, Key("Node", "", name))


@register.simple_tag(takes_context=True)
def form_link(context: template.Context, key: Key, at: str = "") -> str:
    """Return the address of an object's form in the open draft, or of what a part of it (`at`) matches."""
    page = context["page_context"]
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug, "draft_id": page.draft.pk}
    query = key_query(key) | ({"at": at} if at else {})
    name = "clusters:draft_form_matching" if at else "clusters:draft_form"
    return f"{reverse(name, kwargs=kwargs)}?{urlencode(query)}"


@register.simple_block_tag(takes_context=True)
def hand_dialog(
    context: template.Context, content: str, what: str, title: str, label: str, removes: bool = False
) -> SafeString:
    """Return the dialog of an action on the selected objects; its content is the fields, `label` is on its button.

    With `removes` a second button does the opposite: it removes a taint where the first adds one.
    """
    # The content was rendered, and so escaped, as any other part of the template.
    values = {"what": what, "title": title, "label": label, "removes": removes, "fields": mark_safe(content)}
    return render_here("clusters/workbench/_hand_dialog.html", context, values)


@register.filter
def note_at(notes: Mapping[str, Any], name: str) -> Any:
    """Return what the part of a form with this name matches, None where nothing is said."""
    return notes.get(name)


@register.filter
def folds(text: str) -> str:
    """Return which lines of an editor's text are folded at first: "12-80,104-150"."""
    return ",".join(f"{fold.first}-{fold.last}" for fold in find_folds(text))


@register.filter
def offered(findings: Sequence[Finding], text: str) -> list[FindingOffer]:
    """Return the findings of an editor's text with their places and fixes."""
    return offers(findings or (), text or "")


@register.filter
def short_resource(name: str) -> str:
    """nvidia.com/gpu -> "gpu"."""
    return name.rpartition("/")[2]


@register.inclusion_tag("clusters/tables/_amounts.html")
def amounts(row: NodeRow, resource: str) -> dict[str, Any]:
    """Return a node's meter for a resource with "used / whole" after it."""
    return _resource(row, resource, "CPU" if resource == "cpu" else "Memory")


@register.inclusion_tag("clusters/editor/_resource_row.html")
def resource_row(row: NodeRow, resource: str) -> dict[str, Any]:
    """Return a labelled meter for one resource of a node, with "used of whole" after it."""
    return _resource(row, resource, short_resource(resource))


def _resource(row: NodeRow, resource: str, label: str) -> dict[str, Any]:
    used, whole = row.requested.get(resource, 0), row.allocatable.get(resource, 0)
    used_words, whole_words = numbers.amount(used, resource), numbers.amount(whole, resource)
    return {
        "name": resource,
        "label": label,
        "used": used,
        "whole": whole,
        "used_words": used_words,
        "whole_words": whole_words,
        "words": f"{used_words} of {whole_words} requested, {numbers.percent(used, whole)}",
    }


@register.inclusion_tag("clusters/revisions/_requested_meter.html")
def requested_meter(
    whole: dict[str, int], used: dict[str, int], waiting: dict[str, int] | str | None, resource: str
) -> dict[str, Any]:
    """Return the meter of a resource over many nodes: the share that bound pods request, and what waits as a second.

    What waiting pods ask for is on no node yet: it is drawn in accent, and never added to the share.
    """
    mine = waiting.get(resource, 0) if isinstance(waiting, dict) else 0
    have, bound = whole.get(resource, 0), used.get(resource, 0)
    more = f"; pods that wait ask for {numbers.amount(mine, resource)} more" if mine else ""
    return {
        "label": "CPU" if resource == "cpu" else "Memory",
        "whole": have,
        "bound": bound,
        "waiting": mine,
        "words": f"{numbers.amount(bound, resource)} of {numbers.amount(have, resource)} requested{more}",
    }


@register.simple_tag
def pending_say(count: int) -> SafeString:
    """Return how many pods wait for a node, as a state inside a row."""
    return say("wait", f"{numbers.grouped(count)} pending")


@register.filter
def doubt(text: str) -> SafeString:
    """Return the text of a doubt; what is not played, the part before the colon, is in bold."""
    head, colon, rest = text.partition(": ")
    return format_html("<b>{}</b>{}{}", capfirst(head), colon, rest)


@register.simple_tag
def form_kinds() -> tuple[str, ...]:
    """Return the kinds of objects that have a form, in the order of the menu that adds them."""
    return tuple(forms())
