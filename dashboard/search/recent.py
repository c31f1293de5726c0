"""What a member opened lately by searching, kept in their session: it ends with it, and nobody else reads it.

Only what names a thing is kept. Its name and address are looked up again each time, with the rights of that moment, so
a thing that is gone, or that the member may not see any more, is left out.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from dashboard.clusters.revisions.object_keys import Key
from dashboard.runs.models import Run
from dashboard.search import cluster_hits, run_hits
from dashboard.search.workspace_hits import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.contrib.sessions.backends.base import SessionBase

    from dashboard.accounts.access import Access
    from dashboard.search.hits import SearchHit
    from dashboard.search.place import SearchPlace

Ref = tuple[str, ...]
KEPT, SHOWN = 16, 8
# namespace/name, a uid and a kind at their longest.
MOST_LETTERS = 1_400
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_IN_SESSION = "search_opened"
# How many parts the name of a thing of a run or of a cluster has.
_PARTS = {"pod": 4, "node": 3, "workload": 3, "cycle": 3, "object": 5}


def ref_in(text: str) -> Ref | None:
    """Return what an opened hit's key names (`SearchHit.key`), None for a text that is no such key."""
    ref = tuple(text.split("\t"))
    if len(text) > MOST_LETTERS or "\x00" in text:
        return None
    if ref[0] in _PARTS:
        return ref if len(ref) == _PARTS[ref[0]] else None
    return ref if ref[0] in {source.kind for source in SOURCES} and len(ref) in (2, 3) else None


def remember(session: SessionBase, access: Access, ref: Ref) -> None:
    """Put a thing in front of those that the member opened in this workspace."""
    key = str(access.workspace.pk)
    opened = session.get(_IN_SESSION, {})
    newest = [list(ref), *(one for one in opened.get(key, []) if one != list(ref))]
    session[_IN_SESSION] = opened | {key: newest[:KEPT]}


def recent_hits(session: SessionBase, access: Access, place: SearchPlace) -> list[SearchHit]:
    """Return what the member opened lately and still may, the last one first."""
    opened = session.get(_IN_SESSION, {}).get(str(access.workspace.pk), [])
    refs = [tuple(ref) for ref in opened]
    hits = {hit.ref: hit for hit in _hits(access, place, refs)}
    return [hits[ref] for ref in refs if ref in hits][:SHOWN]


def _hits(access: Access, place: SearchPlace, refs: Sequence[Ref]) -> Iterator[SearchHit]:
    for source in SOURCES:
        of_kind = {ref for ref in refs if ref[0] == source.kind}
        if of_kind:
            yield from source.hits_of(access, of_kind)
    yield from _hits_of_runs(access, place, [ref for ref in refs if ref[0] in _PARTS and ref[0] != "object"])
    yield from _hits_of_clusters(access, place, [ref for ref in refs if ref[0] == "object"])


def _hits_of_runs(access: Access, place: SearchPlace, refs: Sequence[Ref]) -> Iterator[SearchHit]:
    if not refs:
        return
    numbers = {int(ref[1]) for ref in refs if _WHOLE.fullmatch(ref[1])}
    runs = Run.objects.filter(workspace=access.workspace, number__in=numbers).select_related("head")
    for run in runs:
        of_run = [ref for ref in refs if ref[1] == str(run.number)]
        is_here = place.cursor is not None and place.cursor.run.pk == run.pk
        cursor = place.cursor if is_here and place.cursor else run_hits.plain_cursor(run, access.workspace.slug)
        yield from _of_run(run_hits.SearchedRun(cursor, "" if is_here else str(run)), of_run)


def _of_run(run: run_hits.SearchedRun, refs: Sequence[Ref]) -> Iterator[SearchHit]:
    by_kind = {kind: list(of_kind) for kind, of_kind in groupby(sorted(refs), key=lambda ref: ref[0])}
    for kind in ("pod", "node", "workload"):
        yield from run_hits.run_hits(kind, [run_hits.RunThing(run, *ref[2:]) for ref in by_kind.get(kind, [])])
    numbers = [int(ref[2]) for ref in by_kind.get("cycle", []) if _WHOLE.fullmatch(ref[2])]
    yield from run_hits.cycle_hits(run, numbers)


def _hits_of_clusters(access: Access, place: SearchPlace, refs: Sequence[Ref]) -> Iterator[SearchHit]:
    here = place.cluster
    slugs = {ref[1] for ref in refs} - ({here.cluster.slug} if here else set())
    searched = cluster_hits.newest_of(access.workspace, slugs) if slugs else []
    if here and any(ref[1] == here.cluster.slug for ref in refs):
        searched.append(cluster_hits.searched_at(here))
    for one in searched:
        keys = [Key(*ref[2:]) for ref in refs if ref[1] == one.cluster.slug]
        yield from (one.hit(key) for key in keys if one.holds(key))
