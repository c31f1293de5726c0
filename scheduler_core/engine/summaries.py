"""Events of the filter, score and selection phases, made from the cycle's arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.cycle import FilterOutcome
from scheduler_core.framework.scoring import PluginScores, ScoreOutcome, Selection
from scheduler_core.framework.status import Status
from scheduler_core.recording import events as ev


def statuses(found: Iterable[tuple[str, Status, frozenset[str] | None]]) -> tuple[ev.PluginStatus, ...]:
    """Plugin answers as recorded; node sets sorted by name."""
    return tuple(
        ev.PluginStatus(name, int(status.code), status.reasons, None if nodes is None else tuple(sorted(nodes)))
        for name, status, nodes in found
    )


def filtered_event(now: int, cycle: int, outcome: FilterOutcome) -> ev.NodesFiltered:
    """How many nodes were looked at, fit, and were refused by whom first."""
    groups = outcome.refusals()
    refusals = [ev.Refusal(plugin, int(code), reasons, len(rows)) for (plugin, code, reasons), rows in groups.items()]
    return ev.NodesFiltered(
        at=now,
        cycle=cycle,
        visited=len(outcome.visited),
        feasible=len(outcome.feasible),
        refusals=tuple(sorted(refusals, key=lambda r: (-r.count, r.plugin, r.code, r.reasons))),
        absent=outcome.cluster.n_nodes - len(outcome.visited) if outcome.absent is not None else 0,
        start=outcome.start,
        next_start=outcome.next_start,
        nominated_only=outcome.nominated_only,
    )


def scored_event(now: int, cycle: int, scores: ScoreOutcome, selection: Selection) -> ev.NodesScored:
    """Each score plugin's normaliser, and its values for winner and runner-up."""
    winner = int(np.flatnonzero(scores.rows == selection.row)[0])
    second = int(np.flatnonzero(scores.rows == selection.second)[0]) if selection.second >= 0 else -1
    return ev.NodesScored(
        at=now, cycle=cycle, plugins=tuple(_summary(p, scores, winner, second) for p in scores.plugins)
    )


def _summary(plugin: PluginScores, scores: ScoreOutcome, winner: int, second: int) -> ev.ScoreSummary:
    raw, norm = plugin.raw, plugin.norm
    without = scores.totals - plugin.weight * norm
    return ev.ScoreSummary(
        plugin=plugin.plugin,
        weight=plugin.weight,
        kind=plugin.normalization.kind,
        params=plugin.normalization.params,
        raw_winner=int(raw[winner]),
        norm_winner=int(norm[winner]),
        raw_second=int(raw[second]) if second >= 0 else -1,
        norm_second=int(norm[second]) if second >= 0 else -1,
        norm_min=int(norm.min()),
        norm_max=int(norm.max()),
        norm_mean=round(float(norm.mean()), 3),
        decided=bool(without[winner] < without.max()),
    )


def host_event(now: int, cycle: int, cluster: Cluster, node: str, selection: Selection | None) -> ev.HostSelected:
    """The node chosen, with the tie set as a bitmap over node-table rows."""
    if selection is None:
        return ev.HostSelected(at=now, cycle=cycle, node=node)
    bits = np.zeros(cluster.table.n_rows, dtype=bool)
    bits[selection.ties] = True
    return ev.HostSelected(
        at=now,
        cycle=cycle,
        node=node,
        total=selection.total,
        second=cluster.name_of(selection.second) if selection.second >= 0 else "",
        second_total=selection.second_total,
        tie_count=len(selection.ties),
        ties=np.packbits(bits).tobytes() if len(selection.ties) > 1 else b"",
    )
