"""Manifests: YAML and JSON to typed objects with positions for errors, workloads to pods, scheduler configurations."""

from __future__ import annotations

from scheduler_core.manifests.loader import load_cluster, load_manifests
from scheduler_core.manifests.model import Finding, Limits, LoadResult, Manifest, Source
from scheduler_core.manifests.pods import AdmissionContext

__all__ = [
    "AdmissionContext",
    "Finding",
    "Limits",
    "LoadResult",
    "Manifest",
    "Source",
    "load_cluster",
    "load_manifests",
]
