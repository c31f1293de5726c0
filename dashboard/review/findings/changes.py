"""What a change of a cluster or timeline changes: objects or entries by kind, each with the fields that differ."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.clusters.revisions.diff import ObjectChange, diff_revisions
from dashboard.clusters.revisions.object_changes import ShownChange, shown_changes
from dashboard.clusters.revisions.object_keys import Key
from dashboard.documents.timelines.drafts.named_changes import named_changes
from dashboard.review.findings.groups import FindingGroup, Gathered, ReviewFinding, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.review.models import Review

# Many objects of a kind change alike; the page of the difference lists all of them.
LISTED_OF_A_KIND = 30
_LOOKS = {"added": ("bound", "plus"), "changed": ("none", "edit"), "removed": ("unsched", "dash")}


def changes_in(review: Review) -> list[ObjectChange]:
    """Return what the reviewed change changes: of a draft as it was put up for review, or of a revision."""
    if "entries" in review.proposal:
        return [one.change for one in named_changes(review.proposal["entries"])]
    if "changes" in review.proposal:
        return [
            ObjectChange(Key(kind, namespace, name), _address(old), _address(new))
            for kind, namespace, name, old, new in review.proposal["changes"]
        ]
    return diff_revisions(review.base, review.revision) if review.revision else []


def of_change(review: Review, slug: str) -> Gathered:
    """Return what is changed by kind."""
    changes = sorted(changes_in(review), key=lambda one: one.key)
    url = change_url(review, slug)
    groups = []
    for kind, members in groupby(changes, key=lambda one: one.key.kind):
        alike = list(members)
        shown = _shown(review, alike[:LISTED_OF_A_KIND])
        groups.append(FindingGroup(kind, [_finding(one, url) for one in shown], len(alike)))
    return Gathered(groups)


def change_of(review: Review, key: str) -> ShownChange | None:
    """Return the change that the finding `key` is about, None where there is none."""
    one = changes_by_key(review).get(key)
    return _shown(review, [one])[0] if one is not None else None


def changes_by_key(review: Review) -> dict[str, ObjectChange]:
    """Return what is changed by the keys of its findings."""
    return {_key(one): one for one in changes_in(review)}


def _shown(review: Review, changes: Sequence[ObjectChange]) -> list[ShownChange]:
    """Entries of a timeline are in the review itself, objects in the store of the workspace."""
    if "entries" not in review.proposal:
        return shown_changes(review.workspace_id, changes)
    named = {one.change.key: one for one in named_changes(review.proposal["entries"])}
    return [named[one.key].shown for one in changes]


def change_url(review: Review, slug: str) -> str:
    """Return the address of the page that shows the change, "" where it is gone."""
    if review.revision is not None:
        cluster = {"slug": slug, "cluster": review.revision.cluster.slug}
        query = f"?from={review.base.number if review.base else 0}&to={review.revision.number}"
        return f"{reverse('clusters:diff', kwargs=cluster)}{query}"
    if review.timeline is not None:
        # Nobody but its author opens the draft of a timeline.
        timeline = reverse("clusters:timeline", kwargs={"slug": slug, "timeline": review.timeline.slug})
        return f"{timeline}?r={review.proposal['base']}"
    if review.draft is not None:
        draft = {"slug": slug, "cluster": review.draft.cluster.slug, "draft_id": review.draft.pk}
        return reverse("clusters:draft", kwargs=draft)
    return ""


def _finding(one: ShownChange, url: str) -> ReviewFinding:
    meaning, glyph = _LOOKS[one.change.what]
    name = one.change.key.name
    if one.fields:
        first = one.fields[0]
        rest = len(one.fields) + one.left_out - 1
        more = f"{first.path}: {first.before or 'not set'} → {first.after or 'not set'}"
        more += f", {rest:,} more field{'s' if rest > 1 else ''}" if rest else ""
    else:
        more = f"{one.change.what}, {one.text.added} lines added, {one.text.removed} removed"
    return ReviewFinding(_key(one.change), meaning, glyph, name, more, url)


def _key(one: ObjectChange) -> str:
    return f"object:{digest(*one.key)}"


def _address(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
