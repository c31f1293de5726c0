"""Every node's verdict and scores for one pod, as plain values ready for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

FITS = -1
"""In ``Fit.group_of``: the node fits."""
NOT_SCORED = -1
"""In ``Fit.totals``: the node has no total."""


class RefusalGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes with the same refusal. ``plugin`` is the first that refuses (several names, comma separated, where
    PreFilter left the nodes out); ``reasons`` in kube-scheduler's words. ``resolvable``: the code is Unschedulable, so
    that evicting pods may help. ``promised``: of ``nodes``, how many fit but for the pods nominated to them."""

    plugin: str
    reasons: tuple[str, ...]
    nodes: int
    resolvable: bool = False
    promised: int = 0


class SieveStep(msgspec.Struct, frozen=True):
    """One filter in order: how many of the nodes left by the filters before it it refused, and how many remain.

    ``by_pre_filter``: PreFilter left the nodes out before any filter was asked.
    """

    plugin: str
    took: int
    left: int
    by_pre_filter: bool = False


class FitPoints(msgspec.Struct, frozen=True):
    """Normalised points (0..100) that a score plugin gave each fitting node, in the order of ``Fit.nodes``."""

    plugin: str
    weight: int
    points: tuple[int, ...]


class NodeFit(NamedTuple):
    """One node: its total (None: it does not fit, or nothing was scored) and its refusal (None: it fits)."""

    node: str
    total: int | None
    refusal: RefusalGroup | None

    @property
    def fits(self) -> bool:
        """Whether every filter passes."""
        return self.refusal is None


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt of a pod on every node, none left out by sampling.

    By node, in the engine's order: ``nodes`` (names), ``group_of`` (index in ``groups``, FITS where it fits) and
    ``totals`` (weighted sum of the points, NOT_SCORED elsewhere). ``groups`` begin with the largest, ``sieve`` is in
    the order of the filters, those that were skipped for this pod left out. ``best`` are the nodes that share the best
    total; nothing is scored where fewer than two nodes fit.
    ``failure``: kube-scheduler's message where nothing fits, without what preemption would add, which is not tried.
    ``error``: why there is no answer, or no scores: a plugin failed, or no profile has the pod's ``scheduler``.
    ``gated``: what PreEnqueue says of the pod, which is not tried until its gates are gone. ``bound_to``: the node
    that the pod names, ``nominated`` the one that it is nominated to and that is tried first; the attempt leaves both
    out. ``samples``: after how many fitting nodes a scheduler with this configuration ends its search (None: it looks
    at all).
    """

    pod: str
    nodes: tuple[str, ...] = ()
    group_of: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    groups: tuple[RefusalGroup, ...] = ()
    sieve: tuple[SieveStep, ...] = ()
    scores: tuple[FitPoints, ...] = ()
    best: tuple[str, ...] = ()
    failure: str = ""
    error: str = ""
    gated: str = ""
    scheduler: str = ""
    bound_to: str = ""
    nominated: str = ""
    samples: int | None = None
    seconds: float = 0.0

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    @property
    def n_fits(self) -> int:
        """How many nodes fit."""
        return self.group_of.count(FITS)

    def each(self) -> Iterator[NodeFit]:
        """Every node, in the engine's order."""
        for node, group, total in zip(self.nodes, self.group_of, self.totals, strict=True):
            yield NodeFit(node, None if total == NOT_SCORED else total, None if group == FITS else self.groups[group])

    def points(self, node: str) -> dict[str, int]:
        """What each score plugin adds to the node's total, by plugin; empty where it is not scored."""
        row = self.nodes.index(node)
        if self.totals[row] == NOT_SCORED:
            return {}
        position = self.group_of[:row].count(FITS)
        return {one.plugin: one.points[position] * one.weight for one in self.scores}
