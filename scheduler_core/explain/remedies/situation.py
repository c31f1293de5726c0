"""An attempt that found no node, as the functions that derive candidates see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node
from scheduler_core.columns.cluster import Cluster, Listers
from scheduler_core.columns.node_view import NodeView
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.shortages import Shortages
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.facts import Fact, Facts
from scheduler_core.framework.contracts.plugin import FilterPlugin, Plugin, PreFilterPlugin
from scheduler_core.framework.plugin_helpers.node_conditions import CORDON
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.taint_toleration import TaintToleration

Rows = NDArray[np.int64]


class RemedySituation:
    """A failed attempt with the cluster in which it failed; ``groups`` are the refused rows by the plugins that refuse
    them. Valid only inside ``Trials.under`` with the changes of ``base``, since it reads the live cluster."""

    def __init__(self, trials: Trials, base: Trial) -> None:
        assert base.outcome is not None
        self.trials, self.base, self.pod = trials, base, base.pod
        self.table = trials.simulation.context.cluster.table
        self.shortages = Shortages(trials, base.pod)
        self.groups = self._without_cordon_taints(_by_plugins(base))

    @property
    def cluster(self) -> Cluster:
        """The cluster of the state."""
        return self.trials.simulation.context.cluster

    @property
    def listers(self) -> Listers:
        """The objects other than nodes and placed pods."""
        return self.cluster.listers

    def _without_cordon_taints(self, groups: dict[frozenset[str], Rows]) -> dict[frozenset[str], Rows]:
        """The groups without the refusals of the taint that Kubernetes adds for a cordon: both are one obstacle."""
        parts: dict[frozenset[str], list[int]] = {}
        for plugins, rows in groups.items():
            for row in rows.tolist():
                facts = self.refusing(TaintToleration.name, row) if plugins >= _CORDONED else iter(())
                only_cordon = plugins >= _CORDONED and all(getattr(fact, "key", "") == CORDON for fact in facts)
                parts.setdefault(plugins - {TaintToleration.name} if only_cordon else plugins, []).append(row)
        return {plugins: np.array(rows, dtype=np.int64) for plugins, rows in parts.items()}

    def names(self, rows: Iterable[int]) -> list[str]:
        """The names of the nodes in these rows."""
        return [self.base.names[row] for row in rows]

    def refusing(self, plugin: str, row: int) -> Iterator[Fact]:
        """The facts by which a filter refuses the node, with its placed pods only; none where it gives no facts."""
        filter_plugin = self.plugin(plugin)
        if isinstance(filter_plugin, FilterPlugin):
            yield from (fact for fact in self.facts_on(filter_plugin, self.cluster.view(row)) if fact.refuses)

    def plugin(self, name: str) -> Plugin[Any] | None:
        """The plugin of the pod's profile."""
        return self._framework.plugins.get(name)

    def facts_on(self, plugin: FilterPlugin[Any], view: NodeView) -> Facts:
        """The facts that a filter gives of a view."""
        return plugin.filter_facts(self._filter_state.get(plugin.name), self.cluster.info(self.pod), view)

    def refusing_whole(self) -> Iterator[Fact]:
        """The facts by which PreFilter refuses the pod as a whole."""
        assert self.base.refused_whole is not None
        pre_filter_plugin = self.plugin(self.base.refused_whole.plugin)
        if isinstance(pre_filter_plugin, PreFilterPlugin):
            yield from pre_filter_plugin.pre_filter_facts(self.cluster.info(self.pod))

    @property
    def _framework(self) -> Framework:
        return self.trials.simulation.frameworks[self.pod.scheduler_name]

    @cached_property
    def _filter_state(self) -> dict[str, object]:
        cycle = CycleState()
        run_pre_filter(self._framework, cycle, self.cluster.info(self.pod))
        return cycle.filter_state

    def node(self, row: int) -> Node:
        """The node on the row."""
        node = self.table.nodes[row]
        assert node is not None
        return node


_CORDONED = frozenset((NodeUnschedulable.name, TaintToleration.name))


def _by_plugins(base: Trial) -> dict[frozenset[str], Rows]:
    """Rows of refused nodes by the set of plugins that refuse them, nominated pods counted in."""
    outcome = base.outcome
    assert outcome is not None
    rows = np.array([row for row, name in enumerate(base.names) if name], dtype=np.int64)
    refusing = outcome.codes[:, rows] != 0
    place = {row: i for i, row in enumerate(rows.tolist())}
    for row, status in outcome.overlay.items():
        if status.plugin in outcome.plugins:
            refusing[outcome.plugins.index(status.plugin), place[row]] = True
    weights = 1 << np.arange(len(outcome.plugins), dtype=np.int64)
    masks = weights @ refusing.astype(np.int64) if len(outcome.plugins) else np.zeros(len(rows), dtype=np.int64)
    groups: dict[frozenset[str], Rows] = {}
    for mask in np.unique(masks).tolist():
        named = frozenset(name for i, name in enumerate(outcome.plugins) if mask >> i & 1)
        if named:
            groups[named] = rows[masks == mask]
    return groups
