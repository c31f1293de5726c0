"""Whose names are searched: what the reader looks at, then the newest run of each cluster, else its newest revision.

Those elsewhere are searched, newest first, until they have more than MOST_OBJECTS names together. The clusters left out
are named, since a search that leaves out something must not look complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from django.db.models import Max

from dashboard.runs.models import Run
from dashboard.search.cluster_hits import Searched, newest_revisions, searched_at
from dashboard.search.hits import HitGroup
from dashboard.search.name_lists import names_of
from dashboard.search.ranking import find
from dashboard.search.run_hits import RunThing, SearchedRun, plain_cursor, run_hits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Revision
    from dashboard.search.place import SearchPlace

MOST_OBJECTS = 60_000
# Of a run's cluster the names that its recording does not speak of.
_OBJECTS = ("object",)
Source = SearchedRun | Searched


@dataclass(frozen=True)
class SearchScope:
    """What is searched: `here`, then `elsewhere`; the names of the clusters that were `left_out`."""

    here: list[Source] = field(default_factory=list)
    elsewhere: list[Source] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """Return all that is searched, what is here first."""
        return [*self.here, *self.elsewhere]

    @property
    def runs(self) -> list[SearchedRun]:
        """Return the runs that are searched, what is here first."""
        return [one for one in self.sources if isinstance(one, SearchedRun)]

    def group(self, kind: str, title: str, words: Sequence[str], limit: int) -> HitGroup:
        """Return the best hits of a kind."""
        return self.group_of(self.sources, kind, title, words, limit)

    def group_of(self, sources: Sequence[Source], kind: str, title: str, words: Sequence[str], limit: int) -> HitGroup:
        """Return the best hits of a kind in some of what is searched."""
        places = [(source, at, names) for source in sources for at, names in enumerate(source.lists(kind))]
        n_here = sum(not source.place for source, _, _ in places)
        matches, n = find([names for _, _, names in places], words, limit, n_here)
        things = [places[match.list][0].named(kind, places[match.list][1], match.place) for match in matches]
        in_runs = iter(run_hits(kind, [one for one in things if isinstance(one, RunThing)]))
        hits = [next(in_runs) if isinstance(one, RunThing) else one for one in things]
        marked = [hit.marked(words, match.cost) for hit, match in zip(hits, matches, strict=True)]
        return HitGroup(kind, title, marked, n, matches[0].cost if matches else 0)


def scope_of(workspace: Workspace, place: SearchPlace) -> SearchScope:
    """Return what is searched at a place."""
    runs = _newest_runs(workspace)
    if place.cursor is not None:
        here: Source = SearchedRun(place.cursor)
        own = place.cursor.run.revision.cluster_id
        others = [run for run in runs if run.revision.cluster_id != own]
        return _with_others(SearchScope([here]), workspace, others, own)
    if place.cluster is not None:
        own = place.cluster.cluster.pk
        first = sorted(runs, key=lambda run: run.revision.cluster_id != own)
        return _with_others(SearchScope([searched_at(place.cluster)]), workspace, first, own)
    return _with_others(SearchScope(), workspace, runs, None)


def _newest_runs(workspace: Workspace) -> list[Run]:
    """The newest run of each cluster in use that has recorded something, newest first."""
    runs = Run.objects.filter(workspace=workspace, revision__cluster__archived_at=None, head__seq__gt=0)
    newest = runs.order_by().values("revision__cluster").annotate(newest=Max("number")).values("newest")
    related = runs.select_related("head", "revision__cluster", "timeline_revision__timeline")
    return list(related.filter(number__in=newest).order_by("-number"))


def _with_others(scope: SearchScope, workspace: Workspace, runs: Sequence[Run], own: int | None) -> SearchScope:
    """The scope with runs, and with the newest revision of each cluster but the reader's `own`."""
    revisions = [one for one in newest_revisions(workspace) if one.cluster_id != own]
    with_run = {run.revision.cluster_id for run in runs}
    sources: list[Source] = []
    total, left_out = 0, []

    def take(name: str, size: int, make: Callable[[], Source]) -> None:
        nonlocal total
        total += size
        if total > MOST_OBJECTS and sources:
            left_out.append(name)
        else:
            sources.append(make())

    for run in runs:
        take(run.revision.cluster.name, _size(run), partial(_searched_run, workspace.slug, run))
    for revision in revisions:
        if revision.cluster_id not in with_run:
            take(revision.cluster.name, revision.n_objects, partial(_searched, workspace.slug, revision))
    if not scope.here:
        # Pods, nodes and workloads are those of the run; its cluster has other objects, too.
        inside = {source.cursor.run.revision.cluster_id for source in sources if isinstance(source, SearchedRun)}
        sources += [_searched(workspace.slug, one, _OBJECTS) for one in revisions if one.cluster_id in inside]
    return replace(scope, elsewhere=sources, left_out=left_out)


def _size(run: Run) -> int:
    """About how many names a run has, known before they are read."""
    return max(run.revision.n_objects, run.n_nodes + run.head.bound + run.head.pending)


def _searched_run(slug: str, run: Run) -> SearchedRun:
    return SearchedRun(plain_cursor(run, slug), f"{run.revision.cluster.name}, run {run.number}")


def _searched(slug: str, revision: Revision, only: tuple[str, ...] = ()) -> Searched:
    return Searched(slug, revision.cluster, names_of(revision), place=revision.cluster.name, only=only)
