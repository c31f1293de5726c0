"""Tags of the debugger's templates: addresses of cursors, cells of the matrix, doors to rooms that may be absent."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join, json_script

from dashboard.common.pages import keys
from dashboard.common.pages.notes import FORMS, CopyItem, copy_items
from dashboard.common.templatetags.schedscope import say
from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.cursor.selection import entry_of
from dashboard.debugger.keys import BY_NAME, KEYS, WHY_BY_NAME
from dashboard.debugger.labels import OUTCOMES, short_plugin, split_key
from dashboard.debugger.panels.lanes import markup as lane_markup
from dashboard.debugger.panels.matrix import markup as matrix_markup
from dashboard.debugger.sharing.picture import IMAGE
from dashboard.debugger.why.address import why_url
from dashboard.debugger.why.node.address import rivals_url
from dashboard.runs import origins
from scheduler_core.recording import times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.utils.safestring import SafeString

    from dashboard.common.pages.names import ShortNames
    from dashboard.debugger.events.sentences import EventSentence, SentencePart
    from dashboard.debugger.panels.cycle_list import Head
    from dashboard.debugger.panels.lanes.board import BoardLane
    from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell
    from dashboard.debugger.panels.matrix.frame_view import FilterCell
    from dashboard.debugger.panels.matrix.view_model import Matrix
    from dashboard.debugger.panels.pod_history import HistoryLine
    from dashboard.runs.models import Cycle, Run
    from scheduler_core.explain.devices.model import Funnel, Stage

register = template.Library()


@register.simple_tag(takes_context=True)
def at(context: template.Context, **changes: Any) -> str:
    """Return the address of the page's cursor with some of its fields changed: {% at tab="why" %}."""
    return context["cursor"].url(**changes)


@register.simple_tag(takes_context=True)
def select(context: template.Context, pod: str, uid: str = "") -> str:
    """Return the address that selects a pod: its last attempt at or before the cursor."""
    return context["cursor"].pod_url(pod, uid)


@register.simple_tag(takes_context=True)
def object_url(context: template.Context, kind: str, key: str) -> str:
    """Return the address of an object as of the cursor: {% object_url "Node" node.name %}."""
    address = reverse("debugger:object", args=[context["workspace"].slug, context["run"].number, kind])
    query = context["cursor"].url().partition("?")[2]
    return f"{address}?{query}&{urlencode({'key': key})}"


@register.simple_tag(takes_context=True)
def new_breakpoint_url(context: template.Context) -> str:
    """Return the address of the form of a breakpoint for what is selected at the cursor."""
    address = reverse("debugger:breakpoint_new", args=[context["workspace"].slug, context["run"].number])
    return f"{address}?{context['cursor'].url().partition('?')[2]}"


@register.simple_tag(takes_context=True)
def branch_url(context: template.Context) -> str:
    """Return the address of the form of a branch from the cursor."""
    address = reverse("debugger:branch", args=[context["workspace"].slug, context["run"].number])
    return f"{address}?{context['cursor'].url().partition('?')[2]}"


@register.simple_tag(takes_context=True)
def copied_notes(context: template.Context) -> list[CopyItem]:
    """Return what of the cursor can be copied in a few lines: the decision, and the story of the selected pod."""
    slug, number = context["workspace"].slug, context["run"].number
    query = Cursor.url(context["cursor"]).partition("?")[2]
    kinds = [("decision", "")] + ([("story", "the pod's story")] if context["page"].moment.selection.pod else [])
    items = []
    for kind, what in kinds:
        address = reverse(f"debugger:{kind}_note", args=[slug, number, FORMS[0]]).removesuffix(f".{FORMS[0]}")
        keys_of = ("copy-text", "copy-markdown") if kind == "decision" else ("story-text", "story-markdown")
        items += copy_items(address, query, (BY_NAME[keys_of[0]], BY_NAME[keys_of[1]]), what)
    image = f"{reverse('debugger:decision_note', args=[slug, number, IMAGE])}?{query}"
    key = keys.attributes(BY_NAME["copy-image"])
    items.insert(len(FORMS), CopyItem(image, "Copy as image", key, "Copied as image", is_image=True))
    return items


@register.simple_tag(takes_context=True)
def why_of(context: template.Context, pod: str, uid: str, attempt: int) -> str:
    """Return the page that says why the pod was refused in an attempt."""
    return f"{why_url(context['workspace'].slug, context['run'].number, pod, uid)}&attempt={attempt}"


