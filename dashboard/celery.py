"""The Celery application; workers run `python -m celery -A dashboard worker`."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

app = Celery("schedscope")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_django_logging(**_options: object) -> None:
    """Leave logging as settings.LOGGING configured it: a receiver keeps Celery from installing its own."""
