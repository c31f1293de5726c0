"""Keeps pods near to or away from pods that their affinity and anti-affinity terms select, in both directions.

Mirrors InterPodAffinity of kube-scheduler v1.34. Known differences: none; the API server's merge of matchLabelKeys and
mismatchLabelKeys happens when manifests are read.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import normalizers as normalize
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PluginCache,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, label_values, same_pod
from scheduler_core.plugins.inter_pod_affinity import facts, filtering, refiltering, scoring
from scheduler_core.plugins.inter_pod_affinity.common import (
    DomainMap,
    Incoming,
    InterPodAffinityArgs,
    PodTerms,
    TermIndex,
    Terms,
    matches_all,
)

NAME = "InterPodAffinity"

_POD_ACTIONS = ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE
_NODE_ACTIONS = ActionType.ADD | ActionType.UPDATE_NODE_LABEL


class InterPodAffinity(
    PreFilterPlugin[InterPodAffinityArgs],
    FilterPlugin[InterPodAffinityArgs],
    PreScorePlugin[InterPodAffinityArgs],
    ScorePlugin[InterPodAffinityArgs],
    EnqueueExtension[InterPodAffinityArgs],
):
    """Required terms of the pod and of placed pods filter, preferred terms of both score."""

    name = NAME
    title = "Pod affinity or anti-affinity is not met"
    obstacles = kinds("AFFINITY_NO_POD", "AFFINITY_KEY_MISSING", "ANTI_AFFINITY_OWN", "ANTI_AFFINITY_OF_OTHERS")
    wakes = ("Pod add or delete", "Pod label change", "Node label change or add")
    Args = InterPodAffinityArgs
    traits = Traits(node_local=False)
    without_pre_filter = 'error reading "PreFilterInterPodAffinity" from cycleState: not found'
    without_pre_score = 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'
    normalizer = staticmethod(normalize.min_max)
    """Stretched between the least and the greatest raw score."""
    has_extensions = True

    def __init__(self, args: InterPodAffinityArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._domains = DomainMap(handle.cluster)
        self._index = TermIndex(handle.cluster)
        self._named = facts.NamedPods()
        self._known: GenerationMemo[Incoming] = GenerationMemo()
        self._hard: GenerationMemo[filtering.RequiredTermsState] = GenerationMemo()
        self._soft: GenerationMemo[scoring.Attraction] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that may satisfy affinity or stop hindering, and nodes that change a topology."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, _POD_ACTIONS), self._after_pod_change),
            EventWithHint(ClusterEvent(Resource.NODE, _NODE_ACTIONS), self._after_node_change),
        )

    @property
    def generation(self) -> int:
        """How many pod classes with terms there are: a new one may mean a pod that none meant before."""
        self._index.sync()
        return self._index.n_with_terms

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """State: a HardState; SKIP when the pod has no required term and no placed pod's anti-affinity means it."""
        state = self._hard_state(pod)
        if state.has_own_terms:
            return PreFilterResult(state=state, cacheable=True)
        state.sync()
        if not state.existing.by_key:
            return PreFilterResult(SKIP, cacheable=True)
        return PreFilterResult(state=state) if state.existing.total else PreFilterResult(SKIP)

    def clone(self, state: filtering.RequiredTermsState) -> filtering.RequiredTermsState:
        """A copy that add_pod and remove_pod may change."""
        return state.clone()

    def add_pod(self, state: filtering.RequiredTermsState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Count ``other`` on the node, in both directions."""
        state.update(other, node.row, 1)
        return SUCCESS

    def remove_pod(self, state: filtering.RequiredTermsState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Take ``other`` off the node, in both directions."""
        state.update(other, node.row, -1)
        return SUCCESS

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows of the same domains of all topology keys that count."""
        mine = state.incoming.terms
        keys = {term.topology_key for term in (*mine.affinity, *mine.anti_affinity)} | set(state.existing.by_key)
        return label_values(self.handle.cluster.table, keys, rows)

    def filter(self, state: filtering.RequiredTermsState, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Unresolvable where affinity finds nothing to be near to; refused where any anti-affinity hinders."""
        return filtering.verdicts(state, rows, self.handle.run.reasons)

    def filter_delta(
        self, state: filtering.RequiredTermsState, pod: PodInfo, cache: PluginCache
    ) -> tuple[Rows | None, Verdicts | None]:
        """The rows of domains that came to hold matches or lost the last one."""
        order = self.handle.cluster.table.order
        return refiltering.verdict_delta(state, order, self._domains, cache, self.handle.run.reasons)

    def filter_node(self, state: filtering.RequiredTermsState, pod: PodInfo, node: NodeView) -> Status:
        """The first of affinity, own anti-affinity and placed pods' anti-affinity that the node breaks."""
        return filtering.verdict(state, node)

    def filter_facts(self, state: filtering.RequiredTermsState, pod: PodInfo, node: NodeView) -> Facts:
        """Each required term of the pod, and placed pods' anti-affinity that means it, with the pods in the domain."""
        state.sync()
        return facts.term_facts(state, self._index, self._domains, node, self._named)

    def score_facts(self, state: scoring.Attraction, pod: PodInfo, node: NodeView) -> Facts:
        """What each topology key adds."""
        return facts.attraction_facts(state, node)

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """State: weights by topology key and domain; SKIP when no term of either side matches anything."""
        incoming = self._incoming(pod)
        if self.args.ignore_preferred_terms_of_existing_pods and not incoming.terms.preferred:
            return PreScoreResult(SKIP, cacheable=True)
        state = self._attraction(pod, incoming)
        state.sync()
        if not state.weights:
            return PreScoreResult(SKIP, cacheable=True)
        return PreScoreResult(state=state) if state.has_matches else PreScoreResult(SKIP)

    def score(self, state: scoring.Attraction, pod: PodInfo, rows: Rows) -> Scores:
        """Sum of the weights in the domains of each row; may be negative."""
        return scoring.raw_scores(state, rows)

    def score_delta(
        self, state: scoring.Attraction, pod: PodInfo, feasible: Rows, cache: PluginCache
    ) -> tuple[Rows | None, Scores]:
        """The rows of domains whose weights changed."""
        return scoring.score_delta(state, cache)

    def score_node(self, state: scoring.Attraction, pod: PodInfo, node: NodeView) -> int:
        """Sum of the weights in the node's domains."""
        return scoring.raw_score(state, node)

    # --- derived from pod class, nodes and listers; kept while these stay the same -----------------------------------
    @property
    def _stamp(self) -> tuple[int, int]:
        return self.handle.cluster.table.static_generation, self.handle.cluster.listers.generation

    def _incoming(self, pod: PodInfo) -> Incoming:
        listers, stay = self.handle.cluster.listers, self.handle.run.behaviours.merged_selector_stays
        return self._known.get(
            listers.generation,
            pod.cls.id,
            lambda: Incoming(pod.cls.example, listers.namespaces, selectors_stay=stay),
        )

    def _hard_state(self, pod: PodInfo) -> filtering.RequiredTermsState:
        make = filtering.RequiredTermsState.of
        return self._hard.get(self._stamp, pod.cls.id, lambda: make(self._domains, self._index, self._incoming(pod)))

    def _attraction(self, pod: PodInfo, incoming: Incoming) -> scoring.Attraction:
        weight = self.args.hard_pod_affinity_weight
        make = scoring.Attraction
        return self._soft.get(self._stamp, pod.cls.id, lambda: make(self._domains, self._index, incoming, weight))

    # --- queueing hints ----------------------------------------------------------------------------------------------
    def _after_pod_change(self, pod: Pod, old: Any, new: Any) -> Hint:
        """Queue when an assigned pod came to match the affinity terms, or ceased to match the anti-affinity terms.

        Where hints see more, also when the pod's own labels changed or a pod went whose anti-affinity means it; and a
        nominated pod counts as an assigned one.
        """
        sees_more = self.handle.run.behaviours.affinity_hints_see_more
        if sees_more and old is not None and new is not None and same_pod(pod, new) and old.labels != new.labels:
            return Hint.QUEUE
        if any(changed is not None and not _has_place(changed, nominated=sees_more) for changed in (old, new)):
            return Hint.SKIP
        if sees_more and new is None and self._kept_out(pod, old):
            return Hint.QUEUE
        terms = PodTerms.of(pod)
        wanted_before, wanted_after = _matches_if_any(terms.affinity, old), _matches_if_any(terms.affinity, new)
        hindered, hinders = _matches_if_any(terms.anti_affinity, old), _matches_if_any(terms.anti_affinity, new)
        return Hint.QUEUE if (wanted_after and not wanted_before) or (hindered and not hinders) else Hint.SKIP

    def _kept_out(self, pod: Pod, other: Pod) -> bool:
        """Whether a required anti-affinity term of the other matches the pod."""
        namespace = self.handle.cluster.listers.namespaces.get(pod.namespace)
        labels = {} if namespace is None else namespace.labels
        return any(term.matches(pod.labels, pod.namespace, labels) for term in PodTerms.of(other).anti_affinity)

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node) -> Hint:
        """Queue when a node brings or changes a topology that the affinity or anti-affinity terms name."""
        terms = PodTerms.of(pod)
        if old is None:
            helps = bool(terms.anti_affinity) or any(t.topology_key in new.labels for t in terms.affinity)
            return Hint.QUEUE if helps else Hint.SKIP
        gained = any(_moved_or(old, new, t.topology_key, had=False) for t in terms.affinity)
        lost = any(_moved_or(old, new, t.topology_key, had=True) for t in terms.anti_affinity)
        return Hint.QUEUE if gained or lost else Hint.SKIP


def _has_place(pod: Pod, *, nominated: bool) -> bool:
    return bool(pod.node_name or (nominated and pod.nominated_node_name))


def _matches_if_any(terms: Terms, pod: Pod | None) -> bool:
    return pod is not None and matches_all(terms, pod)


def _moved_or(old: Node, new: Node, key: str, *, had: bool) -> bool:
    """Whether the label changed between two values, or only the old (``had``) or only the new node has it."""
    before, after = old.labels.get(key), new.labels.get(key)
    if before is not None and after is not None:
        return before != after
    return (before if had else after) is not None