@register.simple_tag(takes_context=True)
def why_page(context: template.Context, pod: str, uid: str = "") -> str:
    """Return the page that says what the last attempt of the pod came to."""
    return why_url(context["workspace"].slug, context["run"].number, pod, uid)


@register.simple_tag(takes_context=True)
def rivals(context: template.Context, cycle: int, *nodes: str) -> str:
    """Return where nodes of a cycle are set against each other; without nodes the winner and the next."""
    return rivals_url(context["workspace"].slug, context["run"].number, cycle, [node for node in nodes if node])


@register.simple_tag
def key(name: str, label: str = "") -> SafeString:
    """Return the attributes of the element that a key of the page's declaration clicks: {% key "link" %}."""
    return keys.attributes(BY_NAME[name], label)


@register.simple_tag
def why_key(name: str) -> SafeString:
    """Return the attributes of the element that a key of the pages that answer why clicks."""
    return keys.attributes(WHY_BY_NAME[name])


@register.inclusion_tag("debugger/_footer_keys.html")
def footer_keys() -> dict[str, Any]:
    """Return the keys that the footer names; those of a pane show while the focus is in it."""
    return {"keys": keys.footer_keys(KEYS)}


@register.simple_tag
def declared_keys() -> SafeString:
    """Return the page's declaration of keys for its script."""
    return _declared()


@cache
def _declared() -> SafeString:
    return json_script(keys.as_json(KEYS), "page-keys")


@register.simple_tag(takes_context=True)
def debugger_url(context: template.Context, run: Run) -> str:
    """Return where the debugger of a run is entered from its other pages."""
    return entry_of(run, context["workspace"].slug)


@register.filter
def share_of(stage: Stage, funnel: Funnel) -> str:
    """Return what a test leaves of the devices of a request's class, 0 to 100."""
    first = funnel.stages[0].left
    return f"{100 * stage.left / first:.1f}" if first else "0"


@register.simple_tag
def reality_url(run: Run) -> str:
    """Return the address of the page about what the real scheduler did, "" for a run that is of no bundle."""
    return origins.reality_url(run)


@register.simple_tag
def url_or_none(name: str, *args: Any, **kwargs: Any) -> str:
    """Return the address of a view, "" where no such room exists yet."""
    try:
        return reverse(name, args=args or None, kwargs=kwargs or None)
    except NoReverseMatch:
        return ""


@register.simple_tag(takes_context=True)
def threads_url(context: template.Context) -> str:
    """Return the address of the threads on the inspector's cycle, "" where there is no such room."""
    run, attempt = context["run"], context["page"].moment.selection.attempt
    kwargs = {"slug": context["workspace"].slug, "number": run.number, "cycle": attempt.number if attempt else 0}
    return url_or_none("review:cycle_threads", **kwargs)


@register.inclusion_tag("debugger/_thing_link.html", takes_context=True)
def thing_link(context: template.Context, thing: str, **named: Any) -> dict[str, str]:
    """Return the link to the threads on a thing, which `thing` says in words and `named` as an address does."""
    url = url_or_none("review:thing_threads", slug=context["workspace"].slug, number=context["run"].number)
    return {"url": url and f"{url}?{urlencode({k: v for k, v in named.items() if v})}", "thing": thing}


@register.inclusion_tag("debugger/matrix/_cell_threads.html", takes_context=True)
def cell_threads(context: template.Context, cell: ChosenCell, cycle: int) -> dict[str, str]:
    """Return the link to the threads on the score or verdict that the line below the matrix is about."""
    named = {"kind": cell.kind, "cycle": cycle, "plugin": cell.plugin, "node": cell.node}
    return thing_link(context, f"{cell.kind} of {cell.plugin} on {cell.node}", **named)


@register.simple_tag(takes_context=True)
def pod_rows(context: template.Context, lane: BoardLane) -> SafeString:
    """Return the pods of a lane as links; `nodes` of the context are the names of all nodes."""
    return lane_markup.pod_rows(lane, context["cursor"], context.get("nodes") or ())


@register.simple_tag(takes_context=True)
def lane_url(context: template.Context, lane: BoardLane, moment: int) -> str:
    """Return the address of the lane's next page, its filter kept."""
    url = reverse("debugger:lane", args=[context["workspace"].slug, context["run"].number, lane.name])
    query = {"seq": moment, "lane_page": lane.page + 1} | ({"pods": lane.filter} if lane.filter else {})
    return f"{url}?{urlencode(query)}"


