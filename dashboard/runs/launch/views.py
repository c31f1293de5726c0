"""The launch page: one form that shows what would run, and starts it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import go, render_page, wants_part
from dashboard.common.http.params import INT32_MAX, WHOLE, optional_int, shown
from dashboard.common.problems import BadQuery, Conflict, NotFound, Problem
from dashboard.documents.configurations import presets
from dashboard.documents.extenders.tape_page import TapePage
from dashboard.runs import actions, demo
from dashboard.runs.breakpoints.definitions import list_breakpoints
from dashboard.runs.inputs import extender_answers
from dashboard.runs.launch import choices
from dashboard.runs.launch.fields import LABELS, format_clock
from dashboard.runs.launch.forms import OTHERS_BOUND, PRESET, LaunchForm
from dashboard.runs.list.lines import run_url
from dashboard.runs.models import Schedule
from dashboard.runs.policies import FIELDS, OF_NO_VERSION, OF_OLD_RUNS, OTHERS, VERSION_FIELDS, policy_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse, QueryDict

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Workspace
    from dashboard.runs.models import Breakpoint, Run


def fields_like(run: Run) -> dict[str, str]:
    """Return {field: value} of a run's inputs, without inputs that have no field."""
    policies = {name: value for name, value in {**OF_OLD_RUNS, **run.policies}.items() if value is not None}
    empty = dict.fromkeys(policy_fields({name: 0 for name in run.policies if name not in policies}), "")
    fields = {name: value for name, value in (policy_fields(policies) | empty).items() if name in FIELDS}
    fields |= {name: str(run.policies.get(name, "")) for name in VERSION_FIELDS}
    fields |= {
        "cluster": run.revision.cluster.slug,
        "r": str(run.revision.number),
        "schedule": run.schedule,
        "seed": str(run.seed),
        "max_cycles": str(run.max_cycles),
        "max_time": format_clock(run.max_virtual_us),
        "background": "yes" if run.is_background else "no",
    }
    if run.stand_ins:
        fields["serve_others"] = next(iter(run.stand_ins.values()))
    elif policies.get(OTHERS) == "bound":
        fields["serve_others"] = OTHERS_BOUND
    if run.config_revision is not None:
        fields |= {"config": run.config_revision.config.slug, "config_r": str(run.config_revision.number)}
        if run.left_out:
            fields["leave_out"] = "on"
    elif run.preset:
        fields["config"] = f"{PRESET}{run.preset}"
    if run.schedule == Schedule.TIMELINE and run.timeline_revision is not None:
        timeline = run.timeline_revision
        fields |= {"timeline": timeline.timeline.slug, "timeline_r": str(timeline.number)}
    answers = extender_answers(run)
    if answers is not None:
        fields |= {"answers": answers.name, "answers_r": str(answers.revision.number)}
    elif run.left_out:
        fields["answers"] = ""
    return fields


def not_taken_over(run: Run) -> list[str]:
    """Return the inputs of the run that have no field, each as a phrase."""
    phrases = ["the changes of a branch"] if run.is_branch else []
    taken_over = {*FIELDS, *VERSION_FIELDS, OTHERS}
    left = {name: value for name, value in run.policies.items() if OF_NO_VERSION.get(name) != value}
    return phrases + [f"the policy {name}" for name in left if not set(policy_fields({name: 0})) <= taken_over]


