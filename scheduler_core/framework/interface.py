"""The contracts of a plugin in one import: ``from scheduler_core.framework.interface import FilterPlugin, Traits``.

The classes are those of ``framework/contracts``. This module and ``framework/status.py`` are their earlier places, from
which packages of others import them; nothing of the project does.
"""

from __future__ import annotations

from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.plugin import (
    BindPlugin,
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import (
    IDENTITY,
    MAX_NODE_SCORE,
    Normalization,
    ReasonTable,
    Rows,
    Scores,
    Verdicts,
)
from scheduler_core.framework.contracts.waiting_pod import WaitingPod

__all__ = [
    "IDENTITY",
    "MAX_NODE_SCORE",
    "BindPlugin",
    "EnqueueExtension",
    "FilterOutcome",
    "FilterPlugin",
    "Handle",
    "NoArgs",
    "Normalization",
    "PermitPlugin",
    "Plugin",
    "PostBindPlugin",
    "PostFilterPlugin",
    "PostFilterResult",
    "PreBindPlugin",
    "PreEnqueuePlugin",
    "PreFilterPlugin",
    "PreFilterResult",
    "PreScorePlugin",
    "PreScoreResult",
    "QueueSortPlugin",
    "ReasonTable",
    "ReservePlugin",
    "Rows",
    "ScorePlugin",
    "Scores",
    "Traits",
    "Verdicts",
    "WaitingPod",
]
