"""Pods without a node, grouped by owner, so that many similar pods are one line with a count."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.revisions.object_rows import PodRow

# The suffix after the name that pods of an owner share: a number, or a hash of five or more characters.
SUFFIX = re.compile(r"-(\d+|[a-z0-9]{5,10})$")


@dataclass(frozen=True)
class WaitingPods:
    """Waiting pods of one owner: `name` is the owner's, or the common part of the names of pods without one.

    `owner` is what they are grouped by, for a single pod too, and `first` the name of the first pod. `is_name_shared`:
    another group has the same name, so the namespace is shown.
    """

    namespace: str
    name: str
    status: str
    count: int
    owner: str
    first: str
    is_name_shared: bool = False

    @property
    def key(self) -> str:
        """Return namespace/name; for a single pod its key."""
        return f"{self.namespace}/{self.name}"

    @property
    def first_key(self) -> str:
        """Return namespace/name of the first pod: the one to bind where one of the group is bound."""
        return f"{self.namespace}/{self.first}"

    @property
    def title(self) -> str:
        """Return the whole name with the count: "shop/web, 24 pods"."""
        return f"{self.namespace}/{self.name}, {self.count:,} pod{'' if self.count == 1 else 's'} {self.status}"


def waiting_group(pod: PodRow) -> tuple[str, str, str]:
    """Return the group of a waiting pod: namespace, owner or common part of the name, status."""
    return pod.namespace, pod.owner or SUFFIX.sub("", pod.name), pod.status


def waiting_pods(pods: Iterable[PodRow]) -> list[WaitingPods]:
    """Return the pods that are pending or gated, by owner, most pods first."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for pod in pods:
        if pod.status in ("pending", "gated"):
            names.setdefault(waiting_group(pod), []).append(pod.name)
    groups = [
        WaitingPods(namespace, shared if len(members) > 1 else members[0], status, len(members), shared, members[0])
        for (namespace, shared, status), members in names.items()
    ]
    of_name = Counter(group.name for group in groups)
    groups = [replace(group, is_name_shared=of_name[group.name] > 1) for group in groups]
    return sorted(groups, key=lambda group: -group.count)
