"""The questions of an embedded answer worker: those that wait, the one being computed, and the answers found lately.

Asking is the same as asking again: a page that polls joins the question that it asked before, two pages with the same
question share it, and a worker that was restarted takes it up anew.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor

log = logging.getLogger(__name__)

# A page that asked is thought to be there for so long after its last request.
WANTED_SECONDS = 3.0
# Answers about recordings that grow, partial ones and errors are kept until those who wait have them.
PASSING_SECONDS = 10.0
FINAL_SECONDS = 3600.0
KEPT_BYTES = 32 * 1024 * 1024

Compute = Callable[[Request, float, Callable[[], bool]], Reply]


@dataclass
class Job:
    """A question that somebody waits for: until when who wants it, and its deadline, by time.monotonic()."""

    request: Request
    until: float
    askers: dict[str, float] = field(default_factory=dict)
    reply: Reply | None = None

    def is_unwanted(self) -> bool:
        """Return whether the deadline passed, or nobody waits any more."""
        now = time.monotonic()
        return now >= self.until or not any(until > now for until in self.askers.values())


class Board:
    """Takes questions from many threads and computes one at a time, in the thread that calls `work`."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.jobs: OrderedDict[str, Job] = OrderedDict()
        self.computing: Job | None = None
        self.computing_since = 0.0
        self.replies: OrderedDict[str, tuple[Reply, float]] = OrderedDict()
        self.reply_bytes = 0
        self.changed = threading.Condition()

    # ---------------------------------------------------------------- asking

    def ask(self, asked: Ask) -> AskResult:
        """Return the reply, or after so much patience what the question waits for."""
        key, now = asked.request.key, time.monotonic()
        with self.changed:
            if asked.asker:
                self.withdraw(asked.asker, but=key)
            if reply := self._kept_reply(key):
                return AskResult(reply)
            job = self._job(asked, now)
            self.changed.wait_for(lambda: job.reply is not None, asked.patience)
            return self._result_of(job)

    def withdraw(self, asker: str, but: str = "") -> None:
        """Forget that the asker waits for other questions than the one named."""
        with self.changed:
            for key, job in self.jobs.items():
                if key != but:
                    job.askers.pop(asker, None)

    def _job(self, asked: Ask, now: float) -> Job:
        key, until = asked.request.key, now + asked.seconds
        job = self.jobs.get(key)
        if job is None:
            job = self.jobs[key] = Job(asked.request, until)
            self.changed.notify_all()
        job.until = max(job.until, until)
        job.askers[asked.asker] = now + asked.patience + WANTED_SECONDS
        return job

    def _result_of(self, job: Job) -> AskResult:
        if job.reply is not None:
            return AskResult(job.reply)
        if job is self.computing:
            return AskResult(waits_for=WaitsFor.RESULT)
        waiting = [one for one in self._in_order() if one is not self.computing and not one.is_unwanted()]
        place = next((n for n, one in enumerate(waiting, 1) if one is job), len(waiting))
        return AskResult(waits_for=WaitsFor.OTHERS, place=place)

    # ---------------------------------------------------------------- computing

    def work(self, stopping: threading.Event) -> None:
        """Compute questions until ``stopping`` is set: short ones first, else in order of arrival.

        Questions that nobody waits for are dropped. Notify ``changed`` to have the flag seen at once."""
        while not stopping.is_set():
            job = self._next(stopping)
            if job is not None:
                reply = self.compute(job.request, job.until - time.monotonic(), job.is_unwanted)
                self._finish(job, reply)

    def _next(self, stopping: threading.Event) -> Job | None:
        with self.changed:
            self.changed.wait_for(lambda: bool(self.jobs) or stopping.is_set(), 0.5)
            for job in self._in_order():
                if job.is_unwanted():
                    del self.jobs[job.request.key]
                    continue
                self.computing, self.computing_since = job, time.monotonic()
                return job
        return None

    def _in_order(self) -> list[Job]:
        return sorted(self.jobs.values(), key=lambda job: not job.request.is_short)

    def _finish(self, job: Job, reply: Reply) -> None:
        with self.changed:
            job.reply = reply
            self.computing = None
            self.jobs.pop(job.request.key, None)
            if not (reply.is_partial and job.is_unwanted()):
                self._keep(job.request, reply)
            self.changed.notify_all()

    def computing_for(self) -> float:
        """Return how many seconds past its deadline the present question is; 0 where there is none or time is left."""
        job = self.computing
        return max(0.0, time.monotonic() - job.until) if job is not None else 0.0

    # ---------------------------------------------------------------- answers found lately

    def _kept_reply(self, key: str) -> Reply | None:
        reply, until = self.replies.get(key, (None, 0.0))
        if reply is None or time.monotonic() >= until:
            return None
        self.replies.move_to_end(key)
        return reply

    def _keep(self, request: Request, reply: Reply) -> None:
        is_lasting = request.is_final and not reply.is_partial and not reply.error
        before = self.replies.pop(request.key, None)
        self.reply_bytes += len(bytes(reply.answer)) - (len(bytes(before[0].answer)) if before else 0)
        self.replies[request.key] = (reply, time.monotonic() + (FINAL_SECONDS if is_lasting else PASSING_SECONDS))
        while self.reply_bytes > KEPT_BYTES and len(self.replies) > 1:
            _, (oldest, _) = self.replies.popitem(last=False)
            self.reply_bytes -= len(bytes(oldest.answer))
