"""What people do in a simulation: they start runs and tasks, cancel, pause and go on, and expect what replies said.

Idea: a person follows a short plan drawn from the seed, through requests that arrive twice, late or never. Each form
carries its token (`accounts.once`), as in a browser. When it is calm, the person lets every run of theirs go on that
stands, until all have ended.

Invariant: each form made one thing; a run that a person cancelled with success never goes on to a later state than
cancelled, or finished with the chunk under way.
Cost: a few requests for each run.

    person = Person(world, member, runs=2)
    scheduler.spawn(Process("ann", is_mortal=False), "browser", person.live)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.test import RequestFactory

from dashboard.accounts import audit
from dashboard.accounts.models import Member
from dashboard.accounts.once import before_once, once
from dashboard.clusters.background import asking, jobs
from dashboard.clusters.background.jobs import JobDone
from dashboard.live.feed.topics import announce, version_of
from dashboard.runs import actions
from dashboard.runs.actions import Launch
from dashboard.runs.breakpoints import going_on
from dashboard.runs.models import STANDING, Run, State
from tests.faults.simulation.web import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Breakpoint
    from tests.faults.simulation.scheduling import Scheduler
    from tests.faults.simulation.shims import Clocks
    from tests.faults.simulation.web import Web

JOB = "simulated job"
REPORTS = 4
LOOK_SECONDS = 2.0


@dataclass
class Replies:
    """What people know by the replies that arrived."""

    # {token: run number}, of forms that were answered, and all that were sent.
    started: dict[str, int] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    # {token: address of the task}, and tasks that were cancelled with success.
    tasks: dict[str, str] = field(default_factory=dict)
    cancelled_tasks: set[str] = field(default_factory=set)
    # {topic: the feed's version}, in order.
    announced: dict[str, int] = field(default_factory=dict)


class Person:
    """A member with a browser. `n_runs`, `n_tasks` and `n_topics` are how many of each they make."""

    def __init__(
        self, scheduler: Scheduler, web: Web, member: Member, revision: Revision, breakpoint_: Breakpoint | None
    ) -> None:
        self._scheduler, self._web, self._random = scheduler, web, scheduler.random
        self._member, self._revision, self._breakpoint = member, revision, breakpoint_
        self.replies = Replies()
        self.has_done_all = False

    def live(self, n_runs: int, n_tasks: int, n_topics: int) -> None:
        """Do what the person has to do, in an order of their own, and then see to it that their runs end."""
        plan = [self._start] * n_runs + [self._leave_task] * n_tasks + [self._announce] * n_topics
        self._random.shuffle(plan)
        for number, step in enumerate(plan):
            step(f"{self._member.user.label}-{number}")
            self._scheduler.pause("thinks", self._random.expovariate(1.0))
            self._interfere()
        while not self._all_ended():
            self._scheduler.pause("looks at the list of runs", LOOK_SECONDS)
        self.has_done_all = True

    # ---------------------------------------------------------------- runs

    def _start(self, token: str) -> None:
        how = Launch(self._revision, seed=self._random.randrange(2), is_background=self._random.random() < 0.3)
        if self._breakpoint is not None and self._random.random() < 0.5:
            how = Launch(**{**vars(how), "breakpoints": (self._breakpoint,)})
        self.replies.sent.add(token)

        def handle() -> str:
            request = self._form("/w/team/runs/new", token)
            with before_once(request):
                make = actions.prepare_run(self._member, how)
            with once(request) as claim:
                run = make(self._revision)
                audit.record(self._member.workspace, self._member.user, "simulated.run", token)
                return claim.leads_to(f"/w/team/runs/{run.number}")

        location = self._web.ask("starts a run", handle)
        self.replies.started[token] = int(location.rpartition("/")[2])

    def _interfere(self) -> None:
        """Perhaps pause, resume or cancel one of the runs."""
        if self.replies.started and self._random.random() < 0.5:
            number = self._random.choice(list(self.replies.started.values()))
            act = self._random.choice((actions.cancel_run, actions.pause_run, actions.resume_run))
            if self._does(number, act) and act is actions.cancel_run:
                self.replies.cancelled.add(number)

    def _all_ended(self) -> bool:
        """Let go on what stands; return whether all runs and tasks of the person have ended."""

        def look() -> tuple[list[tuple[int, str]], int]:
            mine = Run.objects.filter(created_by=self._member.user).order_by("number")
            open_tasks = asking.open_tasks(self._member)
            return list(mine.values_list("number", "state")), open_tasks.count()

        runs, n_tasks = self._web.ask("lists", look)
        for number, state in runs:
            if state == State.STOPPED:
                self._does(number, self._random.choice((going_on.continue_run, going_on.step_run)))
            elif state in (*STANDING, State.FAILED):
                self._does(number, actions.resume_run)
        return n_tasks == 0 and all(state in (State.FINISHED, State.CANCELLED) for _, state in runs)

    def _does(self, number: int, act: Callable[[Member, Run], object]) -> bool:
        """Do something to a run; return whether it was done."""
        try:
            self._web.ask(act.__name__, lambda: act(self._member, actions.find_run(self._member.workspace, number)))
        except Refused:
            return False
        return True

    # ---------------------------------------------------------------- tasks and topics

    def _leave_task(self, token: str) -> None:
        job = asking.JobRequest(JOB, token, {"token": token})
        access: Any = SimpleNamespace(member=self._member)
        try:
            response = self._web.ask(
                "leaves a task", lambda: asking.answered(self._form("/w/team/import", token), access, job, "/")
            )
        except Refused:
            return  # Four at a time are enough.
        self.replies.tasks[token] = response if isinstance(response, str) else response["Location"]
        number = int(self.replies.tasks[token].rstrip("/").rpartition("/")[2])
        if self._random.random() < 0.2:
            cancelled = self._web.ask("cancels", lambda: asking.cancel(asking.find_task(self._member, number)))
            if cancelled:
                self.replies.cancelled_tasks.add(token)

    def _announce(self, token: str) -> None:
        workspace = self._member.workspace

        def handle() -> int:
            with transaction.atomic():
                audit.record(workspace, self._member.user, "simulated.comment", token)
                announce(workspace.pk, f"review:{token}")
                return version_of(workspace.pk)

        self.replies.announced[f"review:{token}"] = self._web.ask("comments", handle)

    def _form(self, path: str, token: str) -> Any:
        request = RequestFactory().post(path, {"once": token, "field": "value"})
        request.user = self._member.user
        return request


def register_job(clocks: Clocks) -> None:
    """Register a job that takes a while, reports how far it is, and writes one row."""

    def job(asked: jobs.JobInput) -> Callable[[], JobDone]:
        for number in range(REPORTS):
            clocks.sleep(0.4)
            if asked.report_progress is not None:
                asked.report_progress(number / REPORTS)

        def write() -> JobDone:
            audit.record(asked.member.workspace, asked.member.user, "simulated.task", asked.arguments["token"])
            return JobDone("/done")

        return write

    jobs.register(JOB, job)
