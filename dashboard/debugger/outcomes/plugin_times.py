"""Durations and failures of plugins: measured time by extension point, recorded exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.pages.numbers import duration, grouped, plural
from dashboard.runs.models import RunFigure
from dashboard.runs.storage.metrics import Total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.model import PluginFailures

SHOWN = 8
WITHIN = 0.99


@dataclass(frozen=True)
class PluginTime:
    """How long calls of a plugin took at an extension point; `plugin` is "" for all plugins of the point."""

    plugin: str
    point: str
    mean: str
    within: str
    calls: int


@dataclass(frozen=True)
class FailureLine:
    """Exceptions of one type that a plugin raised at an extension point; `url` leads to the first, `all_url` to all."""

    failure: PluginFailures
    count: str
    url: str
    all_url: str


@dataclass(frozen=True)
class PluginSection:
    """The section: `times` of plugins and of whole extension points, those that took longest first."""

    times: list[PluginTime]
    points: list[PluginTime]
    failures: list[FailureLine]
    failed: str

    @property
    def longest(self) -> list[PluginTime]:
        """Return the times that are always shown."""
        return self.times[:SHOWN]

    @property
    def others(self) -> list[PluginTime]:
        """Return the times that are shown on demand."""
        return self.times[SHOWN:]


def plugin_section(run: Run, outcomes: Outcomes) -> PluginSection:
    """Return the section for a run; reads its figures."""
    figures = RunFigure.objects.filter(run_id=run.pk)
    of_plugins = _summed((row.first, row.second, row) for row in figures.filter(family=RunFigure.Family.PLUGIN))
    of_points = _summed((row.first, row.third, row) for row in figures.filter(family=RunFigure.Family.POINT))
    return PluginSection(
        times=[_time(plugin, point, total) for (plugin, point), total in of_plugins],
        points=[_time("", f"{point}, {profile}" if profile else point, total) for (point, profile), total in of_points],
        failures=[_failure_line(run, one) for one in outcomes.failures],
        failed=plural(outcomes.n_failures, "exception") if outcomes.n_failures else "no exception",
    )


def _summed(rows: Iterable[tuple[str, str, RunFigure]]) -> list[tuple[tuple[str, str], Total]]:
    """Sum up the calls of any status; those that took longest first."""
    totals: dict[tuple[str, str], Total] = {}
    for first, second, row in rows:
        total = Total(row.count, row.seconds, map(tuple, row.buckets))
        totals.setdefault((first, second), Total()).add(total)
    return sorted(totals.items(), key=lambda item: (-item[1].seconds, item[0]))


def _time(plugin: str, point: str, total: Total) -> PluginTime:
    mean = total.seconds / total.count if total.count else None
    return PluginTime(plugin, point, duration(mean), _within(total), total.count)


def _within(total: Total) -> str:
    """Return the smallest bound of the histogram that 99 of 100 calls keep; "longer" where the last is too small."""
    bound = next((bound for bound, calls in sorted(total.buckets.items()) if calls >= WITHIN * total.count), None)
    return duration(bound) if bound is not None else "longer"


def _failure_line(run: Run, failure: PluginFailures) -> FailureLine:
    arguments = {"slug": run.workspace.slug, "number": run.number}
    query = urlencode({"q": f"type:plugin_failed plugin:{failure.plugin}"})
    return FailureLine(
        failure,
        grouped(failure.count),
        f"{reverse('debugger:run', kwargs=arguments)}?seq={failure.seq + 1}",
        f"{reverse('search:run', kwargs=arguments)}?{query}",
    )
