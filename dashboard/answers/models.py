"""What answer workers did, for /metrics: totals per question, and the processes that are there."""

from __future__ import annotations

from django.db import models


class AnswerTotal(models.Model):
    """How many questions of a name ended so (answer, partial, error), and the seconds that they took to compute.

    The row of the name "" counts processes that began to answer.
    """

    name = models.CharField(max_length=60)
    result = models.CharField(max_length=20)
    count = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "result"], name="answer_total_once")]

    def __str__(self) -> str:
        return f"{self.count} of {self.name}: {self.result}"


class AnswerWorker(models.Model):
    """A process that answers: how much it keeps for the next questions, and when it last said so."""

    process = models.CharField(max_length=200, primary_key=True)
    sessions = models.PositiveIntegerField(default=0)
    resident_bytes = models.BigIntegerField(default=0)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.process}: {self.sessions} sessions"
