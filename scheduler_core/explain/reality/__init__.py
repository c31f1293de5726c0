"""What a real scheduler did in a collected cluster, held against the state just before each of its decisions."""

from __future__ import annotations

from scheduler_core.explain.reality.comparing import RealityOptions, reality
from scheduler_core.explain.reality.configurations import ready_configurations
from scheduler_core.explain.reality.model import (
    CAUSES,
    AgreementHour,
    CauseTest,
    FreeRunDivergence,
    GapRow,
    HeldDecision,
    Reality,
)
from scheduler_core.explain.reality.reading_record import real_record
from scheduler_core.explain.reality.record import RealDecision, RealRecord
from scheduler_core.explain.reality.situation import OtherConfiguration
from scheduler_core.explain.reality.timeline import FREE_RUN, OutsideChange, OutsideChanges
from scheduler_core.explain.reality.typed_changes import ObjectsAtBeginning, ReadProblems, objects_at_beginning

__all__ = [
    "CAUSES",
    "FREE_RUN",
    "AgreementHour",
    "CauseTest",
    "FreeRunDivergence",
    "GapRow",
    "HeldDecision",
    "ObjectsAtBeginning",
    "OtherConfiguration",
    "OutsideChange",
    "OutsideChanges",
    "ReadProblems",
    "RealDecision",
    "RealRecord",
    "Reality",
    "RealityOptions",
    "objects_at_beginning",
    "ready_configurations",
    "real_record",
    "reality",
]
