"""The volume and claim of a pod: bound to each other before the pod is created, as scheduler_perf makes them."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]
_BOUND = {"pv.kubernetes.io/bind-completed": "true"}


def bound_volume(volume: Raw, claim: Raw, pod: Raw, namespace: str) -> tuple[Raw, Raw]:
    """The volume and the claim, named after the pod, which is given a volume of the claim."""
    name = pod["metadata"]["name"]
    volume_name = f"pv-{namespace}-{name}"
    of_volume, of_claim = dict(volume.get("metadata") or {}), dict(claim.get("metadata") or {})
    for metadata in (of_volume, of_claim):
        metadata.pop("generateName", None)
    of_volume["name"] = volume_name
    annotations = {**(of_claim.get("annotations") or {}), **_BOUND}
    of_claim |= {"name": f"pvc-{name}", "namespace": namespace, "annotations": annotations}
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": of_claim["name"]}
    volume = {**volume, "metadata": of_volume, "spec": {**(volume.get("spec") or {}), "claimRef": reference}}
    claim = {
        **claim,
        "metadata": of_claim,
        "spec": {**(claim.get("spec") or {}), "volumeName": volume_name},
        "status": {"phase": "Bound"},
    }
    volume["status"] = {"phase": "Bound"}
    spec = pod["spec"] = dict(pod.get("spec") or {})
    mounted = {"name": "vol", "persistentVolumeClaim": {"claimName": of_claim["name"]}}
    spec["volumes"] = [*(spec.get("volumes") or []), mounted]
    return volume, claim
