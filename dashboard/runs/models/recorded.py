"""The recording of a run in rows, with the keys (run, seq) or (run, cycle).

The run's single writer gives these keys, and they are the same in every execution; generated keys would only take
space. Rows are written in the transaction that moves the run's head, which a deleted run no longer has, so no foreign
key is checked per row.
"""

from __future__ import annotations

from django.db import models

from dashboard.runs.models.run import Run

# A pod's key is namespace/name: 63 + 1 + 253 characters.
KEY_LENGTH = 320
NODE_LENGTH = 253
PLUGIN_LENGTH = 100


class RecordingRow(models.Model):
    """Base of the recording's tables; the module's docstring describes the keys."""

    class Meta:
        abstract = True


def of_run() -> models.ForeignKey[Run, Run]:
    """Return the reference to the run, the first part of every key here."""
    return models.ForeignKey(Run, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")


def of_later_pod() -> models.TextField[str | None, str | None]:
    """Return the uid of a pod that is not the first of its name in the run; null for the first.

    Null, since SQLite adds such a column without copying the table.
    """
    return models.TextField(null=True, blank=True)


class RecordingChunk(RecordingRow):
    """Events first_seq .. first_seq + n_events - 1 with the frames of their cycles, packed by the core's codecs.

    `reasons` is MessagePack: the reasons that this chunk adds to the run's table of reasons. The wide columns come
    last, since a database that stores a row as a chain of pages then reads the narrow ones without following it. A
    worker that resumed from a keyframe replaces the chunks after it, since only their events are the same again, not
    their packing.
    """

    pk = models.CompositePrimaryKey("run_id", "index")
    run = of_run()
    index = models.PositiveIntegerField()
    first_seq = models.BigIntegerField()
    n_events = models.PositiveIntegerField()
    first_cycle = models.PositiveIntegerField()
    n_cycles = models.PositiveIntegerField()
    first_at_us = models.BigIntegerField()
    last_at_us = models.BigIntegerField()
    codec = models.PositiveSmallIntegerField()
    format_version = models.PositiveSmallIntegerField()
    hash = models.CharField(max_length=64)
    size_bytes = models.PositiveIntegerField()
    reasons = models.BinaryField()
    frame_index = models.BinaryField()
    events = models.BinaryField()
    frames = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["run", "first_seq"], name="chunk_by_seq")]

    def __str__(self) -> str:
        return f"chunk {self.index} of run {self.run_id}"


