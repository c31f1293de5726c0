"""Arguments of the plugin; times are checked only, as nothing takes time here."""

from __future__ import annotations

import msgspec


class DynamicResourcesArgs(msgspec.Struct, frozen=True):
    """``filter_timeout`` and ``binding_timeout`` as Go writes durations."""

    filter_timeout: str = "10s"
    binding_timeout: str = "600s"
