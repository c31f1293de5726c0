"""Facts that follow from pods in the topology domains of nodes."""

from __future__ import annotations

import msgspec

from scheduler_core.api.labels import LabelSelector
from scheduler_core.framework.contracts.facts.base import Fact

MOST_NAMED = 20
"""At most this many pods are named in a fact."""
MOST_DOMAINS = 64
"""At most this many domains are listed in a fact: those with the fewest pods, and the node's own."""


class DomainCount(msgspec.Struct, frozen=True):
    """How many pods a domain (a value of the topology key) holds."""

    value: str
    pods: int


class SpreadFact(Fact, frozen=True, kw_only=True):
    """A hard topology spread constraint at the node: pods that match by domain, the fewest, and what would result.

    ``domain`` is the node's value of the topology key, None where it lacks the label. ``here`` are the pods there,
    ``adds`` is 1 where the pod itself matches; ``least`` the fewest pods of any domain that takes part, 0 where there
    are fewer than ``min_domains``. ``counts`` lists domains by the number of pods (see MOST_DOMAINS), ``n_domains`` is
    how many there are.
    """

    topology_key: str
    selector: LabelSelector | None
    max_skew: int
    domain: str | None
    here: int
    adds: int
    least: int
    n_domains: int
    min_domains: int | None = None
    counts: tuple[DomainCount, ...] = ()

    @property
    def subject(self) -> str:
        """The pod's field."""
        return "spec.topologySpreadConstraints"

    @property
    def needs(self) -> dict[str, str]:
        """The topology key, which no other hard constraint of the pod has."""
        return {"topologyKey": self.topology_key}

    @property
    def skew(self) -> int:
        """The skew that would result with the pod on the node."""
        return self.here + self.adds - self.least


class SpreadScoreFact(Fact, frozen=True, kw_only=True):
    """What a soft topology spread constraint adds to the raw score, which is low where few pods are: ``here`` pods in
    the node's domain, times ``weight`` (by the size of the topology), plus maxSkew - 1."""

    topology_key: str
    selector: LabelSelector | None
    max_skew: int
    domain: str | None
    here: int
    weight: float
    term: float


class PodTermFact(Fact, frozen=True, kw_only=True):
    """A required pod affinity or anti-affinity term at the node's domain.

    ``kind``: "affinity" and "anti-affinity" are the pod's own, "anti-affinity of placed pods" is theirs against it.
    ``pods`` (namespace/name, at most MOST_NAMED) match in the domain, or have the term, ``n_pods`` in all. ``domain``
    is None where the node lacks the topology key. ``first``: no pod anywhere matches, but the pod itself would, so that
    any domain will do. Pods match affinity only where they match all terms of the pod.
    """

    kind: str
    topology_key: str
    domain: str | None
    selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    n_pods: int = 0
    first: bool = False

    @property
    def subject(self) -> str:
        """The pod's field, or that of the pods that keep it away."""
        return _TERM_FIELDS.get(self.kind, self.kind)

    @property
    def needs(self) -> dict[str, str]:
        """The topology key, and which pods the term selects."""
        selected = {} if self.selector is None else {"labelSelector": _as_text(self.selector)}
        return {"topologyKey": self.topology_key, **selected}


_TERM_FIELDS = {"affinity": "spec.affinity.podAffinity", "anti-affinity": "spec.affinity.podAntiAffinity"}


def _as_text(selector: LabelSelector) -> str:
    """The requirements as kubectl writes them: "app=web,tier in (a,b)"."""
    parts = []
    for one in selector.requirements:
        if one.operator in ("Exists", "DoesNotExist"):
            parts.append(one.key if one.operator == "Exists" else f"!{one.key}")
        elif one.operator == "In" and len(one.values) == 1:
            parts.append(f"{one.key}={one.values[0]}")
        else:
            parts.append(f"{one.key} {'in' if one.operator == 'In' else 'notin'} ({','.join(one.values)})")
    return ",".join(parts)


class AttractionFact(Fact, frozen=True, kw_only=True):
    """The sum of the weights of preferred terms, of both sides, that match in the node's domain of a topology key;
    ``domain`` None: the node lacks it."""

    topology_key: str
    domain: str | None
    points: int
