"""What is found for what was typed, at the place where the reader is: groups of hits, the best group first.

`:` in front looks for nodes, pods and cycles alone. `>` is for commands of the page, which the page looks up by itself.
"why NAME" looks for pods of runs, and their hits open the page that says why; "why" alone what is pending, by cause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.search import recent, why_hits
from dashboard.search.hits import ALONE, FEW, MANY, SOME, HitGroup
from dashboard.search.ranking import typed_words
from dashboard.search.run_hits import cycles_of_run, cycles_of_runs, number_in
from dashboard.search.scope import SearchScope, scope_of
from dashboard.search.workspace_hits import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.sessions.backends.base import SessionBase

    from dashboard.accounts.access import Access
    from dashboard.search.place import SearchPlace

OBJECTS_ONLY, COMMANDS_ONLY = ":", ">"
_WHY = re.compile(r"why(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
TITLES = {"node": "Nodes", "pod": "Pods", "workload": "Workloads", "object": "Other objects"}
OF_PLACES = ("why", "node", "pod", "cycle", "workload", "object")
# At most this many clusters that were left out are named.
NAMED = 3
KINDS = (*OF_PLACES, *(source.kind for source in SOURCES))


@dataclass(frozen=True)
class SearchQuestion:
    """What was typed, and the kind that is opened ("" for all)."""

    typed: str
    kind: str = ""

    @property
    def is_why(self) -> bool:
        """Return whether pods are looked for to see why they are where they are."""
        return _WHY.fullmatch(self.typed) is not None

    @property
    def text(self) -> str:
        """Return what was typed without the sign in front, or what follows "why"."""
        asks_why = _WHY.fullmatch(self.typed)
        return (asks_why[1] or "").strip() if asks_why else self.typed.removeprefix(OBJECTS_ONLY).strip()

    @property
    def words(self) -> list[str]:
        """Return the words that names have to match."""
        return typed_words(self.text)

    @property
    def limit(self) -> int:
        """Return how many hits of a kind are shown at most."""
        return MANY if self.kind else ALONE

    def wants(self, kind: str) -> bool:
        """Return whether hits of the kind are asked for."""
        if self.kind:
            return kind == self.kind
        if kind == "why":
            return self.is_why
        return kind in ("node", "pod", "cycle") if self.typed.startswith(OBJECTS_ONLY) else True


@dataclass(frozen=True)
class SearchResults:
    """The groups, best first, and what was searched for them."""

    asked: SearchQuestion
    place: SearchPlace
    groups: list[HitGroup]
    scope: SearchScope = field(default_factory=SearchScope)

    @property
    def note(self) -> str:
        """Return what was not searched, in words; "" for nothing."""
        return " ".join(filter(None, (self._left_out, self._running)))

    @property
    def _left_out(self) -> str:
        left_out = self.scope.left_out
        names, more = ", ".join(left_out[:NAMED]), len(left_out) - NAMED
        if not names:
            return ""
        others = f" and {more:,} more" if more > 0 else ""
        return f"Pods, nodes and other objects of {names}{others} were not searched: open the cluster to search it."

    @property
    def _running(self) -> str:
        runs = [one.cursor.run for one in self.scope.runs if not one.cursor.run.has_ended]
        names = ", ".join(f"{run} (cycle {run.head.cycle:,})" for run in runs[:NAMED])
        return f"Searched as far as recorded: {names}." if names else ""


def search(access: Access, place: SearchPlace, asked: SearchQuestion, session: SessionBase) -> SearchResults:
    """Return what is found; without anything typed what was opened lately, or where nothing was, the newest runs."""
    if asked.typed.startswith(COMMANDS_ONLY):
        return SearchResults(asked, place, [])
    words = asked.words
    if not words and not asked.kind and not asked.typed:
        return SearchResults(asked, place, list(_first(access, place, session)))
    scope = scope_of(access.workspace, place) if any(map(asked.wants, OF_PLACES)) else SearchScope()
    groups = list(_of_places(scope, place, asked))
    others = typed_words(asked.typed) if asked.is_why else words
    groups += [source.group(access, others, asked.limit) for source in SOURCES if asked.wants(source.kind)]
    with_hits = sorted((group for group in groups if group.hits and asked.wants(group.kind)), key=_cost)
    shown = {1: asked.limit, 2: SOME}.get(len(with_hits), FEW)
    return SearchResults(asked, place, [group.cut(shown) for group in with_hits], scope)


def _cost(group: HitGroup) -> int:
    return group.cost


def _first(access: Access, place: SearchPlace, session: SessionBase) -> Iterator[HitGroup]:
    hits = recent.recent_hits(session, access, place)
    if hits:
        yield HitGroup("recent", "Opened lately", hits, len(hits))
        return
    for source in SOURCES[:2]:
        group = source.group(access, [], FEW)
        if group.hits:
            yield group


def _of_places(scope: SearchScope, place: SearchPlace, asked: SearchQuestion) -> Iterator[HitGroup]:
    words, limit = asked.words, asked.limit
    if asked.is_why:
        yield why_hits.pods(scope, words, limit) if words else why_hits.causes(scope)
        never_run = [one for one in scope.sources if one not in scope.runs]
        yield scope.group_of(never_run, "pod", TITLES["pod"], words, limit if words else 0)
        return
    yield from (scope.group(kind, title, words, limit) for kind, title in TITLES.items() if asked.wants(kind))
    if not asked.wants("cycle"):
        return
    if place.cursor is not None:
        yield cycles_of_run(place.cursor, asked.text, limit)
    elif (number := number_in(asked.text, has_sign=True)) is not None:
        yield cycles_of_runs(scope.runs, number)
