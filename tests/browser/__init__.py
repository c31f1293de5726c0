"""Tests in a real Chromium; a package, so that they share one process of it."""

from __future__ import annotations
