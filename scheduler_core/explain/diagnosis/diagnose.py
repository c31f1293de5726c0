"""The cause of an attempt that found no node, and all nodes by what keeps the pod off them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.diagnosis.interplay import settle_affinity, settle_spread
from scheduler_core.explain.diagnosis.model import Diagnosis, EqualNodes, NodeList, Obstacle, ObstacleKey, ObstacleSet
from scheduler_core.explain.diagnosis.near_misses import near_key, near_toleration, near_value
from scheduler_core.explain.diagnosis.sets import Keys, RankedSet, Readings, SetWeights, group_rows, rank_readings
from scheduler_core.explain.diagnosis.shared_labels import SharedLabels, distinguishing_label, label_columns
from scheduler_core.explain.diagnosis.sizes import change_size, name_too_large
from scheduler_core.explain.diagnosis.table import FoundObstacle, ObstacleTable
from scheduler_core.explain.diagnosis.words import cause_words, obstacle_words
from scheduler_core.framework.contracts.facts import (
    ClaimFact,
    DeviceClaimFact,
    DeviceFact,
    LabelFact,
    PodTermFact,
    TaintFact,
    VolumeZoneFact,
)
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, ObstacleKind, refused_by
from scheduler_core.framework.contracts.status import SUCCESS, Code

MOST_TOLD = 40
"""Groups of nodes that are said in words; of the others their obstacles are enough."""
NEARLY = 0.25
"""The size of a change that mends what is nearly right."""
HOSTNAME = "kubernetes.io/hostname"
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_NOBODY = ("hardware", "node-lifecycle", "controller")


def diagnose(trials: Trials, pod: str) -> Diagnosis | None:
    """What keeps the pod (namespace/name) off every node on the state of the trials; None where it fits as it is or is
    not tried at all. Raises KeyError for a pod, or its scheduler, that the state does not have."""
    with trials.under(trials.pod(pod), UNCHANGED) as base:
        return None if base.is_scheduled or base.gated is not None else diagnose_trial(trials, base)


def diagnose_trial(trials: Trials, base: Trial) -> Diagnosis:
    """The same of an attempt that found no node, inside of its ``Trials.under``."""
    return _Diagnosing(ObstacleTable(trials, base)).answer()


class _Diagnosing:
    """One table of obstacles on its way to the answer."""

    def __init__(self, table: ObstacleTable) -> None:
        self.table = table
        self.pod: Pod = table.pod
        settle_affinity(table)
        settle_spread(table)
        name_too_large(table)
        refused = {row: frozenset(on_row) for row, on_row in table.by_row.items() if on_row}
        self.groups = group_rows(refused)
        self.tolerated = _tolerated_by_others(table)
        self.labels = _labels(table)
        self.nearly: dict[ObstacleKey, bool] = {}
        self.first: dict[ObstacleKey, FoundObstacle] = {}
        for on_row in table.by_row.values():
            for key, one in on_row.items():
                self.first.setdefault(key, one)
        self.rows_of: dict[ObstacleKey, list[int]] = {}
        for keys, rows in self.groups.items():
            for key in keys:
                self.rows_of.setdefault(key, []).extend(rows)
        self.instead = self._sets_instead()

    def _sets_instead(self) -> dict[Keys, list[int]]:
        """Sets of which one is enough on a row in the place of the plugin's own obstacles there, with their rows."""
        sets: dict[Keys, list[int]] = {}
        for row, several in self.table.instead.items():
            own = {key for key, one in self.table.by_row[row].items() if not isinstance(one.fact, DeviceFact)}
            for instead in several:
                keys = frozenset(own | instead.keys())
                sets.setdefault(keys, []).append(row)
                self.table.otherwise.setdefault(row, []).append(keys)
                for key, one in instead.items():
                    self.first.setdefault(key, one)
                    if row not in self.rows_of.setdefault(key, []):
                        self.rows_of[key].append(row)
        return sets

    def answer(self) -> Diagnosis:
        if not self.groups:
            return Diagnosis(cause=self._without_nodes())
        readings = rank_readings(
            self.groups, SetWeights(self._nobody, self._chosen, self._size), self.table.otherwise, self.instead
        )
        return Diagnosis(
            cause=self._cause(readings),
            groups=tuple(self._group(i, keys, rows) for i, (keys, rows) in enumerate(self.groups.items())),
            obstacles=tuple(self._obstacle(key, self.rows_of[key]) for key in self._in_order(readings)),
        )

    def _without_nodes(self) -> ObstacleSet:
        if self.table.names and any(self.table.names):
            text = f"{self.table.base.failure or 'The attempt failed'}"
            kind = KINDS["EXTENDER_FAILED" if not self.table.base.errors else "PLUGIN_FAILED"]
        else:
            kind, text = KINDS["NO_NODES"], "There is no node."
        return ObstacleSet(codes=(kind.code,), stage=kind.stage, actor=kind.actor, text=text,
                     obstacles=(Obstacle(code=kind.code, object=_of_pod(self.pod), text=text),))  # fmt: skip

    # --- ranking ---------------------------------------------------------------------------------------------------
    def actor(self, key: ObstacleKey) -> str:
        """Who can remove the obstacle."""
        if key.code == "AFFINITY_NO_MATCH" and _is_controllers(self.pod, key):
            return "controller"
        return self.kind(key).actor

    def kind(self, key: ObstacleKey) -> ObstacleKind:
        """The published kind, or the plugin's own."""
        if key.code in KINDS:
            return KINDS[key.code]
        plugin = self.table.framework.plugins.get(self.first[key].plugin)
        declared = {one.code: one for one in plugin.obstacles} if plugin is not None else {}
        return declared.get(key.code) or refused_by(self.first[key].plugin)

    def _nobody(self, key: ObstacleKey) -> bool:
        return self.actor(key) in _NOBODY

    def _chosen(self, key: ObstacleKey) -> bool:
        """Whether the obstacle is somebody's choice: a pool kept for other pods, a host that is asked for by name."""
        fact = self.first[key].fact
        if isinstance(fact, TaintFact) and key.code == "TAINT_UNTOLERATED":
            return fact.key in _CONTROL_PLANE or fact.key in self.tolerated
        hosts = dict(key.needs).get(HOSTNAME) or dict(key.needs).get("metadata.name")
        if hosts is None or key.code not in ("SELECTOR_NO_MATCH", "AFFINITY_NO_MATCH"):
            return False
        return any(node is not None and node.labels.get(HOSTNAME, node.name) == hosts for node in self._nodes())

    def _nodes(self) -> Iterable[Node | None]:
        return self.table.cluster.table.nodes

    def _size(self, key: ObstacleKey, rows: Sequence[int]) -> float:
        """The size of the change that removes the obstacle on the best of the rows, as remedies are sized."""
        obstacles = [one for row in rows if (one := self.table.at(row, key)) is not None]
        sizes = [change_size(one.fact) for one in obstacles]
        if key not in self.nearly:
            self.nearly[key] = self._is_nearly(key)
        return NEARLY if self.nearly[key] else min(sizes, default=1.0)

    def _is_nearly(self, key: ObstacleKey) -> bool:
        """Whether a toleration or a selector of the pod is nearly right, so that mending it is what is meant."""
        fact = self.first[key].fact
        if isinstance(fact, TaintFact):
            return near_toleration(self.pod, fact.key) is not None
        if not isinstance(fact, LabelFact) or fact.operator != "In" or len(fact.values) != 1:
            return False
        nodes = [node for row in self.rows_of[key] if (node := self.table.cluster.table.nodes[row]) is not None]
        return (near_value(nodes, fact.key, fact.values[0]) or near_key(nodes, fact.key, fact.values[0])) is not None

    # --- the answer ------------------------------------------------------------------------------------------------
    def _cause(self, readings: Readings) -> ObstacleSet:
        first = self._as_cause(readings.first)
        either = tuple(map(self._as_cause, readings.either))
        text = first.text if not either else _either_text(first, either[0], readings.n_equal)
        return msgspec.structs.replace(first, text=text, either=either, also=tuple(map(self._as_cause, readings.also)))

    def _as_cause(self, reading: RankedSet) -> ObstacleSet:
        keys = sorted(reading.keys, key=lambda key: (ACTORS.index(self.actor(key)), key))
        rows = list(reading.rows) or [row for row in self.table.by_row if reading.keys <= self.table.by_row[row].keys()]
        opened = [self.table.names[row] for row in reading.rows]
        texts = [obstacle_words(self.table, key, rows or self.rows_of[key]) for key in keys]
        kinds = [self.kind(key) for key in keys]
        return ObstacleSet(
            codes=tuple(dict.fromkeys(key.code for key in keys)),
            plugins=tuple(dict.fromkeys(self.first[key].plugin for key in keys)),
            obstacles=tuple(
                self._obstacle(key, self.rows_of[key], rows, said) for key, said in zip(keys, texts, strict=True)
            ),
            opens=NodeList.of(opened),
            stage=kinds[0].stage,
            actor=max((self.actor(key) for key in keys), key=ACTORS.index),
            text=cause_words(texts, opened, self.table.cluster.n_nodes),
        )

    def _obstacle(
        self, key: ObstacleKey, all_rows: list[int], rows: Sequence[int] | None = None, said: str = ""
    ) -> Obstacle:
        return Obstacle(
            code=key.code,
            plugin=self.first[key].plugin,
            subject=key.subject,
            object=self._object(key, all_rows if rows is None else rows),
            needs=dict(key.needs),
            nodes=NodeList.of(self.table.names[row] for row in all_rows),
            text=said or obstacle_words(self.table, key, all_rows),
        )

    def _object(self, key: ObstacleKey, rows: Sequence[int]) -> str:
        """What has the obstacle: a claim, the node, or the pod."""
        fact = self.first[key].fact
        if isinstance(fact, (ClaimFact, VolumeZoneFact)) and fact.claim:
            return f"v1/PersistentVolumeClaim/{fact.claim}"
        if isinstance(fact, PodTermFact) and key.code == "ANTI_AFFINITY_OF_OTHERS" and fact.pods:
            return f"v1/Pod/{fact.pods[0]}"
        if isinstance(fact, (DeviceClaimFact, DeviceFact)):
            return _of_devices(self.pod, fact)
        on_node = key.code in ("CORDONED", "TAINT_UNTOLERATED", "TAINT_NODE_CONDITION", "VOLUME_LIMIT")
        on_node = on_node or (key.code == "NOT_OFFERED" and len(rows) == 1)
        if on_node:
            return f"v1/Node//{self.table.names[rows[0]]}" if rows else "v1/Node//"
        return _of_pod(self.pod)

    def _group(self, number: int, keys: Keys, rows: list[int]) -> EqualNodes:
        ordered = tuple(sorted(keys))
        names = tuple(sorted(self.table.names[row] for row in rows))
        outcome = self.table.base.outcome
        several = [SUCCESS] if outcome is None else [outcome.status(row) for row in rows]
        status = several[0]
        return EqualNodes(
            nodes=names,
            obstacles=ordered,
            texts=tuple(obstacle_words(self.table, key, rows) for key in ordered) if number < MOST_TOLD else (),
            counted=status.plugin,
            plugins=tuple(sorted({self.table.by_row[rows[0]][key].plugin for key in ordered})),
            reasons=status.reasons,
            shared=self.labels.common(names),
            unresolvable=all(one.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE for one in several),
        )

    def _in_order(self, readings: Readings) -> list[ObstacleKey]:
        """All obstacles: those of the readings in their order, then the others, those of most nodes first."""
        ordered = [key for one in (readings.first, *readings.either, *readings.also) for key in sorted(one.keys)]
        rest = sorted(self.rows_of, key=lambda key: (-len(self.rows_of[key]), key))
        return list(dict.fromkeys([*ordered, *rest]))


