"""What one scheduling cycle knows: plugins' own state, by plugin."""

from __future__ import annotations

from typing import Any

MEASURED_EVERY = 11
"""In every n-th cycle, from the first on, the calls of plugins are measured, about as often as kube-scheduler does
it (pluginMetricsSamplePercent); a prime, so that no template of pods that come in turns is always passed over."""


class CycleState:
    """State of one cycle by plugin name; written by the runtime, read by the plugin that returned it.

    ``skip_filter`` and ``skip_score`` name the plugins that answered SKIP in PreFilter and PreScore. ``number`` counts
    cycles of the run from 1; where ``is_measured``, how long plugins take is noted. ``extra`` is for state that plugins
    share with themselves between points (Reserve, ...).
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.is_measured = number % MEASURED_EVERY == 1
        self.filter_state: dict[str, Any] = {}
        self.score_state: dict[str, Any] = {}
        self.skip_filter: set[str] = set()
        self.skip_score: set[str] = set()
        self.extra: dict[str, Any] = {}
        self.pre_filter_failed = False
        """PreFilter rejected the pod as a whole, so plugins after the one that did have no state."""
