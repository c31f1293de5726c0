"""Facts: the inputs of a plugin's verdict or score on one node, typed, so that an answer can show them as numbers.

A plugin gives them by ``filter_facts``, ``pre_filter_facts`` and ``score_facts`` (plugin.py), only when somebody asks.
Plugins from outside may use these types or their own subclasses of Fact. All fields are plain, so that
``msgspec.to_builtins`` and ``msgspec.json.encode`` take them.
"""

from __future__ import annotations

from scheduler_core.framework.contracts.facts.base import Fact, Facts, Holder
from scheduler_core.framework.contracts.facts.devices import (
    DeviceClaimFact,
    DeviceCounts,
    DeviceFact,
    DeviceGivenFact,
    DeviceRankFact,
    HeldDevices,
)
from scheduler_core.framework.contracts.facts.nodes import (
    CordonFact,
    DeviationFact,
    FeatureFact,
    ImageFact,
    LabelFact,
    NodeNameFact,
    PortFact,
    PreferenceFact,
    ResourceFact,
    ShareFact,
    TaintFact,
)
from scheduler_core.framework.contracts.facts.pods import (
    MOST_DOMAINS,
    MOST_NAMED,
    AttractionFact,
    DomainCount,
    PodTermFact,
    SpreadFact,
    SpreadScoreFact,
)
from scheduler_core.framework.contracts.facts.volumes import (
    ClaimFact,
    ClaimInUseFact,
    DiskFact,
    VolumeLimitFact,
    VolumeZoneFact,
)

__all__ = [
    "MOST_DOMAINS",
    "MOST_NAMED",
    "AttractionFact",
    "ClaimFact",
    "ClaimInUseFact",
    "CordonFact",
    "DeviationFact",
    "DeviceClaimFact",
    "DeviceCounts",
    "DeviceFact",
    "DeviceGivenFact",
    "DeviceRankFact",
    "DiskFact",
    "DomainCount",
    "Fact",
    "Facts",
    "FeatureFact",
    "HeldDevices",
    "Holder",
    "ImageFact",
    "LabelFact",
    "NodeNameFact",
    "PodTermFact",
    "PortFact",
    "PreferenceFact",
    "ResourceFact",
    "ShareFact",
    "SpreadFact",
    "SpreadScoreFact",
    "TaintFact",
    "VolumeLimitFact",
    "VolumeZoneFact",
]
