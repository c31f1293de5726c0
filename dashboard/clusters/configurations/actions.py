"""Scheduler configurations and timelines: judged as text, saved with a history."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.models import ConfigRevision, SchedulerConfig, Timeline, TimelineRevision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.slugs import free_slug
from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT
from dashboard.common.problems import Conflict, NotFound, Problem
from scheduler_core.api.config import EXTENSION_POINTS, SchedulerConfiguration
from scheduler_core.manifests import KNOWN_PLUGINS, Finding, Limits, Source, dump_yaml, load_config
from scheduler_core.manifests.masking.secrets import mask
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.line_positions import Origin, Positions
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point, score_weights
from scheduler_core.profiles.registry import Registry, installed
from scheduler_core.simulate import TimelineError, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision

DOING = "edit configurations"
# A timeline with more entries is for download, not for a text field.
MAX_EDITABLE_ENTRIES = 2_000
_PLACE = re.compile(r"entries(?:\[(\d+)\](?:\.(\w+))?)?")


@dataclass(frozen=True)
class NewText:
    """What somebody saves: a name (of a new one), the text, the revision looked at (0: none yet), and why."""

    name: str
    text: str
    base: int = 0
    message: str = ""


# ---------------------------------------------------------------- configurations


def check_config(text: str) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """Return the configuration in a text, None where it has an error, and what was found."""
    known = {*KNOWN_PLUGINS, *registry().factories}
    config, findings = load_config(Source(EDITOR, text.encode()), known)
    if config is None:
        return None, findings
    try:
        for profile in config.profiles:
            plugins_by_point(profile, _implements)
    except ProfileError as problem:
        return None, [*findings, Finding(severity="error", source=EDITOR, message=str(problem))]
    return config, findings


@cache
def registry() -> Registry:
    """Return the installed plugins, kept as long as the process lives."""
    return installed()


def _implements(name: str, point: str) -> bool:
    return takes_part(registry(), name, point)


def suggestion_of(findings: list[Finding]) -> str:
    """Return the ready v1 text that comes with a refused older version, "" where there is none."""
    return next((finding.suggestion for finding in findings if finding.suggestion), "")


@dataclass(frozen=True)
class PluginLine:
    """A plugin of a profile: at which points it takes part (True per point), and its weight where it scores."""

    name: str
    points: list[tuple[str, bool]]
    weight: int | None


@dataclass(frozen=True)
class ProfileView:
    """A profile as the scheduler understands it."""

    name: str
    lines: list[PluginLine]


POINTS = tuple(point for point in EXTENSION_POINTS if point != "postBind")


def profiles_of(config: SchedulerConfiguration) -> list[ProfileView]:
    """Return each profile's plugins in the order in which they are first asked, with points and weights."""
    out = []
    for profile in config.profiles:
        points = plugins_by_point(profile, _implements)
        weights = score_weights(profile, points)
        names = list(dict.fromkeys(ref.name for point in POINTS for ref in points[point]))
        at = {point: {ref.name for ref in points[point]} for point in POINTS}
        lines = [PluginLine(name, [(p, name in at[p]) for p in POINTS], weights.get(name)) for name in names]
        out.append(ProfileView(profile.scheduler_name, lines))
    return out


def save_config(member: Member, config: SchedulerConfig | None, new: NewText) -> ConfigRevision:
    """Return the new revision, of a new configuration where `config` is None.

    Raises BadObjects for a text with errors, Conflict where somebody saved since `new.base` or has the name,
    Problem where nothing differs.
    """
    require(member, Role.EDITOR, DOING)
    found, findings = check_config(new.text)
    if found is None:
        raise BadObjects([finding for finding in findings if finding.severity == "error"])
    with transaction.atomic():
        is_new = config is None
        target = config or _named(member, SchedulerConfig, new.name, "configuration")
        if not is_new and _same_text(target, new):
            raise Problem("Nothing differs from the saved revision, so there is nothing to save.")
        saving = Saving(member.user, new.message.strip()[:500], expected=new.base)
        revision = object_store.save_config(target, new.text, saving)
        verb = "config.created" if is_new else "config.saved"
        audit.record(member.workspace, member.user, verb, f"{target.name} r{revision.number}", message=saving.message)
    return revision


def _same_text(config: SchedulerConfig, new: NewText) -> bool:
    newest = config.revisions.first()
    return newest is not None and newest.number == new.base and newest.text == new.text


