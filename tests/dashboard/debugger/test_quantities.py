"""One number for each quantity, wherever it is shown: pages, lists, reviews, comparisons, metrics, command line.

The places are found: expressions of templates, columns of heads, families of metrics, fields of JSON. A new one fails
here until it is in PLACES with what reads it, or among those that show something else.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from random import Random

import pytest
from django.db import models
from django.urls import reverse
from prometheus_client.parser import text_string_to_metric_families

from dashboard.answers.answering.comparing.run_figures import RunFigures, count_endings
from dashboard.common.monitoring.metrics import exposition
from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.outcomes.export import as_markdown
from dashboard.debugger.outcomes.side import Side
from dashboard.debugger.outcomes.table import OutcomesTable
from dashboard.query.compiling import of_rows
from dashboard.review.findings.run import findings_of
from dashboard.runs import actions, demo, execution
from dashboard.runs.inputs import load_inputs
from dashboard.runs.list.lines import outcome_parts
from dashboard.runs.models import Cycle, Preemption, RunFigure, RunHead, Victim
from dashboard.runs.storage import outcomes as storage
from dashboard.runs.storage import recordings
from scheduler_core.cli.runs.simulate import Notes, Report, _report
from scheduler_core.compare import RecordedSide, SideReading, SideTotals
from scheduler_core.compare.pods import WaitTotals
from scheduler_core.explain.outcomes.model import UNPLACED, Outcomes, Placements, PreemptionTotals, Waits
from scheduler_core.query import NARROW_QUERY, TIE_QUERY, parse
from scheduler_core.query.search import count_hits
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording import quantities as qu
from scheduler_core.recording.events import RunFinished
from scheduler_core.recording.quantities import Totals, TotalsCounter
from scheduler_core.simulate import RunSession
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db

TEMPLATES = Path(__file__).parents[3] / "templates"


class Shown:
    """A finished run with everything that says something of it, each read once."""

    def __init__(self, run, viewer):
        self.run = run
        self.viewer = viewer

    @cached_property
    def outcomes(self):
        return storage.compute(self.run)

    @cached_property
    def session(self):
        """The same inputs as the command line runs them, with what it says."""
        session, notes, counter = RunSession.start(load_inputs(self.run)), Notes(), TotalsCounter()
        session.simulation.observers += [notes.take, counter.take]
        store = MemoryStore(session.initial_keyframe())
        session.advance()
        store.add(session.cut_chunk())
        return session, RecordingReader(store), _report(session, 1.0, notes, counter.totals)

    @property
    def reader(self):
        return self.session[1]

    @property
    def report(self):
        return self.session[2]

    @cached_property
    def side(self):
        return SideReading(RecordedSide.of(load_inputs(self.run), self.reader)).go_on(self.reader)

    @cached_property
    def finished(self):
        return recordings.read(self.run.pk, lambda reader: reader.event(reader.head_seq() - 1))

    @cached_property
    def list_parts(self):
        return {label.removesuffix("s"): n for _, n, label in outcome_parts(self.run)}

    @cached_property
    def figures(self):
        return count_endings(self.side.ends.values(), 1)

    @cached_property
    def metrics(self):
        families = text_string_to_metric_families(exposition().decode())
        return [sample for family in families for sample in family.samples]

    @cached_property
    def page(self):
        storage.store(self.run.pk, self.outcomes)
        url = reverse("debugger:outcomes", kwargs={"slug": "team", "number": self.run.number})
        return self.viewer.get(url).content.decode()

    @cached_property
    def markdown(self):
        table = OutcomesTable(self.outcomes, OutcomesView("team", self.run.number), has_ended=True)
        return as_markdown(self.run, table, Side(self.outcomes, OutcomesView("team", 1)))

    def metric(self, name, **labels):
        return sum(one.value for one in self.metrics if one.name == name and labels.items() <= one.labels.items())

    def on_page(self, quantity):
        """The numbers that carry the quantity's name on the page of outcomes, added up."""
        shown = re.findall(rf'data-quantity="{quantity}"\s*>([\d,]+)<', self.page)
        assert shown or quantity in (qu.TIE, qu.NARROW_WIN, qu.LOST), f"{quantity} is not on the page"
        return sum(int(one.replace(",", "")) for one in shown)

    def said(self, text):
        """The number of a line of the Markdown export, 0 where it is left out."""
        line = re.search(rf"- ([\d,]+) of [\d,]+ placements?: {text}", self.markdown)
        return int(line[1].replace(",", "")) if line else 0

    def finding(self, key):
        lines = [one.what for group in findings_of(self.run, "team") for one in group.findings if one.key == key]
        return int(lines[0].partition(" ")[0].replace(",", "")) if lines else 0

    def hits(self, query):
        return count_hits(self.reader, parse(query)).total

    def queued(self):
        rows = RunFigure.objects.filter(run_id=self.run.pk, family=RunFigure.Family.PENDING)
        return +Counter(dict(rows.values_list("first", "count")))


