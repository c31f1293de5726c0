"""What a description comes to, as pictures: meters and histograms in SVG, warnings, a sample of the pods."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages import numbers
from scheduler_core.manifests import ManifestSource
from scheduler_core.recording.times import label, span
from scheduler_core.workloads.generator.objects import deployment_name, pod_name
from scheduler_core.workloads.generator.plan import make_plan
from scheduler_core.workloads.generator.reading import read_description
from scheduler_core.workloads.generator.ready_lists import PODS
from scheduler_core.workloads.generator.summary import summarize_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.manifests import Finding
    from scheduler_core.workloads.generator.description import Description, WorkloadOfPods
    from scheduler_core.workloads.generator.plan import GenerationPlan
    from scheduler_core.workloads.generator.summary import AmountHistogram, ArrivalCounts, PlanSummary, RequestedTotal

HEIGHT = 50
"""Of the highest bar, in pixels; texts stand below."""
EDGE = 80.0
"""Where a meter has all that is allocatable, in percent of its width."""
_SAMPLE = 8
_LABELS = 4
_GAP = 0.7
_WIDEST = 16.0
"""A bar's width at most, in percent: one bar alone is still a bar."""
SOURCE = "description"


class SvgBar(NamedTuple):
    """A bar: left edge and width in percent, top and height in pixels, and what it says."""

    x: str
    width: str
    y: str
    height: str
    title: str


class SvgLabel(NamedTuple):
    """A text below the bars: its place in percent, how it is anchored there, and itself."""

    x: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Picture:
    """A histogram with its title and a note; `description` says it in words."""

    title: str
    note: str
    bars: list[SvgBar]
    labels: list[SvgLabel]

    @property
    def description(self) -> str:
        """Return the bars in words."""
        return "; ".join(bar.title for bar in self.bars[:40])


class AskedMeter(NamedTuple):
    """What is requested of a resource: parts of the meter in percent of its width, and the figure."""

    resource: str
    name: str
    mine: str
    over_at: str
    over: str
    text: str


class MendedWarning(NamedTuple):
    """A warning, and an action of the form that would settle it with its label; "" where there is none."""

    text: str
    action: str
    label: str


class SampleRow(NamedTuple):
    """A pod of the plan: when it comes, its name, what it asks for, its priority."""

    at: int | None
    name: str
    requests: str
    priority: int


@dataclass(frozen=True)
class DescriptionPreview:
    """What a text comes to; only `findings` where it has errors."""

    findings: Sequence[Finding]
    plan: GenerationPlan | None = None
    summary: PlanSummary | None = None
    seconds: float = 0.0

    @property
    def errors(self) -> list[Finding]:
        """Return the findings that keep it from being made."""
        return [one for one in self.findings if one.severity == "error"]

    @property
    def meters(self) -> list[AskedMeter]:
        """Return a meter for each resource."""
        return [_meter(one) for one in self.summary.asked] if self.summary else []

    @property
    def warnings(self) -> list[MendedWarning]:
        """Return why not all pods can run."""
        if self.summary is None or self.plan is None:
            return []
        over = iter([one for one in self.summary.asked if one.allocatable and one.at_once > one.allocatable])
        description = self.plan.description
        return [
            _mended(warning.text, next(over), description)
            if warning.kind == "over"
            else MendedWarning(warning.text, "", "")
            for warning in self.summary.warnings
        ]

    @property
    def pictures(self) -> list[Picture]:
        """Return the histograms of nodes, of pods and of priorities."""
        if self.summary is None:
            return []
        pictures = [_amounts("Nodes", one) for one in self.summary.nodes]
        pictures += [_amounts("Pods", one) for one in self.summary.pods]
        if self.summary.priorities:
            pictures.append(_priorities(self.summary.priorities))
        return pictures

    @property
    def arrivals(self) -> Picture | None:
        """Return the arrivals over time, None where all pods are there from the start."""
        counts = self.summary.arrivals if self.summary else None
        return _arrivals(counts) if counts is not None and counts.counts else None

    @property
    def sample(self) -> list[SampleRow]:
        """Return the first pods."""
        if self.plan is None:
            return []
        workloads = self.plan.description.workloads
        return [
            SampleRow(
                pod.at,
                _pod_label(workloads[pod.workload], pod.number),
                ", ".join(f"{_short(name)} {_amount(name, value)}" for name, value in pod.requests.items() if value),
                priority.value if (priority := workloads[pod.workload].priority) else 0,
            )
            for pod in self.plan.pods[:_SAMPLE]
        ]


def _pod_label(workload: WorkloadOfPods, number: int) -> str:
    """Return the pod's name, or whose pod it is: a Deployment names its pods itself."""
    if not workload.replicas:
        return pod_name(workload, number)
    return f"a pod of Deployment {deployment_name(workload, number // workload.replicas)}"


