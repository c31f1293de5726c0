"""The page that saves a run's changes: the choices, and saving each way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.clusters.drafts.views import address
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_changes import field_changes
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.debugger.state_views import run_bar
from dashboard.debugger.views import unreadable
from dashboard.live.feed.topics import announce
from dashboard.runs.actions import find_run
from dashboard.runs.branches.lineage import change_in_words
from dashboard.runs.inputs import InputError
from dashboard.runs.keeping import actions
from dashboard.runs.keeping.plan import plan_keeping
from dashboard.runs.models import placed_changes
from dashboard.runs.policies import policy_fields
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpRequest, HttpResponse

    from dashboard.clusters.models import Draft, Revision
    from dashboard.clusters.revisions.object_changes import FieldChange
    from dashboard.documents.models import ConfigRevision, TimelineRevision
    from dashboard.runs.keeping.changed_objects import ChangedObject
    from dashboard.runs.keeping.plan import KeepPlan
    from dashboard.runs.models import BranchKeeping, Run

PAGE = "debugger/branches/keep.html"
WAYS = ("draft", "revision", "configuration", "new_configuration", "timeline", "new_timeline")
MESSAGE_LENGTH = 500
SHOWN, SHOWN_FIELDS = 100, 8


@workspace_view(Role.VIEWER, READ + WRITE)
def keep(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the page of what can be saved where; a POST saves the changes the way that `do` names, and redirects
    there.

    Raises NotFound for a run without changes, Conflict if it has not reached them, Forbidden for a viewer's POST,
    Problem if the run cannot be read.
    """
    run = find_run(access.workspace, number)
    try:
        if request.method != "POST":
            return _shown(request, access, plan_keeping(run))
        way = choice_param(request.POST, "do", WAYS, "draft")
        try:
            with before_once(request):
                keep = _prepared(request, access, run, way)
            with once(request) as claim:
                to = claim.leads_to(keep())
            announce(access.workspace.pk, f"branch:{run.pk}")
            return go(request, to)
        except (Forbidden, NotFound):
            raise
        except Problem as refusal:
            return _shown(request, access, plan_keeping(run), way, refusal)
    except RecordingError as error:
        raise unreadable(run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error


def _prepared(request: HttpRequest, access: Access, run: Run, way: str) -> Callable[[], str]:
    """Read what is kept this way; return what saves it and returns the address of the result."""
    member, place = access.member, {"slug": access.workspace.slug}
    name = text_param(request.POST, "name", NAME_LENGTH) if way.startswith("new_") else ""
    message = text_param(request.POST, "message", MESSAGE_LENGTH)
    if way.startswith("new_") and not name:
        raise Problem("Give it a name.")
    if way == "draft":
        make = actions.prepare_draft(member, run)
        return lambda: _draft_made(request, place, make())
    if way == "revision":
        save = actions.prepare_revision(member, run, message)
        return lambda: _revision_saved(request, place, save())
    if way.endswith("configuration"):
        config = actions.prepare_configuration(member, run, name, message)
        return lambda: _configuration_address(place, config())
    timeline = actions.prepare_run_timeline(member, run, name, message)
    return lambda: _timeline_address(place, timeline())


def _draft_made(request: HttpRequest, place: dict[str, str], draft: Draft) -> str:
    here = place | {"cluster": draft.cluster.slug}
    operation = draft.operations.exclude(author=None).latest("number")
    undo = reverse("clusters:draft_undo", kwargs=here | {"draft_id": draft.pk})
    tell_with_undo(request, f"Kept as the draft {draft.name}", f"{undo}?number={operation.number}")
    return address(draft, "changes")


def _revision_saved(request: HttpRequest, place: dict[str, str], revision: Revision) -> str:
    here = place | {"cluster": revision.cluster.slug}
    undo = reverse("clusters:undo", kwargs=here | {"number": revision.number})
    tell_with_undo(request, f"Kept as revision {revision.number}", undo)
    query = urlencode({"from": revision.number - 1, "to": revision.number})
    return f"{reverse('clusters:diff', kwargs=here)}?{query}"


def _configuration_address(place: dict[str, str], config: ConfigRevision) -> str:
    return _document("configuration", place | {"config": config.config.slug}, config.number)


def _timeline_address(place: dict[str, str], timeline: TimelineRevision) -> str:
    return _document("timeline", place | {"timeline": timeline.timeline.slug}, timeline.number)


def _document(kind: str, place: dict[str, str], number: int) -> str:
    return f"{reverse(f'clusters:{kind}', kwargs=place)}?r={number}"


def _shown(
    request: HttpRequest, access: Access, plan: KeepPlan, way: str = "", problem: Problem | None = None
) -> HttpResponse:
    run = plan.run
    newer, moments = plan.newer(), _moments(plan)
    context: dict[str, Any] = {
        "run": run,
        "plan": plan,
        "cluster": run.revision.cluster,
        "lines": list(_lines(plan))[:SHOWN],
        "n_changes": len(placed_changes(run)),
        "unsettled": [one for one in newer if one.has_to_be_settled],
        "brought_together": [one for one in newer if not one.has_to_be_settled],
        "moments": moments,
        "is_exact": _is_exact(plan),
        "policies": urlencode({"from": run.number} | _policy_fields(plan)),
        "keepings": [(str(one.thing), _result_url(access, one), one) for one in _keepings(run)],
        "way": way,
        "problem": problem,
        "values": request.POST if problem else {},
        "may_keep": access.member.may(Role.EDITOR),
        "name_length": NAME_LENGTH,
        "message_length": MESSAGE_LENGTH,
        **run_bar(run),
    }
    return render_page(request, PAGE, context, status=problem.status if problem else 200)


def _lines(plan: KeepPlan) -> Iterator[dict[str, Any]]:
    """Each change in words, with its place, and how the cluster and a timeline take it."""
    objects, entries = iter(plan.objects), iter(plan.entries)
    begins, by_key = plan.run.branch.begins if plan.run.is_branch else 0, read_contents(plan.run.revision).by_key
    for change in placed_changes(plan.run):
        line = {"what": change_in_words(change), "seq": change["at"], "is_own": int(change["at"]) >= begins}
        if change["action"] in ("put", "patch", "delete"):
            changed, entry = next(objects), next(entries)
            line |= {"cluster": changed.not_in_cluster, "timeline": entry.problem}
            fields = _fields(by_key.get(changed.key), changed)
            line |= {"fields": fields[:SHOWN_FIELDS], "more_fields": max(0, len(fields) - SHOWN_FIELDS)}
        yield line


def _fields(before: dict[str, Any] | None, changed: ChangedObject) -> list[FieldChange]:
    """The fields in which the object of the cluster differs by the changes so far; [] for one that comes or goes."""
    if before is None or changed.in_cluster is None or changed.not_in_cluster:
        return []
    return list(field_changes(before, changed.in_cluster))


def _moments(plan: KeepPlan) -> list[dict[str, Any]]:
    """The times of the changes as entries of a timeline, without duplicates."""
    moments = dict.fromkeys(one.moment for one in plan.fit_for_timeline)
    return [{"at": _exact(one.at), "is_later": one.is_later, "is_among": one.is_among} for one in moments]


def _is_exact(plan: KeepPlan) -> bool:
    """Return whether an ordinary run of the revision and the timeline would make the same decisions."""
    says_all = not (plan.not_in_timeline or plan.configuration or plan.policies)
    return says_all and not plan.is_unbinding and not any(one.moment.is_among for one in plan.entries)


def _exact(us: int) -> str:
    """Return a virtual time to the microsecond: "1.000001 s"."""
    whole, part = divmod(us, 1_000_000)
    return f"{whole:,}.{part:06d}".rstrip("0").rstrip(".") + " s"


def _policy_fields(plan: KeepPlan) -> dict[str, str]:
    fields = policy_fields({name: value for name, value in plan.policies.items() if value is not None})
    is_for_ever = "job_running_us" in plan.policies and plan.policies["job_running_us"] is None
    return fields | ({"job_s": ""} if is_for_ever else {})


def _keepings(run: Run) -> list[BranchKeeping]:
    made = ("draft__cluster", "draft__base__cluster", "revision__cluster")
    return list(
        run.keepings.select_related(*made, "config_revision__config", "timeline_revision__timeline", "author").order_by(
            "-id"
        )[:SHOWN]
    )


def _result_url(access: Access, one: BranchKeeping) -> str:
    """Return the address of what changes were kept as; "" for a draft that the reader does not see."""
    place = {"slug": access.workspace.slug}
    if one.draft is not None:
        is_seen = one.draft.author_id == access.user.pk or one.draft.invited.filter(pk=access.user.pk).exists()
        return address(one.draft, "changes") if is_seen else ""
    if one.revision is not None:
        here = place | {"cluster": one.revision.cluster.slug}
        return f"{reverse('clusters:detail', kwargs=here)}?r={one.revision.number}"
    if one.config_revision is not None:
        return _configuration_address(place, one.config_revision)
    timeline = one.timeline_revision
    return "" if timeline is None else _timeline_address(place, timeline)
