"""`Run`, which is what people name and list, and `RunHead`, the narrow row that a worker writes with each chunk.

`PersonTurn` says who had a turn at the workers last: people take turns, however much each of them asks for.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.dispatch import Signal
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Revision
from dashboard.documents.models import ConfigRevision, DeclaredExtendersRevision, ExtenderTapeRevision, TimelineRevision
from scheduler_core import ENGINE_VERSION


class State(models.TextChoices):
    """The state of a run; runs in `deleting` are invisible and are removed in batches.

    A `stopped` run waits at a breakpoint or after a step (see its RunStop) until somebody continues it.
    """

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    PAUSED = "paused", "paused"
    STOPPED = "stopped", "stopped"
    CANCELLING = "cancelling", "cancelling"
    CANCELLED = "cancelled", "cancelled"
    FINISHED = "finished", "finished"
    FAILED = "failed", "failed"
    DELETING = "deleting", "deleting"


# Sent within the transaction that gives a run another name, for pages that show it.
renamed = Signal()

# No worker executes the run, and none will until somebody continues it.
STANDING = (State.PAUSED, State.STOPPED)
ENDED = (State.CANCELLED, State.FINISHED, State.FAILED)


class Schedule(models.TextChoices):
    """What a run schedules."""

    PENDING = "pending", "pending pods only"
    ALL = "all", "all pods as if none were bound"
    TIMELINE = "timeline", "a timeline"


class VisibleRuns(models.Manager["Run"]):
    """Leaves out runs that are being deleted."""

    def get_queryset(self) -> models.QuerySet[Run]:
        """Return the runs that people may see."""
        return super().get_queryset().exclude(state=State.DELETING)


class Run(models.Model):
    """One execution: its inputs, its state and, at the end, its result in figures."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True)

    revision = models.ForeignKey(Revision, on_delete=models.RESTRICT, related_name="runs")
    # None: the preset's configuration, or without one the default.
    config_revision = models.ForeignKey(ConfigRevision, on_delete=models.RESTRICT, null=True, related_name="runs")
    # A preset's name and a copy of its text, since a later version of Schedscope may change it.
    preset = models.CharField(max_length=64, blank=True)
    config_text = models.TextField(blank=True)
    # Plugins and extenders of the configuration that the run goes without, as LeftOut: they were not installed.
    left_out: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list)
    # {scheduler that no profile serves: the profile whose copy decides its pods}.
    stand_ins: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    timeline_revision = models.ForeignKey(TimelineRevision, on_delete=models.RESTRICT, null=True, related_name="runs")
    # What answers for the configuration's extenders: at most one of the two.
    tape_revision = models.ForeignKey(ExtenderTapeRevision, on_delete=models.RESTRICT, null=True, related_name="runs")
    declared_revision = models.ForeignKey(
        DeclaredExtendersRevision, on_delete=models.RESTRICT, null=True, related_name="runs"
    )
    schedule = models.CharField(max_length=10, choices=Schedule.choices, default=Schedule.ALL)
    policies: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    max_cycles = models.PositiveIntegerField(default=1_000_000)
    max_virtual_us = models.BigIntegerField(default=24 * 3600 * 1_000_000)

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    # A background run gives way to short ones.
    is_background = models.BooleanField(default=False)
    # Retention and the storage limit never delete kept runs.
    is_kept = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=200, blank=True)
    engine_version = models.CharField(max_length=100, blank=True)
    recording_hash = models.CharField(max_length=64, blank=True)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    # Since when it waits for a worker; set again when it makes way, so that equal runs take turns.
    queued_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    n_nodes = models.PositiveIntegerField(default=0)
    n_pods = models.PositiveIntegerField(default=0)
    # What there is to do: pods to schedule, and entries of the timeline.
    n_steps = models.PositiveIntegerField(default=0)

    everything: models.Manager[Run] = models.Manager()
    objects = VisibleRuns()

    class Meta:
        ordering = ["-number"]
        base_manager_name = "everything"
        default_manager_name = "objects"
        constraints = [models.UniqueConstraint(fields=["workspace", "number"], name="run_number_once")]
        indexes = [
            models.Index(
                fields=["is_background", "queued_at"],
                name="run_waiting",
                condition=models.Q(state=State.QUEUED),
            ),
            models.Index(fields=["workspace", "state", "-number"], name="run_by_state"),
            models.Index(fields=["state"], name="run_of_state", condition=~models.Q(state=State.FINISHED)),
        ]

    def __str__(self) -> str:
        return self.name or f"run {self.number}"

    @property
    def has_ended(self) -> bool:
        """Return whether the recording is complete."""
        return self.state in ENDED

    @property
    def is_live(self) -> bool:
        """Return whether the recording may grow without anybody doing anything."""
        return self.state in (State.QUEUED, State.RUNNING, State.CANCELLING)

    @property
    def standing(self) -> str:
        """Return where a stopped run is stopped: "stopped at breakpoint NAME"; "" if it is not stopped."""
        if self.state != State.STOPPED:
            return ""
        stop = getattr(self, "stop", None)
        return str(stop) if stop is not None else str(State.STOPPED.label)

    @property
    def is_of_another_engine(self) -> bool:
        """Return whether another engine version began the run, so that this one cannot continue it."""
        return bool(self.engine_version) and self.engine_version != ENGINE_VERSION

    @property
    def is_branch(self) -> bool:
        """Return whether the run is a branch of another one."""
        return hasattr(self, "branch")

    @property
    def can_start_anew(self) -> bool:
        """Return whether the run cannot be finished, while a new run with its inputs could."""
        return self.is_of_another_engine and self.state in (*STANDING, State.FAILED, State.CANCELLED)


