"""A run as a line of a list: its state, its outcome in figures, its progress and speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.common.pages.numbers import grouped, roughly
from dashboard.runs.inputs import extender_answers
from dashboard.runs.models import STANDING, Run, Schedule, State
from dashboard.runs.policies import own_words
from dashboard.runs.progress import Progress, read_progress

if TYPE_CHECKING:
    from collections.abc import Iterable


# State: (meaning, glyph). Finished is grey: what came of it stands in the outcome bar.
LOOKS: dict[str, tuple[str, str]] = {
    State.QUEUED: ("wait", "hour"),
    State.RUNNING: ("bound", "play"),
    State.PAUSED: ("backoff", "pause"),
    State.STOPPED: ("backoff", "pause"),
    State.CANCELLING: ("backoff", "stop"),
    State.CANCELLED: ("none", "stop"),
    State.FINISHED: ("none", "check"),
    State.FAILED: ("error", "alert"),
}
SCHEDULED_WORDS = {Schedule.PENDING: "pending pods", Schedule.ALL: "all pods", Schedule.TIMELINE: "timeline"}


@dataclass(frozen=True)
class RunLine:
    """A run with what its line shows."""

    run: Run
    progress: Progress
    parts: list[tuple[str, int, str]]
    seconds: float

    @property
    def url(self) -> str:
        """Return the address of the run's page; by name, since that app stands above this one."""
        return run_url(self.run)

    @property
    def title(self) -> str:
        """Return the run's title."""
        return self.run.name or f"Run {self.run.number}"

    @property
    def pace(self) -> str:
        """Return progress, speed and estimated time left, as far as known."""
        if self.run.state == State.QUEUED and not self.progress.cycles:
            return "waits for a worker"
        if not self.progress.cycles:
            return "no cycle yet" if self.progress.seq else "reading the inputs"
        parts = [f"cycle {grouped(self.progress.cycles)}"]
        if self.is_moving:
            parts.append(f"{grouped(self.progress.rate)} a second")
        if self.progress.seconds_left:
            parts.append(f"{roughly(self.progress.seconds_left)} left")
        return " · ".join(parts)

    @property
    def ending(self) -> str:
        """Return how the run ended where the figures do not show it: at a limit, or with missing replicas."""
        clause = self.run.finish_reason.partition(";")[0] if self.run.state == State.FINISHED else ""
        return "" if clause == "every pod is bound" or "pending" in clause else self.run.finish_reason

    @property
    def bar_label(self) -> str:
        """Return the accessible label of the progress bar."""
        return f"Run {self.run.number}: pods with a node and the timeline"

    @property
    def meaning(self) -> str:
        """Return the meaning of the state."""
        return "backoff" if self.progress.is_pausing else LOOKS[self.run.state][0]

    @property
    def glyph(self) -> str:
        """Return the glyph of the state."""
        return "pause" if self.progress.is_pausing else LOOKS[self.run.state][1]

    @property
    def word(self) -> str:
        """Return the state in a word, with the breakpoint's name if one stopped the run."""
        if self.progress.is_pausing:
            return "pausing"
        return self.run.standing or State(self.run.state).label

    @property
    def is_moving(self) -> bool:
        """Return whether a worker executes the run now."""
        return self.run.state in (State.RUNNING, State.CANCELLING)

    @property
    def is_standing(self) -> bool:
        """Return whether it waits for somebody to continue it."""
        return self.run.state in STANDING

    @property
    def can_pause(self) -> bool:
        """Return whether the run can be paused."""
        return self.run.state in (State.QUEUED, State.RUNNING) and not self.progress.is_pausing

    @property
    def can_resume(self) -> bool:
        """Return whether the run can be continued."""
        return self.run.state in (*STANDING, State.FAILED) and not self.run.is_of_another_engine

    @property
    def can_cancel(self) -> bool:
        """Return whether the run can be cancelled."""
        return self.run.state in (State.QUEUED, State.RUNNING, *STANDING)

    @property
    def inputs(self) -> str:
        """Return the configuration, what was scheduled, a seed other than 0, and policies that differ from their
        defaults.
        """
        run = self.run
        default = f"preset {run.preset}" if run.preset else "Kubernetes defaults"
        parts = [] if run.config_revision else [default]
        parts += _documents(run)
        parts += [f"without {', '.join(one['name'] for one in run.left_out)}"] if run.left_out else []
        parts += [f"{name} as {profile}" for name, profile in run.stand_ins.items()]
        parts += [] if run.timeline_revision else [SCHEDULED_WORDS[Schedule(run.schedule)]]
        parts += [f"seed {run.seed}"] if run.seed else []
        return ", ".join([*parts, *own_words(run.policies)])


def _documents(run: Run) -> list[str]:
    """Return the documents that the run was made with; those of one name are named once, with their kinds."""
    answers = extender_answers(run)
    kinds: dict[str, list[str]] = {}
    for kind, revision in (("configuration", run.config_revision), ("timeline", run.timeline_revision)):
        if revision is not None:
            kinds.setdefault(str(revision), []).append(kind)
    if answers is not None:
        kinds.setdefault(str(answers.revision), []).append(answers.kind)
    alone = {str(answers.revision): answers.label} if answers is not None else {}
    return [f"{name} ({', '.join(of)})" if len(of) > 1 else alone.get(name, name) for name, of in kinds.items()]


def run_url(run: Run) -> str:
    """Return the address of the run's page, at its first event."""
    return reverse("debugger:run", kwargs={"slug": run.workspace.slug, "number": run.number})


def run_line(run: Run) -> RunLine:
    """Return the line of a run whose head and inputs are loaded."""
    progress = read_progress(run)
    seconds = progress.cycles / progress.rate if progress.rate else run.head.busy_seconds
    return RunLine(run, progress, outcome_parts(run), seconds)


def run_lines(runs: Iterable[Run]) -> list[RunLine]:
    """Return the lines of runs whose heads and inputs are loaded."""
    return [run_line(run) for run in runs]


def outcome_parts(run: Run) -> list[tuple[str, int, str]]:
    """Return (meaning, number, label) for each part of the outcome bar: what the run did, and the pods without a node
    if it is over, attempts if not. A victim was bound before, by this run or without it.
    """
    head = run.head
    bound, victims = ("binding" if head.bound == 1 else "bindings"), ("victim" if head.victims == 1 else "victims")
    parts = [("bound", head.bound, bound), ("victim", head.victims, victims)]
    if run.state == State.FINISHED:
        parts.append(("unsched", head.pending, "without a node"))
    else:
        tries = "try" if head.unschedulable == 1 else "tries"
        parts.append(("unsched", head.unschedulable, f"{tries} without a node"))
    parts.append(("error", head.errors, "error" if head.errors == 1 else "errors"))
    return [part for part in parts if part[1] or part[0] == "bound"] if head.cycle else []
