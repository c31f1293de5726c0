"""The scheduler configuration of a run, kept for those last looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs.inputs import load_configuration

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.api.config import SchedulerConfiguration

_last: LruCache[SchedulerConfiguration] = LruCache(8)


def configuration_of(run: Run) -> SchedulerConfiguration:
    """Return the configuration that the run used; raises InputError where it cannot be read."""
    return _last.get((run.config_revision_id, run.config_text), lambda: load_configuration(run))
