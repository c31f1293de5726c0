"""Copies of an object under names that a pattern makes: `gpu-##` gives gpu-01, gpu-02, …"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

import msgspec

from dashboard.clusters.by_hand.manifests import off_node
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from dashboard.clusters.revisions.object_keys import Raw

MOST_COPIES = 5_000
MOST_COPIED_BYTES = 64 << 20
"""Of all copies that an action makes, as JSON: 5,000 objects of 13 kB."""
HOSTNAME = "kubernetes.io/hostname"
_NUMBER = re.compile(r"#+")
# What only the original can have.
_OWN = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink", "ownerReferences")


def check_size(raws: Iterable[Raw], count: int, most: int = MOST_COPIED_BYTES) -> None:
    """Raise Problem where this many copies of each of these objects are too large together."""
    n_bytes = 0
    for raw in raws:
        n_bytes += count * len(msgspec.json.encode(raw))
        if n_bytes > most:
            raise Problem(f"The copies would have more than {most >> 20} MiB together. Make fewer at a time.")


def names_for(pattern: str, count: int, taken: Collection[str]) -> list[str]:
    """Return `number` free names: the number in the place of the last run of #, as long as that; without one, at the
    end.
    """
    runs = list(_NUMBER.finditer(pattern))
    if not runs and count == 1 and pattern not in taken:
        return [pattern]
    before, width, after = (
        (pattern[: runs[-1].start()], len(runs[-1][0]), pattern[runs[-1].end() :]) if runs else (f"{pattern}-", 1, "")
    )
    names: list[str] = []
    number = 0
    while len(names) < count:
        number += 1
        name = f"{before}{number:0{width}d}{after}"
        if name not in taken:
            names.append(name)
    return names


def make_copy(raw: Raw, name: str, labels: Mapping[str, str]) -> Raw:
    """Return a copy under another name, with these labels set. A copy of a pod is pending and has no owner, one of a
    claim has no device, and one of a slice is a pool of its own."""
    made = off_node(raw) if raw.get("kind") == "Pod" else copy.deepcopy(raw)
    metadata = {field: value for field, value in made["metadata"].items() if field not in _OWN}
    present = metadata.get("labels")
    merged = {**(present if isinstance(present, dict) else {}), **labels}
    if made.get("kind") == "Node" and HOSTNAME in merged:
        merged[HOSTNAME] = name
    made["metadata"] = {**metadata, "name": name, **({"labels": merged} if merged else {})}
    spec = made.get("spec")
    if made.get("kind") == "Node" and isinstance(spec, dict):
        spec.pop("providerID", None)
    if made.get("kind") == "ResourceClaim":
        made.pop("status", None)
    if made.get("kind") == "ResourceSlice" and isinstance(spec, dict):
        spec["pool"] = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return made
