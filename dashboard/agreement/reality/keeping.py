"""A bundle kept with its cluster: the record, a timeline of what came from outside, the scheduler's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.agreement.models import CollectedBundle
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import store_config
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.models import SchedulerConfig, Timeline
from dashboard.documents.timelines.actions import store_timeline
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.explain.reality import OutsideChanges, ReadProblems, objects_at_beginning, real_record
from scheduler_core.manifests import UNKNOWN, configuration_text
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.simulate import MAX_TIMELINE_ENTRIES, TimelineError, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Revision
    from dashboard.documents.models import ConfigRevision, TimelineRevision
    from scheduler_core.manifests.bundle.reading import Bundle

KEPT = 5
"""The newest bundles of a cluster are kept; their revisions and timelines stay."""
DOING = "keep what was collected"
_NAME = 100


def prepare(member: Member, bundle: Bundle, data: bytes) -> Callable[[Revision, Revision], None]:
    """Read what a bundle holds besides objects; return what keeps it with the revisions of its beginning and end, in
    the transaction that saves these. Raises Forbidden."""
    require(member, Role.EDITOR, DOING)
    configuration, config_text = _configuration(bundle)
    raw, said = _timeline(bundle, configuration)

    def keep(began: Revision, ended: Revision) -> None:
        cluster = ended.cluster
        row = CollectedBundle.objects.create(
            cluster=cluster,
            began=began,
            ended=ended,
            timeline=_store_timeline(member, cluster, ended, raw) if raw is not None else None,
            config=store_configuration(member, cluster, ended.number, config_text) if config_text else None,
            name=bundle.name[:255],
            said=said,
            size=len(data),
            data=data,
        )
        newest = list(CollectedBundle.objects.filter(cluster=cluster).values_list("pk", flat=True)[:KEPT])
        CollectedBundle.objects.filter(cluster=cluster).exclude(pk__in=[*newest, row.pk]).delete()

    return keep


def _configuration(bundle: Bundle) -> tuple[SchedulerConfiguration, str]:
    """The scheduler's configuration, and its text; the defaults and "" where the bundle has none that can be read."""
    text = bundle.meta.configuration
    if text:
        reading = read_configuration(text, UNKNOWN)
        if reading.configuration is not None:
            return reading.configuration, configuration_text(text)
    return SchedulerConfiguration(), ""


def _timeline(bundle: Bundle, configuration: SchedulerConfiguration) -> tuple[dict[str, Any] | None, str]:
    """The entries of a timeline in their file form; None with the reason where there can be none."""
    begin = objects_at_beginning(bundle, ReadProblems())
    profiles = {profile.scheduler_name for profile in configuration.profiles}
    outside = OutsideChanges(bundle, begin, real_record(bundle), profiles)
    entries: list[dict[str, Any]] = []
    for one in outside:
        if len(entries) == MAX_TIMELINE_ENTRIES:
            return (
                None,
                f"More than {MAX_TIMELINE_ENTRIES:,} changes came from outside; a timeline has no more entries.",
            )
        entries.append({"at": f"{one.at}us", "action": one.action, "object": one.raw})
    if not entries:
        return None, "Nothing came from outside of the scheduler."
    raw = {"entries": entries}
    try:
        timeline_from_raw(raw, [one for one in _decoded(begin.raws) if one.get("kind") in CONTEXT_KINDS])
    except TimelineError as problem:
        return None, f"What came from outside cannot be a timeline: {problem}"
    return raw, ""


def _decoded(raws: list[msgspec.Raw]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(raw) for raw in raws]


def _store_timeline(member: Member, cluster: Cluster, ended: Revision, raw: dict[str, Any]) -> TimelineRevision:
    name = _free_name(Timeline, cluster, f"{cluster.name} as collected, r{ended.number}")
    return store_timeline(member, None, NewText(name, "", message="What came from outside of the scheduler"), raw)


def store_configuration(member: Member, cluster: Cluster, number: int, text: str) -> ConfigRevision | None:
    """Return the scheduler's configuration kept as a document, named after this revision; None where it has errors."""
    name = _free_name(SchedulerConfig, cluster, f"{cluster.name} scheduler, r{number}")
    try:
        return store_config(member, None, NewText(name, text, message="As the bundle has it"))
    except BadObjects:
        return None


def _free_name(model: Any, cluster: Cluster, name: str) -> str:
    """The name, or with a number the next one that no document of the workspace has."""
    name = name[:_NAME]
    taken = set(model.objects.filter(workspace=cluster.workspace).values_list("name", flat=True))
    numbered = (name if n == 1 else f"{name} {n}" for n in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)
