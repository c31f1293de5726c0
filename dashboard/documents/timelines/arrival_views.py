"""Edits of a timeline's arrivals from its page: each is an operation of the reader's draft, with a name."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.yaml_text import EDITOR, text_in
from dashboard.common.http.params import INT32_MAX, bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.documents.actions import DOING, revision_numbered
from dashboard.documents.kind import CheckedText
from dashboard.documents.timelines.arrivals import edits
from dashboard.documents.timelines.arrivals.actions import check_new, check_new_names
from dashboard.documents.timelines.arrivals.actions import undo as undo_newest
from dashboard.documents.timelines.arrivals.choice import read_choice, time_in, time_param
from dashboard.documents.timelines.arrivals.edits import ArrivalTarget, EditedTimeline, Repetition
from dashboard.documents.timelines.arrivals.hunks import sharing
from dashboard.documents.timelines.arrivals.rows import StoredEntries, arrival_rows, read_entries
from dashboard.documents.timelines.arrivals.workloads import is_workload, make_pods
from dashboard.documents.timelines.checking import check_timeline
from dashboard.documents.timelines.drafts import actions as drafts
from dashboard.documents.timelines.drafts.actions import SeenEntries
from dashboard.documents.timelines.drafts.page import draft_address, draft_editor
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from dashboard.documents.timelines.kind import TIMELINE
from dashboard.documents.views import Editor, context_revision
from scheduler_core.manifests import Limits, ManifestSource
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import Timeline
    from dashboard.documents.timelines.arrivals.choice import ArrivalChoice

DO = ("shift", "stretch", "remove", "repeat", "add", "text")
MOST_OBJECT = 100_000
_FACTOR = re.compile(r"\d{1,4}(\.\d{1,6})?", re.ASCII)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def change(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Change the chosen entries the way that `do` names, together with what was typed into the text, in the reader's
    draft (`version` says which they saw; without one it is opened).

    What is refused shows the page again with the reason and the text as it was typed.
    """
    document = TIMELINE.find(access, timeline)
    version = optional_int(request.POST, "version", low=0, high=INT32_MAX)
    opened = None if version is None else OpenedTimeline(drafts.find_draft(access.member, document))
    text = text_in(request) if "text" in request.POST else None
    base = int_param(request.POST, "base", 0, high=INT32_MAX)
    again: dict[str, Any] = {"message": text_param(request.POST, "message", 500), "base": base}
    try:
        cluster = context_revision(access, request.POST)
        again["chosen"] = cluster.cluster.slug if cluster else ""
        before = _stored(document, opened)
        target = _target(request, before, text, cluster)
        again["do"] = again["wrong"] = choice_param(request.POST, "do", DO, "shift")
        edited = _edited(request.POST, target, cluster)
        again["wrong"] = ""
        # An edit of arrivals rewrites a text, one of the text keeps its comments.
        typed = text or "" if again["do"] == "text" and _is_typed(request, text) else ""
        edit = drafts.new_edit(edited.name, before.entries, edited.entries, typed)
        with once(request) as claim:
            operation = drafts.put(access.member, document, edit, SeenEntries(base, version))
            to = claim.leads_to(_draft_address(document, edited.choice))
    except (Forbidden, NotFound):
        raise
    except Problem as problem:
        findings = problem.findings if isinstance(problem, BadObjects) else []
        shown = None if findings else problem
        return _again(
            request, access, document, opened, CheckedText(text or "", findings), problem.status, problem=shown, **again
        )
    query = urlencode({"number": operation.number, "back": to})
    undo_to = f"{draft_address(operation.draft, 'undo_timeline_draft')}?{query}"
    tell_with_undo(request, edited.name if opened else f"{edited.name}, in your draft", undo_to)
    return redirect(to)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def undo(request: HttpRequest, access: Access, timeline: str, number: int) -> HttpResponse:
    """Undo the newest revision by a new one; refused if there is a later one."""
    document = TIMELINE.find(access, timeline)
    revision = undo_newest(access.member, document, number)
    messages.success(request, f"Undone: all entries are as in r{number - 1} again, saved as r{revision.number}")
    return redirect(_address(access, document, read_choice(request.GET)))


def _address(access: Access, document: Timeline, choice: ArrivalChoice) -> str:
    query = choice.query
    return TIMELINE.url(access, document) + (f"?{query}" if query else "")


def _draft_address(document: Timeline, choice: ArrivalChoice) -> str:
    address = reverse("clusters:timeline_draft", args=(document.workspace.slug, document.slug))
    return f"{address}?{choice.query}" if choice.query else address


