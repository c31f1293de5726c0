"""The configuration with which a cluster's pages are computed: that of its newest run, unless another one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from django.db.models import Q

from dashboard.clusters.revisions.contents import cluster_version
from dashboard.common.problems import NotFound
from dashboard.documents.configurations import presets
from dashboard.documents.configurations.checking import extenders_in, read_configuration
from dashboard.documents.extenders.tape_page import public_address
from dashboard.documents.models import ConfigRevision
from dashboard.runs import actions
from dashboard.runs.actions import Launch, answer_fields
from dashboard.runs.inputs import InputError, extender_answers, ignored_inputs
from dashboard.runs.models import Run, Schedule, State
from dashboard.runs.policies import OF_NEW_RUNS
from scheduler_core import ENGINE_VERSION
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.manifests import leave_out_again
from scheduler_core.versions.detecting import followed

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member, Workspace
    from dashboard.clusters.models import Cluster, Revision
    from dashboard.documents.extenders.answering import ExtenderAnswers
    from scheduler_core.api.objects import ClusterObjects
    from scheduler_core.manifests import LeftOut
    from scheduler_core.versions.detecting import ClusterVersion

DEFAULT_NAME = "default"
# A run in one of these states has a result, or will have one without anybody doing anything.
USABLE = (State.QUEUED, State.RUNNING, State.FINISHED)


@dataclass(frozen=True)
class ChosenConfiguration:
    """A saved configuration's revision, a preset by name, or neither: kube-scheduler's defaults.

    `left_out` are the plugins and extenders that the newest run with this revision ignores, since they are not
    installed here, and `answers` what answers for extenders in it.
    """

    revision: ConfigRevision | None = None
    preset: str = ""
    left_out: tuple[LeftOut, ...] = ()
    answers: ExtenderAnswers | None = None

    @property
    def name(self) -> str:
        """Return the value of `?config=` that names it."""
        if self.revision is not None:
            return f"{self.revision.config.slug}@{self.revision.number}"
        return f"preset:{self.preset}" if self.preset else DEFAULT_NAME

    @property
    def label(self) -> str:
        """Return its name for people."""
        if self.revision is not None:
            return f"{self.revision.config.name} r{self.revision.number}"
        return self.preset or "kube-scheduler defaults"

    @cached_property
    def text(self) -> str:
        """Return its YAML, "" for the defaults."""
        if self.revision is not None:
            return self.revision.text
        return presets.available()[self.preset].text if self.preset else ""

    def policies_on(self, revision: Revision) -> dict[str, Any]:
        """Return the policies of a new run with it that answers about a cluster; reads the revision's objects."""
        return self.policies_in(cluster_version(revision))

    def policies_in(self, version: ClusterVersion) -> dict[str, Any]:
        """Return the policies with it in a cluster that runs a version: those that a preset sets, and what each new run
        stores. What the cluster runs counts before what a preset names."""
        preset = presets.available()[self.preset].policies if self.preset else {}
        followed = {"kubernetes": version.train}
        return {**OF_NEW_RUNS, **followed, **preset, **(followed if version.source != "nothing" else {})}

    def followed_text(self, revision: Revision) -> str:
        """Return which version is followed with it on a cluster, with its evidence, and what it was taken from."""
        version = cluster_version(revision)
        return f"{followed(self.policies_in(version)['kubernetes'])}; {version.origin}"

    @property
    def sha256(self) -> str:
        """Return a hash of its content."""
        without = "".join(f"\nwithout {one.kind} {one.name}" for one in self.left_out)
        return sha256(f"{self.preset}\n{self.text}{without}".encode()).hexdigest()

    @cached_property
    def extenders_not_asked(self) -> tuple[str, ...]:
        """Return the addresses of the extenders that `typed` leaves out, without users and passwords."""
        return tuple(public_address(one.url_prefix) for one in extenders_in(self.text)) if self.text else ()

    def typed(self) -> SchedulerConfiguration:
        """Return the parsed configuration without its extenders, which are asked in runs only; raises InputError."""
        if not self.text:
            return SchedulerConfiguration()
        without = msgspec.structs.replace(leave_out_again(self.left_out), extenders=True)
        reading = read_configuration(self.text, without)
        if reading.configuration is None:
            wrong = "; ".join(finding.text() for finding in reading.findings[:5])
            raise InputError(f"{self.label} is no scheduler configuration: {wrong}")
        return reading.configuration

    def usable_runs(self, revision: Revision) -> QuerySet[Run]:
        """Return the revision's runs with this configuration and this engine version, finished or still to finish,
        newest first.
        """
        return Run.objects.filter(
            Q(engine_version="") | Q(engine_version=ENGINE_VERSION),
            revision=revision,
            config_revision=self.revision,
            preset=self.preset,
            stand_ins={},
            left_out=msgspec.to_builtins(list(self.left_out)),
            **answer_fields(self.answers),
            state__in=USABLE,
        ).order_by("-number")

    def run_pending(self, member: Member, revision: Revision, name: str, policies: dict[str, Any] | None = None) -> Run:
        """Return a new background run of the revision's pending pods with this configuration.

        Raises Forbidden, and Problem if it cannot be run.
        """
        return self.prepare_pending(member, revision, name, policies)(revision)

    def prepare_pending(
        self,
        member: Member,
        revision: Revision,
        name: str,
        policies: dict[str, Any] | None = None,
        objects: ClusterObjects | None = None,
    ) -> Callable[[Revision], Run]:
        """Return what makes such a run of the revision, or, where `objects` are given, of one that is stored with these
        in the cluster of `revision`, which is no row."""
        launch = Launch(
            revision=revision,
            config=self.revision,
            preset=self.preset,
            leaves_out=bool(self.left_out),
            answers=self.answers,
            schedule=Schedule.PENDING,
            policies=policies or {},
            name=name[:120],
            is_background=True,
        )
        return actions.prepare_run(member, launch, objects)


