"""Scores of a cycle with extenders: the plugins' on the nodes as the answers have them, and the extenders' own.

Mirrors prioritizeNodes and selectHost. Where an answer to filter has whole nodes, those take the place of the real
ones: without pods and without images, with the labels and amounts of the answer. The columns are changed so for the
time of the scoring, and put back in their order; PreScore sees the real nodes before. Known difference: what PreScore
takes from the feasible nodes themselves (sizes of topologies, nodes that lack a topology key) is from the real ones,
upstream's from the answer's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.hooks import (
    SCORE_RATIO,
    ExtendedFilter,
    Extenders,
    HostScores,
    NodeReplacement,
)
from scheduler_core.framework.contracts.extending.recorded import PrioritizeCall, UnknownNodeScores, node_names
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.normalizers import CUSTOM
from scheduler_core.framework.contracts.verdicts import IDENTITY, Rows
from scheduler_core.framework.runtime.cacheable_answers import ClassAnswers
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.plugin_calls import ask_score, ask_score_by_node
from scheduler_core.framework.runtime.score_phase import (
    NodeChoice,
    PluginScores,
    ScoreOutcome,
    run_pre_score,
    score_rows,
)

Totals = NDArray[np.int64]
_WRAP, _SMALL = 1 << 64, 1 << 62


class ExtendedScores(msgspec.Struct, frozen=True):
    """``scores`` and ``choice`` with rows for unknown nodes, ``recorded`` the scores without these; the chosen ``node``
    and the ``second`` by name ("": there is none)."""

    scores: ScoreOutcome
    recorded: ScoreOutcome
    choice: NodeChoice
    node: str
    second: str
    calls: tuple[PrioritizeCall, ...]
    unknown: tuple[UnknownNodeScores, ...]


def score_extended(
    framework: Framework, extenders: Extenders, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome
) -> ExtendedScores:
    """Score the nodes that extenders left, and choose one. Raises ScoreError and PluginRaised."""
    cluster, extended = framework.cluster, outcome.extended or ExtendedFilter(names=nodes_left(outcome))
    row_of = dict(cluster.table.row_of)
    n_rows, replaced = cluster.table.n_rows, extended.replaced
    with _unknown_nodes(cluster, extended):
        rows = np.array([cluster.table.row_of[name] for name in extended.names], dtype=np.int64)
        if replaced is not None:
            _number_labels(cluster, replaced)
        pre_score = run_pre_score(framework, cycle, pod, rows, ClassAnswers())
        if replaced is None:
            scores = score_rows(framework, cycle, pod, rows, pre_score, ask_score)
        else:
            with _replaced(cluster, replaced), _without_pods(cluster, replaced):
                scores = score_rows(framework, cycle, pod, rows, pre_score, ask_score_by_node)
        answers = extenders.prioritize(pod, extended)
        scores = _added(scores, answers, cluster.table.row_of)
        choice = _choice(framework, extended.names, scores.totals)
        name_of = cluster.name_of
        return ExtendedScores(
            scores=scores,
            recorded=_for_rows(scores, n_rows),
            choice=choice,
            node=name_of(choice.row),
            second=name_of(choice.second) if choice.second >= 0 else "",
            calls=tuple([_call(one, extended.names, row_of) for one in answers]),
            unknown=tuple([_unknown_scores(scores, name, cluster.table.row_of[name]) for name in extended.unknown]),
        )


def nodes_left(outcome: FilterOutcome) -> list[str]:
    """The names of the feasible nodes, also where no extender was asked to filter."""
    if outcome.extended is not None:
        return outcome.extended.names
    return [outcome.cluster.name_of(row) for row in outcome.feasible.tolist()]


# --- the nodes of an answer in the columns ----------------------------------------------------------------------------
@contextmanager
def _unknown_nodes(cluster: Cluster, extended: ExtendedFilter) -> Iterator[None]:
    """Give rows to nodes that only an answer knows, and take them away on leaving."""
    if not extended.unknown or extended.replaced is None:
        yield
        return
    positions, names = cluster.table.positions(), dict.fromkeys(extended.unknown)
    pods = cluster.arrivals(names)
    try:
        for name in names:
            cluster.put_node(extended.replaced[name].node)
        yield
    finally:
        for name in names:
            cluster.drop_node(name)
        cluster.table.return_to(positions)
        cluster.return_to(pods)


@contextmanager
def _replaced(cluster: Cluster, replaced: Mapping[str, NodeReplacement]) -> Iterator[None]:
    table = cluster.table
    positions = table.positions()
    former = [node for name in replaced if (node := table.nodes[table.row_of[name]]) is not None]
    try:
        for one in replaced.values():
            cluster.put_node(one.node)
        yield
    finally:
        for node in former:
            cluster.put_node(node)
        table.return_to(positions)


def _number_labels(cluster: Cluster, replaced: Mapping[str, NodeReplacement]) -> None:
    """Have columns of labels number the values of the answer before PreScore counts by them."""
    table = cluster.table
    changed: set[str] = set()
    for name, one in replaced.items():
        real = table.nodes[table.row_of[name]]
        assert real is not None
        changed.update(key for key, value in one.node.labels.items() if real.labels.get(key) != value)
    for key in changed:
        table.label(key)
    if changed:
        with _replaced(cluster, replaced):
            pass


@contextmanager
def _without_pods(cluster: Cluster, nodes: Mapping[str, Any]) -> Iterator[None]:
    arrivals = cluster.arrivals(nodes)
    on_nodes = [(name, info) for name in nodes for info in list(cluster.pods_on(cluster.table.row_of[name]).values())]
    try:
        for _, info in on_nodes:
            cluster.drop_pod(info.key)
        yield
    finally:
        for name, info in on_nodes:
            cluster.put_pod(info, name)
        cluster.return_to(arrivals)


# --- the extenders' scores --------------------------------------------------------------------------------------------
def _added(scores: ScoreOutcome, answers: Sequence[HostScores], row_of: Mapping[str, int]) -> ScoreOutcome:
    """The scores with a line for each extender that answered."""
    plugins, lines, totals = list(scores.plugins), [scores.raw], scores.totals
    for one in answers:
        if one.error:
            continue
        raw, weight = np.zeros(len(totals), dtype=np.int64), _int64(one.weight * SCORE_RATIO)
        rows = [row_of.get(name, -1) for name in one.scores]
        of_rows = [(row, _int64(score)) for row, score in zip(rows, one.scores.values(), strict=True) if row >= 0]
        if of_rows:
            raw[[row for row, _ in of_rows]] = [score for _, score in of_rows]
        given = raw[scores.rows]
        totals[scores.rows] += weight * given
        mean = round(int(given.astype(object).sum()) / len(given), 3)
        plugins.append(PluginScores(one.name, weight, raw, raw, IDENTITY, int(given.min()), int(given.max()), mean))
        lines.append(raw[None, :])
    return ScoreOutcome(scores.rows, plugins, np.concatenate(lines), totals, scores.pre_score)


def _int64(number: int) -> int:
    """The number as Go's int64 arithmetic has it, which wraps around."""
    return number if -_SMALL < number < _SMALL else (number + _WRAP // 2) % _WRAP - _WRAP // 2


def _choice(framework: Framework, names: Sequence[str], totals: Totals) -> NodeChoice:
    """One of the nodes with the best total, by the run's draw among them in order of name; totals may be negative."""
    table = framework.cluster.table
    rows = [table.row_of[name] for name in sorted(set(names))]
    best = max(totals.item(row) for row in rows)
    ties = [row for row in rows if totals.item(row) == best]
    if len(ties) > 1:
        drawn = framework.run.draw("host", len(ties))
        bits = np.zeros(len(totals), dtype=bool)
        bits[ties] = True
        second = ties[0 if drawn else 1]
        return NodeChoice(ties[drawn], best, np.packbits(bits).tobytes(), len(ties), second, best)
    choice = NodeChoice(ties[0], best, b"", 1)
    others = [row for row in rows if row != choice.row]
    if others:
        choice.second = max(others, key=lambda row: (totals.item(row), -row))
        choice.second_total = totals.item(choice.second)
    return choice


# --- what is recorded -------------------------------------------------------------------------------------------------
def _for_rows(scores: ScoreOutcome, n_rows: int) -> ScoreOutcome:
    """The scores of the first ``n_rows`` rows: those that real nodes may have."""
    plugins = [
        msgspec.structs.replace(
            one,
            normalization=msgspec.structs.replace(one.normalization, values=one.normalization.values[:n_rows])
            if one.normalization.kind == CUSTOM
            else one.normalization,
        )
        for one in scores.plugins
    ]
    rows: Rows = scores.rows[scores.rows < n_rows]
    raw = np.ascontiguousarray(scores.raw[:, :n_rows])
    return ScoreOutcome(rows, plugins, raw, scores.totals[:n_rows], scores.pre_score)


def _call(scores: HostScores, names: Sequence[str], row_of: Mapping[str, int]) -> PrioritizeCall:
    if scores.error:
        return PrioritizeCall(scores.extender, scores.name, scores.weight, error=scores.error)
    unscored = node_names({name: None for name in names if name not in scores.scores}, row_of)
    return PrioritizeCall(scores.extender, scores.name, scores.weight, unscored)


def _unknown_scores(scores: ScoreOutcome, name: str, row: int) -> UnknownNodeScores:
    raw, norm = (tuple([int(getattr(one, part)[row]) for one in scores.plugins]) for part in ("raw", "norm"))
    return UnknownNodeScores(name, raw, norm, scores.totals.item(row))
