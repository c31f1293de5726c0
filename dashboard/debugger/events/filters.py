"""The filters of the list of events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.common.http.params import bool_param, optional_int, text_param
from dashboard.common.problems import BadQuery
from dashboard.debugger.events.kinds import KINDS, QUIET
from dashboard.debugger.events.sentences import seq_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dashboard.debugger.events.index import EventIndex

ABOUT_LIMIT = 800
USUAL = tuple(kind for kind in KINDS if kind not in QUIET)
_CODES = {kind: code for code, kind in enumerate(KINDS)}


@dataclass(frozen=True)
class EventFilter:
    """The filter of a list of events.

    `about` is "pod:namespace/name", "node:name", or parts of a pod's or node's name, all of which must match. `first`
    and `last` are numbers of events, 0 for no bound; `chain` keeps the causes and effects of the chosen event. `fold`
    shows cycles by their heads.
    """

    kinds: tuple[str, ...] = USUAL
    about: str = ""
    first: int = 0
    last: int = 0
    chain: bool = False
    fold: bool = False

    def query(self) -> dict[str, Any]:
        """Return the parameters of addresses that differ from the defaults."""
        values: dict[str, Any] = {"about": self.about, "from": self.first, "to": self.last}
        values |= {"chain": int(self.chain), "fold": int(self.fold)}
        kinds = {} if self.kinds == USUAL else {"kinds": ",".join(self.kinds) or "none"}
        return kinds | {name: value for name, value in values.items() if value}

    def toggled(self, kind: str) -> EventFilter:
        """Return the filter with that kind switched: hidden if it was shown, else shown."""
        return replace(self, kinds=tuple(one for one in KINDS if (one in self.kinds) != (one == kind)))

    @property
    def range_text(self) -> str:
        """Return which events of the run it keeps: "events 120 to 388"."""
        return f"events {max(self.first, 1):,} to {f'{self.last:,}' if self.last else 'the end'}"

    @property
    def is_narrowed(self) -> bool:
        """Return whether it differs from the default filter."""
        return replace(self, fold=False) != EventFilter()


def filter_of(query: Mapping[str, str]) -> EventFilter:
    """Return the filter that the address names; raises BadQuery."""
    named = text_param(query, "kinds", 200)
    kinds = [] if named == "none" else named.split(",") if named else list(USUAL)
    for kind in kinds:
        if kind not in KINDS:
            raise BadQuery(f"There is no kind of events {kind[:40]!r}; kinds are {', '.join(KINDS)}.")
    return EventFilter(
        kinds=tuple(kind for kind in KINDS if kind in kinds),
        about=text_param(query, "about", ABOUT_LIMIT),
        first=max(optional_int(query, "from") or 0, 0),
        last=max(optional_int(query, "to") or 0, 0),
        chain=bool_param(query, "chain"),
        fold=bool_param(query, "fold"),
    )


def matching(index: EventIndex, event_filter: EventFilter, chain: set[int]) -> NDArray[np.bool_]:
    """Return which events pass, by seq, whatever their kind; `chain` are the seqs of the chain, if the filter keeps
    only these.
    """
    passes = np.ones(len(index), bool)
    if event_filter.first:
        passes[: seq_of(event_filter.first)] = False
    if event_filter.last:
        passes[event_filter.last :] = False
    if event_filter.chain:
        of_chain = np.zeros(len(index), bool)
        of_chain[sorted(chain)] = True
        passes &= of_chain
    for word in event_filter.about.split():
        passes &= _about(index, word)
    return passes


def of_kinds(index: EventIndex, kinds: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which events are of these kinds, by seq."""
    shown = np.zeros(len(KINDS), bool)
    shown[[_CODES[kind] for kind in kinds]] = True
    return shown[index.kinds]


def counts(index: EventIndex, passes: NDArray[np.bool_]) -> dict[str, int]:
    """Return how many of the events that pass are of each kind, for kinds that the run has."""
    in_run = np.bincount(index.kinds, minlength=len(KINDS))
    counts_by_code = np.bincount(index.kinds[passes], minlength=len(KINDS))
    return {kind: int(counts_by_code[code]) for kind, code in _CODES.items() if in_run[code]}


def _about(index: EventIndex, word: str) -> NDArray[np.bool_]:
    field, _, name = word.partition(":")
    if field == "pod" and name:
        places = [place for place, (pod, _) in enumerate(index.pod_names) if name in (pod, pod.rpartition("/")[2])]
        return _is_in(index.pods, places) | _is_in(index.others, places)
    if field == "node" and name:
        return _is_in(index.nodes, [place for place, node in enumerate(index.node_names) if node == name])
    text = word.casefold()
    pods = [place for place, (pod, _) in enumerate(index.pod_names) if text in pod.casefold()]
    nodes = [place for place, node in enumerate(index.node_names) if text in node.casefold()]
    return _is_in(index.pods, pods) | _is_in(index.others, pods) | _is_in(index.nodes, nodes)


def _is_in(column: NDArray[np.int32], places: list[int]) -> NDArray[np.bool_]:
    return np.isin(column, np.array(places, np.int32))
