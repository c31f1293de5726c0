"""The commands that bring what a message leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.explain.messages.model import NextCommand, ReadMessage
from scheduler_core.manifests.cluster_dump.kubectl import DUMP_COMMAND, SEPARATE

_POD = "POD"
_OF_CODES: tuple[tuple[tuple[str, ...], NextCommand], ...] = (
    (
        ("CLAIM_", "VOLUME_", "STORAGE_", "PREBIND_"),
        NextCommand(
            "kubectl get -A -o yaml persistentvolumeclaims,persistentvolumes,storageclasses > volumes.yaml",
            "the claims with their volumes, zones and classes",
        ),
    ),
    (
        ("DEVICE_", "CLAIM_NOT_ALLOCATED"),
        NextCommand(
            "kubectl get -A -o yaml resourceclaims,resourceslices,deviceclasses > devices.yaml",
            "the devices, who has them, and what the claims ask for",
        ),
    ),
    (
        ("GANG_", "PERMIT_"),
        NextCommand(f"kubectl get -A -o yaml {SEPARATE['PodGroup']} > groups.yaml", "how many pods a group needs"),
    ),
    (
        ("QUOTA_",),
        NextCommand(
            f"kubectl get -A -o yaml {SEPARATE['ElasticQuota']} > quotas.yaml", "used amounts and their bounds"
        ),
    ),
    (
        ("NOT_CREATED_",),
        NextCommand("kubectl get -A -o yaml resourcequotas,limitranges > limits.yaml", "what is used, and the limits"),
    ),
)


def commands_for(messages: Sequence[ReadMessage]) -> tuple[NextCommand, ...]:
    """What to run next: a dump that answers all, two texts that need no rights on the cluster, then what the codes
    are about. None without a message."""
    if not messages:
        return ()
    pod, namespace = _named_pod(messages)
    codes = {code for message in messages for part in message.parts for code in part.codes}
    commands = [
        NextCommand(DUMP_COMMAND, "all that the scheduler reads, and the pods; then:"),
        NextCommand(
            f"python -m scheduler_core why cluster.json --pod {namespace}/{pod}", "the cause, and changes that help"
        ),
        NextCommand(
            f"kubectl describe nodes; kubectl describe pod {pod} -n {namespace}",
            "without rights on the cluster: nodes, taints, what is free, and the request",
        ),
    ]
    if any(message.is_cut for message in messages):
        command = f"kubectl get pod {pod} -n {namespace} -o yaml"
        commands.append(NextCommand(command, "the whole message, in the condition PodScheduled"))
    commands += [one for begins, one in _OF_CODES if any(code.startswith(begins) for code in codes)]
    return tuple(commands)


def _named_pod(messages: Sequence[ReadMessage]) -> tuple[str, str]:
    """(pod, namespace) of the messages, in capitals where they name none or several."""
    pods = {m.event.object.removeprefix("pod/") for m in messages if m.event and m.event.object.startswith("pod/")}
    namespaces = {m.event.namespace for m in messages if m.event and m.event.namespace}
    return (pods.pop() if len(pods) == 1 else _POD), (namespaces.pop() if len(namespaces) == 1 else "NAMESPACE")
