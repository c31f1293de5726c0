"""Values and labels that are nearly those asked for: what somebody probably meant.

Example: ``pool=junipr`` where eight nodes say juniper, ``Tier=gold`` for tier=gold, a label that Kubernetes renamed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.taints import Toleration
from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.facts import PodTermFact

_RENAMED = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "node-role.kubernetes.io/master": "node-role.kubernetes.io/control-plane",
}
"""Labels that Kubernetes gave other names, by what became of them (kubernetes.io: well-known labels)."""
_ALIKE, _SHORT = 0.8, 2
_MACHINES = ("/arch", "/os", "/hostname", "/instance-type")
_MOST_VALUES = 2_000


class Near(msgspec.Struct, frozen=True):
    """A label that nodes have, and how many of them; ``value`` "" where only the key is asked for."""

    key: str
    value: str
    count: int


def near_value(nodes: Iterable[Node], key: str, sought: str) -> Near | None:
    """The value of the same key that is most like the one wanted, None where none is."""
    if key.endswith(_MACHINES):
        return None  # another machine is not what was meant: amd64 is no slip of arm64
    counts = Counter(node.labels[key] for node in nodes if key in node.labels)
    best = closest(sought, list(counts)[:_MOST_VALUES])
    return None if best is None else Near(key, best, counts[best])


def near_key(nodes: Iterable[Node], key: str, sought: str = "") -> Near | None:
    """A similar key that nodes have instead: the one that Kubernetes renamed it to, one of the same name with another
    prefix or case, or one spelt almost the same; one with the value ``wanted`` goes before the others."""
    several = list(nodes)
    keys = Counter(one for node in several for one in node.labels)
    keys.pop(key, None)
    other = _RENAMED.get(key, "")
    if other not in keys:
        name = key.rpartition("/")[2].lower()
        same = sorted(one for one in keys if one.rpartition("/")[2].lower() == name)
        other = same[0] if same else closest(key, list(keys)[:_MOST_VALUES]) or ""
    if not other:
        return None
    if not sought:
        return Near(other, "", keys[other])
    count = sum(node.labels.get(other) == sought for node in several)
    return Near(other, sought, count) if count else None


def near_pods(cluster: Cluster, fact: PodTermFact) -> Near | None:
    """The label of placed pods that is nearly the one that a term of pod affinity selects, where no pod has that."""
    several = fact.selector.requirements if fact.selector is not None else ()
    if len(several) != 1 or several[0].operator != "In" or len(several[0].values) != 1:
        return None
    key, sought = several[0].key, several[0].values[0]
    there = [info.pod for info in cluster.pods.values() if not fact.namespaces or info.pod.namespace in fact.namespaces]
    counts = Counter(pod.labels[key] for pod in there if key in pod.labels)
    best = None if sought in counts else closest(sought, counts)
    return None if best is None else Near(key, best, counts[best])


def in_other_namespaces(cluster: Cluster, fact: PodTermFact) -> dict[str, int]:
    """{namespace: placed pods} with pods that a term of pod affinity selects but for their namespace; none where its
    own namespaces have some."""
    selector = fact.selector
    if selector is None:
        return {}
    counts = Counter(info.pod.namespace for info in cluster.pods.values() if selector.matches(info.pod.labels))
    return {} if any(name in counts for name in fact.namespaces) else dict(counts.most_common())


def near_toleration(pod: Pod, key: str) -> Toleration | None:
    """The pod's toleration of the taint's key that has another value or effect than the taint."""
    return next((one for one in pod.tolerations if one.key == key), None)


def closest(sought: str, there: Iterable[str]) -> str | None:
    """The text that is most like the one wanted, None where none is nearly so."""
    others = [one for one in there if one != sought]
    for one in others:
        if one.lower() == sought.lower():
            return one
    alike = [one for one in others if not _is_another(sought, one)]
    matches = get_close_matches(sought, alike, 1, _ALIKE)
    if matches:
        return matches[0]
    # Of short words two letters swapped are already much: "mvne" for "nvme".
    return next((one for one in sorted(alike) if sorted(one) == sorted(sought) and _ratio(one, sought) >= 0.5), None)


def _is_another(one: str, other: str) -> bool:
    """Whether two texts that look alike name two things on purpose: node-1 and node-2, zone-a and zone-b."""
    if re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return True
    parts = [re.split(r"[-_./]", text) for text in (one, other)]
    if len(parts[0]) != len(parts[1]):
        return False
    return any(a != b and max(len(a), len(b)) <= _SHORT for a, b in zip(*parts, strict=True))


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
