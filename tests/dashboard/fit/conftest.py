"""A cluster with pods that wait, and answers computed by whoever asks."""

from __future__ import annotations

from tests.dashboard.agreement.conftest import dumped, save

__all__ = ["dumped", "save"]
