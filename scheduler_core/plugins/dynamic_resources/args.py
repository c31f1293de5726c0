"""Arguments of the plugin. What a search may take is checked only, as nothing takes time there."""

from __future__ import annotations

import msgspec

from scheduler_core.cel.library.times import duration_of


class DynamicResourcesArgs(msgspec.Struct, frozen=True):
    """``filter_timeout`` and ``binding_timeout`` as Go writes durations."""

    filter_timeout: str = "10s"
    binding_timeout: str = "600s"

    @property
    def binding_us(self) -> int:
        """How long binding waits for drivers, in microseconds."""
        waits: int = duration_of(self.binding_timeout).nanos // 1000
        return waits