class RunHead(models.Model):
    """The progress of a run, its lease, and requests to its worker. Times are from the database's clock.

    `seq` is the number of committed events, `cycle` the number of the last cycle started (0: none), `at_us` the virtual
    time in microseconds.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="head")
    seq = models.BigIntegerField(default=0)
    cycle = models.PositiveIntegerField(default=0)
    at_us = models.BigIntegerField(default=0)

    # Grows with each claim; a writer with an older epoch has lost the run.
    lease_epoch = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    pause_requested = models.BooleanField(default=False)
    cancel_requested = models.BooleanField(default=False)
    # Changes at the run's head (RunChange): whether some wait, and how many were carried out.
    changes_wait = models.BooleanField(default=False)
    n_changes = models.PositiveIntegerField(default=0)
    # The cycle after which a step ends; 0: the run is not stepped.
    step_to_cycle = models.PositiveIntegerField(default=0)
    # How often a worker died on this run since the head last moved.
    recoveries = models.PositiveSmallIntegerField(default=0)
    recovered_seq = models.BigIntegerField(default=-1)
    # How often chunks were replaced after a resume; readers that keep chunks compare it.
    rewrites = models.PositiveIntegerField(default=0)

    # Steps done of the run's n_steps; more if pods are evicted and scheduled again.
    steps_done = models.PositiveIntegerField(default=0)
    scheduled = models.PositiveIntegerField(default=0)
    unschedulable = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    bound = models.PositiveIntegerField(default=0)
    pending = models.PositiveIntegerField(default=0)
    preemptions = models.PositiveIntegerField(default=0)
    victims = models.PositiveIntegerField(default=0)
    size_bytes = models.BigIntegerField(default=0)
    # The first cycle that asked for what is not on the run's tape (0: none), and what that was.
    left_tape_cycle = models.PositiveIntegerField(default=0)
    left_tape_reason = models.CharField(max_length=500, blank=True)
    # Seconds that workers spent on it.
    busy_seconds = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return f"head of run {self.run_id} at {self.seq}"


class PersonTurn(models.Model):
    """A person (a user in a workspace) and the number of their latest turn, larger for later ones.

    `person` is the user's id, 0 for those who are gone.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.BigIntegerField()
    turn = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "person"], name="turn_once_per_person")]
        indexes = [models.Index(fields=["-turn"], name="turn_latest")]

    def __str__(self) -> str:
        return f"turn {self.turn} of person {self.person}"


class ClockLook(models.Model):
    """What a worker saw of its host's clock (`lifecycle.clock`): the latest look of each boot.

    `seen_at` is the wall clock in seconds since 1970, `offset` what it is ahead of the clock that cannot be set,
    `set_at` the latter's time of the last jump, None without one.
    """

    boot = models.CharField(max_length=64)
    seen_at = models.FloatField()
    offset = models.FloatField()
    set_at = models.FloatField(null=True)

    def __str__(self) -> str:
        return f"look at the clock of boot {self.boot}"
