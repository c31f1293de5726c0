"""What a change of a configuration changes: fields of its table, and with a cluster the pods that it would move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.answers.questions import WhatChangesOf
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.configurations.table.differences import (
    ProfileDifference,
    counterpart,
    differences,
    settings_differences,
)
from dashboard.documents.configurations.table.effective import Effective, effective
from dashboard.review import links
from dashboard.review.findings.comparison import TURN_SECONDS
from dashboard.review.findings.groups import GROUP_LIMIT, EvidencePanel, FindingGroup, Gathered, ReviewFinding, digest
from dashboard.review.findings.pods import GROUPS_OF_PODS, cause_of, decisions_of, ends_of, key_of, name_of
from dashboard.review.queries import runs_of
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.answers.answering.comparing.what_changes import WhatChanges
    from dashboard.review.findings.asked import AnswerClock
    from dashboard.review.models import Review
    from dashboard.runs.models import Run
    from scheduler_core.compare import PodDifference

# One answer holds the first pods of every group.
MOST_PODS = 500


@dataclass(frozen=True)
class TableDifference:
    """One thing that differs between two configurations, of a profile ("" for the settings of all of them)."""

    profile: str
    one: ProfileDifference

    @property
    def key(self) -> str:
        """Return the finding's key."""
        return f"field:{digest(self.profile, self.one.plugin, self.one.place)}"

    @property
    def name(self) -> str:
        """Return which plugin, or where."""
        return self.one.plugin or self.one.place

    @property
    def value(self) -> str:
        """Return both values, after the place where a plugin has it."""
        place = f"{self.one.place}: " if self.one.plugin else ""
        return f"{place}{self.one.was} → {self.one.now}"


def table_differences(before: str, after: str) -> list[TableDifference]:
    """Return what differs between two texts, "" for the defaults: by profile, then the settings of all profiles."""
    was, now = _effective(before), _effective(after)
    out = [
        TableDifference(profile.name, one)
        for profile in now.profiles
        for one in differences(profile, counterpart(profile, was))
    ]
    names_was, names_now = ([profile.name for profile in one.profiles] for one in (was, now))
    for name in dict.fromkeys((*names_was, *names_now)):
        if (name in names_was) != (name in names_now):
            states = [("there" if name in names else "not there") for names in (names_was, names_now)]
            out.append(TableDifference(name, ProfileDifference("", "profile", *states)))
    return out + [TableDifference("", one) for one in settings_differences(now, was)]


def _effective(text: str) -> Effective:
    read = read_configuration(text, UNKNOWN).configuration if text else SchedulerConfiguration()
    return effective(read if read is not None else SchedulerConfiguration())


def of_configuration(review: Review, slug: str, clock: AnswerClock, turn: int = 0) -> Gathered:
    """Return the fields that differ and, as far as both runs are computed, the pods that end otherwise."""
    fields = table_differences(review.proposal["before_text"], review.proposal["after_text"])
    groups = []
    for profile in dict.fromkeys(one.profile for one in fields):
        mine = [one for one in fields if one.profile == profile]
        title = f"Profile {profile}" if profile else "All profiles"
        findings = [ReviewFinding(one.key, "none", "edit", one.name, one.value, "") for one in mine]
        groups.append(FindingGroup(title, findings, len(mine)))
    if review.revision is None:
        return Gathered(groups)
    run = next(iter(runs_of(review)), None)
    if run is None and "run" in review.proposal:
        return Gathered(groups, f"Run {review.proposal['run'][0]}, on which the effect was looked at, was deleted")
    asked = clock.of_revision(review.revision, lambda n: _question(review, run, n), turn)
    if asked.value is None:
        return Gathered(groups, asked.note, asked.turn, asked.is_waiting)
    answer: WhatChanges = asked.value
    on = f"run {run.number}" if run is not None else str(review.revision)
    note = "Partial: a run ended at a limit" if answer.is_partial else ""
    if not any(answer.groups.values()):
        note = f"On {on} no pod would end otherwise"
    return Gathered([*groups, *_effects(answer, run, slug)], note, asked.turn)


def _question(review: Review, run: Run | None, turn: int) -> WhatChangesOf:
    return WhatChangesOf(
        before=review.proposal["before"],
        after=review.proposal["after_text"],
        run=run.pk if run is not None else 0,
        run_made=run.created_at.isoformat() if run is not None else "",
        size=MOST_PODS,
        turn=turn,
        # Less than what a request waits: an answer that comes later says nothing to the page.
        seconds=TURN_SECONDS,
    )


def _effects(answer: WhatChanges, run: Run | None, slug: str) -> list[FindingGroup]:
    groups = []
    if answer.divergence:
        first = answer.divergence
        what = f"Event {first.seq:,} differs first"
        cycle = first.a.cycle if first.a is not None else 0
        more, said = f"{decisions_of(first)}{cause_of(first)}", cause_of(first)
        one = ReviewFinding("first-divergence", "cursor", "branch", what, more, short=said, **_at(run, slug, cycle))
        groups.append(FindingGroup("First divergence", [one], 1))
    for name, (title, *look) in GROUPS_OF_PODS.items():
        pods = [(one, said) for one, said in zip(answer.pods, answer.messages, strict=True) if one.group == name]
        findings = [
            _pod(one, said, look, _at(run, slug, one.a.cycle if one.a else 0)) for one, said in pods[:GROUP_LIMIT]
        ]
        if total := answer.groups.get(name, 0):
            groups.append(FindingGroup(title, findings, total))
    return groups


def _pod(one: PodDifference, said: str, look: Sequence[str], at: dict[str, Any]) -> ReviewFinding:
    meaning, glyph = look
    more = f"{ends_of(one)}{f': {said}' if said else ''}"
    return ReviewFinding(key_of(one), meaning, glyph, name_of(one), more, **at)


def _at(run: Run | None, slug: str, cycle: int) -> dict[str, Any]:
    """Return the address of a cycle of the run as it was recorded, before the change; nothing without a run."""
    if run is None or not cycle:
        return {"url": ""}
    url = f"{links.cycle_url(slug, run.number, cycle)}&tab=why"
    return {
        "url": url,
        "panels": (EvidencePanel(f"Before: run {run.number}", url),),
        "cycles": ((run.pk, cycle),),
    }
