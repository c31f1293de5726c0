"""The rights that a collector needs, as manifests."""

from __future__ import annotations

from scheduler_core.collect.server.discovery import GROUPS
from scheduler_core.manifests.cluster_dump.kubectl import OPTIONAL, RESOURCES

NAME = "schedscope-collector"
VERBS = ("get", "list", "watch")


def cluster_role() -> str:
    """The ClusterRole: to read the kinds that are collected, and nothing else."""
    by_group: dict[str, list[str]] = {}
    for kind, resource in {**RESOURCES, **OPTIONAL}.items():
        by_group.setdefault(GROUPS[kind], []).append(resource.partition(".")[0])
    rules = "".join(_rule(group, sorted(resources)) for group, resources in sorted(by_group.items()))
    return f"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {NAME}\nrules:\n{rules}"


def configuration_role(namespace: str, name: str) -> str:
    """The Role to read one ConfigMap, which holds the scheduler's configuration."""
    return (
        f"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {NAME}\n  namespace: {namespace}\n"
        f'rules:\n  - apiGroups: [""]\n    resources: ["configmaps"]\n    resourceNames: ["{name}"]\n'
        '    verbs: ["get"]\n'
    )


def _rule(group: str, resources: list[str]) -> str:
    lines = "".join(f"      - {resource}\n" for resource in resources)
    verbs = ", ".join(f'"{verb}"' for verb in VERBS)
    return f'  - apiGroups: ["{group}"]\n    resources:\n{lines}    verbs: [{verbs}]\n'
