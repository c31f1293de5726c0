"""Revisions to look at."""

from __future__ import annotations

from dashboard.clusters.revisions.contents import Contents
from scheduler_core.manifests import load_manifests


def loaded(*manifests):
    return Contents(list(manifests), load_manifests(list(manifests)))
