"""What of a run is worth a look: gathered from its summary rows, and how it ended as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, Max, Min, OuterRef
from django.urls import reverse

from dashboard.query.compiling import of_rows
from dashboard.review import links
from dashboard.review.findings.groups import (
    GROUP_LIMIT,
    EvidencePanel,
    FindingGroup,
    ReviewFinding,
    and_more,
    bare,
    digest,
)
from dashboard.runs.models import Cycle, Preemption, Victim
from dashboard.runs.storage import outcomes as storage
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.query import NARROW_QUERY, TIE_QUERY
from scheduler_core.recording.quantities import NARROW

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes import Outcomes


def findings_of(run: Run, slug: str) -> list[FindingGroup]:
    """Return the groups that have findings; some ten queries by indexes of the run's rows."""
    groups = [
        _pending(run, slug),
        _errors(run, slug),
        _preemptions(run, slug),
        _evicted_again(run, slug),
        _close_calls(run, slug),
        *whole_run(run, slug),
    ]
    return [group for group in groups if group.findings]


# ---------------------------------------------------------------- groups


def _pending(run: Run, slug: str) -> FindingGroup:
    """Pods whose last attempt listed no node, together where the scheduler said the same of them."""
    later = Cycle.objects.filter(run_id=run.pk, pod=OuterRef("pod"), number__gt=OuterRef("number"))
    last = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").exclude(Exists(later))
    by_message = last.values("message").annotate(n=Count("number"), first=Min("number")).order_by("-n", "first")
    lines = list(by_message[:GROUP_LIMIT])
    pods = dict(_rows(run, [line["first"] for line in lines]).values_list("number", "pod"))
    listed = [
        ReviewFinding(
            f"pending:{digest(line['message'])}",
            "unsched",
            "x",
            f"{bare(pods[line['first']])}{and_more(line['n'])}",
            line["message"],
            short=_reasons(line["message"]),
            **_at(run, slug, line["first"], "why"),
        )
        for line in lines
    ]
    return FindingGroup("No node at the last attempt", listed, _total(by_message, listed))


def _reasons(message: str) -> str:
    """What most nodes say first, without what all such messages begin with; "" for a message of another form."""
    parsed = parse_message(message)
    if parsed is None:
        return ""
    counted = sorted(parsed.reasons.items(), key=lambda reason: -reason[1])
    return ", ".join(f"{n:,} {reason}" for reason, n in counted) or parsed.whole


def _errors(run: Run, slug: str) -> FindingGroup:
    rows = Cycle.objects.filter(run_id=run.pk, outcome="error").order_by("number")
    listed = [
        ReviewFinding(
            f"error:{row.number}",
            "error",
            "alert",
            f"{bare(row.pod)} ended in an error",
            f"cycle {row.number:,}, attempt {row.attempt:,}",
            **_at(run, slug, row.number, "why"),
        )
        for row in rows[:GROUP_LIMIT]
    ]
    return FindingGroup("Errors", listed, _total(rows, listed))


def _preemptions(run: Run, slug: str) -> FindingGroup:
    """Those that violate disruption budgets first, then those with most victims."""
    rows = Preemption.objects.filter(run_id=run.pk).exclude(node="").order_by("-violations", "-victims", "seq")
    listed = [
        ReviewFinding(
            f"preemption:{row.cycle}",
            "victim",
            "eject",
            f"{bare(row.pod)} evicts {row.victims:,} pod{'s' if row.victims != 1 else ''}",
            f"cycle {row.cycle:,}, {row.node}{_violating(row.violations)}",
            **_at(run, slug, row.cycle, "preemption"),
        )
        for row in rows[:GROUP_LIMIT]
    ]
    return FindingGroup("Preemption", listed, _total(rows, listed))


def _violating(n: int) -> str:
    return f", {n:,} against a disruption budget" if n else ""


def _evicted_again(run: Run, slug: str) -> FindingGroup:
    """Names of pods that were evicted more than once: their owner replaced them, and they had to go again."""
    evicted = Victim.objects.filter(run_id=run.pk, reprieved=False).values("pod")
    again = evicted.annotate(n=Count("seq"), last=Max("cycle")).filter(n__gt=1).order_by("-n", "pod")
    listed = [
        ReviewFinding(
            f"again:{digest(line['pod'])}",
            "victim",
            "eject",
            f"{bare(line['pod'])} was evicted {line['n']:,} times",
            f"the last time in cycle {line['last']:,}",
            **_at(run, slug, line["last"], "preemption"),
        )
        for line in again[:GROUP_LIMIT]
    ]
    return FindingGroup("Evicted more than once", listed, _total(again, listed))


def _close_calls(run: Run, slug: str) -> FindingGroup:
    """Ties, which the seed decided, and narrow wins, each kind together: the search lists them all.

    Their evidence is the matrix of the closest one.
    """
    rows = Cycle.objects.filter(run_id=run.pk)
    ties, narrow = (rows.filter(of_rows(query)) for query in (TIE_QUERY, NARROW_QUERY))
    listed = []
    if largest := ties.order_by("-tie_count", "number").first():
        n = ties.count()
        what = f"{n:,} tie{'s' if n != 1 else ''}, drawn by the seed"
        more = f"the largest among {largest.tie_count:,} nodes: {bare(largest.pod)} in cycle {largest.number:,}"
        listed.append(_close("ties", "equal", what, more, _search(slug, run, TIE_QUERY), (run, slug, largest.number)))
    if closest := narrow.order_by("margin", "number").first():
        n = narrow.count()
        what = f"{n:,} narrow win{'s' if n != 1 else ''}, by fewer than {NARROW} points"
        more = f"over the second node; the closest: {bare(closest.pod)} in cycle {closest.number:,}"
        every = _search(slug, run, NARROW_QUERY)
        listed.append(_close("narrow", "two", what, more, every, (run, slug, closest.number)))
    return FindingGroup("Ties and narrow wins", listed, len(listed))


def _close(kind: str, glyph: str, what: str, more: str, all_of_them: str, place: tuple[Run, str, int]) -> ReviewFinding:
    at = _at(*place, "matrix")
    return ReviewFinding(
        f"close:{kind}", "none", glyph, what, more, all_of_them, panels=at["panels"], cycles=at["cycles"]
    )


# ---------------------------------------------------------------- words and addresses


def _at(run: Run, slug: str, cycle: int, tab: str) -> dict[str, Any]:
    """Return the address of a cycle in the debugger, and its inspector as evidence."""
    url = f"{links.cycle_url(slug, run.number, cycle)}&{urlencode({'tab': tab})}"
    return {"url": url, "panels": (EvidencePanel(f"Run {run.number}", url),), "cycles": ((run.pk, cycle),)}


def _rows(run: Run, numbers: list[int]) -> QuerySet[Cycle]:
    return Cycle.objects.filter(run_id=run.pk, number__in=numbers)


def _total(rows: QuerySet[Any, Any], listed: list[ReviewFinding]) -> int:
    return rows.count() if len(listed) == GROUP_LIMIT else len(listed)


def _search(slug: str, run: Run, query: str) -> str:
    return f"{reverse('search:run', kwargs={'slug': slug, 'number': run.number})}?{urlencode({'q': query})}"


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
