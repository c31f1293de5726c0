"""Tasks as tests leave them to a worker and have it do them."""

from __future__ import annotations

from django.core.files.base import ContentFile

from dashboard.clusters.background import asking
from dashboard.clusters.background.asking import JobRequest
from dashboard.clusters.importing import jobs
from dashboard.clusters.models import BackgroundTask
from dashboard.clusters.uploads.sent_files import SentFile
from dashboard.runs.workers import background_tasks

READ = {"cluster": "", "keeps_values": False}


def sent(name, data):
    """Return a file as a form sends it."""
    return SentFile(name, ContentFile(data))


def left(person, *files, back="/w/team/import/", **asked):
    """Return a task that waits for a worker, by default to read these files."""
    asked = {"job": jobs.READ, "title": "Read it", "arguments": READ, **asked}
    task = asking.new_task(person.member, JobRequest(files=files, **asked), back)
    task.asked_at = task.created_at
    task.save(update_fields=["asked_at"])
    return task


def led(person, response):
    """Have a worker do what a form was left to it; return the address that the task's page leads to."""
    assert response.status_code == 302, response.content.decode()[-2000:]
    if "/tasks/" not in response["Location"]:
        return response["Location"]
    background_tasks.work()
    page = person.get(response["Location"])
    assert page.status_code == 302, page.content.decode()[-2000:]
    return page["Location"]


def state_of(task):
    """Return the task as it is now."""
    return BackgroundTask.objects.get(pk=task.pk)
