"""The questions of an embedded answer worker: those that wait, in their turns, and the one being computed.

Asking is the same as asking again: a page that polls joins the question that it asked before, two pages with the same
question share it, and after a restart of the worker the page that asks next puts it here again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport.recent_replies import RecentReplies
from dashboard.answers.transport.turns import OwnQuestion, QueuedQuestion, admission, in_turn, queue_position

log = logging.getLogger(__name__)

# A page that asked is thought to be there for so long after its last request.
WANTED_SECONDS = 3.0
# Dropped questions that are remembered: the oldest are forgotten, since their pages may never ask again.
MOST_DROPPED = 1_000

Compute = Callable[[Request, float, Callable[[], bool]], Reply]


class Waiter(NamedTuple):
    """Until when somebody waits, by time.monotonic(), and on which page."""

    until: float
    page: str


Who = tuple[str, str]
"""A person and the name of the asker, a part of one of their pages."""


@dataclass
class Job:
    """A question that somebody waits for: who and until when, and its deadline, by time.monotonic()."""

    request: Request
    until: float
    arrived: int
    turn: int
    askers: dict[Who, Waiter] = field(default_factory=dict)
    reply: Reply | None = None

    def is_unwanted(self) -> bool:
        """Return whether the deadline passed, or nobody waits any more."""
        return time.monotonic() >= self.until or not self.waiters()

    def waiters(self) -> dict[Who, Waiter]:
        """Return who still waits, the one who came first at the head."""
        now = time.monotonic()
        # A copy, since others join meanwhile.
        return {who: waiter for who, waiter in list(self.askers.items()) if waiter.until > now}


class Board:
    """Takes questions from many threads and computes one at a time, in the thread that calls `work`."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.jobs: dict[str, Job] = {}
        self.computing: Job | None = None
        self.computing_since = 0.0
        self.replies = RecentReplies()
        self.changed = threading.Condition()
        self._arrivals, self._turn = count(1), 0
        self._served: dict[str, int] = {}
        self._held: list[Ask] = []
        # Each dropped question, as (who, key), until its page asks again and learns of it.
        self._dropped: OrderedDict[tuple[Who, str], None] = OrderedDict()

    # ---------------------------------------------------------------- asking

    def ask(self, asked: Ask) -> AskResult:
        """Return the reply, or what the question waits for when the patience of the asker is over."""
        until = time.monotonic() + asked.patience
        with self.changed:
            self.withdraw((asked.person, asked.asker), but=asked.request.key)
            result = self._at_once(asked)
            if result is not None:
                return result
            job = self._job_within(asked, until)
            if job is None:
                return self._at_once(asked) or self._held_result()
            who = (asked.person, asked.asker)
            self.changed.wait_for(
                lambda: job.reply is not None or who not in job.askers, max(until - time.monotonic(), 0.0)
            )
            return self._job_result(job, who)

    def withdraw(self, who: Who, but: str = "") -> None:
        """Forget that the asker waits for other questions than the one named; what nobody waits for leaves at once."""
        if not who[1]:
            return
        with self.changed:
            self._held = [one for one in self._held if (one.person, one.asker) != who or one.request.key == but]
            for key in [key for key, job in self.jobs.items() if key != but and who in job.askers]:
                self._leave(self.jobs[key], [who])

    def _at_once(self, asked: Ask) -> AskResult | None:
        key, who = asked.request.key, (asked.person, asked.asker)
        if reply := self.replies.get(key):
            return AskResult(reply)
        if asked.seconds <= 0:
            # After the deadline a page takes an answer that is there, and waits no more.
            if job := self.jobs.get(key):
                self._leave(job, [who])
            return AskResult(waits_for=WaitsFor.OTHERS)
        return AskResult(is_dropped=True) if self._was_dropped((who, key)) else None

    def _was_dropped(self, one: tuple[Who, str]) -> bool:
        return self._dropped.pop(one, self) is None

    def _job_within(self, asked: Ask, until: float) -> Job | None:
        """The question's job, as soon as its person may have one more, or None."""
        job = self._job(asked)
        if job is not None:
            return job
        self._held.append(asked)
        while job is None and (left := until - time.monotonic()) > 0:
            self.changed.wait(left)
            if asked not in self._held or self.replies.get(asked.request.key):
                break
            job = self._job(asked)
        self._held = [one for one in self._held if one is not asked]
        return job

    def _job(self, asked: Ask) -> Job | None:
        """The question's job, joined or made; None where the person has too many open and none to drop."""
        key, now, who = asked.request.key, time.monotonic(), (asked.person, asked.asker)
        until, job = now + asked.seconds, self.jobs.get(key)
        if job is None or job is not self.computing:
            room = admission(self._open_questions(asked.person, but=key), asked.page)
            if not room.is_open:
                return None
            self._drop(room.drops, asked.person)
        if job is None:
            job = self.jobs[key] = Job(asked.request, until, next(self._arrivals), self._turn)
            self.changed.notify_all()
        job.until = max(job.until, until)
        job.askers[who] = Waiter(min(now + asked.patience + WANTED_SECONDS, until), asked.page)
        return job

    def _open_questions(self, person: str, but: str) -> list[OwnQuestion]:
        """The questions that this person waits for, but one, the oldest first."""
        mine = []
        for key, job in self.jobs.items():
            pages = [waiter.page for who, waiter in job.waiters().items() if who[0] == person]
            if pages and key != but and not job.is_unwanted():
                mine.append(OwnQuestion(key, pages[0], job is self.computing))
        return mine

    def _drop(self, key: str, person: str) -> None:
        """Drop the question for this person; each of their pages that waits for it learns so when it asks next."""
        job = self.jobs.get(key)
        if job is None:
            return
        mine = [who for who in job.askers if who[0] == person]
        self._dropped |= {(who, key): None for who in mine}
        while len(self._dropped) > MOST_DROPPED:
            self._dropped.popitem(last=False)
        self._leave(job, mine)

    def _leave(self, job: Job, mine: list[Who]) -> None:
        for who in mine:
            job.askers.pop(who, None)
        if not job.askers and job is not self.computing:
            self.jobs.pop(job.request.key, None)
        self.changed.notify_all()

    def _job_result(self, job: Job, who: Who) -> AskResult:
        if job.reply is not None:
            return AskResult(job.reply)
        if self._was_dropped((who, job.request.key)):
            return AskResult(is_dropped=True)
        if job is self.computing:
            return AskResult(waits_for=WaitsFor.RESULT)
        return AskResult(waits_for=WaitsFor.OTHERS, place=queue_position(job.request.key, self._in_turn()))

    def _held_result(self) -> AskResult:
        return AskResult(waits_for=WaitsFor.OTHERS, place=len(self._in_turn()) + 1)

    # ---------------------------------------------------------------- computing

    def work(self, stopping: threading.Event) -> None:
        """Compute questions until ``stopping`` is set, in the order of `turns`.

        Questions that nobody waits for are dropped. Notify ``changed`` to have the flag seen at once."""
        while not stopping.is_set():
            job = self._next(stopping)
            if job is not None:
                reply = self.compute(job.request, job.until - time.monotonic(), job.is_unwanted)
                self._finish(job, reply)

    def _next(self, stopping: threading.Event) -> Job | None:
        with self.changed:
            self.changed.wait_for(lambda: bool(self.jobs) or stopping.is_set(), 0.5)
            self.jobs = {key: job for key, job in self.jobs.items() if not job.is_unwanted()}
            self.changed.notify_all()
            for key, person in self._in_turn()[:1]:
                self._turn += 1
                self._served[person] = self._turn
                self.computing, self.computing_since = self.jobs[key], time.monotonic()
                return self.computing
        return None

    def _in_turn(self) -> list[tuple[str, str]]:
        """The questions that wait, in their order, with the person whose turn each is."""
        waiting = []
        for key, job in self.jobs.items():
            if job is not self.computing and not job.is_unwanted():
                people = tuple(dict.fromkeys(person for person, _ in job.waiters()))
                waiting.append(QueuedQuestion(key, job.request.is_short, people, job.arrived, job.turn))
        return in_turn(waiting, self._served, self._turn)

    def _finish(self, job: Job, reply: Reply) -> None:
        with self.changed:
            job.reply = reply
            self.computing = None
            self.jobs.pop(job.request.key, None)
            if not (reply.is_partial and job.is_unwanted()):
                self.replies.put(job.request, reply)
            self.changed.notify_all()

    def computing_for(self) -> float:
        """Return how many seconds past its deadline the present question is; 0 where there is none or time is left."""
        job = self.computing
        return max(0.0, time.monotonic() - job.until) if job is not None else 0.0
