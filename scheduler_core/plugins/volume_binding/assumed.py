"""Claims and volumes as the scheduler sees them: the cluster's objects under what Reserve assumed for earlier pods.

Mirrors the assume caches of plugins/volumebinding. An assumption holds until it is reverted or the cluster's object
is replaced.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim
from scheduler_core.columns.cluster import Listers
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE, volume_class


class AssumedVolumes:
    """Overlay on the listers. ``generation`` counts changes of the overlay."""

    def __init__(self) -> None:
        self.generation = 0
        self._volumes: dict[str, tuple[PersistentVolume, PersistentVolume]] = {}
        self._claims: dict[str, tuple[PersistentVolumeClaim, PersistentVolumeClaim]] = {}

    def volume(self, listers: Listers, name: str) -> PersistentVolume | None:
        """The volume as assumed, else as in the cluster."""
        base = listers.volumes.get(name)
        entry = self._volumes.get(name)
        return entry[1] if entry is not None and entry[0] is base else base

    def claim(self, listers: Listers, key: str) -> PersistentVolumeClaim | None:
        """The claim as assumed, else as in the cluster."""
        base = listers.claims.get(key)
        entry = self._claims.get(key)
        return entry[1] if entry is not None and entry[0] is base else base

    def volumes_of_class(self, listers: Listers, class_name: str) -> list[PersistentVolume]:
        """Volumes of the storage class by name; upstream's order is random."""
        volumes = [self.volume(listers, name) for name in sorted(listers.volumes)]
        return [v for v in volumes if v is not None and volume_class(v) == class_name]

    def take_volume(self, listers: Listers, name: str, claim: PersistentVolumeClaim) -> bool:
        """Assume that the volume is bound to the claim; False when it is already."""
        seen = self.volume(listers, name)
        ref = (claim.namespace, claim.name, claim.uid)
        if seen is None or seen.claim_ref == ref:
            return False
        self._volumes[name] = listers.volumes[name], msgspec.structs.replace(seen, claim_ref=ref)
        self.generation += 1
        return True

    def select_node(self, listers: Listers, key: str, node_name: str) -> None:
        """Assume that a volume for the claim is to be provisioned for the node."""
        seen = self.claim(listers, key)
        if seen is not None:
            annotations = {**seen.annotations, SELECTED_NODE: node_name}
            self._claims[key] = listers.claims[key], msgspec.structs.replace(seen, annotations=annotations)
            self.generation += 1

    def forget(self, volumes: list[str], claims: list[str]) -> None:
        """Revert what was assumed of these volumes and claims."""
        for name in volumes:
            self._volumes.pop(name, None)
        for key in claims:
            self._claims.pop(key, None)
        self.generation += 1

    def dump(self) -> dict[str, Any]:
        """JSON-ready: claim reference by volume, selected node by claim."""
        return {
            "volumes": {name: list(new.claim_ref or ()) for name, (_, new) in sorted(self._volumes.items())},
            "claims": {key: new.annotations[SELECTED_NODE] for key, (_, new) in sorted(self._claims.items())},
        }

    def load(self, listers: Listers, state: dict[str, Any]) -> None:
        """Take back what ``dump`` gave, upon the cluster's objects of now."""
        self._volumes.clear()
        self._claims.clear()
        for name, (namespace, claim_name, uid) in state["volumes"].items():
            base = listers.volumes[name]
            self._volumes[name] = base, msgspec.structs.replace(base, claim_ref=(namespace, claim_name, uid))
        for key, node_name in state["claims"].items():
            self.select_node(listers, key, node_name)
        self.generation += 1
