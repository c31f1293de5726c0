"""Spread constraints and pod affinity as they would be once other obstacles are gone.

Which nodes a constraint counts depends on what the pod selects and tolerates, and on its other constraints. So on nodes
that a selector, a taint or a constraint keeps the pod off, the constraints are asked again for the pod without these:
example, a pod selects disk=ssd and is spread over zones. Without the selector zone c counts too, which has no such pod,
so that a node of zone a has the spread as a second obstacle though the filter passes it today.

Cost: one PreFilter and Filter of one plugin for each distinct set of such obstacles, MOST_SETS at most.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from scheduler_core.api.labels import NodeSelectorTerm
from scheduler_core.api.objects import Pod
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.table import FoundObstacle, ObstacleTable, OneOfTerms
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.facts import LabelFact, PodTermFact, TaintFact
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread

MOST_SETS = 16
"""At most this many sets are tried again, those with the fewest obstacles first: a set of many is no cause."""
_REFUSED = Status(Code.UNSCHEDULABLE)
_SELECTING = ("SELECTOR_NO_MATCH", "AFFINITY_NO_MATCH", "TAINT_UNTOLERATED", "TAINT_NODE_CONDITION", "CORDONED")
_TERMS = ("AFFINITY_NO_POD", "AFFINITY_KEY_MISSING")
_SPREAD = ("SPREAD_SKEW", "SPREAD_KEY_MISSING", "SPREAD_MIN_DOMAINS")
replace = msgspec.structs.replace


def settle_spread(table: ObstacleTable) -> None:
    """Have the table's spread obstacles be those that are left where the others are gone."""
    hard = [one for one in table.pod.topology_spread_constraints if one.when_unsatisfiable == "DoNotSchedule"]
    if not hard or PodTopologySpread.name not in table.framework.plugins:
        return
    for keys, rows in _by_keys(table, _SELECTING).items():
        if keys:
            _ask_again(table, keys, rows, keep=False)
    if len(hard) > 1:
        for keys, rows in _by_keys(table, (*_SELECTING, *_SPREAD)).items():
            if any(key.code in _SPREAD for key in keys):
                _ask_again(table, keys, rows, keep=True)


def settle_affinity(table: ObstacleTable) -> None:
    """Other pods have to match all terms of the pod's affinity, so that one term fails for all of them: where the pod
    would pass without one of the terms, that one is the obstacle, the one of most nodes first."""
    plugin = table.framework.plugins.get(InterPodAffinity.name)
    passing: dict[ObstacleKey, set[int]] = {}
    for keys, rows in _by_keys(table, _TERMS).items():
        if len(keys) > 1 and isinstance(plugin, InterPodAffinity):
            for key in keys:
                passed = _passing(table, plugin, table.by_row[rows[0]][key], rows)
                passing.setdefault(key, set()).update(passed)
    for key, several in sorted(passing.items(), key=lambda item: (-len(item[1]), item[0])):
        for row in several:
            on_row = table.by_row[row]
            others = [one for one in on_row if one.code in _TERMS and one != key]
            if key not in on_row:  # one of more nodes was chosen, and this one would do as well
                table.otherwise.setdefault(row, []).append(frozenset((*(on_row.keys() - others), key)))
            else:
                for other in others:
                    del on_row[other]


def _passing(table: ObstacleTable, plugin: InterPodAffinity, term: FoundObstacle, rows: list[int]) -> list[int]:
    """The rows on which no other term of the pod's affinity refuses it without this one."""
    info = table.cluster.info(without(table.asking, [term]))
    result = plugin.pre_filter(CycleState(), info)
    if result.status.is_skip:
        return rows
    facts = ((row, plugin.filter_facts(result.state, info, table.cluster.view(row))) for row in rows)
    return [row for row, several in facts if not any(one.refuses and one.code in _TERMS for one in several)]