def _named(member: Member, model: Any, name: str, fallback: str) -> Any:
    wanted = name.strip()
    if not wanted:
        raise Problem("Give it a name.")
    existing = model.objects.filter(workspace=member.workspace)
    if existing.filter(name=wanted, archived_at=None).exists():
        raise Conflict(f'"{wanted}" exists already. Choose another name.')
    made = model(
        workspace=member.workspace,
        name=wanted,
        slug=free_slug(existing, wanted, fallback),
        created_by=member.user,
    )
    made.full_clean(exclude=["created_by"])
    try:
        with transaction.atomic():
            made.save()
    except IntegrityError as error:
        raise Conflict(f'Somebody made "{wanted}" a moment ago. Choose another name.') from error
    return made


@transaction.atomic
def archive(member: Member, thing: SchedulerConfig | Timeline, is_archived: bool) -> None:
    """Take a configuration or timeline out of the lists, or put it back; runs made from it stay readable."""
    require(member, Role.EDITOR, DOING)
    thing.archived_at = timezone.now() if is_archived else None
    thing.save(update_fields=["archived_at"])
    subject = "config" if isinstance(thing, SchedulerConfig) else "timeline"
    verb = "archived" if is_archived else "restored"
    audit.record(member.workspace, member.user, f"{subject}.{verb}", thing.name)


# ---------------------------------------------------------------- timelines


@dataclass(frozen=True)
class CheckedTimeline:
    """A timeline's text read: the raw form to keep (None where it has an error), and what was found."""

    raw: dict[str, Any] | None
    findings: list[Finding]


def check_timeline(text: str, revision: Revision | None = None) -> CheckedTimeline:
    """Return the timeline in a text, its objects judged as objects of the cluster `revision`."""
    most = 400_000
    limits = Limits(max_bytes=MAX_TEXT, max_json_values=most, max_yaml_nodes=most, max_object_values=most)
    source = Source(EDITOR, text.encode())
    try:
        body = read_text(source, limits)
        documents = [document.value for document in read_documents(body, limits) if document.value is not None]
    except LoadError as problem:
        return _refused(problem.message, problem.line, problem.field)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        return _refused("one mapping with entries is needed. Write entries: and under it a dash per entry")
    raw = {"entries": documents[0].get("entries")}
    extra = sorted(set(documents[0]) - {"entries"})
    if extra:
        return _refused("unknown field; a timeline has entries only", field=str(extra[0]))
    base: Iterable[Any] = contents_of(revision).manifests if revision else ()
    try:
        timeline_from_raw(raw, base)
    except TimelineError as problem:
        return _located(str(problem), Positions(body, limits))
    return CheckedTimeline(raw, [])


def _refused(message: str, line: int | None = None, field: str = "") -> CheckedTimeline:
    finding = Finding(severity="error", source=EDITOR, line=line, object="Timeline", field=field, message=message)
    return CheckedTimeline(None, [finding])


def _located(words: str, positions: Positions) -> CheckedTimeline:
    match = _PLACE.match(words)
    field, _, message = words.partition(": ")
    if match is None:
        return _refused(words)
    path = ("entries", *((int(match[1]),) if match[1] else ()), *((match[2],) if match[2] else ()))
    return _refused(message, positions.line(Origin(0, 0, (), None), path), field)


def save_timeline(
    member: Member,
    timeline: Timeline | None,
    new: NewText,
    revision: Revision | None = None,
    *,
    keeps_values: bool = True,
) -> TimelineRevision:
    """Return the new revision, of a new timeline where `timeline` is None; raises as `save_config` does.

    Unless `keeps_values`, what may be secret in its objects is masked, as in objects that are imported.
    """
    require(member, Role.EDITOR, DOING)
    checked = check_timeline(new.text, revision)
    if checked.raw is None:
        raise BadObjects(checked.findings)
    if not keeps_values:
        for entry in checked.raw["entries"]:
            mask(entry["object"])
    with transaction.atomic():
        is_new = timeline is None
        target = timeline or _named(member, Timeline, new.name, "timeline")
        saving = Saving(member.user, new.message.strip()[:500], expected=new.base)
        saved = object_store.save_timeline(target, checked.raw, saving)
        verb = "timeline.created" if is_new else "timeline.saved"
        audit.record(member.workspace, member.user, verb, f"{target.name} r{saved.number}", entries=saved.n_entries)
    return saved


def timeline_text(revision: TimelineRevision) -> str:
    """Return the timeline as YAML."""
    return dump_yaml([object_store.read_timeline(revision)])


def revision_numbered(thing: SchedulerConfig | Timeline, number: int | None) -> Any:
    """Return the revision of this number, the newest for None; raises NotFound."""
    revisions = thing.revisions.select_related("author")
    found = revisions.filter(number=number).first() if number else revisions.first()
    if found is None:
        raise NotFound(f"{thing.name} has no revision {number}." if number else f"{thing.name} has no revision yet.")
    return found
