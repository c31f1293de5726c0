"""What somebody wants reviewed, read from an address or a form: two runs, a draft, a revision, a configuration.

Everything is looked for in the member's workspace alone. What can change later, a draft or a text that is not saved, is
copied, so that verdicts are about what was there when somebody asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.drafts.actions import find_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions.actions import find_newest_revision
from dashboard.common.http.params import INT32_MAX, int_param, text_param
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.models import ConfigRevision, SchedulerConfig, Timeline
from dashboard.documents.timelines.drafts.actions import find_draft as find_timeline_draft
from dashboard.documents.timelines.drafts.page import changed_entries
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from dashboard.review.models import ABOUT_LENGTH, SubjectKind
from dashboard.runs import chosen
from dashboard.runs.actions import find_run
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.models import Member, Workspace
    from dashboard.runs.models import Run

NAME_LENGTH = 120
# A review keeps a draft's changes; more are reviewed as a revision.
MOST_CHANGES = 2_000
# Characters of a configuration that is not saved.
MOST_TEXT = 1 << 20


@dataclass(frozen=True)
class NewSubject:
    """A subject: its kind, what it is in words, the columns of its review, and the form fields that name it again."""

    kind: SubjectKind
    about: str
    columns: dict[str, Any] = field(default_factory=dict)
    named_by: dict[str, str] = field(default_factory=dict)


def subject_in(member: Member, query: Mapping[str, str]) -> NewSubject:
    """Return what a request names; raises BadQuery, NotFound, Problem for what cannot be reviewed."""
    if "a" in query or "b" in query:
        return _comparison(member.workspace, query)
    if "timeline" in query:
        return _of_some(_timeline_draft(member, query), "entries", "Save it.")
    if "draft" in query:
        return _of_some(_draft(member, query), "changes", "Save it and ask for a review of the revision.")
    if "revision" in query and "cluster" in query:
        return _revision(member.workspace, query)
    if "configuration" in query or "text" in query:
        return _configuration(member.workspace, query)
    raise BadQuery("Say what is to be reviewed: two runs, a draft, a revision or a configuration.", title="No subject")


def change_in(member: Member, query: Mapping[str, str]) -> NewSubject:
    """Return the change of a cluster or timeline that a request names, also of a draft that changes nothing now."""
    if "timeline" in query:
        return _timeline_draft(member, query)
    if "draft" in query:
        return _draft(member, query)
    if "revision" in query and "cluster" in query:
        return _revision(member.workspace, query)
    raise BadQuery("Name a draft, or two revisions of a cluster.", title="No change")


def _comparison(workspace: Workspace, query: Mapping[str, str]) -> NewSubject:
    a, b = (find_run(workspace, int_param(query, name, 0, low=0, high=INT32_MAX)) for name in ("a", "b"))
    if a.pk == b.pk:
        raise Problem("A comparison is reviewed of two runs; choose another one beside it.")
    return NewSubject(
        SubjectKind.COMPARISON,
        _short(f"{_named(a)} and {_named(b)}"),
        {"run": a, "other_run": b},
        {"a": str(a.number), "b": str(b.number)},
    )


def _named(run: Run) -> str:
    return f"run {run.number} ({run.name})" if run.name else f"run {run.number}"


def _cluster(workspace: Workspace, query: Mapping[str, str]) -> Cluster:
    cluster = Cluster.objects.filter(workspace=workspace, slug=text_param(query, "cluster", NAME_LENGTH)).first()
    if cluster is None:
        raise NotFound("This cluster does not exist in this workspace.")
    return cluster


def _of_some(subject: NewSubject, things: str, way_out: str) -> NewSubject:
    """Return the draft's change; raises Problem where it changes nothing, or more than a review holds."""
    n_changes = len(subject.columns["proposal"][things])
    if not n_changes:
        raise Problem("The draft changes nothing, so there is nothing to review.")
    if n_changes > MOST_CHANGES:
        what = "objects" if things == "changes" else things
        raise Problem(
            f"The draft changes {n_changes:,} {what}; a review of a draft holds at most {MOST_CHANGES:,}. {way_out}"
        )
    return subject


def _timeline_draft(member: Member, query: Mapping[str, str]) -> NewSubject:
    """The member's draft of a timeline, with the entries that it changes before and after."""
    slug = text_param(query, "timeline", NAME_LENGTH)
    timeline = Timeline.objects.filter(workspace=member.workspace, slug=slug).first()
    if timeline is None:
        raise NotFound("This timeline does not exist in this workspace.")
    draft = find_timeline_draft(member, timeline)
    held = OpenedTimeline(draft).entries
    pairs = [list(pair) for pair in changed_entries(held)]
    return NewSubject(
        SubjectKind.TIMELINE,
        _short(f"draft of {timeline.name} r{draft.base.number}"),
        {
            "timeline": timeline,
            "timeline_draft": draft,
            "proposal": {
                "digest": sha256(msgspec.json.encode(held.now.entries)).hexdigest(),
                "base": draft.base.number,
                "entries": pairs,
            },
        },
        {"timeline": timeline.slug, "draft": str(draft.pk)},
    )


