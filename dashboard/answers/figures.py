"""Metrics of answer workers: each counts in memory and adds to the database every few seconds, for /metrics to read."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from dashboard.answers.models import AnswerTotal, AnswerWorker
from dashboard.common.monitoring.metrics import register_collector
from dashboard.common.processes.memory import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

WRITE_SECONDS = 5.0
# A worker writes with each question and says nothing while nobody asks.
GONE = timedelta(hours=1)
STARTS = ("", "started")


class Figures:
    """What one process counted since it last wrote."""

    def __init__(self) -> None:
        self.counted: dict[tuple[str, str], tuple[int, float]] = {}
        self.written_at = -WRITE_SECONDS
        self.has_started = False
        self._lock = threading.Lock()

    def add(self, name: str, result: str, seconds: float = 0.0) -> None:
        """Count a question of that name."""
        with self._lock:
            if not self.has_started:
                self.has_started = True
                self.counted[STARTS] = (1, 0.0)
            count, total = self.counted.get((name, result), (0, 0.0))
            self.counted[name, result] = (count + 1, total + seconds)

    def write(self, sessions: int) -> None:
        """Add what was counted to the database, if that is due; where it fails, it is counted on."""
        if not self.counted or time.monotonic() - self.written_at < WRITE_SECONDS:
            return
        self.written_at = time.monotonic()
        with self._lock:
            taken, self.counted = self.counted, {}
        try:
            with transaction.atomic():
                _store(taken, sessions)
        except DatabaseError as error:
            log.warning("the figures of answers could not be written (%s); they are kept for later", error)
            with self._lock:
                for key, (count, seconds) in taken.items():
                    more, longer = self.counted.get(key, (0, 0.0))
                    self.counted[key] = (count + more, seconds + longer)


figures = Figures()


def _store(taken: dict[tuple[str, str], tuple[int, float]], sessions: int) -> None:
    for (name, result), (count, seconds) in sorted(taken.items()):
        AnswerTotal.objects.get_or_create(name=name, result=result)
        rows = AnswerTotal.objects.filter(name=name, result=result)
        rows.update(count=F("count") + count, seconds=F("seconds") + seconds)
    process, now = f"{socket.gethostname()}:{os.getpid()}", timezone.now()
    said = {"sessions": sessions, "resident_bytes": resident_bytes(), "seen_at": now}
    AnswerWorker.objects.update_or_create(process=process, defaults=said)
    AnswerWorker.objects.filter(seen_at__lt=now - GONE).delete()


# ---------------------------------------------------------------- what Prometheus reads


@register_collector
def collect() -> Iterable[Metric]:
    """Yield counters of questions, of their seconds and of starts of workers, and what each worker keeps."""
    questions = CounterMetricFamily(
        "schedscope_answers", "Questions that answer workers ended, by name and result.", labels=("question", "result")
    )
    seconds = CounterMetricFamily(
        "schedscope_answer_seconds", "Seconds that answers took to compute, by name.", labels=("question", "result")
    )
    starts = CounterMetricFamily(
        "schedscope_answer_worker_starts", "Processes that began to answer, restarts included."
    )
    for row in AnswerTotal.objects.order_by("name", "result"):
        if (row.name, row.result) == STARTS:
            starts.add_metric([], float(row.count))
            continue
        questions.add_metric([row.name, row.result], float(row.count))
        seconds.add_metric([row.name, row.result], row.seconds)
    sessions = GaugeMetricFamily(
        "schedscope_answer_sessions", "What an answer worker keeps for the next questions.", labels=("process",)
    )
    resident = GaugeMetricFamily(
        "schedscope_answer_worker_resident_bytes", "Memory of an answer worker's process.", labels=("process",)
    )
    for worker in AnswerWorker.objects.filter(seen_at__gte=timezone.now() - GONE).order_by("process"):
        sessions.add_metric([worker.process], float(worker.sessions))
        resident.add_metric([worker.process], float(worker.resident_bytes))
    return questions, seconds, starts, sessions, resident
