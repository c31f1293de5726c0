"""The cluster and documents that tests of clusters have, too."""

from __future__ import annotations

from tests.dashboard.clusters.conftest import cluster, cold, config, declared, tape, timeline  # noqa: F401