def _again(
    request: HttpRequest,
    access: Access,
    document: Timeline,
    opened: OpenedTimeline | None,
    checked: CheckedText,
    status: int,
    **more: Any,
) -> HttpResponse:
    if opened is not None:
        return draft_editor(request, access, opened, checked, status=status, **more)
    revision = revision_numbered(document, None)
    if TIMELINE.is_too_long(revision):
        more |= {"too_long": True}
    elif not checked.text:
        checked = CheckedText(TIMELINE.read_text(revision), checked.findings)
    return Editor(request, access, TIMELINE, document).page(checked, status=status, revision=revision, **more)


# ---------------------------------------------------------------- what is edited


def _stored(document: Timeline, opened: OpenedTimeline | None) -> StoredEntries:
    """Return the entries that the page showed: those of the draft, else the newest saved ones."""
    return opened.entries.now if opened else read_entries(revision_numbered(document, None))


def _is_typed(request: HttpRequest, text: str | None) -> bool:
    """Return whether somebody changed the text since the page was made."""
    return text is not None and hashlib.sha256(text.encode()).hexdigest() != text_param(request.POST, "seen", 64)


def _target(request: HttpRequest, stored: StoredEntries, text: str | None, cluster: Revision | None) -> ArrivalTarget:
    """Return the entries with the choice: those of the text where it was changed by hand, else the stored ones.

    Raises BadObjects where the text has errors.
    """
    choice, with_ends = read_choice(request.POST), bool_param(request.POST, "ends")
    if text is None or not _is_typed(request, text):
        return ArrivalTarget(stored.entries, stored.rows, choice, with_ends)
    checked = check_timeline(text, cluster)
    if checked.raw is None:
        raise BadObjects(checked.findings)
    entries = sharing(stored.entries, checked.raw["entries"])
    return ArrivalTarget(entries, arrival_rows(entries), choice, with_ends)


def _edited(query: Mapping[str, str], target: ArrivalTarget, cluster: Revision | None) -> EditedTimeline:
    do = choice_param(query, "do", DO, "shift")
    if do == "shift":
        return edits.shifted(target, _signed_time(query, "by"))
    if do == "stretch":
        return edits.stretched(target, _factor(query))
    if do == "remove":
        return edits.without(target)
    if do == "text":
        return EditedTimeline(list(target.entries), "Change the text", target.choice)
    if do == "repeat":
        edited = edits.repeated(target, _repetition(query))
        check_new_names(edited)
        return edited
    context = [raw for raw in read_contents(cluster).manifests if raw.get("kind") in CONTEXT_KINDS] if cluster else []
    action, raw = _new_object(query)
    objects = [raw]
    if action == "add" and is_workload(raw):
        objects = make_pods(raw, context, {row.key.name for row in target.rows if row.key.kind == "Pod"})
    edited = edits.added(target, time_param(query, "at") or 0, action, objects)
    check_new(edited, context)
    return edited


def _signed_time(query: Mapping[str, str], name: str) -> int:
    text = text_param(query, name, 40).replace(" ", "").replace("\N{MINUS SIGN}", "-")
    if not text:
        raise Problem("Shift by: write a time such as 5s, or -5s for earlier.")
    sign = -1 if text.startswith("-") else 1
    return sign * time_in(text.lstrip("+-") or text, "Shift by")


def _factor(query: Mapping[str, str]) -> float:
    text = text_param(query, "factor", 20)
    factor = float(text) if _FACTOR.fullmatch(text) else 0.0
    if not 0 < factor <= 1_000:
        raise Problem(f'Stretch by: "{text}" is no factor. Write a number above 0 and up to 1000, such as 2 or 0.5.')
    return factor


def _repetition(query: Mapping[str, str]) -> Repetition:
    count = int_param(query, "copies", 1, low=1, high=edits.MOST_COPIES)
    pattern = text_param(query, "names", 253) or "{name}-#"
    return Repetition(count, time_param(query, "every") or 0, pattern)


def _new_object(query: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """Return what happens to which object; raises Problem."""
    action = choice_param(query, "action", ("add", "update", "delete"), "add")
    limits, text = Limits(), text_param(query, "object", MOST_OBJECT)
    try:
        body = read_text(ManifestSource(EDITOR, text.encode()), limits)
        documents = [one.value for one in read_documents(body, limits) if one.value is not None]
    except LoadError as problem:
        raise Problem(f"Object: line {problem.line or 1}: {problem.message}.") from None
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise Problem("Object: write the YAML of one object, such as a Pod.")
    if not isinstance(documents[0].get("metadata") or {}, dict):
        raise Problem("Object: metadata: a mapping is needed, such as metadata: {name: web-1}.")
    return action, documents[0]