def of_cluster(cluster: Cluster) -> ChosenConfiguration:
    """Return the configuration of the cluster's newest run, the defaults if there is no run."""
    runs = Run.objects.filter(revision__cluster=cluster).select_related("config_revision__config")
    # Such a run may have another configuration than the one that is usual for the cluster.
    newest = runs.exclude(policies__has_key="decide_anew").order_by("-number").first()
    return ChosenConfiguration() if newest is None else of_run(newest)


def of_run(run: Run) -> ChosenConfiguration:
    """Return the configuration of a run, or the defaults if its preset does not exist any more."""
    preset = run.preset if run.preset in presets.available() else ""
    return ChosenConfiguration(run.config_revision, preset, ignored_inputs(run), extender_answers(run))


def named(workspace: Workspace, name: str) -> ChosenConfiguration:
    """Return the configuration that `?config=` names: SLUG is the newest revision of a saved one, SLUG@NUMBER that
    revision; raises NotFound.
    """
    if name == DEFAULT_NAME:
        return ChosenConfiguration()
    kind, _, preset = name.partition(":")
    if kind == "preset" and preset in presets.available():
        return ChosenConfiguration(preset=preset)
    slug, _, number = name.partition("@")
    revisions = ConfigRevision.objects.select_related("config").filter(config__workspace=workspace, config__slug=slug)
    if number:
        revisions = revisions.filter(number=int(number) if number.isdecimal() and len(number) < 10 else 0)
    revision = revisions.order_by("-number").first()
    if revision is None:
        raise NotFound("This configuration does not exist in this workspace.")
    newest_run = Run.objects.filter(config_revision=revision).order_by("-number").first()
    if newest_run is None:
        return ChosenConfiguration(revision)
    return ChosenConfiguration(revision, left_out=ignored_inputs(newest_run), answers=extender_answers(newest_run))
