"""What is found for what was typed, at the place where the reader is: groups of hits, the best group first.

`:` in front looks for nodes, pods and cycles alone. `>` is for commands of the page, which the page looks up by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.search import cluster_hits, recent, run_hits
from dashboard.search.hits import ALONE, FEW, MANY, SOME, HitGroup
from dashboard.search.ranking import typed_words
from dashboard.search.workspace_hits import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.sessions.backends.base import SessionBase

    from dashboard.accounts.access import Access
    from dashboard.search.place import SearchPlace

OBJECTS_ONLY, COMMANDS_ONLY = ":", ">"
OF_PLACES = ("node", "pod", "cycle", "object")
# At most this many clusters that were left out are named.
NAMED = 3
KINDS = (*OF_PLACES, *(source.kind for source in SOURCES))


@dataclass(frozen=True)
class SearchQuestion:
    """What was typed, and the kind that is opened ("" for all)."""

    typed: str
    kind: str = ""

    @property
    def text(self) -> str:
        """Return what was typed without the sign in front."""
        return self.typed.removeprefix(OBJECTS_ONLY).strip()

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
        return kind in OF_PLACES[:3] if self.typed.startswith(OBJECTS_ONLY) else True


@dataclass(frozen=True)
class SearchResults:
    """The groups, best first; `left_out` names clusters whose objects were not searched."""

    asked: SearchQuestion
    place: SearchPlace
    groups: list[HitGroup]
    left_out: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """Return what was not searched, in words; "" for nothing."""
        names = ", ".join(self.left_out[:NAMED])
        more = len(self.left_out) - NAMED
        if not names:
            return ""
        others = f" and {more:,} more" if more > 0 else ""
        return f"Pods, nodes and other objects of {names}{others} were not searched: open the cluster to search it."


def search(access: Access, place: SearchPlace, asked: SearchQuestion, session: SessionBase) -> SearchResults:
    """Return what is found; without anything typed what was opened lately, or where nothing was, the newest runs."""
    if asked.typed.startswith(COMMANDS_ONLY):
        return SearchResults(asked, place, [])
    words = asked.words
    if not words and not asked.kind and not asked.typed:
        return SearchResults(asked, place, list(_first(access, place, session)))
    groups, left_out = _of_place(access, place, asked)
    groups += [source.group(access, words, asked.limit) for source in SOURCES if asked.wants(source.kind)]
    with_hits = sorted((group for group in groups if group.hits and asked.wants(group.kind)), key=_cost)
    shown = {1: asked.limit, 2: SOME}.get(len(with_hits), FEW)
    return SearchResults(asked, place, [group.cut(shown) for group in with_hits], left_out)


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


def _of_place(access: Access, place: SearchPlace, asked: SearchQuestion) -> tuple[list[HitGroup], list[str]]:
    words = asked.words
    if not any(asked.wants(kind) for kind in OF_PLACES):
        return [], []
    if place.cursor is not None:
        made = {
            "node": lambda: run_hits.nodes_of_run(place.cursor, words, asked.limit),
            "pod": lambda: run_hits.pods_of_run(place.cursor, words, asked.limit),
            "cycle": lambda: run_hits.cycles_of_run(place.cursor, asked.text, asked.limit),
        }
        return [make() for kind, make in made.items() if asked.wants(kind)], []
    if place.cluster is not None:
        return cluster_hits.hit_groups([cluster_hits.searched_at(place.cluster)], words, asked.limit), []
    searched, left_out = cluster_hits.searched_in(access.workspace)
    return cluster_hits.hit_groups(searched, words, asked.limit), left_out
