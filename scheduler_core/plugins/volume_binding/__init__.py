"""The plugin VolumeBinding: plugin.py the extension points, binder.py what fits where, assumed.py what Reserve took."""

from __future__ import annotations

from scheduler_core.plugins.volume_binding.plugin import VolumeBinding

__all__ = ["VolumeBinding"]