FIGURES, STRIP = "debugger/outcomes/_figures.html", "debugger/outcomes/_strip.html"
PLACES = {
    qu.PLACEMENT: {
        "RunHead.scheduled": lambda s: s.run.head.scheduled,
        "Placements.n": lambda s: s.outcomes.placements.n,
        "Totals.placements": lambda s: s.report.totals.placements,
        "scheduler_schedule_attempts": lambda s: s.metric("scheduler_schedule_attempts_total", result="scheduled"),
        f"{FIGURES} side.ties.total": lambda s: Side(s.outcomes, OutcomesView("team", 1)).ties.total,
        "query": lambda s: s.hits("outcome:scheduled"),
    },
    qu.TIE: {
        "Placements.ties": lambda s: len(s.outcomes.placements.ties),
        "Totals.ties": lambda s: s.report.totals.ties,
        "query": lambda s: s.hits(TIE_QUERY),
        "rows": lambda s: Cycle.objects.filter(of_rows(TIE_QUERY), run_id=s.run.pk).count(),
        "review": lambda s: s.finding("close:ties"),
        FIGURES: lambda s: s.on_page(qu.TIE),
        "markdown": lambda s: s.said("drawn from a tie"),
    },
    qu.NARROW_WIN: {
        "Placements.narrow": lambda s: len(s.outcomes.placements.narrow),
        "Totals.narrow_wins": lambda s: s.report.totals.narrow_wins,
        "query": lambda s: s.hits(NARROW_QUERY),
        "rows": lambda s: Cycle.objects.filter(of_rows(NARROW_QUERY), run_id=s.run.pk).count(),
        "review": lambda s: s.finding("close:narrow"),
        FIGURES: lambda s: s.on_page(qu.NARROW_WIN),
        "markdown": lambda s: s.said("by fewer than"),
    },
    qu.BINDING: {
        "RunHead.bound": lambda s: s.run.head.bound,
        "Outcomes.bindings": lambda s: s.outcomes.bindings,
        "Totals.bindings": lambda s: s.report.totals.bindings,
        "WaitTotals.n": lambda s: s.side.totals.waits.n,
        "list": lambda s: s.list_parts["binding"],
        "clusters/revisions/list.html outcome.bound": lambda s: s.run.head.bound,
        "scheduler_pod_scheduling_attempts": lambda s: s.metric("scheduler_pod_scheduling_attempts_count"),
        "scheduler_pod_scheduling_sli_duration_seconds": lambda s: s.metric(
            "scheduler_pod_scheduling_sli_duration_seconds_count"
        ),
        f"{FIGURES} summary.outcomes.bindings": lambda s: s.on_page(qu.BINDING),
    },
    qu.BOUND: {
        "Outcomes.counts": lambda s: s.outcomes.counts[qu.BOUND],
        "SideTotals.outcomes": lambda s: s.side.totals.outcomes.get(qu.BOUND, 0),
        "RunFinished.bound": lambda s: s.finished.bound,
        "Report.placements": lambda s: len(s.report.placements),
        STRIP: lambda s: s.on_page(qu.BOUND),
    },
    qu.UNPLACED: {
        "RunHead.pending": lambda s: s.run.head.pending,
        "RunFinished.pending": lambda s: s.finished.pending,
        "Report.pending": lambda s: len(s.report.pending),
        "Outcomes.counts": lambda s: sum(s.outcomes.counts[kind] for kind in UNPLACED),
        "SideTotals.outcomes": lambda s: s.side.totals.unplaced,
        "RunFigures.n_pending": lambda s: s.figures.n_pending,
        "list": lambda s: s.list_parts.get(qu.UNPLACED, 0),
        "clusters/revisions/list.html outcome.pending": lambda s: s.run.head.pending,
    },
    qu.PENDING: {
        "Outcomes.counts": lambda s: s.outcomes.counts[qu.PENDING],
        "SideTotals.outcomes": lambda s: s.side.totals.outcomes.get(qu.PENDING, 0),
        STRIP: lambda s: s.on_page(qu.PENDING),
    },
    qu.QUEUED: {
        "scheduler_pending_pods": lambda s: s.queued(),
        "Outcomes.series": lambda s: (
            +Counter(
                {
                    "active": s.outcomes.series.lanes["active"][-1],
                    "backoff": s.outcomes.series.lanes["backoff"][-1] + s.outcomes.series.lanes["error_backoff"][-1],
                    "unschedulable": s.outcomes.series.lanes["unschedulable"][-1],
                    "gated": s.outcomes.series.lanes["gated"][-1],
                }
            )
        ),
    },
    qu.PREEMPTION: {
        "RunHead.preemptions": lambda s: s.run.head.preemptions,
        "PreemptionTotals.successful": lambda s: s.outcomes.evictions.successful,
        "Totals.preemptions": lambda s: s.report.totals.preemptions,
        "Report.preemptions": lambda s: len(s.report.preemptions),
        "rows": lambda s: Preemption.objects.filter(run_id=s.run.pk).exclude(node="").count(),
        "scheduler_preemption_victims": lambda s: s.metric("scheduler_preemption_victims_count"),
        "query": lambda s: s.hits("preempting"),
        "review/_run_outcome.html line.progress.preemptions": lambda s: s.run.head.preemptions,
    },
    qu.VICTIM: {
        "RunHead.victims": lambda s: s.run.head.victims,
        "PreemptionTotals.victims": lambda s: s.outcomes.evictions.victims,
        "Totals.victims": lambda s: s.report.totals.victims,
        "list": lambda s: s.list_parts.get("victim", 0),
        "rows": lambda s: Victim.objects.filter(run_id=s.run.pk, reprieved=False).count(),
        "scheduler_preemption_victims": lambda s: s.metric("scheduler_preemption_victims_sum"),
        f"{FIGURES} summary.outcomes.evictions.victims": lambda s: s.on_page(qu.VICTIM),
    },
    qu.PREEMPTED: {
        "Outcomes.counts": lambda s: s.outcomes.counts[qu.PREEMPTED],
        "SideTotals.outcomes": lambda s: s.side.totals.outcomes.get(qu.PREEMPTED, 0),
        "RunFigures.n_evicted": lambda s: s.figures.n_evicted,
        STRIP: lambda s: s.on_page(qu.PREEMPTED),
    },
    qu.LOST: {
        "Outcomes.counts": lambda s: s.outcomes.counts[qu.LOST],
        "SideTotals.outcomes": lambda s: s.side.totals.outcomes.get(qu.LOST, 0),
        "RunFigures.n_lost": lambda s: s.figures.n_lost,
        STRIP: lambda s: s.on_page(qu.LOST),
    },
    qu.WAIT: {
        "Outcomes.waits": lambda s: (s.outcomes.waits.p50, s.outcomes.waits.p95, s.outcomes.waits.longest),
        "SideTotals.waits": lambda s: (s.side.totals.waits.p50, s.side.totals.waits.p95, s.side.totals.waits.longest),
    },
    qu.REPLICAS: {
        "Outcomes.n_short": lambda s: s.outcomes.n_short,
        "RunFinished.n_short": lambda s: s.finished.n_short,
        "Outcomes.short": lambda s: len(s.outcomes.short),
        "RunFinished.missing": lambda s: len(s.finished.missing),
        "Report.missing": lambda s: len(s.report.missing),
    },
}


