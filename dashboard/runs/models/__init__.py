"""A run with its head, and what is recorded of it."""

from __future__ import annotations

from dashboard.runs.models.branches import BranchKeeping, ChangeList, RunBranch
from dashboard.runs.models.breakpoints import (
    BREAKPOINT_NAME_LENGTH,
    AttachedBreakpoint,
    Breakpoint,
    RunStop,
    RunWatch,
)
from dashboard.runs.models.changes import RunChange, changes_key, placed_changes
from dashboard.runs.models.derived import EventIndexPiece, Preparation, RunFigure, RunOutcomes
from dashboard.runs.models.recorded import (
    KEY_LENGTH,
    NODE_LENGTH,
    PLUGIN_LENGTH,
    Cycle,
    PluginScore,
    PluginTraceback,
    PluginVerdict,
    Preemption,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    RecordingRow,
    Victim,
)
from dashboard.runs.models.run import ENDED, STANDING, ClockLook, PersonTurn, Run, RunHead, Schedule, State

__all__ = [
    "BREAKPOINT_NAME_LENGTH",
    "ENDED",
    "KEY_LENGTH",
    "NODE_LENGTH",
    "PLUGIN_LENGTH",
    "STANDING",
    "AttachedBreakpoint",
    "BranchKeeping",
    "Breakpoint",
    "ChangeList",
    "ClockLook",
    "Cycle",
    "EventIndexPiece",
    "PersonTurn",
    "PluginScore",
    "PluginTraceback",
    "PluginVerdict",
    "Preemption",
    "Preparation",
    "QueueMove",
    "RecordingChunk",
    "RecordingKeyframe",
    "RecordingRow",
    "Run",
    "RunBranch",
    "RunChange",
    "RunFigure",
    "RunHead",
    "RunOutcomes",
    "RunStop",
    "RunWatch",
    "Schedule",
    "State",
    "Victim",
    "changes_key",
    "placed_changes",
]