LAUNCH = "runs/launch.html"
DOING = "start runs here"


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def launch(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form, filled from the address; a valid POST starts the run and leads to its page."""
    is_post = request.method == "POST"
    given = (request.POST if is_post else request.GET).dict()
    origin = _origin(access, given)
    if origin is not None and "of_cluster" not in given:
        given = fields_like(origin) | given
    form = LaunchForm(choices.list_choices(access.workspace), given)
    if not is_post:
        _check_address(request, form)
    problem = None
    if form.is_valid() and is_post:
        try:
            with before_once(request):
                launch = replace(form.launch(), breakpoints=chosen_breakpoints(access.workspace, request.POST))
                make = actions.prepare_run(access.member, launch)
            with once(request) as claim:
                to = claim.leads_to(run_url(make(launch.revision)))
            return go(request, to)
        except Problem as refusal:
            if refusal.status == NotFound.status:
                raise
            problem = refusal
    context = _context(access, form, problem)
    context["origin"] = origin
    context["not_taken_over"] = not_taken_over(origin) if origin is not None else []
    context["breakpoints"] = breakpoint_choices(access.workspace, request.POST if is_post else request.GET)
    response = render_page(request, LAUNCH, context, 422 if is_post else 200)
    if not is_post and wants_part(request):
        response["HX-Replace-Url"] = _address(request, form)
    return response


def _origin(access: Access, given: Mapping[str, str]) -> Run | None:
    """Return the run whose inputs fill the form, None without one; raises BadQuery, and NotFound if it is deleted."""
    number = optional_int(given, "from", 1, INT32_MAX)
    return None if number is None else actions.find_run(access.workspace, number)


def _check_address(request: HttpRequest, form: LaunchForm) -> None:
    """Raise NotFound if the address names a cluster or revision that does not exist in the workspace."""
    if request.GET.get("cluster") and form.chosen_cluster is None:
        raise NotFound("This cluster does not exist in this workspace, or is archived.")
    if request.GET.get("r") and form.chosen_cluster and form.revision is None:
        raise NotFound(f"{form.chosen_cluster} has no such revision.")


def _address(request: HttpRequest, form: LaunchForm) -> str:
    """Return the address that shows the same choices after a reload."""
    names = (
        "cluster",
        "r",
        "config",
        "config_r",
        "leave_out",
        "serve_others",
        "answers",
        "answers_r",
        "schedule",
        "timeline",
        "timeline_r",
        "seed",
        "from",
    )
    given = {**form.data, "from": request.GET.get("from", "")}
    return f"{request.path}?{urlencode({name: given[name] for name in names if given.get(name)})}"


def _context(access: Access, form: LaunchForm, problem: Problem | None) -> dict[str, object]:
    schedule = form.data["schedule"]
    config, timeline, answers = form.config_revision, form.timeline_revision, form.answering
    return {
        "form": form,
        "presets": presets.available().values(),
        "problem": problem,
        "preview": form.preview,
        "unserved": form.unserved,
        "wrong": [(name, LABELS[name]) for name in form.errors if name in LABELS],
        "revisions": choices.revision_choices(form.chosen_cluster, form.revision),
        "config_revisions": choices.revision_choices(config.config if config else None, config),
        "config_url": _config_url(access, form),
        "answers_revisions": choices.revision_choices(form.chosen_answers, answers.revision if answers else None),
        "recorded": TapePage.of(answers.tape) if answers and answers.tape else None,
        "timeline_revisions": choices.revision_choices(timeline.timeline if timeline else None, timeline),
        "schedule": schedule,
        "n_to_schedule": form.preview.to_schedule.get(schedule) if form.preview else None,
        "is_timeline": schedule == Schedule.TIMELINE,
        "is_old": bool(form.chosen_cluster and form.revision and form.revision.number != form.chosen_cluster.newest),
    }


def _config_url(access: Access, form: LaunchForm) -> str:
    """Return the address of the chosen configuration: a saved one, a preset or the default one."""
    slug = access.workspace.slug
    if form.config_revision:
        return reverse("clusters:configuration", args=[slug, form.data["config"]])
    if form.preset:
        return reverse("clusters:preset", args=[slug, form.preset.name])
    return reverse("clusters:default_configuration", args=[slug])


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def start_anew(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Start a run with the inputs of another one, and lead to it."""
    with once(request) as claim:
        run = actions.start_anew(access.member, actions.find_run(access.workspace, number))
        to = claim.leads_to(run_url(run))
    messages.success(request, f"Run {run.number} has the inputs of run {number}")
    return go(request, to)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def load_demo(request: HttpRequest, access: Access) -> HttpResponse:
    """Make the teaching cluster with its run in this workspace, and lead to the run."""
    run = demo.load_teaching(access.member)
    if run is None:
        raise Conflict("This workspace has the teaching cluster already.")
    return redirect(run_url(run))


FIELD = "breakpoints"


@dataclass(frozen=True)
class BreakpointChoice:
    """A breakpoint that the form offers."""

    breakpoint: Breakpoint
    is_chosen: bool


def breakpoint_choices(workspace: Workspace, given: QueryDict) -> list[BreakpointChoice]:
    """Return the breakpoints that the form offers; raises BadQuery for a choice that is no number."""
    chosen = _keys(given)
    return [BreakpointChoice(one, one.pk in chosen) for one in list_breakpoints(workspace) if one.is_enabled]


def chosen_breakpoints(workspace: Workspace, given: QueryDict) -> tuple[Breakpoint, ...]:
    """Return the breakpoints chosen in a submitted form; raises BadQuery, and Conflict for one that was deleted."""
    chosen = tuple(one.breakpoint for one in breakpoint_choices(workspace, given) if one.is_chosen)
    if len(chosen) < len(_keys(given)):
        raise Conflict("A breakpoint that you chose is gone or switched off by now. Choose again.")
    return chosen


def _keys(given: QueryDict) -> set[int]:
    texts = given.getlist(FIELD)
    for text in texts:
        if not WHOLE.fullmatch(text) or len(text) > 18:
            raise BadQuery(f'"{FIELD}" must be numbers of breakpoints, not "{shown(text)}".')
    return {int(text) for text in texts}
