"""Pods, nodes, workloads and cycles of runs; a hit opens the debugger at the reader's cursor, with it selected.

In a run that the reader does not look at, it opens at the pod's last attempt, a workload at how its pods ended.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, Max, Q
from django.urls import reverse

from dashboard.common.http.params import INT32_MAX
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.labels import OUTCOMES
from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.why.address import why_url
from dashboard.runs.models import Cycle
from dashboard.search.hits import HitGroup, SearchHit
from dashboard.search.name_lists import names_of_run
from dashboard.search.ranking import BEGINNING, WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.runs.models import Run
    from dashboard.search.name_lists import ObjectNames, RunNames
    from dashboard.search.ranking import NameList

# "41", "#41", "cycle 4,001": digits with separators of thousands.
_NUMBER = re.compile(r"(cycle\s*)?(#)?\s*(\d[\d,. ]{0,11})", re.ASCII | re.IGNORECASE)
_GLYPHS = {"scheduled": "check", "unschedulable": "x", "error": "alert", "skipped": "dash"}


@dataclass(frozen=True)
class SearchedRun:
    """A run whose names are searched; `place` names it where the reader is not there."""

    cursor: Cursor
    place: str = ""

    @cached_property
    def names(self) -> tuple[ObjectNames, RunNames]:
        """Return the names of the run's revision, and those that the run added to them."""
        return names_of_run(self.cursor.run)

    def lists(self, kind: str) -> tuple[NameList, ...]:
        """Return the names of a kind of hits: "pod", "node" or "workload"; none of others."""
        revision, added = self.names
        return {
            "pod": (revision.pods, added.pods),
            "node": (revision.nodes, added.nodes),
            "workload": (revision.workloads, added.workloads),
        }.get(kind, ())

    def named(self, kind: str, at: int, place: int) -> RunThing:
        """Return the thing whose name is at a place of `lists(kind)[at]`."""
        return RunThing(self, self.lists(kind)[at][place], self.names[1].uids[place] if kind == "pod" and at else "")


class RunThing(NamedTuple):
    """A pod, node or workload of a run; `uid` is "" for the first pod of its name, and for what is no pod."""

    run: SearchedRun
    name: str
    uid: str = ""

    @property
    def cursor(self) -> Cursor:
        """Return the cursor of its run."""
        return self.run.cursor


def run_hits(kind: str, things: Sequence[RunThing]) -> list[SearchHit]:
    """Return the hits of pods, nodes or workloads of runs, in their order; at most two queries."""
    if not things:
        return []
    make = {"pod": pod_hits, "node": node_hits, "workload": _workload_hits}[kind]
    return [hit.in_place(thing.run.place) for hit, thing in zip(make(things), things, strict=True)]


def cycles_of_run(cursor: Cursor, typed: str, limit: int) -> HitGroup:
    """Return the cycle of the typed number, then those whose number begins with it."""
    number = number_in(typed)
    if number is None:
        return HitGroup("cycle", "Cycles", [], 0)
    ranges = list(_ranges(number, cursor.run.head.cycle))
    passing = Q()
    for first, last in ranges:
        passing |= Q(number__range=(first, last))
    rows = Cycle.objects.filter(passing, run_id=cursor.run.pk).order_by("number")[:limit] if ranges else []
    hits = [_with_digits(_cycle_hit(cursor, row), str(number)) for row in rows]
    n = sum(last - first + 1 for first, last in ranges)
    is_there = bool(hits) and hits[0].ref[-1] == str(number)
    return HitGroup("cycle", "Cycles", hits, max(n, len(hits)), WHOLE if is_there else BEGINNING)


def number_in(typed: str, has_sign: bool = False) -> int | None:
    """Return the number of a cycle that was typed: 4001 of "4,001" and "cycle 4001"; None for anything else.

    With `has_sign` a number alone is none: "cycle" or "#" must be before it.
    """
    match = _NUMBER.fullmatch(typed.strip())
    if match is None or (has_sign and not (match[1] or match[2])):
        return None
    number = int(re.sub(r"\D", "", match[3]))
    return number if 0 < number <= INT32_MAX else None


def _ranges(number: int, last: int) -> Iterable[tuple[int, int]]:
    """Ranges of the numbers up to `last` that begin with the digits of `number`."""
    factor = 1
    while number * factor <= last:
        yield number * factor, min((number + 1) * factor - 1, last)
        factor *= 10


def _with_digits(hit: SearchHit, digits: str) -> SearchHit:
    """The hit of a cycle with the typed digits marked, separators of thousands among them."""
    label = hit.label
    at, left = label.index(" ") + 1, len(digits)
    end = at
    while left and end < len(label):
        left -= label[end].isdigit()
        end += 1
    return hit.with_mark(at, end)


# ---------------------------------------------------------------- what the list says of them


def pod_hits(pods: Sequence[RunThing]) -> list[SearchHit]:
    """Return the hits of these pods, with what their last attempt came to; two queries."""
    last = _last_cycles(pods)
    return [_pod_hit(pod, last.get((pod.cursor.run.pk, pod.name, pod.uid))) for pod in pods]


def _last_cycles(pods: Sequence[RunThing]) -> dict[tuple[int, str, str], Cycle]:
    runs, names = {pod.cursor.run.pk for pod in pods}, {pod.name for pod in pods}
    attempts = Cycle.objects.filter(run_id__in=runs, pod__in=names).values("run_id", "pod", "pod_uid")
    numbers = defaultdict(list)
    for row in attempts.annotate(last=Max("number")):
        numbers[row["run_id"]].append(row["last"])
    return {(row.run_id, row.pod, row.pod_uid or ""): row for row in _cycles(numbers)}


