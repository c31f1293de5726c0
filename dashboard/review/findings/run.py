"""What of a run is worth a look, gathered from its summary rows, in groups that a reviewer walks through.

Every finding has a key that it has again after the run went on or was looked at by somebody else, so that each member's
marks of what they have viewed hold. A group shows its first GROUP_LIMIT findings and says how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.urls import reverse

from dashboard.review import links
from dashboard.runs.models import Cycle, Preemption, Victim

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from dashboard.runs.models import Run

GROUP_LIMIT = 8
# Points of total score. A lead as small as this is one that another weight or another node's load turns round.
NARROW = 3


@dataclass(frozen=True)
class RunFinding:
    """What happened, more about it, and where the product shows it; `meaning` and `glyph` say how it looks."""

    key: str
    meaning: str
    glyph: str
    what: str
    more: str
    url: str
    is_viewed: bool = False


@dataclass(frozen=True)
class FindingGroup:
    """Findings of one kind; `total` may be more than are listed."""

    title: str
    findings: list[RunFinding] = field(default_factory=list)
    total: int = 0

    @property
    def n_viewed(self) -> int:
        """Return how many of the listed findings the reader has viewed."""
        return sum(one.is_viewed for one in self.findings)

    @property
    def n_more(self) -> int:
        """Return how many findings are not listed."""
        return max(0, self.total - len(self.findings))


def findings_of(run: Run, slug: str) -> list[FindingGroup]:
    """Return the groups that have findings; some ten queries by indexes of the run's rows."""
    groups = [
        _pending(run, slug),
        _errors(run, slug),
        _preemptions(run, slug),
        _evicted_again(run, slug),
        _close_calls(run, slug),
    ]
    return [group for group in groups if group.findings]


def keys_of(groups: Iterable[FindingGroup]) -> set[str]:
    """Return the keys of all findings that are listed."""
    return {one.key for group in groups for one in group.findings}


# ---------------------------------------------------------------- groups


def _pending(run: Run, slug: str) -> FindingGroup:
    """Pods whose last attempt listed no node, together where the scheduler said the same of them."""
    later = Cycle.objects.filter(run_id=run.pk, pod=OuterRef("pod"), number__gt=OuterRef("number"))
    last = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").exclude(Exists(later))
    by_message = last.values("message").annotate(n=Count("number"), first=Min("number")).order_by("-n", "first")
    lines = list(by_message[:GROUP_LIMIT])
    pods = dict(_rows(run, [line["first"] for line in lines]).values_list("number", "pod"))
    listed = [
        RunFinding(
            f"pending:{_digest(line['message'])}",
            "unsched",
            "x",
            f"{_name(pods[line['first']])}{_and_more(line['n'])}",
            line["message"],
            links.cycle_url(slug, run.number, line["first"]),
        )
        for line in lines
    ]
    return FindingGroup("No node at the last attempt", listed, _total(by_message, listed))


def _errors(run: Run, slug: str) -> FindingGroup:
    rows = Cycle.objects.filter(run_id=run.pk, outcome="error").order_by("number")
    listed = [
        RunFinding(
            f"error:{row.number}",
            "error",
            "alert",
            f"{_name(row.pod)} ended in an error",
            f"cycle {row.number:,}, attempt {row.attempt:,}",
            links.cycle_url(slug, run.number, row.number),
        )
        for row in rows[:GROUP_LIMIT]
    ]
    return FindingGroup("Errors", listed, _total(rows, listed))


def _preemptions(run: Run, slug: str) -> FindingGroup:
    """Those that violate disruption budgets first, then those with most victims."""
    rows = Preemption.objects.filter(run_id=run.pk, victims__gt=0).order_by("-violations", "-victims", "seq")
    listed = [
        RunFinding(
            f"preemption:{row.cycle}",
            "victim",
            "eject",
            f"{_name(row.pod)} evicts {row.victims:,} pod{'s' if row.victims != 1 else ''}",
            f"cycle {row.cycle:,}, {row.node}{_violating(row.violations)}",
            links.cycle_url(slug, run.number, row.cycle),
        )
        for row in rows[:GROUP_LIMIT]
    ]
    return FindingGroup("Preemption", listed, _total(rows, listed))


def _violating(n: int) -> str:
    return f", {n:,} against a disruption budget" if n else ""


def _evicted_again(run: Run, slug: str) -> FindingGroup:
    """Names of pods that were evicted more than once: their owner made them anew, and they had to go again."""
    evicted = Victim.objects.filter(run_id=run.pk, reprieved=False).values("pod")
    again = evicted.annotate(n=Count("seq"), last=Max("cycle")).filter(n__gt=1).order_by("-n", "pod")
    listed = [
        RunFinding(
            f"again:{_digest(line['pod'])}",
            "victim",
            "eject",
            f"{_name(line['pod'])} was evicted {line['n']:,} times",
            f"the last time in cycle {line['last']:,}",
            links.cycle_url(slug, run.number, line["last"]),
        )
        for line in again[:GROUP_LIMIT]
    ]
    return FindingGroup("Evicted more than once", listed, _total(again, listed))


def _close_calls(run: Run, slug: str) -> FindingGroup:
    """Ties, which the seed decided, and leads of a few points, each kind together: the search lists them all."""
    rows = Cycle.objects.filter(run_id=run.pk, outcome="scheduled")
    figures = rows.aggregate(
        ties=Count("number", filter=Q(tie_count__gt=1)),
        most=Max("tie_count"),
        narrow=Count("number", filter=Q(tie_count=1, margin__gt=0, margin__lt=NARROW)),
    )
    listed = []
    if figures["ties"]:
        what = f"{figures['ties']:,} tie{'s' if figures['ties'] != 1 else ''}, drawn by the seed"
        more = f"the largest among {figures['most']:,} nodes"
        listed.append(RunFinding("close:ties", "none", "equal", what, more, _search(slug, run, "tie")))
    if figures["narrow"]:
        what = f"Lead below {NARROW} points in {figures['narrow']:,} cycle{'s' if figures['narrow'] != 1 else ''}"
        query = f"margin>0 margin<{NARROW}"
        listed.append(
            RunFinding("close:narrow", "none", "two", what, "over the second node", _search(slug, run, query))
        )
    return FindingGroup("Ties and narrow leads", listed, len(listed))


# ---------------------------------------------------------------- words and addresses


def _rows(run: Run, numbers: list[int]) -> QuerySet[Cycle]:
    return Cycle.objects.filter(run_id=run.pk, number__in=numbers)


def _total(rows: QuerySet[Any, Any], listed: list[RunFinding]) -> int:
    return rows.count() if len(listed) == GROUP_LIMIT else len(listed)


def _and_more(n: int) -> str:
    return f" and {n - 1:,} more" if n > 1 else ""


def _name(pod: str) -> str:
    return pod.rpartition("/")[2]


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _search(slug: str, run: Run, query: str) -> str:
    return f"{reverse('search:run', kwargs={'slug': slug, 'number': run.number})}?{urlencode({'q': query})}"
