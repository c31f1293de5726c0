"""All facts that a plugin gives on a cluster, and what must hold for them and their obstacles; for check_plugin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.facts import Fact, Facts
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, STAGES, ObstacleKind

_NAMES_OF_PODS = frozenset(("holder", "held_address", "holders", "pods"))
"""Fields of facts that name pods: they may differ between rows that are alike."""


def all_facts(plugin: fw.Plugin[Any], cluster: Cluster, pod: PodInfo) -> Iterator[tuple[Facts, bool]]:
    """All facts of the plugin for the pod, each time with whether it refuses there: at PreFilter, then node by node."""
    state, asked = None, True
    if isinstance(plugin, fw.PreFilterPlugin):
        result = plugin.pre_filter(CycleState(), pod)
        yield plugin.pre_filter_facts(pod), result.status.is_rejected
        state, asked = result.state, result.status.is_success
    views = [cluster.view(row) for row in cluster.table.order.tolist()]
    if isinstance(plugin, fw.FilterPlugin) and asked:
        for view in views:
            yield plugin.filter_facts(state, pod, view), plugin.filter_node(state, pod, view).is_rejected
    if isinstance(plugin, fw.ScorePlugin):
        yield from _of_scores(plugin, cluster, pod)


def check_alike(plugin: fw.FilterPlugin[Any], cluster: Cluster, pod: PodInfo) -> None:
    """Raises AssertionError where rows that the plugin refuses and calls alike get facts that differ in more than the
    names of pods."""
    state = None
    if isinstance(plugin, fw.PreFilterPlugin):
        result = plugin.pre_filter(CycleState(), pod)
        state = result.state
        if not result.status.is_success:
            return
    views = {row: cluster.view(row) for row in cluster.table.order.tolist()}
    refused = [row for row, view in views.items() if plugin.filter_node(state, pod, view).is_rejected]
    if not refused:
        return
    alike = plugin.alike(state, pod, np.array(refused, dtype=np.int64))
    assert len(alike) == len(refused), f"alike gives one value, or one list of them, for each row: {alike!r}"
    first: dict[tuple[int, ...], tuple[str, Any]] = {}
    for row, values in zip(refused, np.reshape(alike, (len(refused), -1)).tolist(), strict=True):
        name, facts_here = views[row].node.name, _without_pods(plugin.filter_facts(state, pod, views[row]))
        other, same = first.setdefault(tuple(values), (name, facts_here))
        assert facts_here == same, (
            f"{other} and {name} are alike to the plugin, with other facts: {same} and {facts_here}"
        )


def _without_pods(facts: Facts) -> list[dict[str, Any]]:
    """The facts as plain values without the pods that they name."""
    return [{k: v for k, v in msgspec.to_builtins(fact).items() if k not in _NAMES_OF_PODS} for fact in facts]


def _of_scores(plugin: fw.ScorePlugin[Any], cluster: Cluster, pod: PodInfo) -> Iterator[tuple[Facts, bool]]:
    state = None
    if isinstance(plugin, fw.PreScorePlugin):
        result = plugin.pre_score(CycleState(), pod, cluster.table.order)
        if not result.status.is_success:
            return
        state = result.state
    for row in cluster.table.order.tolist():
        yield plugin.score_facts(state, pod, cluster.view(row)), False


def check_facts(facts: Facts, *, refused: bool) -> None:
    """Raises AssertionError for facts that are not typed and plain, or that disagree with the verdict."""
    assert isinstance(facts, tuple), f"facts come as a tuple, not {facts!r}"
    assert all(isinstance(fact, Fact) for fact in facts), f"facts are of the type Fact, not {facts!r}"
    refusing = [fact for fact in facts if fact.refuses]
    assert refused or not refusing, f"a fact refuses where the plugin does not: {refusing}"
    assert not refused or refusing or not facts, f"of the facts of a refusal none refuses: {facts}"
    for fact in facts:
        _check_one(fact)


def _check_one(fact: Fact) -> None:
    read = msgspec.json.decode(msgspec.json.encode(fact), type=type(fact))
    assert read == fact, f"a fact has plain fields, so that it comes back from JSON: {fact}"
    is_common = type(fact).__module__.startswith(f"{Fact.__module__.rpartition('.')[0]}.")
    assert is_common or fact.words().strip(), f"a fact of a type of the plugin's own says itself in words: {fact}"


def check_obstacles(plugin: type[fw.Plugin[Any]]) -> None:
    """Raises AssertionError for a declared kind that is neither published nor one of the plugin's own, or that names
    no actor or stage of the contract."""
    for kind in plugin.obstacles:
        assert kind.actor in ACTORS, f"the actor of {kind.code} is one of {', '.join(ACTORS)}, not {kind.actor!r}"
        assert kind.stage in STAGES, f"the stage of {kind.code} is one of {', '.join(STAGES)}, not {kind.stage!r}"
        assert KINDS.get(kind.code) == kind or _is_own(kind, plugin.name), (
            f"{kind.code} is a published kind as it stands, or a code that begins with {plugin.name.upper()}_"
        )
    codes = [kind.code for kind in plugin.obstacles]
    assert len(codes) == len(set(codes)), f"each kind is declared once: {codes}"


def check_codes(plugin: type[fw.Plugin[Any]], facts: Facts) -> None:
    """Raises AssertionError for a fact that refuses without a declared code, where the plugin declares any."""
    declared = {kind.code for kind in plugin.obstacles}
    for fact in facts:
        assert not declared or not fact.refuses or fact.code in declared, (
            f"a fact that refuses has the code of one of the plugin's obstacles: {fact}"
        )


def _is_own(kind: ObstacleKind, plugin: str) -> bool:
    """Whether the code begins with the plugin's name in upper case: QUIETNODES_FULL or QUIET_NODES_FULL."""
    code = kind.code.replace("_", "")
    return kind.code not in KINDS and code.isupper() and code.startswith(plugin.upper())
