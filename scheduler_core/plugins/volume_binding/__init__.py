"""The plugin VolumeBinding: plugin.py the extension points, binder.py what fits where, assumed.py what Reserve took."""

from scheduler_core.plugins.volume_binding.plugin import VolumeBinding

__all__ = ["VolumeBinding"]
