"""How a run ended as a whole: workloads that lack pods, resources that are spread unevenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.review.findings.groups import GROUP_LIMIT, EvidencePanel, FindingGroup, ReviewFinding, bare, digest
from dashboard.runs.storage import outcomes as storage

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes import Outcomes

# The standard deviation of the requested share over the nodes from which on a resource counts as spread unevenly.
UNEVEN = 0.15


def whole_run(run: Run, slug: str) -> list[FindingGroup]:
    """Return what the stored summary of a run's outcomes says of its end; nothing before a worker has stored it.

    A damaged summary is computed again by the page of the outcomes; until then there is nothing to say.
    """
    try:
        summary = storage.stored(run)
    except ValueError:
        summary = None
    if summary is None or not run.has_ended or summary.seq < run.head.seq:
        return []
    url = reverse("debugger:outcomes", kwargs={"slug": slug, "number": run.number})
    return [_short(run, summary, url), _uneven(run, summary, url)]


def _short(run: Run, summary: Outcomes, url: str) -> FindingGroup:
    listed = [
        ReviewFinding(
            f"short:{digest(one.workload)}",
            "unsched",
            "users",
            f"{bare(one.workload)} has {one.bound:,} of {one.desired:,} pods",
            f"{one.unmade:,} never made: {one.why}" if one.unmade else one.why,
            url,
            (EvidencePanel(f"Run {run.number}", url, "#oc-list table"),),
        )
        for one in summary.short[:GROUP_LIMIT]
    ]
    return FindingGroup("Missing replicas", listed, summary.n_short)


def _uneven(run: Run, summary: Outcomes, url: str) -> FindingGroup:
    uneven = sorted(
        (line for line in summary.series.resources if line.deviation >= UNEVEN), key=lambda line: -line.deviation
    )
    listed = [
        ReviewFinding(
            f"uneven:{digest(line.resource)}",
            "none",
            "scale",
            f"{line.resource} is spread unevenly over the nodes",
            f"the requested share deviates by {100 * line.deviation:.1f} points (standard deviation)",
            url,
            (EvidencePanel(f"Run {run.number}", url, ".oc-side"),),
        )
        for line in uneven[:GROUP_LIMIT]
    ]
    return FindingGroup("Imbalance", listed, len(uneven))
