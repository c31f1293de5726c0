"""Data derived from a run's recording, which can be computed again: outcomes, preparations, the index of events,
metrics.
"""

from __future__ import annotations

from django.db import models

from dashboard.runs.models.recorded import NODE_LENGTH, PLUGIN_LENGTH, RecordingRow, of_run


class RunOutcomes(RecordingRow):
    """Summary of a run's pods at event `seq` (`scheduler_core.explain.outcomes`).

    `version` is the version of its format: a summary of another version is computed again.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    version = models.PositiveSmallIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"outcomes of run {self.run_id} at {self.seq}"


class Preparation(RecordingRow):
    """Data that a worker prepares for pages of a run: requested by a page, computed by a task.

    `asked_at` is None if nobody waits for it, `asked_by` the id of the user who asked (0: nobody in particular),
    `claimed_at` None while no worker computes it. `head` is the run's head at the request, `seq` the worker's progress
    (None: it reads the inputs), `seconds` the duration of the last computation, `error` why it failed.
    """

    class Kind(models.TextChoices):
        """Kinds of preparations: outcomes (`storage.outcomes`), the index of events (`debugger.events`)."""

        OUTCOMES = "outcomes", "outcomes"
        EVENTS = "events", "events"

    pk = models.CompositePrimaryKey("run_id", "kind")
    run = of_run()
    kind = models.CharField(max_length=20, choices=Kind.choices)
    asked_at = models.DateTimeField(null=True)
    asked_by = models.BigIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    head = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(null=True)
    seconds = models.FloatField(default=0.0)
    error = models.TextField(default="")

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id} at {self.head}"


class EventIndexPiece(RecordingRow):
    """Columns of the events first_seq .. end_seq - 1, as `debugger.events` packs them.

    `version` is the version of their format: columns of another version are computed again.
    """

    pk = models.CompositePrimaryKey("run_id", "first_seq")
    run = of_run()
    first_seq = models.BigIntegerField()
    end_seq = models.BigIntegerField()
    version = models.PositiveSmallIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"events {self.first_seq} to {self.end_seq} of run {self.run_id}"


class RunFigure(RecordingRow):
    """A metric of a run for /metrics: a `count` by up to three labels; histograms also have a sum (`seconds`, or what
    else is counted) and buckets.

    Written as absolute values by the run's single writer. The metrics of deleted runs are added up under run 0, so that
    counters never decrease. Durations are measured, not recorded: a part of the run that is executed again is not
    measured again.
    """

    class Family(models.TextChoices):
        """What is counted, and the labels in their order."""

        INCOMING = "incoming", "pods put into a queue: queue, event"
        ATTEMPTS = "attempts", "cycles: result, profile"
        POINT = "point", "durations of a point: extension point, status, profile"
        PLUGIN = "plugin", "durations of a plugin: plugin, extension point, status"
        TRIES = "tries", "attempts of bound pods"
        SLI = "sli", "virtual time from a pod's first entry into activeQ until it is bound: attempts"
        PENDING = "pending", "pods in a queue at the head: queue"
        VICTIMS = "victims", "victims of a preemption"
        PREEMPTS = "preempts", "decisions of preemption"

    pk = models.CompositePrimaryKey("run_id", "family", "first", "second", "third")
    run_id = models.BigIntegerField()
    family = models.CharField(max_length=8, choices=Family.choices)
    first = models.CharField(max_length=PLUGIN_LENGTH)
    second = models.CharField(max_length=NODE_LENGTH)
    third = models.CharField(max_length=NODE_LENGTH, blank=True)
    count = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    # [[upper bound in seconds, observations up to it], ...]
    buckets = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.family} {self.first} {self.second}: {self.count}"
