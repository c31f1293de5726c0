"""Refuses nodes that do not match nodeSelector and required node affinity; prefers nodes by preferred node affinity.

Mirrors the upstream plugin NodeAffinity of v1.34 (plugins/nodeaffinity) with its argument addedAffinity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from scheduler_core.api.labels import Labels, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Node, Pod, PreferredSchedulingTerm
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import normalizers as normalize
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts, LabelFact, PreferenceFact
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, error, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import (
    FIELD_NAME,
    GenerationMemo,
    Mask,
    label_values,
    matches_required,
    node_selector_mask,
    required_mask,
    term_mask,
)
from scheduler_core.framework.plugin_helpers.preferred_affinity_errors import parse_problem

REASON_POD = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"

Preferences = tuple[PreferredSchedulingTerm, ...]
_REQUIRED, _PREFERRED = "required node affinity", "preferred node affinity"
_CODES = {
    "nodeSelector": "SELECTOR_NO_MATCH",
    _REQUIRED: "AFFINITY_NO_MATCH",
    "addedAffinity": "AFFINITY_ENFORCED",
    _PREFERRED: "",
}


class NodeAffinityArgs(msgspec.Struct, frozen=True):
    """``added_affinity`` applies to all pods besides their own; only its node part counts."""

    added_affinity: Affinity | None = None

    @classmethod
    def from_raw(cls, raw: Mapping[str, Any]) -> NodeAffinityArgs:
        """The arguments from the configuration's words. Raises msgspec.ValidationError."""
        added = msgspec.convert(raw, _RawArgs).added_affinity
        if added is None:
            return cls()
        required = added.required_during_scheduling_ignored_during_execution
        preferred = added.preferred_during_scheduling_ignored_during_execution
        return cls(
            Affinity(
                node_required=NodeSelector(tuple(t.term() for t in required.node_selector_terms)) if required else None,
                node_preferred=tuple(PreferredSchedulingTerm(p.weight, p.preference.term()) for p in preferred),
            )
        )