def build_preview(text: str) -> DescriptionPreview:
    """Return what a text comes to."""
    description, findings = read_description(ManifestSource(SOURCE, text.encode()))
    if description is None:
        return DescriptionPreview(findings)
    start = time.perf_counter()
    plan = make_plan(description)
    summary = summarize_plan(plan)
    return DescriptionPreview(findings, plan, summary, time.perf_counter() - start)


def _amount(resource: str, value: int) -> str:
    return numbers.amount(value, resource)


def _short(resource: str) -> str:
    return resource.rpartition("/")[2]


# ---------------------------------------------------------------- meters and warnings


def _meter(one: RequestedTotal) -> AskedMeter:
    share = one.share
    if share is None:
        text = f"{_amount(one.resource, one.at_once)}, none allocatable"
        return AskedMeter(one.resource, _short(one.resource), "0%", "0%", "100%" if one.at_once else "0%", text)
    scale = EDGE if share <= 100 / EDGE else 100 / share
    mine = min(share, 1.0) * scale
    over = max(0.0, share - 1) * scale
    text = f"{share:.0%} of {_amount(one.resource, one.allocatable)}".replace("%", " %")
    return AskedMeter(one.resource, _short(one.resource), f"{mine:.2f}%", f"{mine:.2f}%", f"{over:.2f}%", text)


def _mended(text: str, one: RequestedTotal, description: Description) -> MendedWarning:
    """Return the warning with more nodes of the pool that has most of the resource."""
    pools = [(pool.allocatable.get(one.resource, 0), -i) for i, pool in enumerate(description.pools)]
    most, index = max(pools, default=(0, 0))
    if not most or one.resource == PODS:
        return MendedWarning(text, "", "")
    more = -(-(one.at_once - one.allocatable) // most)
    pool = description.pools[-index]
    label = f"Add {numbers.grouped(more)} node{'' if more == 1 else 's'} to {pool.name}"
    return MendedWarning(text, f"more:{-index}:{more}", label)


# ---------------------------------------------------------------- histograms


def _picture(title: str, note: str, counts: Sequence[int], titles: Sequence[str], labels: Sequence[str]) -> Picture:
    """Return bars of equal width; at most a few of the labels are shown, the last one at the right edge."""
    highest, step = max(counts, default=1) or 1, 100 / max(1, len(counts))
    width = min(step - min(_GAP, step / 4), _WIDEST)
    bars = []
    for i, count in enumerate(counts):
        height = round(max(0.8, HEIGHT * count / highest), 1) if count else 0.8
        bars.append(
            SvgBar(
                f"{(i + 0.5) * step - width / 2:.2f}%",
                f"{width:.2f}%",
                f"{HEIGHT + 2 - height:.1f}",
                f"{height:.1f}",
                titles[i],
            )
        )
    every = max(1, -(-len(labels) // _LABELS))
    shown = [SvgLabel(f"{(i + 0.5) * step:.2f}%", "middle", labels[i]) for i in range(0, len(labels), every)]
    return Picture(title, note, bars, shown)


def _amounts(what: str, one: AmountHistogram) -> Picture:
    titles, labels = [], []
    for bar in one.bars:
        low = _amount(one.resource, bar.low)
        between = low if bar.low == bar.high else f"from {low} to below {_amount(one.resource, bar.high + 1)}"
        titles.append(f"{between}: {numbers.grouped(bar.n)}")
        labels.append(low)
    note = f"median {_amount(one.resource, one.median)}"
    counts = [bar.n for bar in one.bars]
    return _picture(f"{what} by {_short(one.resource)}", note, counts, titles, labels)


def _priorities(priorities: Sequence[tuple[int, int]]) -> Picture:
    shown = priorities[:40]
    titles = [f"{numbers.grouped(value)}: {numbers.grouped(n)}" for value, n in shown]
    labels = [numbers.grouped(value) for value, _ in shown]
    note = f"{len(priorities)} value{'' if len(priorities) == 1 else 's'}"
    return _picture("Pods by priority", note, [n for _, n in shown], titles, labels)


def _arrivals(counts: ArrivalCounts) -> Picture:
    labels = [label(i * counts.width, counts.width) for i in range(len(counts.counts))]
    titles = [f"from {at}: {numbers.grouped(n)}" for at, n in zip(labels, counts.counts, strict=True)]
    note = f"at most {max(counts.counts):,} in {span(counts.width)}"
    if counts.at_start:
        note += f"; {counts.at_start:,} more are there from the start"
    return _picture("Arrivals", note, counts.counts, titles, labels)