# ---------------------------------------------------------------- the places are found

STRUCTS = (
    Report,
    Totals,
    SideTotals,
    WaitTotals,
    RunFigures,
    Outcomes,
    Placements,
    PreemptionTotals,
    Waits,
    RunFinished,
)
WORDS = re.compile(
    r"victim|preempt|evict|tie_count|\bties\b|narrow|margin|\bbound|binding|pending|\blost|\bwaits?\b|placed|placement"
    r"|\bmissing|desired"
)
NUMBER = re.compile(r"\|num\b|\.wait\b")
# What is no number of a run, or one of a single decision, pod, group, chunk or input.
OTHERS = {
    *(
        "Report.finished",
        "Report.cycles",
        "Report.cycles_per_second",
        "Report.virtual_seconds",
        "Report.recording_hash",
    ),
    *(
        "Outcomes.doubts",
        "Report.doubts",
        "Report.rollouts",
        "Report.gone",
        "Report.totals",
        "Report.left_tape",
        "Report.version",
        "SideTotals.cycles",
        "SideTotals.pods",
        "SideTotals.all_waits",
    ),
    # Pods that wait otherwise in another version, and how long: a comparison of two runs.
    "upgrade/_side.html shown.report.waits",
    *("WaitTotals.p50", "WaitTotals.p95", "WaitTotals.longest", "Waits.p50", "Waits.p95", "Waits.longest"),
    *("Waits.pending_p50", "Waits.pending_longest", "RunFigures.n_used", "RunFigures.n_empty"),
    *("Outcomes.seq", "Outcomes.at", "Outcomes.cycles", "Outcomes.n_nodes", "Outcomes.groups", "Outcomes.owners"),
    *("Outcomes.requests", "Outcomes.pods", "Outcomes.fragmentation", "Outcomes.placements", "Outcomes.by_priority"),
    *("Outcomes.has_admission", "Outcomes.quotas", "Outcomes.rollouts", "Outcomes.spans"),
    *("Outcomes.evictions", "Outcomes.failures", "Outcomes.n_failures", "Outcomes.attempts", "Placements.alone"),
    *("PreemptionTotals.tries", "PreemptionTotals.violations", "PreemptionTotals.refused", "PreemptionTotals.message"),
    *("RunFinished.at", "RunFinished.reason", "RunFinished.cycles"),
    *("RunHead.seq", "RunHead.cycle", "RunHead.at_us", "RunHead.lease_epoch", "RunHead.n_changes", "RunHead.rewrites"),
    *("RunHead.step_to_cycle", "RunHead.recoveries", "RunHead.recovered_seq", "RunHead.steps_done"),
    *("RunHead.unschedulable", "RunHead.errors", "RunHead.skipped", "RunHead.size_bytes", "RunHead.left_tape_cycle"),
    *("scheduler_queue_incoming_pods", "scheduler_preemption_attempts"),
    *("scheduler_framework_extension_point_duration_seconds", "scheduler_plugin_execution_duration_seconds"),
    # Of an input, not of a run.
    *("agreement/_bound.html shown.bound.total", "agreement/_pending.html shown.pending.total"),
    # What a real scheduler did: no run has recorded it.
    *(f"agreement/reality/_evidence.html pick.bound.{name}" for name in ("gap", "n_fitting", "rank", "total")),
    *(f"following/{name}.html shown.n_bindings" for name in ("_agreement", "_reality_cell")),
    *(f"following/{name}.html live.overview.n_pending" for name in ("_figures", "_pending")),
    "clusters/forms/_form.html form.pods_pending",
    *("clusters/map/_panel.html map.bound", "clusters/workbench/_map.html map.bound"),
    *("clusters/revisions/_pending.html figures.pending", "home/_clusters.html figures.pending"),
    *("runs/_launch.html preview.to_schedule.pending", "runs/_launch.html form.n_left_pending"),
    # Of a workload, a group, a pod or a decision.
    *("debugger/_ending.html one.bound", "debugger/_ending.html one.desired"),
    *("debugger/outcomes/_missing.html row.desired", f"{FIGURES} evictions.violations"),
    *(f"debugger/outcomes/{name}.html row.wait" for name in ("_group", "_owner", "_pod", "_sub")),
    *("debugger/outcomes/_owners.html one.bound", "debugger/outcomes/_owners.html one.desired"),
    "debugger/why/owner/_side_sections.html said.tries.desired",
    *(
        f"{FIGURES} row.bar.wait",
        "debugger/why/_spent.html spent.wait",
        "debugger/story/_summary.html history.n_victim",
    ),
    "debugger/branches/_tried_together.html tried.victims",
    *("debugger/cycle/_outcome.html cycle.selected.tie_count", "debugger/cycle/_outcome.html cycle.margin"),
    *("debugger/why/node/_luck.html cycle.selected.tie_count", "debugger/why/node/_luck.html cycle.margin"),
    *("debugger/why/node/_alike.html one.ties", "debugger/why/node/_alike.html one.margin"),
    "debugger/why/node/_table.html page.attempt.cycle.selected.tie_count",
    "search/query_page/_cycle.html cycle.margin",
    # Pods that differ between two runs, in groups.
    *("preview/_results.html counts.newly_pending", "preview/_results.html counts.newly_placed"),
    # Words that only look alike.
    *("agreement/_computing.html asked.waits.place", "clusters/drafts/_bar.html draft_bar.folds.narrow"),
}


