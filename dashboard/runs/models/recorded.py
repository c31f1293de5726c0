"""What is recorded of a run: keyed by (run, seq) or (run, cycle).

These are given by the run's single writer and are the same in every execution; a key of the database's own would only
cost space. Rows are written in the transaction that moves the run's head, which a deleted run does not have any more,
so they need no foreign-key check per row.
"""

from __future__ import annotations

from django.db import models

from dashboard.runs.models.run import Run

# A pod's key is namespace/name: 63 + 1 + 253 characters.
KEY_LENGTH = 320
NODE_LENGTH = 253
PLUGIN_LENGTH = 100


class RecordingRow(models.Model):
    """Base of the recording's tables; see the module's words on keys."""

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
    """Events first_seq .. first_seq + n_events - 1 with the frames of their cycles, as the core's codecs packed them.

    `reasons` is the MessagePack of what the run's reason table grew by. The wide columns are last: a database that
    stores rows as a chain of pages reads the narrow ones without walking over them. A worker that resumed from a
    keyframe replaces the chunks behind it, since only their events are the same again, not their packing.
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
    """Everything that restores, branches and resumes a run at `seq`: seq 0 is its start. `chunk` is the next index."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    chunk = models.PositiveIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"keyframe of run {self.run_id} at {self.seq}"


class Cycle(RecordingRow):
    """One scheduling cycle in a row: what was tried, what came of it, how close it was.

    Scores are null where nothing was scored or no runner-up exists; `margin` is the winner's lead.
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
    """One score plugin in one cycle: winner, runner-up (null: none), the spread over all nodes, whether it decided."""

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
    """How many nodes a plugin was first to refuse in a cycle, with one code and one set of reasons, joined by ", "."""

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
    """A pod changed its place in the queue; an empty source or target is outside of it."""

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
    """What a preemption decided; `node` is empty and the counts are 0 where no candidate was chosen.

    `victim_priority` is the highest among the victims; null without victims, and in runs of before it was recorded.
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
    """A pod on the chosen node that a preemption evicted, most important first, or (`reprieved`) spared."""

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
    """The traceback of a plugin's exception, told by the event `seq`; kept for the first of each kind."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = of_run()
    seq = models.BigIntegerField()
    text = models.TextField()

    def __str__(self) -> str:
        return f"traceback of event {self.seq} of run {self.run_id}"