class RecordingKeyframe(RecordingRow):
    """The state from which a run is restored, branched or resumed at `seq`; seq 0 is its start. `chunk` is the index of
    the next chunk.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    chunk = models.PositiveIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"keyframe of run {self.run_id} at {self.seq}"


class Cycle(RecordingRow):
    """One scheduling cycle: the pod, the outcome, and how close the decision was.

    Scores are null if nothing was scored or there was no runner-up; `margin` is the winner's lead.
    """

    pk = models.CompositePrimaryKey("run_id", "number")
    run = of_run()
    number = models.PositiveIntegerField()
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    pod = models.CharField(max_length=KEY_LENGTH)
    attempt = models.PositiveIntegerField()
    profile = models.CharField(max_length=NODE_LENGTH)
    priority = models.IntegerField()
    template = models.BigIntegerField()
    outcome = models.CharField(max_length=14)
    node = models.CharField(max_length=NODE_LENGTH)
    message = models.TextField()
    n_nodes = models.PositiveIntegerField()
    visited = models.PositiveIntegerField()
    feasible = models.PositiveIntegerField()
    total = models.BigIntegerField(null=True)
    second_node = models.CharField(max_length=NODE_LENGTH)
    second_total = models.BigIntegerField(null=True)
    margin = models.BigIntegerField(null=True)
    tie_count = models.PositiveIntegerField()
    at_us = models.BigIntegerField()
    preempting = models.BooleanField()
    pod_uid = of_later_pod()

    class Meta:
        indexes = [
            models.Index(fields=["run", "pod", "number"], name="cycle_by_pod"),
            models.Index(fields=["run", "node", "number"], name="cycle_by_node"),
            models.Index(fields=["run", "outcome", "number"], name="cycle_by_outcome"),
            models.Index(fields=["run", "first_seq"], name="cycle_by_seq"),
        ]

    def __str__(self) -> str:
        return f"cycle {self.number} of run {self.run_id}"


class PluginScore(RecordingRow):
    """One score plugin in one cycle: points of winner and runner-up (null: none), their spread over all nodes, whether
    it decided.
    """

    pk = models.CompositePrimaryKey("run_id", "cycle", "plugin")
    run = of_run()
    cycle = models.PositiveIntegerField()
    plugin = models.CharField(max_length=PLUGIN_LENGTH)
    weight = models.IntegerField()
    raw_winner = models.BigIntegerField()
    norm_winner = models.BigIntegerField()
    raw_second = models.BigIntegerField(null=True)
    norm_second = models.BigIntegerField(null=True)
    norm_min = models.BigIntegerField()
    norm_max = models.BigIntegerField()
    norm_mean = models.FloatField()
    decided = models.BooleanField()

    class Meta:
        indexes = [
            models.Index(fields=["run", "plugin", "cycle"], name="score_that_decided", condition=models.Q(decided=True))
        ]

    def __str__(self) -> str:
        return f"{self.plugin} in cycle {self.cycle}"


class PluginVerdict(RecordingRow):
    """The number of nodes that a plugin was the first to refuse in a cycle, by status code and set of reasons (joined
    by ", ").
    """

    pk = models.CompositePrimaryKey("run_id", "cycle", "position")
    run = of_run()
    cycle = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField()
    plugin = models.CharField(max_length=PLUGIN_LENGTH)
    code = models.PositiveSmallIntegerField()
    reasons = models.TextField()
    nodes = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["run", "plugin", "cycle"], name="verdict_by_plugin")]

    def __str__(self) -> str:
        return f"{self.plugin} refused {self.nodes} nodes in cycle {self.cycle}"


class QueueMove(RecordingRow):
    """A pod's move from one queue to another; an empty source or target is outside of the queues."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    at_us = models.BigIntegerField()
    pod = models.CharField(max_length=KEY_LENGTH)
    source = models.CharField(max_length=14)
    target = models.CharField(max_length=14)
    event = models.CharField(max_length=100)
    plugin = models.CharField(max_length=PLUGIN_LENGTH)
    attempts = models.PositiveIntegerField()
    backoff_until_us = models.BigIntegerField(null=True)
    pod_uid = of_later_pod()

    class Meta:
        indexes = [models.Index(fields=["run", "pod", "seq"], name="move_by_pod")]

    def __str__(self) -> str:
        return f"{self.pod}: {self.source or 'outside'} to {self.target or 'outside'}"


class Preemption(RecordingRow):
    """The result of a preemption; without a candidate `node` is empty and the counts are 0.

    `victim_priority` is the highest among the victims; null without victims, and in runs recorded before it existed.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    at_us = models.BigIntegerField()
    pod = models.CharField(max_length=KEY_LENGTH)
    eligible = models.BooleanField()
    node = models.CharField(max_length=NODE_LENGTH)
    criterion = models.CharField(max_length=60)
    message = models.TextField()
    candidates = models.PositiveIntegerField()
    victims = models.PositiveIntegerField()
    violations = models.PositiveIntegerField()
    pod_uid = of_later_pod()
    victim_priority = models.IntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["run", "cycle"], name="preemption_by_cycle")]

    def __str__(self) -> str:
        return f"preemption by {self.pod}"


class Victim(RecordingRow):
    """A pod on the chosen node that a preemption evicted, most important first, or that it spared (`reprieved`)."""

    pk = models.CompositePrimaryKey("run_id", "seq", "position")
    run = of_run()
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    preemptor = models.CharField(max_length=KEY_LENGTH)
    node = models.CharField(max_length=NODE_LENGTH)
    pod = models.CharField(max_length=KEY_LENGTH)
    position = models.PositiveIntegerField()
    reprieved = models.BooleanField()
    pod_uid = of_later_pod()

    class Meta:
        indexes = [models.Index(fields=["run", "pod"], name="victim_by_pod")]

    def __str__(self) -> str:
        return f"{self.pod} {'spared' if self.reprieved else 'evicted'} for {self.preemptor}"


class PluginTraceback(RecordingRow):
    """The traceback of a plugin's exception at event `seq`; stored for the first exception of each kind."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    text = models.TextField()

    def __str__(self) -> str:
        return f"traceback of event {self.seq} of run {self.run_id}"
