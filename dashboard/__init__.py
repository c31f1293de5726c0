"""The Django project: pages, live sockets and background runs around `scheduler_core`."""

from __future__ import annotations

from dashboard.common.processes.gc_tuning import collect_seldom

# Before anything large is imported: passes over what is being imported took an eighth of a process's start.
collect_seldom()

from dashboard.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
