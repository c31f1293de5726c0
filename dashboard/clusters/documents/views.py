"""Configurations and timelines: lists, and one editor page for both, since both are texts with a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.configurations import actions as configurations
from dashboard.clusters.configurations import presets
from dashboard.clusters.configurations.actions import (
    POINTS,
    NewText,
    check_config,
    check_timeline,
    profiles_of,
    suggestion_of,
)
from dashboard.clusters.models import NAME_LENGTH, Cluster, SchedulerConfig, Timeline
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.diff import TextDiff, diff_texts
from dashboard.clusters.yaml_templates import CONFIGS, DEFAULT_CONFIG, TIMELINE
from dashboard.clusters.yaml_text import YAML_TYPE, text_in
from dashboard.common.http.htmx import go
from dashboard.common.http.params import bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import Conflict, NotFound, Problem

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import Revision

DOING = configurations.DOING
STEPS = ("edit", "review", "save", "convert")
INT32 = 2**31 - 1


@dataclass(frozen=True)
class Sort:
    """What the pages of configurations and of timelines do not share."""

    word: str
    plural: str
    model: Any
    url: str
    icon: str

    def of(self, access: Access, slug: str) -> Any:
        """Return the workspace's thing with this address; raises NotFound."""
        found = self.model.objects.filter(workspace=access.workspace, slug=slug).first()
        if found is None:
            raise NotFound(f"This {self.word} does not exist in this workspace.")
        return found


CONFIG = Sort("configuration", "Configurations", SchedulerConfig, "configuration", "gear")
TIMES = Sort("timeline", "Timelines", Timeline, "timeline", "clock")
SORTS = {"configurations": CONFIG, "timelines": TIMES}


# ---------------------------------------------------------------- lists


def _list(request: HttpRequest, access: Access, sort: Sort) -> HttpResponse:
    archived = bool_param(request.GET, "archived")
    found = sort.model.objects.filter(workspace=access.workspace, archived_at__isnull=not archived)
    found = found.annotate(
        newest=Max("revisions__number"), saved=Max("revisions__created_at"), n_runs=Count("revisions__runs")
    )
    wanted = text_param(request.GET, "q")
    if wanted:
        found = found.filter(name__icontains=wanted)
    context = {
        "sort": sort,
        "page": paginate(found.order_by("name", "id"), request.GET),
        "q": wanted,
        "archived": archived,
        "starters": CONFIGS,
        "offers": presets.offers() if sort is CONFIG and not archived and not wanted else [],
        "n_archived": sort.model.objects.filter(workspace=access.workspace).exclude(archived_at=None).count(),
    }
    return render(request, "clusters/texts.html", context)


@workspace_view(Role.VIEWER)
def configuration_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of scheduler configurations, the built-in default first."""
    return _list(request, access, CONFIG)


@workspace_view(Role.VIEWER)
def timeline_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of timelines."""
    return _list(request, access, TIMES)


# ---------------------------------------------------------------- checking


@dataclass
class Judged:
    """A text and what was found in it; a configuration without errors also as the scheduler understands it."""

    text: str
    findings: list[Any]
    profiles: list[Any]

    @property
    def errors(self) -> list[Any]:
        """Return the findings that keep it from being saved."""
        return [finding for finding in self.findings if finding.severity == "error"]


def _judge(sort: Sort, text: str, context: Revision | None) -> Judged:
    if sort is TIMES:
        return Judged(text, check_timeline(text, context).findings, [])
    config, findings = check_config(text)
    return Judged(text, findings, profiles_of(config) if config else [])


def _context_revision(access: Access, query: Any) -> Revision | None:
    """Return the newest revision of the cluster that a timeline's objects are judged in, None where none is named."""
    slug = text_param(query, "cluster", 50)
    cluster = Cluster.objects.filter(workspace=access.workspace, slug=slug).first() if slug else None
    return actions.newest_revision(cluster) if cluster else None


# ---------------------------------------------------------------- one text


def _page(access: Access, sort: Sort, thing: Any, judged: Judged, **more: Any) -> dict[str, Any]:
    clusters = Cluster.objects.filter(workspace=access.workspace, archived_at=None).order_by("name")[:500]
    history = list(thing.revisions.select_related("author").defer(*_heavy(sort))[:50]) if thing else []
    return {
        "sort": sort,
        "thing": thing,
        "text": judged.text,
        "findings": judged.findings,
        "suggestion": suggestion_of(judged.findings),
        "profiles": judged.profiles,
        "points": POINTS,
        "history": history,
        "newest": history[0].number if history else 0,
        "base": history[0].number if history else 0,
        "clusters": clusters if sort is TIMES else [],
        "can_edit": access.member.may("editor") and not (thing and thing.archived_at),
        "name": "",
        "message": "",
        **more,
    }


def _heavy(sort: Sort) -> list[str]:
    return ["text"] if sort is CONFIG else []