def _by_keys(table: ObstacleTable, codes: tuple[str, ...]) -> dict[frozenset[ObstacleKey], list[int]]:
    """Rows by which obstacles of these codes they have, MOST_SETS at most."""
    groups: dict[frozenset[ObstacleKey], list[int]] = {}
    for row, on_row in table.by_row.items():
        groups.setdefault(frozenset(key for key in on_row if key.code in codes), []).append(row)

    def fewest(item: tuple[frozenset[ObstacleKey], list[int]]) -> tuple[int, int]:
        return min(len(table.by_row[row]) for row in item[1]), -len(item[1])

    return dict(sorted(groups.items(), key=fewest)[:MOST_SETS])


def _ask_again(table: ObstacleTable, keys: frozenset[ObstacleKey], rows: list[int], *, keep: bool) -> None:
    """The spread obstacles of the rows for the pod without ``keys``, beside those that are among them (``keep``) or in
    the place of those that there were."""
    plugin = table.framework.plugins[PodTopologySpread.name]
    assert isinstance(plugin, PodTopologySpread)
    pod = without(table.asking, [table.by_row[rows[0]][key] for key in keys])
    info, several = table.cluster.info(pod), np.array(rows, dtype=np.int64)
    result = plugin.pre_filter(CycleState(), info)
    if not keep:
        for row in rows:
            for key in [key for key in table.by_row[row] if key.code in _SPREAD]:
                del table.by_row[row][key]
    verdicts = None if result.status.is_skip else plugin.filter(result.state, info, several)
    if verdicts is None:
        return
    table.put_facts(plugin, (result.state, info), several[verdicts.codes != 0], lambda row: _REFUSED)


def without(pod: Pod, several: Iterable[FoundObstacle]) -> Pod:
    """The pod without what these facts refuse it for: selectors, tolerations that it lacks, spread constraints."""
    for one in several:
        fact = one.fact
        if isinstance(fact, TaintFact):
            pod = replace(pod, tolerations=(*pod.tolerations, Toleration(fact.key, "Exists", "", fact.effect)))
        elif isinstance(fact, OneOfTerms):
            pod = _without_affinity(pod)
        elif isinstance(fact, LabelFact):
            pod = _without_requirement(pod, fact)
        elif (topology := fact.needs.get("topologyKey")) is not None and fact.code in _SPREAD:
            remaining = [
                constraint
                for constraint in pod.topology_spread_constraints
                if constraint.topology_key != topology or constraint.when_unsatisfiable != "DoNotSchedule"
            ]
            pod = replace(pod, topology_spread_constraints=tuple(remaining))
        elif isinstance(fact, PodTermFact) and fact.kind == "affinity":
            pod = _without_term(pod, fact)
        elif fact.code == "CORDONED":
            pod = replace(pod, tolerations=(*pod.tolerations, Toleration("node.kubernetes.io/unschedulable", "Exists")))
    return pod


def _without_term(pod: Pod, fact: PodTermFact) -> Pod:
    """The pod without the term of its affinity that the fact is of."""
    if pod.affinity is None:
        return pod
    remaining = [
        one
        for one in pod.affinity.pod_required
        if (one.topology_key, one.label_selector) != (fact.topology_key, fact.selector)
    ]
    return replace(pod, affinity=replace(pod.affinity, pod_required=tuple(remaining)))


def _without_affinity(pod: Pod) -> Pod:
    return pod if pod.affinity is None else replace(pod, affinity=replace(pod.affinity, node_required=None))


def _without_requirement(pod: Pod, fact: LabelFact) -> Pod:
    if fact.source == "nodeSelector":
        return replace(pod, node_selector={key: value for key, value in pod.node_selector.items() if key != fact.key})
    required = pod.affinity.node_required if pod.affinity is not None else None
    if required is None or pod.affinity is None or fact.term >= len(required.terms):
        return pod
    term = required.terms[fact.term]
    remaining = NodeSelectorTerm(
        tuple(one for one in term.match_expressions if (one.key, one.values) != (fact.key, fact.values)),
        tuple(one for one in term.match_fields if (one.key, one.values) != (fact.key, fact.values)),
    )
    if not remaining.match_expressions and not remaining.match_fields:
        return _without_affinity(pod)
    terms = tuple(remaining if i == fact.term else one for i, one in enumerate(required.terms))
    return replace(pod, affinity=replace(pod.affinity, node_required=replace(required, terms=terms)))