def fields_of_json():
    return {f"{one.__name__}.{name}" for one in STRUCTS for name in one.__struct_fields__}


def columns():
    counts = (
        models.IntegerField,
        models.PositiveIntegerField,
        models.PositiveSmallIntegerField,
        models.BigIntegerField,
    )
    return {f"RunHead.{one.name}" for one in RunHead._meta.get_fields() if isinstance(one, counts)}


def expressions():
    hits = set()
    for path in TEMPLATES.rglob("*.html"):
        for text in re.findall(r"\{\{\s*([^}]*?)\s*\}\}", path.read_text()):
            if WORDS.search(text) and NUMBER.search(text):
                hits.add(f"{path.relative_to(TEMPLATES).as_posix()} {text.partition('|')[0]}")
    return hits


def families():
    return {
        one.name for one in text_string_to_metric_families(exposition().decode()) if one.name.startswith("scheduler_")
    }


def test_every_place_is_read_or_known_to_show_something_else():
    read = {place for places in PLACES.values() for place in places}
    there = fields_of_json() | columns() | expressions() | families()
    assert sorted(there - read - OTHERS) == [], "add them to PLACES, with what reads them"
    assert sorted(OTHERS - there) == [], "they are not there any more"
    assert not read & OTHERS


def test_templates_name_quantities_that_exist():
    named = {
        name for path in TEMPLATES.rglob("*.html") for name in re.findall(r'data-quantity="([^"{]*)"', path.read_text())
    }
    assert named
    assert named <= set(qu.MEANINGS)


