"""Whether an import is of a cluster that the workspace has: by its name, or by the names of its nodes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import newest_revision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Workspace

SAMPLE = 200
# At most this many clusters are looked at, the newest first.
LOOKED_AT = 20
# So large a share of the nodes has the same names in two dumps of one cluster.
ALIKE = 0.9
# Of fewer nodes names such as "node-1" say little.
FEWEST = 3


@dataclass(frozen=True)
class SameCluster:
    """The cluster that an import is probably of, and what says so."""

    cluster: Cluster
    why: str


def node_sample(names: Iterable[str]) -> list[int]:
    """Return hashes of names, the SAMPLE smallest ones: of equal clusters they are equal, of others few are."""
    return sorted({zlib.crc32(name.encode()) for name in names})[:SAMPLE]


def same_cluster(workspace: Workspace, name: str, sample: list[int]) -> SameCluster | None:
    """Return the cluster of this name, or the one whose nodes have the names of the import's; None where there is
    none."""
    clusters = Cluster.objects.filter(workspace=workspace, archived_at=None).order_by("-pk")
    named = clusters.filter(name=name).first() if name else None
    if named is not None:
        return SameCluster(named, "it has the name of this file")
    if len(sample) < FEWEST:
        return None
    for cluster in clusters[:LOOKED_AT]:
        theirs = _sample_of(cluster)
        shared = len(set(sample) & set(theirs))
        if theirs and shared >= ALIKE * max(len(sample), len(theirs)):
            said = "its nodes have" if shared == len(sample) else f"{100 * shared // len(sample)} % of its nodes have"
            return SameCluster(cluster, f"{said} the same names")
    return None


def free_name_like(workspace: Workspace, name: str) -> str:
    """Return the name, or the next one with a number that no cluster of the workspace has."""
    taken = set(Cluster.objects.filter(workspace=workspace, archived_at=None).values_list("name", flat=True))
    numbered = (name if n == 1 else f"{name} {n}" for n in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)


def _sample_of(cluster: Cluster) -> list[int]:
    revision = newest_revision(cluster)
    return node_sample(entry.name for entry in object_store.read_index(revision) if entry.kind == "Node")
