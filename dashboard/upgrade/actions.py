"""Asking what an upgrade changes, and cancelling that: for those who may edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Case, F, Q, When
from django.db.models.functions import Now

from dashboard.accounts.access import require
from dashboard.accounts.models import Role, Workspace
from dashboard.answers.registry import code_version
from dashboard.common.problems import Problem
from dashboard.runs import chosen
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import waiting
from dashboard.upgrade.models import StoredUpgrade
from dashboard.upgrade.queries import report_numbered
from scheduler_core import ENGINE_VERSION
from scheduler_core.compare.upgrade.report import version_side
from scheduler_core.simulate import ProfileError, check_profiles
from scheduler_core.versions.detecting import ClusterVersion
from scheduler_core.versions.gates import GateError, gates_text, read_gates
from scheduler_core.versions.trains import VersionError

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import TimelineRevision
    from dashboard.runs.chosen import ChosenConfiguration

TASK = "dashboard.upgrade.tasks.compute"
DOING = "compare versions here"
# A workspace may have at most this many reports that have not ended.
MOST_ASKED = 10
KEPT_ENDED = timedelta(days=1)
TOO_MANY = f"{MOST_ASKED} upgrade reports of this workspace have not ended. Wait for one, or cancel one."
MOST_CYCLES = 20_000
"""Each run of a report ends after this many cycles."""


@dataclass(frozen=True)
class AskedVersion:
    """A version of Kubernetes and its feature gates, as people write both."""

    kubernetes: str
    gates: str = ""


@dataclass(frozen=True)
class UpgradeSubject:
    """What is compared: a revision with a configuration, a timeline or the revision's own pods, and a seed."""

    revision: Revision
    before: AskedVersion
    after: AskedVersion
    config: ChosenConfiguration
    timeline: TimelineRevision | None = None
    seed: int = 0

    @property
    def policies(self) -> dict[str, Any]:
        """Return the policies of both runs, before each has its version."""
        return self.config.policies_in(ClusterVersion())

    @property
    def key(self) -> str:
        """Return the digest of all that decides the report."""
        config, timeline = self.config, self.timeline
        parts = (
            (self.revision.pk, self.revision.sha256),
            (self.before, self.after),
            (config.sha256, sorted(self.policies.items())),
            None if timeline is None else timeline.pk,
            (self.seed, MOST_CYCLES, ENGINE_VERSION, code_version()),
        )
        return sha256(repr(parts).encode()).hexdigest()


def subject_of(
    revision: Revision,
    versions: tuple[AskedVersion, AskedVersion],
    config: str,
    timeline: TimelineRevision | None,
    seed: int,
) -> UpgradeSubject:
    """Return what is to be compared; raises NotFound for an unknown configuration, Problem for a version, a gate or a
    configuration that is none."""
    before, after = (_checked(one) for one in versions)
    configuration = chosen.named(revision.cluster.workspace, config or chosen.DEFAULT_NAME)
    try:
        check_profiles(configuration.typed())
    except (InputError, ProfileError) as problem:
        raise Problem(str(problem), title="It cannot be compared", status=400) from problem
    return UpgradeSubject(revision, before, after, configuration, timeline, seed)


def _checked(asked: AskedVersion) -> AskedVersion:
    try:
        side = version_side(asked.kubernetes.strip(), gates_text(read_gates(asked.gates.strip())))
    except (VersionError, GateError) as problem:
        raise Problem(str(problem), title="It cannot be compared", status=400) from problem
    return AskedVersion(side.kubernetes, side.gates)


def ask_upgrade(member: Member, subject: UpgradeSubject) -> StoredUpgrade:
    """Return the report, begun where nobody asked for it or where it failed or was cancelled.

    Raises Forbidden for members who may not edit, Problem where too many have not ended.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        # One after the other: what is asked for twice at once is one report, and the limit is kept.
        Workspace.objects.select_for_update().get(pk=member.workspace_id)
        mine = StoredUpgrade.objects.filter(workspace=member.workspace)
        mine.filter(ended_at__lt=Now() - KEPT_ENDED, data=None).delete()
        same = mine.filter(key=subject.key)
        stored = same.filter(Q(ended_at=None, is_cancelled=False) | Q(data__isnull=False, is_cancelled=False)).first()
        if stored is not None:
            return stored
        if mine.filter(ended_at=None).count() >= MOST_ASKED:
            raise Problem(TOO_MANY, title="Too much is being computed", status=429)
        same.delete()
        row = StoredUpgrade.objects.create(author=member.user, **_fields(subject))
    waiting.wake_task(TASK)
    return row


def cancel(member: Member, cluster: str, number: int) -> StoredUpgrade:
    """Cancel a report, anybody's: one that waits ends, a worker ends one under way and stores what is done. One that
    has ended stays as it is. Raises Forbidden, NotFound."""
    require(member, Role.EDITOR, DOING)
    row = report_numbered(member.workspace, cluster, number)
    going = StoredUpgrade.objects.filter(pk=row.pk, ended_at=None, is_cancelled=False)
    ends = Case(When(claimed_at=None, then=Now()), default=F("ended_at"))
    going.update(is_cancelled=True, cancelled_by=member.user, ended_at=ends)
    return report_numbered(member.workspace, cluster, number)


def _fields(subject: UpgradeSubject) -> dict[str, object]:
    return {
        "workspace": subject.revision.cluster.workspace,
        "key": subject.key,
        "revision": subject.revision,
        "before": subject.before.kubernetes,
        "before_gates": subject.before.gates,
        "after": subject.after.kubernetes,
        "after_gates": subject.after.gates,
        "config": subject.config.name,
        "config_label": subject.config.label[:200],
        "timeline": subject.timeline,
        "seed": subject.seed,
        "without": list(subject.config.extenders_not_asked),
    }