def test_every_quantity_has_places():
    assert set(PLACES) == set(qu.MEANINGS)


# ---------------------------------------------------------------- one number


def generated(seed):
    """Nodes and pods of several priorities; some are bound, gated, too large, or in the way of others."""
    random = Random(seed)
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1_000), ("low", 10))
    ]
    nodes = [node(f"node-{n}", str(random.choice([2, 4]))) for n in range(5)]
    bound = [
        pod(f"old-{n}", f"{random.choice([500, 1500])}m", nodeName=f"node-{n}", priorityClassName="low")
        | {"status": {"phase": "Running"}}
        for n in range(4)
    ]
    gated = [pod("gated", schedulingGates=[{"name": "example.org/hold"}]), pod("wide", "64")]
    pods = [
        pod(f"pod-{n}", f"{random.choice([100, 100, 700, 1900])}m", priorityClassName=random.choice(["high", "low"]))
        for n in range(22)
    ]
    return [*classes, *nodes, *bound, *gated, *pods]


@pytest.fixture
def shown(execute, editor, workspace, viewer, request):
    """The demo's run or a generated one."""
    if request.param == "demo":
        number = demo.load_teaching(editor.member).number
        while execution.work():
            pass
        run = actions.find_run(workspace, number)
    else:
        run = execute(generated(request.param), schedule="pending", seed=request.param)
    return Shown(run, viewer)


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["demo", 1, 2, 3], indirect=True)
def test_each_quantity_is_one_number_wherever_it_is_shown(shown):
    assert shown.session[0].recording_hash() == shown.run.recording_hash, "the command line runs the same"
    for quantity, places in PLACES.items():
        numbers = {place: read(shown) for place, read in places.items()}
        first = next(iter(numbers.values()))
        assert all(one == first for one in numbers.values()), (quantity, numbers)
