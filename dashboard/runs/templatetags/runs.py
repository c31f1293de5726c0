"""Template tags about runs for other apps, which only templates combine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import template
from django.db import connection

from dashboard.common.database.sqlite_file import file_sizes
from dashboard.common.pages import numbers
from dashboard.documents.extenders.tape_page import TapePage
from dashboard.runs import inputs
from dashboard.runs.branches import lineage
from dashboard.runs.lifecycle import quotas
from dashboard.runs.list import lines
from dashboard.runs.models import State
from dashboard.runs.policies import VERSION_FIELDS, own_words, version_words

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.documents.extenders.answering import ExtenderAnswers
    from dashboard.runs.models import Run, RunBranch, RunChange
    from scheduler_core.manifests import LeftOut

register = template.Library()


@register.inclusion_tag("runs/_storage.html")
def storage(workspace: Workspace) -> dict[str, Any]:
    """Return the workspace's storage and its limit."""
    return {"workspace": workspace, "used_bytes": quotas.used_bytes(workspace)}


@register.inclusion_tag("runs/_database_room.html")
def database_room() -> dict[str, Any]:
    """Return what a full VACUUM would gain and need if it is worthwhile, as {"room": ...}, else {"room": None}."""
    if connection.vendor != "sqlite":
        return {"room": None}
    room = file_sizes(Path(connection.settings_dict["NAME"]))
    return {"room": room if room.is_worth_it else None}


@register.filter
def binary_size(count: int) -> str:
    """1572864 -> "1.5 MiB": sizes beside a limit that was given in GiB."""
    size = numbers.memory(count)
    return f"{size[:-2]} {size[-2:]}B" if size.endswith("i") else f"{size} B"


@register.filter
def run_url(run: Run) -> str:
    """The address of a run's page."""
    return lines.run_url(run)


@register.filter
def changes(changed: RunBranch | RunChange) -> str:
    """What a branch changed where it left its origin, or what was changed at a run's head, in a line."""
    return lineage.changes_in_words(changed)


@register.filter
def live_changes(run: Run) -> list[RunChange]:
    """What was changed at the head of a run, the newest first."""
    return list(run.changes.select_related("created_by").order_by("-number"))


@register.filter
def followed_version(run: Run) -> str:
    """Which version a run follows, with its evidence and the gates that are not as usual."""
    return version_words(run.policies)


@register.filter
def own_policies(run: Run) -> list[str]:
    """The policies of a run that differ from their defaults, each as a phrase, without the version."""
    return own_words({name: value for name, value in run.policies.items() if name not in VERSION_FIELDS})


@register.filter
def left_out(run: Run) -> tuple[LeftOut, ...]:
    """The plugins and extenders that a run ignores, and what that changes."""
    return inputs.ignored_inputs(run)


@register.filter
def answers(run: Run) -> ExtenderAnswers | None:
    """What answers for the extenders of a run, None where nothing does."""
    return inputs.extender_answers(run)


@register.filter
def recorded(answers: ExtenderAnswers) -> TapePage | None:
    """What the tape says of itself, None where rules answer."""
    return TapePage.of(answers.tape) if answers.tape is not None else None


@register.filter
def living_origin(run: Run) -> Run | None:
    """The origin of a branch, None if it is deleted."""
    return lineage.living_origin(run)


@register.filter
def kept_from(thing: Any) -> Run | None:
    """The run whose changes a draft or a revision contains, None if it is deleted or there is none."""
    keepings = getattr(thing, "keepings", None)
    keeping = next(iter(keepings.all()), None) if keepings is not None else None
    return None if keeping is None or keeping.run.state == State.DELETING else keeping.run


@register.filter
def branches(run: Run) -> list[Run]:
    """The branches of the run."""
    return lineage.list_branches(run)
