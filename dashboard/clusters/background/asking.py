"""Jobs as requests ask for them: a small one is done within the request, any other becomes a task for a worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from dashboard.accounts.once import before_once, led_before, once
from dashboard.clusters.background.jobs import JobDone, JobInput, job_named
from dashboard.clusters.background.sealing import seal
from dashboard.clusters.background.working import end
from dashboard.clusters.models import BackgroundTask
from dashboard.clusters.models.background import TITLE_LENGTH
from dashboard.clusters.uploads.sent_files import read_uploads
from dashboard.common.database.work_queue import longer_ago
from dashboard.common.http.htmx import go
from dashboard.common.http.undo import tell_with_link
from dashboard.common.problems import Conflict, NotFound
from dashboard.common.processes.celery_workers import wake_worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.clusters.uploads.sent_files import SentFile

WAKING = "dashboard.runs.tasks.do_background_tasks"
MOST_OPEN = 4
"""Tasks of a person that wait or are done at a time: each may hold files."""
KEPT_FOR = timedelta(days=1)
ARRIVING = timedelta(minutes=10)


@dataclass(frozen=True)
class JobRequest:
    """A job that a person asks for, with its arguments and files. A request does one that is small within itself."""

    job: str
    title: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[SentFile] = ()
    is_small: bool = False


def answered(request: HttpRequest, access: Access, asked: JobRequest, back: str) -> HttpResponse:
    """Do a small job and lead to what it made, or leave it to a worker and lead to the page that says how far it is.

    `back` is the address to return to from there. Raises Problem, Repeated.
    """
    return _done(request, access, asked) if asked.is_small else _left_to_worker(request, access, asked, back)


def _done(request: HttpRequest, access: Access, asked: JobRequest) -> HttpResponse:
    with before_once(request):
        write = job_named(asked.job)(JobInput(access.member, asked.arguments, read_uploads(asked.files)))
    with once(request) as claim:
        done = write()
        claim.leads_to(done.location)
    say(request, done)
    return go(request, done.location)


def _left_to_worker(request: HttpRequest, access: Access, asked: JobRequest, back: str) -> HttpResponse:
    led_before(request)
    task = new_task(access.member, asked, back)
    try:
        with once(request) as claim:
            location = claim.leads_to(task_url(task))
            BackgroundTask.objects.filter(pk=task.pk).update(asked_at=Now())
    except BaseException:
        # Where the reply to the commit was lost, the task is asked for, and the form's token leads to it.
        BackgroundTask.objects.filter(pk=task.pk, asked_at=None).delete()
        raise
    wake_worker(WAKING)
    return go(request, location)


def new_task(member: Member, asked: JobRequest, back: str) -> BackgroundTask:
    """Return a task with its files, which no worker takes up before `asked_at` is set. Raises Conflict.

    Its pieces go with it where the files do not arrive whole.
    """
    _forget_old()
    if open_tasks(member).count() >= MOST_OPEN:
        raise Conflict(
            f"{MOST_OPEN} tasks of yours wait for a worker or are being done. Wait for one of them, or cancel it.",
            title="Too much at once",
        )
    task = BackgroundTask.objects.create(
        workspace=member.workspace,
        owner=member.user,
        job=asked.job,
        title=asked.title[:TITLE_LENGTH],
        arguments=dict(asked.arguments),
        back=back,
    )
    try:
        seal(task, asked.files)
    except BaseException:
        task.delete()
        raise
    return task


def open_tasks(member: Member) -> QuerySet[BackgroundTask]:
    """Return the person's tasks that have not ended. One whose files arrive counts for a while: it is asked for after
    them, or never, where its request died.
    """
    mine = BackgroundTask.objects.filter(workspace=member.workspace, owner=member.user, ended_at=None)
    return mine.filter(Q(asked_at__isnull=False) | ~longer_ago("created_at", ARRIVING))


def say(request: HttpRequest, done: JobDone) -> None:
    """Leave what a job has to say for the page that is opened next."""
    if done.link is not None:
        tell_with_link(request, done.said, *done.link)
    elif done.said:
        messages.success(request, done.said)


def task_url(task: BackgroundTask) -> str:
    """Return the address of the task's page."""
    return reverse("clusters:task", args=[task.workspace.slug, task.pk])


def find_task(member: Member, number: int) -> BackgroundTask:
    """Return a task of the person; raises NotFound for others' and those that are over for a day."""
    mine = BackgroundTask.objects.select_related("workspace").filter(workspace=member.workspace, owner=member.user)
    task = mine.filter(pk=number).first()
    if task is None:
        raise NotFound("This task is not yours, or it ended more than a day ago.")
    return task


def cancel(task: BackgroundTask) -> bool:
    """End a task without a result; return whether it had not ended. A worker that does it stops at its next report."""
    return end(task)


def _forget_old() -> None:
    """Delete tasks that ended a day ago, and those whose files stopped arriving as long ago."""
    some_time = timezone.now() - KEPT_FOR
    BackgroundTask.objects.filter(ended_at__lt=some_time).delete()
    BackgroundTask.objects.filter(asked_at=None, created_at__lt=some_time).delete()
