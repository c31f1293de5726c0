"""Whether the engine agrees with the real scheduler: bound pods scheduled again, messages of pending pods compared."""

from __future__ import annotations

from scheduler_core.explain.agreement.answer import agreement, raw_pods, session
from scheduler_core.explain.agreement.events import SchedulerEvent, scheduler_events
from scheduler_core.explain.agreement.log_replay import log_agreement
from scheduler_core.explain.agreement.logs import LogProblem, RealScores, lines_of_file, scores_in_annotations
from scheduler_core.explain.agreement.messages import ComparedReason, MessageComparison, compare_messages
from scheduler_core.explain.agreement.model import (
    Agreement,
    AgreementFigures,
    BesidePoints,
    BoundPod,
    LikelyCause,
    NodeRefusal,
    OlderMessage,
    Order,
    PendingPod,
)
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport, scheduler_reports
from scheduler_core.explain.agreement.scores import PodScores, ScoreAgreement, ScoreRow, score_agreement
from scheduler_core.explain.messages.parsing import parse_message

__all__ = [
    "Agreement",
    "AgreementFigures",
    "BesidePoints",
    "BoundPod",
    "ComparedReason",
    "LikelyCause",
    "LogProblem",
    "MessageComparison",
    "NodeRefusal",
    "OlderMessage",
    "Order",
    "PendingPod",
    "PodScores",
    "RealScores",
    "SchedulerEvent",
    "SchedulerReport",
    "ScoreAgreement",
    "ScoreRow",
    "agreement",
    "compare_messages",
    "lines_of_file",
    "log_agreement",
    "parse_message",
    "raw_pods",
    "scheduler_events",
    "scheduler_reports",
    "score_agreement",
    "scores_in_annotations",
    "session",
]