@register.simple_tag(takes_context=True)
def cursor_fields(context: template.Context, without: str) -> SafeString:
    """Return the cursor and the view as hidden fields of a form that sets the parameter `without` itself."""
    left = parse_qsl(urlsplit(context["cursor"].url(**{without: ""})).query)
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', left)


@register.simple_tag(takes_context=True)
def node_rows(context: template.Context, matrix: Matrix) -> SafeString:
    """Return the rows of the nodes that fit."""
    return matrix_markup.node_rows(matrix, context["cursor"])


@register.simple_tag(takes_context=True)
def cycle_url(context: template.Context, cycle: Cycle) -> str:
    """Return the address of a cycle: its matrix, or why it scheduled nothing."""
    url = reverse("debugger:run", args=[context["workspace"].slug, context["run"].number])
    return f"{url}?cycle={cycle.number}" + ("" if cycle.outcome == "scheduled" else "&tab=why")


@register.simple_tag(takes_context=True)
def line_url(context: template.Context, line: HistoryLine) -> str:
    """Return the address of a line of a pod's history: its cycle, or the moment after it."""
    cursor, history = context["cursor"], context["history"]
    if line.cycle:
        return cursor.url(cycle=line.cycle, tab=line.tab)
    return cursor.url(seq=line.seq, tab="story", pod=history.pod, uid=history.uid)


@register.simple_tag
def say_outcome(outcome: str) -> SafeString:
    """Return glyph and label of a cycle's outcome."""
    return say(*OUTCOMES.get(outcome, ("none", outcome)))


@register.simple_tag
def filter_cells(cells: Iterable[FilterCell], plugin: str = "") -> SafeString:
    """Return the <td> of each verdict; the cursor is at `plugin`."""
    return matrix_markup.filter_cells(cells, plugin)


@register.simple_tag
def strip(cells: Iterable[FilterCell]) -> SafeString:
    """Return the verdicts of a group as a row of glyphs."""
    return matrix_markup.strip(cells)


register.filter("short_plugin", short_plugin)


@register.filter
def span(micros: int | None) -> str:
    """Microseconds of virtual time -> "1.4 s"."""
    return times.span(micros) if micros is not None else "unknown"


@register.filter
def bare(name: str) -> str:
    """A resource's name without its domain: "nvidia.com/gpu" -> "gpu"."""
    return name.rpartition("/")[2]


@register.filter
def pod_name(key: str) -> str:
    """namespace/name -> name."""
    return split_key(key)[1]


@register.filter
def nth(number: int) -> str:
    """1 -> "1st", 2 -> "2nd", 11 -> "11th"."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"


@register.filter
def pod_namespace(key: str) -> str:
    """namespace/name -> namespace."""
    return split_key(key)[0]


@register.inclusion_tag("debugger/cycles/_head.html", takes_context=True)
def cycle_head(context: template.Context, head: Head, cls: str) -> dict[str, Any]:
    """Return a head of the list of cycles that sorts it."""
    return {"head": head, "cls": cls, "path": context["request"].path}


@register.simple_tag
def short_name(names: ShortNames, name: str) -> SafeString:
    """Return a name as the others of its list are cut."""
    return names.html(name)


@register.filter
def get(mapping: dict[Any, Any], key: Any) -> Any:
    """Return mapping[key], None where it is absent."""
    return mapping.get(key)


@register.filter
def event_words(sentence: EventSentence) -> SafeString:
    """Return an event's sentence with what it is about emphasised."""
    return format_html_join("", "{}", ((_part(part),) for part in sentence.parts))


@register.filter
def event_phrase(sentence: EventSentence) -> SafeString:
    """Return an event's sentence without what adds to it."""
    return format_html_join("", "{}", ((_part(part),) for part in sentence.parts if part.tone != "soft"))


def _part(part: SentencePart) -> str:
    if part.tone == "strong":
        return format_html('<b title="{}">{}</b>', part.title or part.text, part.text)
    return format_html('<span class="sub">{}</span>', part.text) if part.tone == "soft" else part.text


@register.simple_tag(takes_context=True)
def attempt_cycles(context: template.Context) -> str:
    """Return the cycles of the selected pod as scripts read them: "28 32"."""
    return " ".join(map(str, context["page"].pod.attempt_numbers))
