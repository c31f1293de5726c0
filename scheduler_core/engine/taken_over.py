"""Updates as the API server stores them: what a scheduler, kubelet, controller or driver wrote stays."""

from __future__ import annotations

import msgspec

from scheduler_core.api import objects as k8s


def claim_taken_over(old: k8s.ResourceClaim, new: k8s.ResourceClaim) -> k8s.ResourceClaim:
    """The updated claim with the status that the update leaves as it was."""
    names = ("uid", "deletion_timestamp", "allocation", "reserved_for", "device_status")
    return msgspec.structs.replace(new, **{name: getattr(old, name) for name in names if not getattr(new, name)})


def pod_taken_over(old: k8s.Pod, new: k8s.Pod) -> k8s.Pod:
    """The updated pod as the API server stores it: fields of scheduler and kubelet stay unless the update sets them."""
    return msgspec.structs.replace(
        new,
        node_name=old.node_name or new.node_name,
        phase=old.phase if new.phase == "Pending" else new.phase,
        start_time=old.start_time if new.start_time is None else new.start_time,
        nominated_node_name=new.nominated_node_name or old.nominated_node_name,
        deletion_timestamp=old.deletion_timestamp if new.deletion_timestamp is None else new.deletion_timestamp,
        preempted=old.preempted or new.preempted,
        resource_claims=_with_names(old, new) if new.resource_claims else (),
        extended_claim=new.extended_claim or old.extended_claim,
        extended_requests=new.extended_requests or old.extended_requests,
    )


def _with_names(old: k8s.Pod, new: k8s.Pod) -> tuple[k8s.PodResourceClaim, ...]:
    """The entries with the names of claims that the status gave them."""
    names = {(e.name, e.template_name): e.generated for e in old.resource_claims}
    return tuple([
        msgspec.structs.replace(e, generated=names.get((e.name, e.template_name))) if e.generated is None else e
        for e in new.resource_claims
    ])  # fmt: skip