def _either_text(first: ObstacleSet, other: ObstacleSet, n_equal: int) -> str:
    """The sentence where ``n_equal`` sets beside the first are equal to it by all rules."""
    more = f" {n_equal - 1:,} more such sets are equal to these." if n_equal > 2 else ""
    more = " One more such set is equal to these." if n_equal == 2 else more
    return f"Either {_begun(first)} Or {_begun(other)}{more}"


def _begun(cause: ObstacleSet) -> str:
    return cause.text[:1].lower() + cause.text[1:]


def _of_pod(pod: Pod) -> str:
    return f"v1/Pod/{pod.key}"


def _of_devices(pod: Pod, fact: DeviceClaimFact | DeviceFact) -> str:
    """The class that is not there, the claim, or the pod where no claim is known."""
    if isinstance(fact, DeviceClaimFact) and fact.class_name:
        return f"resource.k8s.io/v1/DeviceClass//{fact.class_name}"
    is_written = fact.claim and "<" not in fact.claim
    return f"resource.k8s.io/v1/ResourceClaim/{fact.claim}" if is_written else _of_pod(pod)


def _is_controllers(pod: Pod, key: ObstacleKey) -> bool:
    """Whether the requirement is the one that the DaemonSet controller writes into its pods."""
    return "metadata.name" in dict(key.needs) and any(
        one.controller and one.kind == "DaemonSet" for one in pod.owner_references
    )


def _tolerated_by_others(table: ObstacleTable) -> frozenset[str]:
    """Keys of taints that placed pods tolerate by name, as pods of a pool do; not those that tolerate whatever there
    is, nor those of DaemonSets, which belong to every node."""
    keys: set[str] = set()
    seen: set[int] = set()
    for info in table.cluster.pods.values():
        if id(info.cls) in seen:
            continue
        seen.add(id(info.cls))
        if not any(one.kind == "DaemonSet" for one in info.pod.owner_references):
            keys.update(one.key for one in info.pod.tolerations if one.key)
    return frozenset(keys)


def _labels(table: ObstacleTable) -> SharedLabels:
    """The labels that distinguish groups of nodes."""
    columns = label_columns(table.cluster.table.nodes)
    rows = {name: row for row, name in enumerate(table.names) if name}
    return SharedLabels(rows, columns, distinguishing_label(columns, table.pod, tuple(table.info.cls.requests)))
