"""Pictures of each state of a feature, to be looked at: ``python -m tests.gallery reviews --into DIR``."""

from __future__ import annotations
