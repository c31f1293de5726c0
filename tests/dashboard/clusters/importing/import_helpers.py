"""Imports of given texts."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.dashboard.clusters.background.task_helpers import led


def send(person, *files, **data):
    """Send files as the page does and return the address of the preview."""
    uploads = [SimpleUploadedFile(name, content) for name, content in files]
    response = person.post("/w/team/import/", {"files": uploads, **data})
    return led(person, response)
