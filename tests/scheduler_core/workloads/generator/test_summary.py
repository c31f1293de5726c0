"""Summaries: sums and histograms recounted, warnings only where pods cannot all run."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.workloads.generator.generate import written
from scheduler_core.workloads.generator.plan import make_plan
from scheduler_core.workloads.generator.summary import HistogramBar, PlanSummary, histogram, summarize_plan
from tests.scheduler_core.workloads.generator.texts import described, random_text


def summary(text: str) -> PlanSummary:
    return summarize_plan(make_plan(described(text)))


def test_what_is_asked_at_once_counts_pods_while_they_are_there() -> None:
    made = summary("""
        pools: [{name: n, nodes: 2, resources: {cpu: 4}, zones: 3}]
        workloads: [{name: a, pods: 4, sizes: {cpu: 1, example.com/x: 1}}]
        arrivals: {process: list, times: [0s, 10s, 20s, 30s]}
        lifetime: 20s
        """)
    asked = {one.resource: (one.in_all, one.at_once, one.allocatable) for one in made.asked}
    assert asked == {"cpu": (4_000, 2_000, 8_000), "example.com/x": (4, 2, 0), "pods": (4, 2, 220)}
    assert (made.n_nodes, made.n_pods, made.n_zones) == (2, 4, 2)
    assert made.arrivals.at_start == 0
    assert sum(made.arrivals.counts) == 4


def test_a_histogram_of_few_values_has_a_bar_for_each() -> None:
    assert histogram("cpu", [1, 1, 5]).bars == [HistogramBar(1, 1, 2), HistogramBar(5, 5, 1)]


@pytest.mark.parametrize("top", [100, 10_000, 1 << 40])
def test_a_histogram_of_many_values_has_ranges_that_hold_all(top: int) -> None:
    values = [0, 0, *(1 + i * top // 50 for i in range(50))]
    made = histogram("memory", values)
    assert len(made.bars) <= 12
    assert sum(bar.n for bar in made.bars) == len(values)
    assert made.bars[0] == HistogramBar(0, 0, 2)
    for one, after in zip(made.bars[1:], made.bars[2:], strict=False):
        assert after.low == one.high + 1


NODES = "pools: [{name: n, nodes: 2, resources: {cpu: 4, memory: 8Gi}, labels: {a: b}"
WARNINGS = [
    ("{name: w, pods: 8, sizes: {cpu: 1}}", []),
    ("{name: w, pods: 9, sizes: {cpu: 1}}", ["cpu is asked for 1.12 times over"]),
    ("{name: w, pods: 1, sizes: {cpu: 5}}", ["No node can hold 1 of the 1 pods of w: they request more cpu"]),
    ("{name: w, pods: 1, sizes: {cpu: 1}, nodeSelector: {a: c}}", ["labels of their node selector"]),
    ("{name: w, pods: 1, sizes: {cpu: 1}, nodeSelector: {kubernetes.io/hostname: n-1}}", []),
    ("{name: w, pods: 1, sizes: {example.com/x: 1}}", ["more example.com/x than any node"]),
]


@pytest.mark.parametrize(("workload", "expected"), WARNINGS)
def test_warnings(workload: str, expected: list[str]) -> None:
    made = summary(f"{NODES}}}]\nworkloads: [{workload}]")
    assert len(made.warnings) == len(expected)
    for warning, part in zip(made.warnings, expected, strict=True):
        assert part in warning.text


def test_taints_and_cordons_are_warnings_for_pods_that_do_not_tolerate_them() -> None:
    taint = f"{NODES}, taints: [{{key: k, effect: NoSchedule}}]}}]\nworkloads: "
    (warning,) = summary(taint + "[{name: w, pods: 1, sizes: {cpu: 1}}]").warnings
    assert "tolerate" in warning.text
    tolerant = summary(taint + "[{name: w, pods: 1, sizes: {cpu: 1}, tolerations: [{operator: Exists}]}]")
    assert tolerant.warnings == []
    cordoned = f"{NODES}, unschedulable: true}}]\nworkloads: [{{name: w, pods: 1, sizes: {{cpu: 1}}}}]"
    assert "tolerate" in summary(cordoned).warnings[0].text


def test_nothing_is_a_warning_of_its_own() -> None:
    assert "no nodes" in summary("{}").warnings[0].text
    without_pods = summary("pools: [{name: n, nodes: 1, shape: m5.large}]")
    assert "no pods" in without_pods.warnings[0].text


@pytest.mark.slow
@pytest.mark.parametrize("case", range(12))
def test_pods_that_no_node_can_hold_are_bound_in_no_run(case: int) -> None:
    """The engine agrees: a workload all of whose pods are said to fit nowhere has none bound."""
    description = described(random_text(case + 300))
    plan = make_plan(description)
    stuck = {
        one.name
        for one in description.workloads
        for warning in summarize_plan(plan).warnings
        if warning.text.startswith(f"No node can hold {one.pods:,} of the {one.pods:,} pods of {one.name}:")
    }
    made = written(plan)
    added = [entry["object"] for entry in made.entries if entry["action"] == "add"]
    objects = load_manifests([*made.manifests, *added]).objects
    bound: list[str] = []
    session = RunSession.start(RunInputs(objects=objects))
    session.observe(lambda _, event: bound.append(event.pod) if isinstance(event, ev.Bound) else None)
    session.advance()
    assert not stuck & {key.partition("/")[2].rpartition("-")[0] for key in bound}


DAY = 24 * 3600


@pytest.mark.parametrize(
    ("last", "width", "n_bars"),
    [
        (0, 1, 1), (59, 1, 60), (60, 2, 31), (119, 2, 60), (120, 5, 25), (1800, 60, 31), (3600, 120, 31),
        (30 * 3600, 3600, 31), (60 * 3600, 2 * 3600, 31), (2 * DAY, 3600, 49), (29 * DAY, DAY // 2, 59),
        (31 * DAY, DAY, 32), (61 * DAY, 2 * DAY, 31), (130 * DAY, 5 * DAY, 27), (301 * DAY, 10 * DAY, 31),
    ],
)  # fmt: skip
def test_arrivals_have_at_most_sixty_bars_of_a_length_that_people_name(last: int, width: int, n_bars: int) -> None:
    made = summary(f"""
        workloads: [{{name: a, pods: 1, sizes: {{cpu: 1}}}}]
        arrivals: {{process: list, times: [{last}s]}}
        """).arrivals
    assert (made.width, len(made.counts)) == (width * 1_000_000, n_bars)
    assert made.counts[-1] == 1