def _show(request: HttpRequest, access: Access, sort: Sort, slug: str) -> HttpResponse:
    thing = sort.of(access, slug)
    revision = configurations.revision_numbered(thing, optional_int(request.GET, "r", low=1, high=INT32))
    if sort is TIMES and revision.n_entries > configurations.MAX_EDITABLE_ENTRIES:
        context = _page(access, sort, thing, Judged("", [], []), revision=revision, too_long=True, can_edit=False)
        return render(request, "clusters/text.html", context)
    text = revision.text if sort is CONFIG else configurations.timeline_text(revision)
    judged = _judge(sort, text, None) if sort is CONFIG else Judged(text, [], [])
    context = _page(access, sort, thing, judged, revision=revision)
    context["is_newest"] = revision.number == context["newest"]
    context["can_edit"] = context["can_edit"] and context["is_newest"]
    against = optional_int(request.GET, "diff", low=1, high=INT32)
    if against:
        context["diff"] = _diff(sort, configurations.revision_numbered(thing, against), text)
        context["against"] = against
    return render(request, "clusters/text.html", context)


def _diff(sort: Sort, old: Any, text: str) -> TextDiff:
    return diff_texts(old.text if sort is CONFIG else configurations.timeline_text(old), text)


@workspace_view(Role.VIEWER)
def configuration(request: HttpRequest, access: Access, config: str) -> HttpResponse:
    """Return a configuration's page: YAML, findings, the plugins of each profile, history."""
    return _show(request, access, CONFIG, config)


@workspace_view(Role.VIEWER)
def default_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the page of the built-in default configuration, which every run without another one uses."""
    judged = _judge(CONFIG, DEFAULT_CONFIG.text, None)
    context = _page(access, CONFIG, None, judged, is_default=True, can_edit=False)
    return render(request, "clusters/text.html", context)


@workspace_view(Role.VIEWER)
def preset(request: HttpRequest, access: Access, preset: str) -> HttpResponse:
    """Return the page of a preset, which runs can use as it is; raises NotFound for one that cannot work here."""
    found = presets.available().get(preset)
    if found is None:
        raise NotFound(f'There is no preset "{preset[:80]}", or its plugin is not installed.')
    context = _page(access, CONFIG, None, _judge(CONFIG, found.text, None), can_edit=False)
    return render(request, "clusters/text.html", {**context, "is_preset": True, "offer": presets.offer_of(found)})


@workspace_view(Role.VIEWER)
def timeline(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return a timeline's page: YAML, findings, history."""
    return _show(request, access, TIMES, timeline)


@workspace_view(Role.EDITOR, doing=DOING)
def new_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the editor for a new configuration, from a starter, a `preset` or a copy of another (`copy`)."""
    copied = text_param(request.GET, "copy", 50)
    start = choice_param(request.GET, "start", CONFIGS, "default")
    if named := choice_param(request.GET, "preset", ("", *presets.available()), ""):
        preset = presets.available()[named]
        context = _page(access, CONFIG, None, _judge(CONFIG, preset.text, None), offer=presets.offer_of(preset))
        return render(request, "clusters/text.html", context)
    text = configurations.revision_numbered(CONFIG.of(access, copied), None).text if copied else CONFIGS[start].text
    return render(request, "clusters/text.html", _page(access, CONFIG, None, _judge(CONFIG, text, None)))


@workspace_view(Role.EDITOR, doing=DOING)
def new_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the editor for a new timeline, from the starter or a copy of another (`copy`)."""
    copied = text_param(request.GET, "copy", 50)
    text = (
        configurations.timeline_text(configurations.revision_numbered(TIMES.of(access, copied), None))
        if copied
        else TIMELINE
    )
    return render(request, "clusters/text.html", _page(access, TIMES, None, _judge(TIMES, text, None)))


def _validate(request: HttpRequest, access: Access, sort: Sort) -> HttpResponse:
    judged = _judge(sort, text_in(request), _context_revision(access, request.POST))
    context = {"findings": judged.findings, "suggestion": suggestion_of(judged.findings)}
    return render(request, "clusters/_findings.html", context)


@workspace_view(Role.VIEWER, WRITE)
def validate_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the findings of a configuration's text as a fragment; it stores nothing."""
    return _validate(request, access, CONFIG)


@workspace_view(Role.VIEWER, WRITE)
def validate_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the findings of a timeline's text as a fragment; it stores nothing."""
    return _validate(request, access, TIMES)


# ---------------------------------------------------------------- saving


