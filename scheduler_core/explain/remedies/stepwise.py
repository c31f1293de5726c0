"""Changes that consist of several, made up one step after the other: where a change is not enough, the engine says
what still refuses, and the next step is the first change against that.

Each walk concerns one node, among those that need least, and prefers changes of one family: of the pod, of other pods,
or of the cluster. It succeeds when an attempt finds a node; walks that do not are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidates import by_group as makers
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, followed_by
from scheduler_core.explain.remedies.model import PODS_GONE
from scheduler_core.explain.remedies.ranking import Ranks
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.profiles.names import FIT as ROOM
from scheduler_core.profiles.names import VOLUMES

POD, PODS, CLUSTER = "pod", "pods", "cluster"
FAMILIES = {POD: (POD, PODS, CLUSTER), PODS: (PODS, POD, CLUSTER), CLUSTER: (CLUSTER, PODS, POD)}
NODES = 4
MOST_STEPS = 9


class NodeWalks(NamedTuple):
    """The pod (namespace/name) that walks are for, on the state of the trials; nodes of first readings come first."""

    trials: Trials
    pod: str
    ranks: Ranks

    def walks(self, out_of_time: Callable[[], bool]) -> Iterator[tuple[RemedyCandidate, Trial]]:
        """The results of the successful walks, each with the attempt that found a node; NODES walks per family."""
        for index in range(NODES):
            for family in FAMILIES:
                step = _walk(self, index, family, out_of_time)
                if step is not None:
                    yield step


def _walk(
    steps: NodeWalks, index: int, family: str, out_of_time: Callable[[], bool]
) -> tuple[RemedyCandidate, Trial] | None:
    trials, pod = steps.trials, steps.pod
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
                node = _near(situation, index, steps.ranks)
            step = _step(situation, node, family)
        if step is None or (made is not None and step.remedy.text in made.remedy.text):
            return None
        made = step if made is None else followed_by(made, step)
    return None


def _near(situation: RemedySituation, index: int, ranks: Ranks) -> str:
    """The name of the node that needs the (index + 1)-least: by reading, plugins that refuse it, and the share that it
    lacks; nodes last that a plugin refuses against which nothing is known."""
    needs: list[tuple[int, int, float, str]] = []
    for plugins, rows in situation.groups.items():
        shares = np.zeros(len(rows))
        if ROOM in plugins:
            shares = situation.shortages.shares(situation.shortages.missing(rows), rows)
        names = situation.names(rows.tolist())
        readings = np.array([ranks.best([name]) for name in names])
        unknown = len(plugins - makers.AGAINST.keys() - VOLUMES)
        for i in np.lexsort((shares, readings))[: index + 1].tolist():
            needs.append((unknown, int(readings[i]), len(plugins) + min(float(shares[i]), 1e6), names[i]))
    return sorted(needs)[min(index, len(needs) - 1)][3]


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
        made: dict[str, RemedyCandidate] = {}
        for candidate in makers.against(situation, plugin, _only(row)):
            made.setdefault(_family(candidate), candidate)
        if made:
            return next(made[one] for one in FAMILIES[family] if one in made)
    return None


def _refusing(situation: RemedySituation, row: int) -> list[str]:
    """The plugins that refuse the row, room last, as other changes may make some."""
    named = (plugin for plugins, rows in situation.groups.items() if row in rows for plugin in plugins)
    return sorted(named, key=lambda name: (name == ROOM, name))


def _family(candidate: RemedyCandidate) -> str:
    if candidate.remedy.kind == PODS_GONE:
        return PODS
    return POD if candidate.changes.pod is not None else CLUSTER


def _only(row: int) -> Rows:
    return np.array([row], dtype=np.int64)
