"""What follows from a run's recording and can be made again: outcomes, preparations, the index of events, figures."""

from __future__ import annotations

from django.db import models

from dashboard.runs.models.recorded import NODE_LENGTH, PLUGIN_LENGTH, RecordingRow, of_run


class RunOutcomes(RecordingRow):
    """How the pods of a run stood at event `seq`, summed up (`scheduler_core.explain.outcomes`).

    It follows from the recording. `version` is that of its format: what has another one is computed again.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    version = models.PositiveSmallIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"outcomes of run {self.run_id} at {self.seq}"


class Preparation(RecordingRow):
    """What a worker prepares of a run's recording for its pages, and how far it is: asked for by pages, done by a task.

    `asked_at` is None where nobody waits for it, `claimed_at` while no worker does it. `head` is how far the recording
    was when it was asked for, `seq` how far the worker is (None: it reads the inputs), `seconds` what it took last,
    `error` why it cannot be had.
    """

    class Kind(models.TextChoices):
        """What can be prepared: outcomes (`storage.outcomes`), the index of events (`debugger.events`)."""

        OUTCOMES = "outcomes", "outcomes"
        EVENTS = "events", "events"

    pk = models.CompositePrimaryKey("run_id", "kind")
    run = of_run()
    kind = models.CharField(max_length=20, choices=Kind.choices)
    asked_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    head = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(null=True)
    seconds = models.FloatField(default=0.0)
    error = models.TextField(default="")

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id} at {self.head}"


class EventIndexPiece(RecordingRow):
    """Columns of the events first_seq .. end_seq - 1, as `debugger.events` packs them; they follow from the recording.

    `version` is that of the format: what has another one is read again.
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
    """A total of a run for /metrics: `count` of something by up to three labels, durations with seconds and buckets.

    Written absolutely by the run's single writer. The figures of deleted runs are added up under run 0, so that
    counters never fall. Durations are measured, not recorded: a re-executed stretch is not measured again.
    """

    class Family(models.TextChoices):
        """What is counted, and the labels in their order."""

        INCOMING = "incoming", "pods put into a queue: queue, event"
        ATTEMPTS = "attempts", "cycles: result, profile"
        POINT = "point", "durations of a point: extension point, status, profile"
        PLUGIN = "plugin", "durations of a plugin: plugin, extension point, status"

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