def _save(request: HttpRequest, access: Access, sort: Sort) -> HttpResponse:
    step = choice_param(request.POST, "step", STEPS, "review")
    slug = text_param(request.POST, "thing", 50)
    thing = sort.of(access, slug) if slug else None
    cluster = _context_revision(access, request.POST)
    judged = _judge(sort, text_in(request), cluster)
    new = NewText(
        text_param(request.POST, "name", NAME_LENGTH),
        judged.text,
        int_param(request.POST, "base", 0, high=INT32),
        text_param(request.POST, "message", 500),
    )
    form = {
        "name": new.name,
        "message": new.message,
        "base": new.base,
        "chosen": cluster.cluster.slug if cluster else "",
    }
    if step == "convert" and suggestion_of(judged.findings):
        judged = _judge(sort, suggestion_of(judged.findings), cluster)
        return render(request, "clusters/text.html", _page(access, sort, thing, judged, converted=True, **form))
    if judged.errors or step in ("edit", "convert"):
        status = 422 if judged.errors and step != "edit" else 200
        return render(request, "clusters/text.html", _page(access, sort, thing, judged, **form), status=status)
    if step == "review" and thing is not None:
        old = configurations.revision_numbered(thing, new.base or None)
        diff = _diff(sort, old, judged.text)
        return render(request, "clusters/text_review.html", _page(access, sort, thing, judged, diff=diff, **form))
    return _store(request, access, sort, thing, new, cluster)


def _store(
    request: HttpRequest, access: Access, sort: Sort, thing: Any, new: NewText, cluster: Revision | None
) -> HttpResponse:
    try:
        with once(request) as claim:
            if sort is CONFIG:
                revision: Any = configurations.save_config(access.member, thing, new)
                saved = revision.config
            else:
                revision = configurations.save_timeline(access.member, thing, new, cluster)
                saved = revision.timeline
            to = claim.leads_to(_url(sort, access, saved))
    except BadObjects:
        raise
    except Conflict as conflict:
        if thing is not None:
            return _conflict(request, access, sort, thing, new, conflict)
        return _again(request, access, sort, thing, new, conflict)
    except Problem as problem:
        return _again(request, access, sort, thing, new, problem)
    messages.success(request, f"Saved as revision {revision.number}")
    return redirect(to)


def _again(
    request: HttpRequest, access: Access, sort: Sort, thing: Any, new: NewText, problem: Problem
) -> HttpResponse:
    if problem.status == 403:
        raise problem
    form = {"name": new.name, "message": new.message, "base": new.base, "problem": problem}
    return render(
        request, "clusters/text.html", _page(access, sort, thing, _judge(sort, new.text, None), **form), status=422
    )


def _conflict(
    request: HttpRequest, access: Access, sort: Sort, thing: Any, new: NewText, conflict: Conflict
) -> HttpResponse:
    theirs = configurations.revision_numbered(thing, None)
    their_text = theirs.text if sort is CONFIG else configurations.timeline_text(theirs)
    context = _page(
        access,
        sort,
        thing,
        Judged(new.text, [], []),
        theirs=theirs,
        their_text=their_text,
        diff=diff_texts(their_text, new.text),
        conflict=conflict,
        message=new.message,
        base=new.base,
    )
    return render(request, "clusters/text_conflict.html", context, status=409)


def _url(sort: Sort, access: Access, thing: Any) -> str:
    name = "config" if sort is CONFIG else "timeline"
    return reverse(f"clusters:{sort.url}", kwargs={"slug": access.workspace.slug, name: thing.slug})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save_configuration(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the configuration editor's form: review, save, back to editing, or take the v1 conversion."""
    return _save(request, access, CONFIG)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the timeline editor's form: review, save or back to editing."""
    return _save(request, access, TIMES)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def archive(request: HttpRequest, access: Access, sort: str) -> HttpResponse:
    """Take a configuration or timeline (field `thing`) out of the lists, or put it back."""
    kind = SORTS.get(sort)
    if kind is None:
        raise NotFound("There are configurations and timelines, nothing else.")
    thing = kind.of(access, text_param(request.POST, "thing", 50))
    is_archived = bool_param(request.POST, "archived")
    configurations.archive(access.member, thing, is_archived)
    messages.success(request, f"{thing.name} is {'archived' if is_archived else 'back in the list'}")
    return go(request, f"clusters:{sort}", slug=access.workspace.slug)


def _download(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=YAML_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@workspace_view(Role.VIEWER)
def export_configuration(request: HttpRequest, access: Access, config: str) -> HttpResponse:
    """Return a configuration as a file."""
    thing = CONFIG.of(access, config)
    revision = configurations.revision_numbered(thing, optional_int(request.GET, "r", low=1, high=INT32))
    return _download(revision.text, f"{thing.slug}-r{revision.number}.yaml")


@workspace_view(Role.VIEWER)
def export_timeline(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return a timeline as a file."""
    thing = TIMES.of(access, timeline)
    revision = configurations.revision_numbered(thing, optional_int(request.GET, "r", low=1, high=INT32))
    return _download(configurations.timeline_text(revision), f"{thing.slug}-r{revision.number}.yaml")
