"""Finds devices for the resource claims of pods. Upstream: plugins/dynamicresources, dynamic-resource-allocation."""

from __future__ import annotations

from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources

__all__ = ["DynamicResources"]
