"""The extension points as pages and links write them."""

from __future__ import annotations

from scheduler_core.api.config import EXTENSION_POINTS

POINTS = tuple(point[0].upper() + point[1:] for point in EXTENSION_POINTS)
"""PreEnqueue ... PostBind, in the order in which kube-scheduler runs them; a thread may be pinned to one."""
