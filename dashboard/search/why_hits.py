"""Hits of "why NAME" and "why": pods of runs that open the page saying why, and the causes of what is pending."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import plural
from dashboard.debugger.outcomes.unplaced import UNPLACED, unplaced_pods
from dashboard.search.hits import MANY, HitGroup, SearchHit
from dashboard.search.run_hits import cycle_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dashboard.search.run_hits import SearchedRun
    from dashboard.search.scope import SearchScope

# Pending pods are looked for among the best names, at most this many.
LOOKED_AT = 200
# At most this many runs, and causes of each.
RUNS_LOOKED_AT, CAUSES_OF_A_RUN = 8, 6


def pods(scope: SearchScope, words: Sequence[str], limit: int) -> HitGroup:
    """Return the pods of runs: those of exactly that name, then those that are not placed, then the others."""
    group = scope.group_of(scope.runs, "pod", "Why", words, max(limit, LOOKED_AT))
    ranked = sorted(group.hits, key=lambda hit: (not _is_exactly(hit, words), hit.meaning == "bound"))
    return replace(group, kind="why", hits=[replace(hit, url=hit.why) for hit in ranked[:limit]])


def _is_exactly(hit: SearchHit, words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0] in (hit.label.lower(), hit.label.rpartition("/")[2].lower())


def causes(scope: SearchScope) -> HitGroup:
    """Return what keeps pods of the runs without a node, from their summaries."""
    hits = [hit for run in islice(scope.runs, RUNS_LOOKED_AT) for hit in islice(_causes(run), CAUSES_OF_A_RUN)]
    return HitGroup("why", "Pending, by cause", hits[:MANY], len(hits))


def _causes(run: SearchedRun) -> Iterator[SearchHit]:
    number = str(run.cursor.run.number)
    for group in unplaced_pods(run.cursor.run) if run.cursor.run.has_ended else ():
        if not group.cycle:
            continue
        meaning, glyph, state = UNPLACED[group.kind]
        sub, url = f"{plural(group.count, 'pod')} {state}", cycle_url(run.cursor, group.cycle, tab="why")
        yield SearchHit(("cycle", number, str(group.cycle)), group.title, url, glyph, sub, meaning, run.place)
