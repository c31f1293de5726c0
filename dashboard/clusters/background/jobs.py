"""The jobs that background workers do, by name: each app registers its own when Django is set up.

A job prepares first, for as long as that takes and without an open transaction, and returns what writes the result. So
one function serves a request that does it at once and a worker; a worker writes the result and the task's end in one
transaction, and a task that was cancelled or lost meanwhile leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.uploads.opening import Upload
    from scheduler_core.manifests import ProgressCallback


@dataclass(frozen=True)
class JobInput:
    """The person for whom a job is done, its arguments (JSON), files, and whom to report the share that is done."""

    member: Member
    arguments: Mapping[str, Any]
    uploads: Sequence[Upload] = field(default=(), repr=False)
    report_progress: ProgressCallback | None = None

    def part(self, begin: float, end: float) -> ProgressCallback | None:
        """Return whom to report the progress of a part of the job, which begins and ends at these shares."""
        report = self.report_progress
        return None if report is None else lambda share: report(begin + (end - begin) * share)


@dataclass(frozen=True)
class JobDone:
    """The address of what a job made, what to say there, and a link beside it: (address, label)."""

    location: str
    said: str = ""
    link: tuple[str, str] | None = None


Write = Callable[[], JobDone]
Job = Callable[[JobInput], Write]

_registered: Registered[Job] = Registered()


def register(name: str, job: Job) -> None:
    """Register a job; prepare and write raise Problem where the person has to change something."""
    _registered.add(name, job)


def job_named(name: str) -> Job:
    """Return the job; raises KeyError."""
    return _registered.all()[name]