class _Raw(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of the configuration's own shapes."""


class _RawTerm(_Raw, frozen=True):
    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()

    def term(self) -> NodeSelectorTerm:
        return NodeSelectorTerm(self.match_expressions, self.match_fields)


class _RawSelector(_Raw, frozen=True):
    node_selector_terms: tuple[_RawTerm, ...]


class _RawPreference(_Raw, frozen=True):
    weight: int
    preference: _RawTerm


class _RawAffinity(_Raw, frozen=True):
    required_during_scheduling_ignored_during_execution: _RawSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[_RawPreference, ...] = ()


class _RawArgs(_Raw, frozen=True):
    added_affinity: _RawAffinity | None = None


class NodeAffinity(
    PreFilterPlugin[NodeAffinityArgs],
    FilterPlugin[NodeAffinityArgs],
    PreScorePlugin[NodeAffinityArgs],
    ScorePlugin[NodeAffinityArgs],
    EnqueueExtension[NodeAffinityArgs],
):
    """Masks over all rows are kept per distinct selector until a node object changes."""

    name = "NodeAffinity"
    title = "Labels that the selector or affinity does not match"
    obstacles = kinds("SELECTOR_NO_MATCH", "AFFINITY_NO_MATCH", "AFFINITY_ENFORCED")
    wakes = ("Node label change or add",)
    Args = NodeAffinityArgs
    traits = Traits(node_local=True, static=True, reads_pods="none")
    normalizer = staticmethod(normalize.default)
    """More is better, by the largest sum."""

    def __init__(self, args: NodeAffinityArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._masks: GenerationMemo[Mask] = GenerationMemo()
        self._scores: GenerationMemo[Scores] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Nodes that come or change labels."""
        event = ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)
        return (EventWithHint(event, self._after_node_change),)

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without any requirement; narrows to named nodes when every term names some by metadata.name."""
        required = _required(pod.pod)
        if required is None and self._added_required is None and not pod.pod.node_selector:
            return PreFilterResult(SKIP, cacheable=True)
        names = _named_nodes(required.terms) if required is not None else None
        if names is not None and not names:
            return PreFilterResult(unresolvable(REASON_CONFLICT))
        return PreFilterResult(nodes=names, cacheable=True)

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """The scheduler's own requirement first, then the pod's."""
        added = self._added_required
        if added is not None and not added.matches(node.name, node.node.labels):
            return unresolvable(REASON_ENFORCED)
        return SUCCESS if matches_required(pod.pod, node.node) else unresolvable(REASON_POD)

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """Each requirement of the scheduler's own affinity, of nodeSelector and of the pod's, with the node's value."""
        selector = [Requirement(key, "In", (value,)) for key, value in pod.pod.node_selector.items()]
        own = [_label_fact("nodeSelector", 0, r, node.node.labels, decides=True) for r in selector]
        added = _selector_facts("addedAffinity", self._added_required, node.node)
        return *added, *own, *_selector_facts(_REQUIRED, _required(pod.pod), node.node)

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The names that the terms ask for by metadata.name, which may exclude each other."""
        required = _required(pod.pod)
        if required is None or _named_nodes(required.terms) != frozenset():
            return ()
        return tuple(
            LabelFact(
                source=_REQUIRED,
                code=_CODES[_REQUIRED],
                key=r.key,
                operator=r.operator,
                values=r.values,
                term=i,
                refuses=True,
            )
            for i, term in enumerate(required.terms)
            for r in term.match_fields
        )

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows with equal values of the labels that are asked for; by name where a term asks for names."""
        required = [one for one in (_required(pod.pod), self._added_required) if one is not None]
        terms = [term for one in required for term in one.terms]
        if any(term.match_fields for term in terms):
            return rows
        keys = {*pod.pod.node_selector, *(one.key for term in terms for one in term.match_expressions)}
        return label_values(self.handle.cluster.table, keys, rows)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The mask of the pod's requirements on the rows, under that of the scheduler's."""
        fits = self._required_mask(pod.pod).take(rows)
        added = self._added_mask()
        allowed = None if added is None else added.take(rows)
        passing = fits if allowed is None else fits & allowed
        if passing.all():
            return None
        codes = (~passing).astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
        reasons = np.zeros(len(rows), dtype=np.int32)
        if not fits.all():
            reasons[~fits] = self.handle.run.reasons.intern((REASON_POD,))
        if allowed is not None and not allowed.all():
            reasons[~allowed] = self.handle.run.reasons.intern((REASON_ENFORCED,))
        return Verdicts(codes, reasons)

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """SKIP without any preference; the state holds the scheduler's preferences and the pod's.

        An error for values that cannot be parsed, which the API server admits in preferences.
        """
        if problem := parse_problem(_preferred(pod.pod.affinity)):
            return PreScoreResult(error(problem))
        preferences = self._preferences(pod)
        return PreScoreResult(SUCCESS if preferences else SKIP, preferences, cacheable=True)

    def fails_without_pre_score(self, pod: PodInfo) -> str:
        """The preferences are parsed in Score then, to the same end."""
        return parse_problem(_preferred(pod.pod.affinity))

    def score_node(self, state: Preferences | None, pod: PodInfo, node: NodeView) -> int:
        """Sum of the weights of the terms that match."""
        preferences = self._preferences(pod) if state is None else state
        return sum(t.weight for t in preferences if t.preference.matches(node.name, node.node.labels))

    def score_facts(self, state: Preferences | None, pod: PodInfo, node: NodeView) -> Facts:
        """Each preferred term with its weight, and the node's values."""
        preferences = self._preferences(pod) if state is None else state
        return tuple(
            PreferenceFact(
                weight=one.weight,
                met=one.preference.matches(node.name, node.node.labels),
                requirements=_term_facts(_PREFERRED, i, one.preference, node.node, decides=False),
            )
            for i, one in enumerate(preferences)
        )

    def score(self, state: Preferences | None, pod: PodInfo, rows: Rows) -> Scores:
        """The sums of the rows."""
        table, preferences = self.handle.cluster.table, self._preferences(pod) if state is None else state
        sums = self._scores.get(table.static_generation, preferences, lambda: self._sums(preferences))
        return sums.take(rows)

    def _preferences(self, pod: PodInfo) -> Preferences:
        """The scheduler's and the pod's; worked out in Score too, where PreScore is not run."""
        return _preferred(self.args.added_affinity) + _preferred(pod.pod.affinity)

    @property
    def _added_required(self) -> NodeSelector | None:
        added = self.args.added_affinity
        return added.node_required if added else None

    def _added_mask(self) -> Mask | None:
        added, table = self._added_required, self.handle.cluster.table
        if added is None:
            return None
        return self._masks.get(table.static_generation, added, lambda: node_selector_mask(table, added))

    def _required_mask(self, pod: Pod) -> Mask:
        table = self.handle.cluster.table
        key = (tuple(pod.node_selector.items()), _required(pod))
        return self._masks.get(table.static_generation, key, lambda: required_mask(table, pod))

    def _sums(self, preferences: Preferences) -> Scores:
        table = self.handle.cluster.table
        sums = np.zeros(table.capacity, dtype=np.int64)
        for term in preferences:
            sums += term.weight * term_mask(table, term.preference)
        return sums

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node) -> Hint:
        added = self._added_required
        if added is not None and not added.matches(new.name, new.labels):
            return Hint.SKIP
        if not matches_required(pod, new):
            return Hint.SKIP
        return Hint.SKIP if old is not None and matches_required(pod, old) else Hint.QUEUE


def _required(pod: Pod) -> NodeSelector | None:
    return pod.affinity.node_required if pod.affinity else None


def _preferred(affinity: Affinity | None) -> Preferences:
    return affinity.node_preferred if affinity else ()


# --- facts -----------------------------------------------------------------------------------------------------------
def _selector_facts(source: str, selector: NodeSelector | None, node: Node) -> Facts:
    """The requirements of all terms; those that are not met refuse where no term matches."""
    if selector is None:
        return ()
    refused = not selector.matches(node.name, node.labels)
    facts = [f for i, t in enumerate(selector.terms) for f in _term_facts(source, i, t, node, decides=refused)]
    if refused and not facts:  # a selector without terms matches nothing
        facts = [LabelFact(source=source, code=_CODES[source], key="", operator="", refuses=True)]
    return tuple(facts)


def _term_facts(source: str, i: int, term: NodeSelectorTerm, node: Node, *, decides: bool) -> tuple[LabelFact, ...]:
    if not term.match_expressions and not term.match_fields:
        return (LabelFact(source=source, code=_CODES[source], key="", operator="", term=i, refuses=decides),)
    of_labels = [_label_fact(source, i, r, node.labels, decides=decides) for r in term.match_expressions]
    fields = {FIELD_NAME: node.name}
    return *of_labels, *[_label_fact(source, i, r, fields, decides=decides) for r in term.match_fields]


def _label_fact(source: str, i: int, requirement: Requirement, labels: Labels, *, decides: bool) -> LabelFact:
    """The requirement with the node's value; not met, it refuses where it ``decides``."""
    value = labels.get(requirement.key)
    met = requirement.holds_for(value)
    return LabelFact(
        source=source,
        code=_CODES[source],
        key=requirement.key,
        operator=requirement.operator,
        values=requirement.values,
        value=value,
        met=met,
        term=i,
        refuses=decides and not met,
    )


def _named_nodes(terms: Iterable[NodeSelectorTerm]) -> frozenset[str] | None:
    """Union over the terms of the names that each asks for; None as soon as a term asks for none."""
    union: frozenset[str] | None = None
    for term in terms:
        name_sets = [frozenset(r.values) for r in term.match_fields if r.key == FIELD_NAME and r.operator == "In"]
        if not name_sets:
            return None
        union = (union or frozenset()) | frozenset.intersection(*name_sets)
    return union
