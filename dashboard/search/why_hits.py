"""Hits of "why NAME" and "why": pods of runs that open the page saying why, owners that lack pods, and the causes of
what is pending."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import plural
from dashboard.debugger.outcomes.unplaced import UNPLACED, lacking_owners, unplaced_pods
from dashboard.search.hits import MANY, HitGroup, SearchHit
from dashboard.search.run_hits import cycle_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dashboard.debugger.outcomes.owners.rows import OwnerLink
    from dashboard.search.run_hits import SearchedRun
    from dashboard.search.scope import SearchScope

# Pending pods are looked for among the best names, at most this many.
LOOKED_AT = 200
# At most this many runs, and causes of each.
RUNS_LOOKED_AT, CAUSES_OF_A_RUN = 8, 6


def pods(scope: SearchScope, words: Sequence[str], limit: int) -> HitGroup:
    """Return the owners that lack pods or do not roll out, then pods of runs: those of exactly that name, those that
    are not placed, the others."""
    group = scope.group_of(scope.runs, "pod", "Why", words, max(limit, LOOKED_AT))
    ranked = sorted(group.hits, key=lambda hit: (not _is_exactly(hit, words), hit.meaning == "bound"))
    owners = [hit.marked(words, 0) for hit in _owners(scope) if all(word in hit.label.lower() for word in words)]
    hits = [*owners, *(replace(hit, url=hit.why) for hit in ranked)][:limit]
    return replace(group, kind="why", hits=hits, n=group.n + len(owners))


def _is_exactly(hit: SearchHit, words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0] in (hit.label.lower(), hit.label.rpartition("/")[2].lower())


def causes(scope: SearchScope) -> HitGroup:
    """Return what keeps pods of the runs without a node, from their summaries."""
    runs = islice(scope.runs, RUNS_LOOKED_AT)
    hits = [*_owners(scope), *(hit for run in runs for hit in islice(_causes(run), CAUSES_OF_A_RUN))]
    return HitGroup("why", "Pending, by cause", hits[:MANY], len(hits))


def _owners(scope: SearchScope) -> list[SearchHit]:
    """The owners of the first runs that lack pods, or whose rollout is unfinished."""
    return [
        SearchHit(
            _ref(str(run.cursor.run.number), one),
            one.key,
            one.url,
            icon=one.style[1],
            sub=f"{one.title.partition(' ')[0]}, {one.meta}",
            meaning=one.style[0],
            place=run.place,
        )
        for run in islice(scope.runs, RUNS_LOOKED_AT)
        if run.cursor.run.has_ended
        for one in islice(lacking_owners(run.cursor.run, run.cursor.slug), CAUSES_OF_A_RUN)
    ]


def _ref(number: str, owner: OwnerLink) -> tuple[str, ...]:
    is_pod = owner.title.startswith("Pod ")
    return ("pod", number, owner.key, "") if is_pod else ("workload", number, owner.title)


def _causes(run: SearchedRun) -> Iterator[SearchHit]:
    number = str(run.cursor.run.number)
    for group in unplaced_pods(run.cursor.run) if run.cursor.run.has_ended else ():
        if not group.cycle:
            continue
        meaning, glyph, state = UNPLACED[group.kind]
        sub, url = f"{plural(group.count, 'pod')} {state}", cycle_url(run.cursor, group.cycle, tab="why")
        yield SearchHit(("cycle", number, str(group.cycle)), group.title, url, glyph, sub, meaning, run.place)
