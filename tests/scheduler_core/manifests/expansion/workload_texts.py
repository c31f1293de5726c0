"""Workloads and nodes to read."""

from __future__ import annotations

TEMPLATE = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}"


def workload(kind: str, spec: str, name: str = "web", version: str = "apps/v1") -> str:
    meta = f"{{name: {name}, namespace: shop}}"
    return f"{{apiVersion: {version}, kind: {kind}, metadata: {meta}, spec: {{{spec}, {TEMPLATE}}}}}\n"


def node(name: str, more: str = "") -> str:
    status = "{allocatable: {cpu: 1, memory: 1, pods: 1}}"
    meta = f"{{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}"
    return f"---\n{{apiVersion: v1, kind: Node, metadata: {meta}, status: {status}{more}}}\n"
