"""The one place that chooses between the kernel's form and numpy's form of the caches, when a cache is made."""

from __future__ import annotations

from scheduler_core.compiled import kernel
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.framework.incremental.compiled_scores import CompiledScores, can_be_compiled
from scheduler_core.framework.incremental.compiled_verdicts import CompiledVerdicts
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.incremental.numpy.score_cache import NumpyScores
from scheduler_core.framework.incremental.numpy.verdict_table import NumpyVerdicts
from scheduler_core.framework.incremental.score_cache import ScoreCache
from scheduler_core.framework.incremental.verdict_table import VerdictTable
from scheduler_core.framework.runtime.framework import Framework


def new_verdict_table(n_plugins: int, n_rows: int, order: Rows) -> VerdictTable:
    """An empty table for this many plugins and rows; ``order`` int64 are the rows that have a node."""
    make = NumpyVerdicts if kernel() is None else CompiledVerdicts
    return make(n_plugins, n_rows, order)


def new_score_cache(framework: Framework, cycle: CycleState, filters: FilterCache) -> ScoreCache:
    """Empty caches of the plugins that score in the cycle."""
    plugins = [p for p in framework.points.score if p.name not in cycle.skip_score]
    make = CompiledScores if kernel() is not None and can_be_compiled(framework, plugins) else NumpyScores
    return make(framework, plugins, filters, cycle.skip_score.copy())
