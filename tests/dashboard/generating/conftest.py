"""What tests of clusters have, too."""

from __future__ import annotations

from tests.dashboard.clusters.conftest import all_large, cluster, cold  # noqa: F401
