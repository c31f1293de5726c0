"""How long the search page takes for queries that rows answer (python -m tests.bench --workload query-rows).

A run of the mix is executed by the worker's code, and the rows of its first cycles are given to RUNS - 1 others. The
page is asked for in the run (`run_cpu_ms`) and in the workspace (`workspace_cpu_ms`): the least CPU time of some
requests of a client of the tests, with layout and markup. `first_ms` is the process's first page of all, which imports
the pages. `*_scaled` are divided by how much slower than the reference's machine the CPython loop ran.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

    from dashboard.runs.models import Run

RUNS, CYCLES_OF_OTHERS, REQUESTS = 200, 1_000, 3
QUERIES = (
    "cycle",
    "outcome:unschedulable and attempts>3",
    "margin<5 or tie",
    "refusal.reason~anti-affinity",
    "not refusal.reason~gpu",
    "refusal.plugin:NodeAffinity and refusal.nodes>100",
    "decided_by:NodeResourcesFit",
    "move to:active",
    "preemption victim.priority>=100",
)
TARGETS = (
    Target("run_cpu_ms", "the slowest query of a run, ms", 200),
    Target("workspace_cpu_ms", "the slowest query of all runs, ms", 1_000),
)


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """A line per query. Raises ValueError where rows count other hits than chunks."""
    from tests.bench import recorded

    run = recorded.record("mix", nodes, cycles)
    for number in range(RUNS - 1):
        _copy(run.run, number)
    client, workspace = run.client(), f"/w/{recorded.SLUG}/"
    slower = calibration_cpython_s() / REFERENCE_CPYTHON_S
    yield {"workload": "query-rows: first page", "first_ms": _spent_ms(client, workspace)}
    for text in QUERIES:
        _check(run.run, text)
        line: dict[str, Any] = {"workload": f"query-rows: {text}", "nodes": nodes, "cycles": cycles, "runs": RUNS}
        asked = f"?q={quote(text)}"
        for name, place in (("run", run.url("search/")), ("workspace", f"{workspace}search/")):
            line[f"{name}_cpu_ms"] = min(_spent_ms(client, f"{place}{asked}") for _ in range(REQUESTS))
            line[f"{name}_cpu_ms_scaled"] = line[f"{name}_cpu_ms"] / slower
        yield line | {"met": all(one.is_met(line[f"{one.figure}_scaled"]) for one in TARGETS)}


def _spent_ms(client: Client, url: str) -> float:
    began = time.process_time()
    response = client.get(url)
    spent = 1_000 * (time.process_time() - began)
    if response.status_code != 200:
        raise ValueError(f"{url}: {response.status_code}")
    return spent


def _check(run: Run, text: str) -> None:
    from dashboard.query.rows import count_rows
    from dashboard.runs.storage import recordings
    from scheduler_core.query import parse
    from scheduler_core.query.search import count_hits

    query = parse(text)
    by_rows, by_chunks = count_rows(run, query).total, recordings.read(run.pk, lambda one: count_hits(one, query).total)
    if by_rows != by_chunks:
        raise ValueError(f"{text}: rows have {by_rows} hits, chunks {by_chunks}")


def _copy(run: Run, number: int) -> None:
    """A run with the rows of the first cycles."""
    from django.db import connection

    from dashboard.runs.models import Cycle, PluginScore, PluginVerdict, QueueMove, RunHead
    from dashboard.runs.models import Run as Runs

    last = Cycle.objects.filter(run_id=run.pk, number__lte=CYCLES_OF_OTHERS).order_by("-number")[0]
    copy = Runs.objects.create(
        workspace=run.workspace, number=run.number + 1 + number, revision=run.revision, name=run.name, state=run.state
    )
    seen = {"cycle": last.number, "seq": last.last_seq + 1, "at_us": last.at_us}
    RunHead.objects.update_or_create(run=copy, defaults=seen)
    ends = {Cycle: ("number", last.number), PluginVerdict: ("cycle", last.number), PluginScore: ("cycle", last.number)}
    with connection.cursor() as cursor:
        for model, (column, end) in (ends | {QueueMove: ("seq", last.last_seq)}).items():
            fields = [field.column for field in model._meta.local_concrete_fields if field.column]
            names = ", ".join(f'"{name}"' for name in fields if name != "run_id")
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} (run_id, {names}) "
                f'SELECT %s, {names} FROM {model._meta.db_table} WHERE run_id = %s AND "{column}" <= %s',
                [copy.pk, run.pk, end],
            )
