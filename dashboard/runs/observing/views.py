"""The page that makes a timeline of what arrived in a run: choose run, interval and parts, see them, save them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.yaml_text import MAX_TEXT
from dashboard.common.http.params import INT32_MAX, bool_param, choice_param, optional_int, text_param
from dashboard.common.pages.numbers import plural
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.documents.actions import DOING, NewText
from dashboard.documents.timelines.actions import store_timeline
from dashboard.documents.timelines.arrivals.choice import ArrivalChoice, interval_in
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from dashboard.documents.timelines.arrivals.strip import ArrivalStrip
from dashboard.runs.actions import find_run
from dashboard.runs.inputs import InputError
from dashboard.runs.models import Run
from dashboard.runs.observing.description import description_text
from dashboard.runs.observing.reading import ENDS, ObservedPart, observed_arrivals
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import TimelineError, time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.runs.observing.reading import ObservedArrivals

OFFERED, SHOWN = 200, 12
FIELDS = ("from", "before", "ends", "waiting", "made")


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def observed(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the page of a run's arrivals (`run`) in an interval; a POST saves them as a timeline, and leads to it."""
    query = request.POST if request.method == "POST" else request.GET
    number = optional_int(query, "run", low=1, high=INT32_MAX)
    if number is None:
        return render(request, "runs/observing/page.html", _context(access, query, None))
    run = find_run(access.workspace, number)
    if request.method != "POST":
        part = _part(query)
        return render(request, "runs/observing/page.html", _context(access, query, run, _read(run, part), part))
    try:
        part = _part(query)
        arrivals = _read(run, part)
        with once(request) as claim:
            to = claim.leads_to(_saved(access, run, part, arrivals, text_param(query, "name", NAME_LENGTH)))
    except (Forbidden, NotFound):
        raise
    except Problem as problem:
        context = _context(access, query, run) | {"problem": problem}
        return render(request, "runs/observing/page.html", context, status=problem.status)
    messages.success(request, f"Made of run {run.number}: {plural(len(arrivals.entries), 'entry', 'entries')}")
    return redirect(to)


def _part(query: Mapping[str, str]) -> ObservedPart:
    start, end = interval_in(query)
    waiting, made = bool_param(query, "waiting"), bool_param(query, "made")
    return ObservedPart(start, end, waiting, made, choice_param(query, "ends", ENDS, ""))


def _read(run: Run, part: ObservedPart) -> ObservedArrivals:
    try:
        return observed_arrivals(run, part)
    except (InputError, RecordingError) as problem:
        raise Problem(str(problem), title=f"Run {run.number} cannot be read") from problem


def _saved(access: Access, run: Run, part: ObservedPart, arrivals: ObservedArrivals, name: str) -> str:
    """Save the arrivals as a new timeline; return its address."""
    if not arrivals.entries:
        raise Problem("Nothing arrives in this interval, so there is nothing to save. Choose another interval.")
    interval = ArrivalChoice(part.start, part.end).interval
    message = f"Observed in run {run.number}" + (f" {interval}" if interval else "")
    made = store_timeline(access.member, None, NewText(name, "", 0, message), {"entries": arrivals.entries})
    return reverse("clusters:timeline", args=(access.workspace.slug, made.timeline.slug))


def _context(
    access: Access,
    query: Mapping[str, str],
    run: Run | None,
    arrivals: ObservedArrivals | None = None,
    part: ObservedPart | None = None,
) -> dict[str, Any]:
    runs = Run.objects.filter(workspace=access.workspace, head__seq__gt=0).order_by("-number")
    context: dict[str, Any] = {
        "runs": runs.select_related("head", "revision__cluster")[:OFFERED],
        "run": run,
        "part": part or ObservedPart(),
        "values": query,
        "fields": [(name, query[name]) for name in FIELDS if query.get(name)],
        "name": query.get("name", "") or (f"As in run {run.number}" if run else ""),
        "name_length": NAME_LENGTH,
    }
    if arrivals is not None:
        rows = arrival_rows(arrivals.entries)
        strip = ArrivalStrip(rows, rows, ArrivalChoice())
        lines = [(row, time_text(row.at)) for row in rows[:SHOWN]]
        context |= {"arrivals": arrivals, "strip": strip, "lines": lines, "left_out": arrivals.left_out.most_common()}
        context["description"] = _description(run, arrivals) if run else ""
    return context


def _description(run: Run, arrivals: ObservedArrivals) -> str:
    """Return the description of the workloads, "" where the generator would not take it."""
    try:
        text = description_text(arrivals.entries, _class_values(run))
    except TimelineError:
        return ""
    return text if len(text) <= MAX_TEXT else ""


def _class_values(run: Run) -> dict[str, int]:
    """Return the values of the priority classes of the run's cluster."""
    by_key = read_contents(run.revision).by_key
    classes = {key.name: by_key[key].get("value") for key in by_key if key.kind == "PriorityClass"}
    return {name: value for name, value in classes.items() if isinstance(value, int)}