def _cycles(numbers: Mapping[int, Sequence[int]]) -> Iterable[Cycle]:
    """The cycles of these numbers, by run; one query."""
    of_runs = Q()
    for run, of_run in numbers.items():
        of_runs |= Q(run_id=run, number__in=of_run)
    return Cycle.objects.filter(of_runs) if numbers else ()


def _pod_hit(pod: RunThing, cycle: Cycle | None) -> SearchHit:
    cursor, name, uid = pod.cursor, pod.name, pod.uid
    ref = ("pod", str(cursor.run.number), name, uid)
    url, why = _pod_url(cursor, name, uid), why_url(cursor.slug, cursor.run.number, name, uid)
    named = f"uid {uid} · " if uid else ""
    if cycle is None:
        return SearchHit(
            ref, name, url, "box", f"{named}no attempt{'' if cursor.run.has_ended else ' so far'}", why=why
        )
    meaning, word = OUTCOMES[cycle.outcome]
    said = f"scheduled to {cycle.node}" if cycle.outcome == "scheduled" else word
    sub = f"{named}{said}, cycle {grouped(cycle.number)}"
    return SearchHit(ref, name, url, _GLYPHS[cycle.outcome], sub, meaning, why=why)


def _pod_url(cursor: Cursor, pod: str, uid: str) -> str:
    if not cursor.is_plain:
        return cursor.pod_url(pod, uid)
    # Without a moment the debugger goes to the pod's last attempt of all.
    query = {"select": pod} | ({"uid": uid} if uid else {})
    return f"{_run_path(cursor)}?{urlencode(query)}"


def node_hits(nodes: Sequence[RunThing]) -> list[SearchHit]:
    """Return the hits of these nodes, with how many cycles chose them; one query."""
    runs, names = {node.cursor.run.pk for node in nodes}, {node.name for node in nodes}
    chosen = Cycle.objects.filter(run_id__in=runs, outcome="scheduled", node__in=names).values("run_id", "node")
    counts = {(row["run_id"], row["node"]): row["n"] for row in chosen.annotate(n=Count("number"))}
    return [_node_hit(node.cursor, node.name, counts.get((node.cursor.run.pk, node.name), 0)) for node in nodes]


def _node_hit(cursor: Cursor, name: str, n: int) -> SearchHit:
    url = f"{_run_path(cursor)}?{urlencode({'node': name})}" if cursor.is_plain else cursor.url(node=name)
    times = f"chosen by {grouped(n)} cycle{'' if n == 1 else 's'}" if n else "chosen by no cycle"
    return SearchHit(("node", str(cursor.run.number), name), name, url, "server", times)


def _workload_hits(workloads: Sequence[RunThing]) -> list[SearchHit]:
    return [_workload_hit(workload.cursor, workload.name) for workload in workloads]


def _workload_hit(cursor: Cursor, named: str) -> SearchHit:
    """The hit of a workload, "Deployment shop/web": it opens how its pods ended."""
    kind, _, path = named.partition(" ")
    view = OutcomesView(cursor.slug, cursor.run.number, by="owner", q=f"{kind} {path.rpartition('/')[2]}")
    return SearchHit(("workload", str(cursor.run.number), named), path, view.url(), "layers", f"{kind}, its pods")


def cycle_hits(run: SearchedRun, numbers: Sequence[int]) -> list[SearchHit]:
    """Return the hits of these cycles, as far as they are there."""
    rows = Cycle.objects.filter(run_id=run.cursor.run.pk, number__in=numbers).order_by("number") if numbers else []
    return [_cycle_hit(run.cursor, row).in_place(run.place) for row in rows]


def cycles_of_runs(runs: Sequence[SearchedRun], number: int) -> HitGroup:
    """Return the cycle of this number of each of the runs that has it, in their order; one query."""
    cycles = Cycle.objects.filter(run_id__in=[one.cursor.run.pk for one in runs], number=number)
    rows = {row.run_id: row for row in cycles}
    there = [one for one in runs if one.cursor.run.pk in rows]
    hits = [_cycle_hit(one.cursor, rows[one.cursor.run.pk]).in_place(one.place) for one in there]
    return HitGroup("cycle", "Cycles", [_with_digits(hit, str(number)) for hit in hits], len(hits), WHOLE)


def _cycle_hit(cursor: Cursor, cycle: Cycle) -> SearchHit:
    meaning, word = OUTCOMES[cycle.outcome]
    came_to = f"to {cycle.node}" if cycle.outcome == "scheduled" else word
    ref = ("cycle", str(cursor.run.number), str(cycle.number))
    sub = f"{cycle.pod} · {came_to}"
    return SearchHit(
        ref, f"Cycle {grouped(cycle.number)}", cycle_url(cursor, cycle.number), _GLYPHS[cycle.outcome], sub, meaning
    )


def cycle_url(cursor: Cursor, cycle: int, tab: str = "") -> str:
    """Return where a cycle opens: the pod that is decided there is selected, as a step does."""
    view = replace(cursor.view, pod="", uid="", tab=tab or cursor.view.tab)
    return replace(cursor, view=view).url(cycle=cycle)


def _run_path(cursor: Cursor) -> str:
    return reverse("debugger:run", kwargs={"slug": cursor.slug, "number": cursor.run.number})


def plain_cursor(run: Run, slug: str) -> Cursor:
    """Return a cursor of a run that the reader does not look at: links name no moment."""
    return Cursor(run, slug, 0, None, is_plain=True)
