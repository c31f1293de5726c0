"""Changes that consist of several, found one step after the other: where a change is not enough, the engine says what
still refuses, and the next step answers that.

Each walk concerns one node, among those that need least, and prefers changes of one family: of the pod, of other pods,
or of the cluster. It succeeds when an attempt finds a node; walks that do not are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidates import by_group as makers
from scheduler_core.explain.remedies.candidates import mending, pod_edits, state_edits
from scheduler_core.explain.remedies.candidates.candidate import PodEdit, RemedyCandidate, of_pod, then
from scheduler_core.explain.remedies.candidates.claims import without_what_refuses
from scheduler_core.explain.remedies.candidates.conditions import of_conditions
from scheduler_core.explain.remedies.candidates.near_pods import of_repelling
from scheduler_core.explain.remedies.candidates.spread import of_spread
from scheduler_core.explain.remedies.candidates.volumes import of_volumes
from scheduler_core.explain.remedies.model import BIGGER_NODE, PODS_GONE
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom
from scheduler_core.profiles.names import AFFINITY, CORDON, PODS_NEAR, PORTS, SPREAD, TAINTS, VOLUMES
from scheduler_core.profiles.names import FIT as ROOM

POD, PODS, CLUSTER = "pod", "pods", "cluster"
FAMILIES = {POD: (POD, PODS, CLUSTER), PODS: (PODS, CLUSTER, POD), CLUSTER: (CLUSTER, PODS, POD)}
NODES = 4
MOST_STEPS = 9


def step_by_step(trials: Trials, pod: str, out_of_time: Callable[[], bool]) -> Iterator[tuple[RemedyCandidate, Trial]]:
    """The results of the successful walks, each with the attempt that found a node; at most NODES walks per family."""
    for index in range(NODES):
        for family in FAMILIES:
            step = _walk(trials, pod, index, family, out_of_time)
            if step is not None:
                yield step


def _walk(
    trials: Trials, pod: str, index: int, family: str, out_of_time: Callable[[], bool]
) -> tuple[RemedyCandidate, Trial] | None:
    made: RemedyCandidate | None = None
    node = ""
    for _ in range(MOST_STEPS):
        if out_of_time():
            return None
        changes = UNCHANGED if made is None else made.changes
        with trials.under(changes.pod or trials.pod(pod), changes) as trial:
            if trial.is_scheduled and trial.gated is None:
                return None if made is None else (made, trial)
            if trial.outcome is None:  # no node was there to be looked at
                return None
            situation = RemedySituation(trials, trial)
            if not node and situation.groups and trial.gated is None and trial.refused_whole is None:
                node = _near(situation, index)
            step = _step(situation, node, family)
        if step is None:
            return None
        made = step if made is None else then(made, step)
    return None


def _near(situation: RemedySituation, index: int) -> str:
    """The name of the node that needs the (index + 1)-least: plugins that refuse it, and the share that it lacks."""
    needs = []
    for plugins, rows in situation.groups.items():
        shares = np.zeros(len(rows))
        if ROOM in plugins:
            shares = situation.shortages.shares(situation.shortages.missing(rows), rows)
        for i in np.argsort(shares, kind="stable")[: index + 1].tolist():
            unknown = len(plugins - makers.EDITABLE - VOLUMES)
            need = (unknown, len(plugins) + min(float(shares[i]), 1e6), situation.base.names[int(rows[i])])
            needs.append(need)
    return sorted(needs)[min(index, len(needs) - 1)][2]


def _step(situation: RemedySituation, node: str, family: str) -> RemedyCandidate | None:
    """The next change: of what refuses the pod as a whole, else of the first plugin that refuses the node."""
    if situation.base.gated is not None:
        return next(makers.of_gates(situation), None)
    if situation.base.refused_whole is not None:
        of_pod_first = list(makers.of_whole_pod(situation))
        return next(iter(of_pod_first if family == POD else of_pod_first[1:] or of_pod_first), None)
    if not node:  # every node passed the plugins, and the call of an extender failed
        return None
    row = situation.base.row_of[node]
    for plugin in _refusing(situation, row):
        made = chain.from_iterable(_FIXES[one](situation, plugin, row) for one in FAMILIES[family])
        candidate = next(made, None)
        if candidate is not None:
            return candidate
    return None


def _refusing(situation: RemedySituation, row: int) -> list[str]:
    """The plugins that refuse the row, room last, as other changes may make some."""
    named = (plugin for plugins, rows in situation.groups.items() if row in rows for plugin in plugins)
    return sorted(named, key=lambda name: (name == ROOM, name))


# --- the changes of each family ------------------------------------------------------------------------------------
def _of_pod(situation: RemedySituation, plugin: str, row: int) -> Iterator[RemedyCandidate]:
    pod, node, names = situation.pod, situation.node(row), [situation.base.names[row]]
    edits: list[PodEdit] = []
    if plugin == TAINTS:
        taints = pod_edits.untolerated(pod, node)
        edits = [] if any(map(is_symptom, taints)) else mending.tolerations(pod, taints)
    elif plugin == AFFINITY:
        edits = [] if makers.is_controllers(pod) else makers.selector_edits(situation, node, [node])
    elif plugin == PORTS:
        edits = pod_edits.give_up_ports(pod)
    elif plugin in (SPREAD, PODS_NEAR):
        several = (pod_edits.soften_spread if plugin == SPREAD else pod_edits.drop_terms)(pod)
        edits = several[-1] if several else []
    elif plugin == ROOM:
        edits = next((amounts for _, amounts in makers.amounts_on(situation, _only(row))), [])
    elif plugin not in makers.EDITABLE:
        edits = list(without_what_refuses(situation, list(situation.refusing(plugin, row))))
    yield from filter(None, [of_pod(pod, edits, names)] if edits else [])


def _of_pods(situation: RemedySituation, plugin: str, row: int) -> Iterator[RemedyCandidate]:
    made: Iterator[RemedyCandidate] = iter(())
    if plugin in (ROOM, PORTS):
        made = state_edits.of_pods_gone(situation, _only(row))
    elif plugin == PODS_NEAR:
        made = of_repelling(situation, _only(row))
    elif plugin == SPREAD:
        made = of_spread(situation, _only(row))
    elif plugin not in makers.EDITABLE:
        made = of_volumes(situation, plugin, row)
    yield from (one for one in made if one.remedy.kind == PODS_GONE)


def _of_cluster(situation: RemedySituation, plugin: str, row: int) -> Iterator[RemedyCandidate]:
    if plugin == ROOM:
        made = state_edits.of_nodes(situation, _only(row))
        yield from (one for one in made if one.remedy.kind == BIGGER_NODE)
    elif plugin == TAINTS:
        yield from of_conditions(situation, _only(row))
        yield from state_edits.of_taints(situation, _only(row))
    elif plugin == CORDON:
        yield from state_edits.of_cordon(situation, _only(row))
    elif plugin == AFFINITY:
        yield from state_edits.of_labels(situation, _only(row))
    elif plugin not in makers.EDITABLE:
        yield from (one for one in of_volumes(situation, plugin, row) if one.remedy.kind != PODS_GONE)


_FIXES = {POD: _of_pod, PODS: _of_pods, CLUSTER: _of_cluster}


def _only(row: int) -> Rows:
    return np.array([row], dtype=np.int64)