def _draft(member: Member, query: Mapping[str, str]) -> NewSubject:
    cluster = _cluster(member.workspace, query)
    opened = OpenedDraft(find_draft(member, cluster, int_param(query, "draft", 0, low=0, high=2**53)))
    draft = opened.draft
    return NewSubject(
        SubjectKind.CLUSTER,
        _short(f"draft {draft.name} of {cluster.name} r{draft.base.number}"),
        {
            "base": draft.base,
            "draft": draft,
            "proposal": {
                "digest": opened.version.removeprefix("draft-"),
                "changes": [[*one.key, _hex(one.old), _hex(one.new)] for one in opened.changes],
            },
        },
        {"cluster": cluster.slug, "draft": str(draft.pk)},
    )


def _hex(address: bytes | None) -> str | None:
    return None if address is None else address.hex()


def _revision(workspace: Workspace, query: Mapping[str, str]) -> NewSubject:
    cluster = _cluster(workspace, query)
    number = int_param(query, "revision", 0, low=0, high=INT32_MAX)
    before = int_param(query, "base", number - 1, low=0, high=INT32_MAX)
    revision, base = (_numbered(cluster, one) for one in (number, before))
    if revision is None or (base is None and before):
        raise NotFound(f"{cluster.name} has no revision {number if revision is None else before}.")
    if base is not None and base.sha256 == revision.sha256:
        raise Problem("Both revisions hold the same objects, so there is nothing to review.")
    return NewSubject(
        SubjectKind.CLUSTER,
        _short(f"{cluster.name} r{before} → r{number}" if base else f"{cluster.name} r{number}"),
        {"base": base, "revision": revision},
        {"cluster": cluster.slug, "revision": str(number), "base": str(before)},
    )


def _numbered(cluster: Cluster, number: int) -> Revision | None:
    return Revision.objects.select_related("cluster").filter(cluster=cluster, number=number).first()


# ---------------------------------------------------------------- configurations


def _configuration(workspace: Workspace, query: Mapping[str, str]) -> NewSubject:
    """The text of a saved revision, or one that is not saved; compared with `before`, by default what is saved."""
    config = SchedulerConfig.objects.filter(
        workspace=workspace, slug=text_param(query, "configuration", NAME_LENGTH)
    ).first()
    if config is None and query.get("configuration"):
        raise NotFound("This configuration does not exist in this workspace.")
    after, label, number = _text_after(config, query)
    default = _default_before(config, number)
    before = chosen.named(workspace, text_param(query, "before", NAME_LENGTH) or default)
    if before.text == after:
        raise Problem("Both configurations are the same, so there is nothing to review.")
    named_by = {"configuration": config.slug if config else "", "before": before.name}
    named_by |= {"revision": str(number)} if number else {"text": after}
    on = text_param(query, "on", NAME_LENGTH)
    run = _effect_run(workspace, on)
    return NewSubject(
        SubjectKind.CONFIGURATION,
        _short(f"{before.label} → {label}"),
        {
            "config": config,
            "revision": run.revision if run is not None else find_newest_revision(workspace, on) if on else None,
            "proposal": {
                **({"run": [run.number, run.created_at.isoformat()]} if run is not None else {}),
                "before": before.name,
                "before_label": before.label,
                "before_text": before.text,
                "after_label": label,
                "after_text": after,
            },
        },
        named_by | {"on": on},
    )


def _text_after(config: SchedulerConfig | None, query: Mapping[str, str]) -> tuple[str, str, int]:
    """Return the text under review, what it is called, and the number of its revision, 0 for one that is not saved."""
    if config is not None and not query.get("text", "").strip():
        number = int_param(query, "revision", 0, low=0, high=INT32_MAX)
        revision = ConfigRevision.objects.filter(config=config, number=number).first()
        if revision is None:
            raise NotFound(f"{config.name} has no revision {number}.")
        return revision.text, f"{config.name} r{number}", number
    text = query.get("text", "").replace("\r\n", "\n")
    if len(text) > MOST_TEXT:
        raise Problem(f"The text has {len(text):,} characters; a review holds at most {MOST_TEXT:,}.")
    reading = read_configuration(text, UNKNOWN)
    if reading.configuration is None:
        error = next(one for one in reading.findings if one.severity == "error")
        raise Problem(f"The text is no scheduler configuration: {error.text()}")
    return text, "proposed text", 0


def _default_before(config: SchedulerConfig | None, number: int) -> str:
    if config is None:
        return chosen.DEFAULT_NAME
    revisions = ConfigRevision.objects.filter(config=config)
    if number:
        revisions = revisions.filter(number__lt=number)
    last = revisions.order_by("-number").values_list("number", flat=True).first()
    return f"{config.slug}@{last}" if last else chosen.DEFAULT_NAME


def _effect_run(workspace: Workspace, on: str) -> Run | None:
    """Return the run on which the change's effect is looked at, of "run:NUMBER"; None for a cluster or nothing."""
    if not on.startswith("run:"):
        return None
    run = find_run(workspace, int_param({"on": on.removeprefix("run:")}, "on", 0, low=0, high=INT32_MAX))
    if run.head.n_changes:
        raise Problem(f"Run {run.number} was changed on its way, so it cannot be tried otherwise; choose another one.")
    return run


def _short(text: str) -> str:
    return text if len(text) <= ABOUT_LENGTH else f"{text[: ABOUT_LENGTH - 1]}…"
