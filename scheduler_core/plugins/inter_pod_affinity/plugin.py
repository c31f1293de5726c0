"""Keeps pods near to or away from pods that their affinity and anti-affinity terms select, in both directions.

Mirrors InterPodAffinity of kube-scheduler v1.34. Known differences: none; the API server's merge of matchLabelKeys and
mismatchLabelKeys happens when manifests are read.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework import normalize
from scheduler_core.framework.cycle import Cycle
from scheduler_core.framework.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.interface import (
    EnqueueExtension,
    FilterPlugin,
    Handle,
    Normalization,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    Rows,
    ScorePlugin,
    Scores,
    Traits,
    Verdicts,
)
from scheduler_core.framework.kernels import Memo
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.plugins.inter_pod_affinity import filtering, scoring
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
    Args = InterPodAffinityArgs
    traits = Traits(node_local=False)
    has_extensions = True

    def __init__(self, args: InterPodAffinityArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._domains = DomainMap(handle.cluster)
        self._index = TermIndex(handle.cluster)
        self._known: Memo[Incoming] = Memo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that may satisfy affinity or stop hindering, and nodes that change a topology."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, _POD_ACTIONS), self._after_pod_change),
            EventWithHint(ClusterEvent(Resource.NODE, _NODE_ACTIONS), self._after_node_change),
        )

    def pre_filter(self, cycle: Cycle, pod: PodInfo) -> PreFilterResult:
        """State: a HardState; SKIP when the pod has no required term and no placed pod's anti-affinity means it."""
        incoming = self._incoming(pod)
        if not self._index.anti_affinity_keys and not incoming.terms.affinity and not incoming.terms.anti_affinity:
            return PreFilterResult(SKIP)
        state = filtering.hard_state(self._domains, self._index, incoming)
        if not state.existing.total and not incoming.terms.affinity and not incoming.terms.anti_affinity:
            return PreFilterResult(SKIP)
        return PreFilterResult(state=state)

    def clone(self, state: filtering.HardState) -> filtering.HardState:
        """A copy that add_pod and remove_pod may change."""
        return state.clone()

    def add_pod(self, state: filtering.HardState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Count ``other`` on the node, in both directions."""
        state.update(self._index, other, node.row, 1)
        return SUCCESS

    def remove_pod(self, state: filtering.HardState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Take ``other`` off the node, in both directions."""
        state.update(self._index, other, node.row, -1)
        return SUCCESS

    def filter(self, state: filtering.HardState, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Unresolvable where affinity finds nothing to be near to; refused where any anti-affinity hinders."""
        return filtering.verdicts(state, rows, self.handle.reasons)

    def filter_node(self, state: filtering.HardState, pod: PodInfo, node: NodeView) -> Status:
        """The first of affinity, own anti-affinity and placed pods' anti-affinity that the node breaks."""
        return filtering.verdict(state, node)

    def pre_score(self, cycle: Cycle, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """State: weights by topology key and domain; SKIP when no term of either side matches anything."""
        incoming = self._incoming(pod)
        others = not self.args.ignore_preferred_terms_of_existing_pods and self._index.scoring_keys
        if not others and not incoming.terms.preferred:
            return PreScoreResult(SKIP)
        found = scoring.attraction(self._domains, self._index, incoming, self.args.hard_pod_affinity_weight)
        return PreScoreResult(state=found) if found else PreScoreResult(SKIP)

    def score(self, state: scoring.Attraction, pod: PodInfo, rows: Rows) -> Scores:
        """Sum of the weights in the domains of each row; may be negative."""
        return scoring.raw_scores(state, self._domains, rows)

    def score_node(self, state: scoring.Attraction, pod: PodInfo, node: NodeView) -> int:
        """Sum of the weights in the node's domains."""
        return scoring.raw_score(state, self._domains, node)

    def normalize(self, state: scoring.Attraction, pod: PodInfo, rows: Rows, raw: Scores) -> Normalization:
        """Stretched between the least and the greatest raw score."""
        return normalize.min_max(raw)

    def _incoming(self, pod: PodInfo) -> Incoming:
        self._index.sync()
        listers = self.handle.cluster.listers
        return self._known.get(listers.generation, pod.cls.id, lambda: Incoming(pod.cls.example, listers.namespaces))

    # --- queueing hints ----------------------------------------------------------------------------------------------
    def _after_pod_change(self, pod: Pod, old: Any, new: Any) -> Hint:
        """Queue when an assigned pod came to match the affinity terms, or ceased to match the anti-affinity terms."""
        if any(changed is not None and not changed.node_name for changed in (old, new)):
            return Hint.SKIP
        terms = PodTerms.of(pod)
        wanted_before, wanted = _matches_if_any(terms.affinity, old), _matches_if_any(terms.affinity, new)
        hindered, hinders = _matches_if_any(terms.anti_affinity, old), _matches_if_any(terms.anti_affinity, new)
        return Hint.QUEUE if (wanted and not wanted_before) or (hindered and not hinders) else Hint.SKIP

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node) -> Hint:
        """Queue when a node brings or changes a topology that the affinity or anti-affinity terms name."""
        terms = PodTerms.of(pod)
        if old is None:
            helps = bool(terms.anti_affinity) or any(t.topology_key in new.labels for t in terms.affinity)
            return Hint.QUEUE if helps else Hint.SKIP
        gained = any(_moved_or(old, new, t.topology_key, had=False) for t in terms.affinity)
        lost = any(_moved_or(old, new, t.topology_key, had=True) for t in terms.anti_affinity)
        return Hint.QUEUE if gained or lost else Hint.SKIP


def _matches_if_any(terms: Terms, pod: Pod | None) -> bool:
    return pod is not None and matches_all(terms, pod)


def _moved_or(old: Node, new: Node, key: str, *, had: bool) -> bool:
    """Whether the label changed between two values, or only the old (``had``) or only the new node has it."""
    before, after = old.labels.get(key), new.labels.get(key)
    if before is not None and after is not None:
        return before != after
    return (before if had else after) is not None
