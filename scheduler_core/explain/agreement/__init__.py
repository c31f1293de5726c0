"""Whether the engine agrees with the real scheduler: bound pods decided anew, messages of pending pods compared."""

from __future__ import annotations

from scheduler_core.explain.agreement.answer import agreement, raw_pods, session
from scheduler_core.explain.agreement.messages import MessageComparison, ReasonCount, compare_messages, parse_message
from scheduler_core.explain.agreement.model import (
    Agreement,
    BesidePoints,
    BoundPod,
    Cause,
    NodeRefusal,
    Order,
    PendingPod,
)
from scheduler_core.explain.agreement.told import Told, told_by

__all__ = [
    "Agreement",
    "BesidePoints",
    "BoundPod",
    "Cause",
    "MessageComparison",
    "NodeRefusal",
    "Order",
    "PendingPod",
    "ReasonCount",
    "Told",
    "agreement",
    "compare_messages",
    "parse_message",
    "raw_pods",
    "session",
    "told_by",
]
