"""The scheduler configuration of a run at a moment, kept for those last looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs.inputs import configuration_at, is_answered
from dashboard.runs.models import placed_changes

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.api.config import SchedulerConfiguration

_last: LruCache[SchedulerConfiguration] = LruCache(8)


def configuration_of(run: Run, seq: int) -> SchedulerConfiguration:
    """Return the configuration that holds after the run's first `seq` events; raises InputError where it cannot be
    read."""
    n_before = sum(int(one["at"]) < seq for one in placed_changes(run))
    left_out = tuple(one["name"] for one in run.left_out)
    key = (
        run.config_revision_id,
        run.config_text,
        left_out,
        is_answered(run),
        tuple(run.stand_ins.items()),
        (run.pk, run.created_at, n_before) if n_before else None,
    )
    return _last.get(key, lambda: configuration_at(run, seq))
