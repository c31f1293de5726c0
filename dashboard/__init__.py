"""The Django project: pages, live sockets and background runs around `scheduler_core`."""

from __future__ import annotations

from dashboard.celery import app as celery_app

__all__ = ["celery_app"]
