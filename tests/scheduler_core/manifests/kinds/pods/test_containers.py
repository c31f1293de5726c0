"""Containers of a pod, with defaults (core/v1 defaults.go)."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import objects


def _resources(text: str):
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    (pod,) = objects(head + text).pods
    return pod


def test_host_network_takes_host_ports_from_container_ports():
    pod = _resources("spec: {hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}]}]}")
    assert pod.containers[0].ports[0].host_port == 80
    assert pod.containers[0].ports[0].protocol == "TCP"
