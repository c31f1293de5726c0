"""Manifests for runs, and the hash that an undisturbed run of them has."""

from __future__ import annotations

import msgspec

from dashboard.runs.policies import OF_NEW_RUNS
from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.versions.trains import NEWEST_MEASURED

FOLLOWED = msgspec.structs.replace(Policies(kubernetes=NEWEST_MEASURED), **OF_NEW_RUNS)
"""The policies of a new run of a cluster that says nothing of its version."""


def node(name, cpu="16", **labels):
    """Return a node's manifest."""
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "110"}},
    }


def pod(name, cpu="500m", **spec):
    """Return a pod's manifest."""
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [container], **spec},
    }


def cluster_of(n_nodes, n_pods):
    """Return nodes and pods of four sizes."""
    return [node(f"node-{n}") for n in range(n_nodes)] + [
        pod(f"pod-{n}", f"{100 * (n % 4 + 1)}m") for n in range(n_pods)
    ]


def undisturbed_hash(manifests, schedule="all", seed=0):
    """Return the recording hash of a run in this process, in one go."""
    objects = load_manifests(manifests).objects
    inputs = RunInputs(objects=objects, schedule=schedule, policies=FOLLOWED, seed=seed)
    session = RunSession.start(inputs)
    while not session.advance():
        pass
    return session.recording_hash()
