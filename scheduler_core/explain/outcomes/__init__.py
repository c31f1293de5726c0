"""How the pods of a run ended: in groups with the reason, along with the cluster's requested resources over time."""

from __future__ import annotations

from scheduler_core.explain.outcomes.model import (
    BOUND,
    COMPLETED,
    DELETED,
    ERROR,
    GATED,
    KINDS,
    LOST,
    PENDING,
    PREEMPTED,
    UNPLACED,
    VERSION,
    WAITING,
    Outcomes,
    decode_outcomes,
    encode_outcomes,
)
from scheduler_core.explain.outcomes.summary import summarize
from scheduler_core.explain.outcomes.tally import OutcomesTally, tally_recording

__all__ = [
    "BOUND",
    "COMPLETED",
    "DELETED",
    "ERROR",
    "GATED",
    "KINDS",
    "LOST",
    "PENDING",
    "PREEMPTED",
    "UNPLACED",
    "VERSION",
    "WAITING",
    "Outcomes",
    "OutcomesTally",
    "decode_outcomes",
    "encode_outcomes",
    "summarize",
    "tally_recording",
]
