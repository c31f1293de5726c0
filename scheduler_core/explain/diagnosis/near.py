"""Values and labels that are nearly those asked for: what somebody probably meant.

Example: ``pool=junipr`` where eight nodes say juniper, ``Tier=gold`` for tier=gold, a label that Kubernetes renamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

import msgspec

from scheduler_core.api.objects import Node, Pod, Toleration

_RENAMED = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "node-role.kubernetes.io/master": "node-role.kubernetes.io/control-plane",
}
"""Labels that Kubernetes gave other names, by what became of them (kubernetes.io: well-known labels)."""
_ALIKE = 0.8
_MOST_VALUES = 2_000


class Near(msgspec.Struct, frozen=True):
    """A label that nodes have, and how many of them; ``value`` "" where only the key is asked for."""

    key: str
    value: str
    count: int


def near_value(nodes: Iterable[Node], key: str, wanted: str) -> Near | None:
    """The value of the same key that is most like the one wanted, None where none is."""
    counts = Counter(node.labels[key] for node in nodes if key in node.labels)
    best = most_like(wanted, list(counts)[:_MOST_VALUES])
    return None if best is None else Near(key, best, counts[best])


def near_key(nodes: Iterable[Node], key: str, wanted: str = "") -> Near | None:
    """Another key that nodes have in its place: the one that Kubernetes renamed it to, one of the same name with
    another prefix or case, or one that is spelt nearly so; with the value ``wanted`` where one is."""
    several = list(nodes)
    keys = Counter(one for node in several for one in node.labels)
    keys.pop(key, None)
    other = _RENAMED.get(key, "")
    if other not in keys:
        name = key.rpartition("/")[2].lower()
        same = sorted(one for one in keys if one.rpartition("/")[2].lower() == name)
        other = same[0] if same else most_like(key, list(keys)[:_MOST_VALUES]) or ""
    if not other:
        return None
    if not wanted:
        return Near(other, "", keys[other])
    count = sum(node.labels.get(other) == wanted for node in several)
    return Near(other, wanted, count) if count else None


def near_toleration(pod: Pod, key: str) -> Toleration | None:
    """The pod's toleration of the taint's key that has another value or effect than the taint."""
    return next((one for one in pod.tolerations if one.key == key), None)


def most_like(wanted: str, there: Iterable[str]) -> str | None:
    """The text that is most like the one wanted, None where none is nearly so."""
    others = [one for one in there if one != wanted]
    for one in others:
        if one.lower() == wanted.lower():
            return one
    found = get_close_matches(wanted, others, 1, _ALIKE)
    if found:
        return found[0]
    # Of short words one letter swapped or left out is already much: "mvne" for "nvme".
    return next((one for one in sorted(others) if sorted(one) == sorted(wanted) and _ratio(one, wanted) >= 0.5), None)


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
