"""What the tests of figures share."""

from __future__ import annotations

import pytest

from dashboard.common.monitoring import metrics
from dashboard.common.registering import Registered


@pytest.fixture
def collectors(monkeypatch):
    """An empty register, so that no app's own figures are in the way."""
    monkeypatch.setattr(metrics._collectors, "functions", Registered())
    return metrics.register_collector
