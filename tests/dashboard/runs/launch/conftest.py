"""A cluster to launch runs of."""

from __future__ import annotations

import pytest

from tests.dashboard.run_helpers import cluster_of


@pytest.fixture
def prod(save):
    """A cluster of two nodes with three pending pods."""
    return save(cluster_of(2, 3))
