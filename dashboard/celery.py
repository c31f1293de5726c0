"""The Celery application; workers run `python -m celery -A dashboard worker`."""

from __future__ import annotations

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import import_modules, setup_logging, worker_init, worker_ready

from dashboard.common.processes.gc_tuning import tune_gc
from dashboard.common.processes.marks import mark_ready
from dashboard.common.registering import register_all

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

# Celery warns of root because of pickled messages; ours are JSON only, and containers often run as root.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("schedscope")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@import_modules.connect(sender=app)
def register_rooms(**_signal: object) -> None:
    """Import what apps register when a worker imports its tasks, which is after Django was set up."""
    register_all()


@setup_logging.connect
def keep_django_logging(**_options: object) -> None:
    """Leave logging as settings.LOGGING configured it: a receiver keeps Celery from installing its own."""


@worker_init.connect
def calm(**_signal: object) -> None:
    """Collect garbage as seldom as web processes do: a run makes much that lives long. Forked children inherit it."""
    tune_gc()


@worker_ready.connect
def tell_the_supervisor(**_signal: object) -> None:
    """Say that this worker takes messages; only that of an embedded installation has somebody who reads it."""
    mark_ready()
