"""Nodes that match a pod's node selectors, preferences and tolerations, requirement by requirement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scheduler_core.api.labels import NodeSelectorTerm
from scheduler_core.api.objects import Node, Pod, Taint, Toleration
from scheduler_core.explain.matches.model import Found, NodeTermMatches, RequiredMatches, TolerationMatches
from scheduler_core.framework.plugin_helpers.node_selectors import FIELD_NAME, matches_required
from scheduler_core.framework.topology.domains import REPELLING


def required_nodes(pod: Pod, nodes: Sequence[Node]) -> RequiredMatches:
    """nodeSelector and required node affinity, each part by itself and together."""
    selector = None
    if pod.node_selector:
        pairs = pod.node_selector.items()
        selector = _found(nodes, lambda node: all(node.labels.get(key) == value for key, value in pairs))
    required = pod.affinity.node_required if pod.affinity else None
    terms = tuple(_term(term, nodes) for term in required.terms) if required is not None else ()
    return RequiredMatches(selector, terms, _found(nodes, lambda node: matches_required(pod, node)))


def preferred_nodes(pod: Pod, nodes: Sequence[Node]) -> tuple[NodeTermMatches, ...]:
    """Each preferred term."""
    liked = pod.affinity.node_preferred if pod.affinity else ()
    return tuple(_term(one.preference, nodes, one.weight) for one in liked)


def _term(term: NodeSelectorTerm, nodes: Sequence[Node], weight: int = 0) -> NodeTermMatches:
    left, steps = list(nodes), []
    for requirement in term.match_expressions:
        left = [node for node in left if requirement.matches(node.labels)]
        steps.append(_names(left, len(nodes)))
    for requirement in term.match_fields:
        left = [node for node in left if requirement.matches({FIELD_NAME: node.name})]
        steps.append(_names(left, len(nodes)))
    return NodeTermMatches(tuple(steps), _found(nodes, lambda node: term.matches(node.name, node.labels)), weight)


def tolerated_nodes(pod: Pod, nodes: Sequence[Node]) -> TolerationMatches:
    """Nodes with taints that keep pods off, by what tolerates them."""
    tainted = [node for node in nodes if _repelling(node)]

    def is_let_in(node: Node) -> bool:
        return all(any(one.tolerates(taint) for one in pod.tolerations) for taint in _repelling(node))

    each = tuple(
        _names([node for node in tainted if _tolerates_any(one, node)], len(tainted)) for one in pod.tolerations
    )
    return TolerationMatches(each, _found(tainted, is_let_in), _found(nodes, is_let_in))


def _repelling(node: Node) -> list[Taint]:
    return [taint for taint in node.taints if taint.effect in REPELLING]


def _tolerates_any(toleration: Toleration, node: Node) -> bool:
    return any(toleration.tolerates(taint) for taint in _repelling(node))


def _found(nodes: Sequence[Node], matches: Callable[[Node], bool]) -> Found:
    return _names([node for node in nodes if matches(node)], len(nodes))


def _names(nodes: Iterable[Node], of: int) -> Found:
    return Found(tuple([node.name for node in nodes]), of)
