"""Matches as plain values: names in the order of the objects, and of how many."""

from __future__ import annotations

import msgspec


class Found(msgspec.Struct, frozen=True):
    """The names that match (name of a node, namespace/name of a pod), of ``of`` objects looked at."""

    names: tuple[str, ...]
    of: int

    @property
    def n(self) -> int:
        """How many match."""
        return len(self.names)


class NodeTermMatches(msgspec.Struct, frozen=True):
    """One node selector term. ``steps[i]``: the nodes that fulfil its requirements 0..i, expressions before fields;
    ``whole`` those that fulfil the term; ``weight`` 0 for a required one."""

    steps: tuple[Found, ...]
    whole: Found
    weight: int = 0


class RequiredMatches(msgspec.Struct, frozen=True):
    """nodeSelector (None: there is none), each required term, and the nodes that fulfil all of it."""

    selector: Found | None
    terms: tuple[NodeTermMatches, ...]
    whole: Found


class TolerationMatches(msgspec.Struct, frozen=True):
    """``each``: by toleration, the nodes with a taint that keeps pods off and that it tolerates; ``let_in``: the
    tainted nodes on which all such taints are tolerated; both of how many nodes are tainted so. ``whole``: all nodes,
    of the tainted ones those let in."""

    each: tuple[Found, ...]
    let_in: Found
    whole: Found


class PodTermMatches(msgspec.Struct, frozen=True):
    """One pod affinity term: ``kind`` is affinity or anti-affinity, ``weight`` 0 for a required one.

    ``pods`` are the placed pods that match, ``waiting`` how many match and are on no node, ``nodes`` the nodes in a
    domain of ``pods``, ``unlabelled`` how many nodes lack the topology key.
    """

    kind: str
    weight: int
    topology_key: str
    pods: Found
    waiting: int
    nodes: Found
    unlabelled: int


class DomainPods(msgspec.Struct, frozen=True):
    """A domain of a spread constraint, how many pods count in it, and whether one more may go there."""

    value: str
    pods: int
    is_allowed: bool


class SpreadMatches(msgspec.Struct, frozen=True):
    """One constraint: its domains in the order of their values, the pods that count, and how many nodes take no part,
    as they lack a topology key or the constraint's policies leave them out."""

    domains: tuple[DomainPods, ...]
    pods: Found
    left_out: int
