"""Pods, nodes and cycles of the run that the reader looks at; a hit opens the debugger at their cursor, selected."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.db.models import Count, Max, Q
from django.urls import reverse

from dashboard.common.http.params import INT32_MAX
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.labels import OUTCOMES
from dashboard.runs.models import Cycle
from dashboard.search.hits import HitGroup, SearchHit
from dashboard.search.name_lists import names_of_run
from dashboard.search.ranking import BEGINNING, WHOLE, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dashboard.runs.models import Run

# "41", "#41", "cycle 4,001": digits with separators of thousands.
_NUMBER = re.compile(r"(?:cycle\s*)?#?\s*(\d[\d,. ]{0,11})", re.ASCII | re.IGNORECASE)
_GLYPHS = {"scheduled": "check", "unschedulable": "x", "error": "alert", "skipped": "dash"}
Pod = tuple[str, str]
"""namespace/name and uid, "" for the first pod of that name in the run."""


def pods_of_run(cursor: Cursor, words: Sequence[str], limit: int) -> HitGroup:
    """Return the pods of the run: those of its revision, and those that came during it."""
    revision, added = names_of_run(cursor.run)
    matches, n = find([revision.pods, added.pods], words, limit)
    pods = [(added.pods[m.place], added.uids[m.place]) if m.list else (revision.pods[m.place], "") for m in matches]
    hits = pod_hits(cursor, pods)
    marked = [hit.marked(words, match.cost) for hit, match in zip(hits, matches, strict=True)]
    return HitGroup("pod", "Pods", marked, n, matches[0].cost if matches else 0)


def nodes_of_run(cursor: Cursor, words: Sequence[str], limit: int) -> HitGroup:
    """Return the nodes of the run: those of its revision and of its timeline."""
    revision, added = names_of_run(cursor.run)
    matches, n = find([revision.nodes, added.nodes], words, limit)
    names = [(added.nodes if match.list else revision.nodes)[match.place] for match in matches]
    hits = node_hits(cursor, names)
    marked = [hit.marked(words, match.cost) for hit, match in zip(hits, matches, strict=True)]
    return HitGroup("node", "Nodes", marked, n, matches[0].cost if matches else 0)


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


def number_in(typed: str) -> int | None:
    """Return the number of a cycle that was typed: 4001 of "4,001" and "cycle 4001"; None for anything else."""
    match = _NUMBER.fullmatch(typed.strip())
    number = int(re.sub(r"\D", "", match[1])) if match else 0
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


def pod_hits(cursor: Cursor, pods: Sequence[Pod]) -> list[SearchHit]:
    """Return the hits of these pods, with what their last attempt came to; two queries."""
    last = _last_cycles(cursor.run, [pod for pod, _ in pods])
    return [_pod_hit(cursor, pod, last.get(pod)) for pod in pods]


def _last_cycles(run: Run, names: Sequence[str]) -> dict[Pod, Cycle]:
    if not names:
        return {}
    attempts = Cycle.objects.filter(run_id=run.pk, pod__in=names).values("pod", "pod_uid")
    numbers = [row["last"] for row in attempts.annotate(last=Max("number"))]
    rows = Cycle.objects.filter(run_id=run.pk, number__in=numbers)
    return {(row.pod, row.pod_uid or ""): row for row in rows}


def _pod_hit(cursor: Cursor, pod: Pod, cycle: Cycle | None) -> SearchHit:
    name, uid = pod
    ref = ("pod", str(cursor.run.number), name, uid)
    url = _pod_url(cursor, name, uid)
    named = f"uid {uid} · " if uid else ""
    if cycle is None:
        return SearchHit(ref, name, url, "box", f"{named}no attempt{'' if cursor.run.has_ended else ' so far'}")
    meaning, word = OUTCOMES[cycle.outcome]
    said = f"scheduled to {cycle.node}" if cycle.outcome == "scheduled" else word
    return SearchHit(ref, name, url, _GLYPHS[cycle.outcome], f"{named}{said}, cycle {grouped(cycle.number)}", meaning)


def _pod_url(cursor: Cursor, pod: str, uid: str) -> str:
    if not cursor.is_plain:
        return cursor.pod_url(pod, uid)
    # Without a moment the debugger goes to the pod's last attempt of all.
    query = {"select": pod} | ({"uid": uid} if uid else {})
    return f"{_run_path(cursor)}?{urlencode(query)}"


def node_hits(cursor: Cursor, names: Sequence[str]) -> list[SearchHit]:
    """Return the hits of these nodes, with how many cycles chose them; one query."""
    chosen = Cycle.objects.filter(run_id=cursor.run.pk, outcome="scheduled", node__in=names).values("node")
    counts = {row["node"]: row["n"] for row in chosen.annotate(n=Count("number"))} if names else {}
    return [_node_hit(cursor, name, counts.get(name, 0)) for name in names]


def _node_hit(cursor: Cursor, name: str, n: int) -> SearchHit:
    url = f"{_run_path(cursor)}?{urlencode({'node': name})}" if cursor.is_plain else cursor.url(node=name)
    times = f"chosen by {grouped(n)} cycle{'' if n == 1 else 's'}" if n else "chosen by no cycle"
    return SearchHit(("node", str(cursor.run.number), name), name, url, "server", times)


def cycle_hits(cursor: Cursor, numbers: Sequence[int]) -> list[SearchHit]:
    """Return the hits of these cycles, as far as they are there."""
    rows = Cycle.objects.filter(run_id=cursor.run.pk, number__in=numbers).order_by("number") if numbers else []
    return [_cycle_hit(cursor, row) for row in rows]


def _cycle_hit(cursor: Cursor, cycle: Cycle) -> SearchHit:
    meaning, word = OUTCOMES[cycle.outcome]
    came_to = f"to {cycle.node}" if cycle.outcome == "scheduled" else word
    ref = ("cycle", str(cursor.run.number), str(cycle.number))
    sub = f"{cycle.pod} · {came_to}"
    return SearchHit(ref, f"Cycle {grouped(cycle.number)}", _moved(cursor, cycle), _GLYPHS[cycle.outcome], sub, meaning)


def _moved(cursor: Cursor, cycle: Cycle) -> str:
    # Going to a cycle selects the pod that is decided there, as a step does.
    return replace(cursor, view=replace(cursor.view, pod="", uid="")).url(cycle=cycle.number)


def _run_path(cursor: Cursor) -> str:
    return reverse("debugger:run", kwargs={"slug": cursor.slug, "number": cursor.run.number})


def plain_cursor(run: Run, slug: str) -> Cursor:
    """Return a cursor of a run that the reader does not look at: links name no moment."""
    return Cursor(run, slug, 0, None, is_plain=True)
