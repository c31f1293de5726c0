"""The PreFilter point (RunPreFilterPlugins): plugins' state for the cycle, and the nodes that it is narrowed to."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import msgspec

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import PreFilterPlugin, PreFilterResult
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, of_plugin, unresolvable
from scheduler_core.framework.runtime.cacheable_answers import CacheableAnswers, ClassAnswers
from scheduler_core.framework.runtime.framework import Framework


class PreFilterOutcome(msgspec.Struct):
    """``status`` of the point as a whole; ``statuses`` and ``nodes`` of each plugin run; ``allowed`` nodes or None."""

    status: Status
    statuses: list[tuple[str, Status, frozenset[str] | None]]
    allowed: frozenset[str] | None
    narrowing: set[str]


def run_pre_filter(
    framework: Framework, cycle: CycleState, pod: PodInfo, answers: ClassAnswers | None = None
) -> PreFilterOutcome:
    """Run PreFilter of all plugins; an unresolvable answer ends it, a plain refusal lets the others run.

    ``answers`` of the pod's class that still hold are taken over, and are renewed where they do not; None asks every
    plugin. Raises PluginRaised.
    """
    outcome = PreFilterOutcome(SUCCESS, [], None, set())
    answers = ClassAnswers() if answers is None else answers
    cached, plugins = answers.pre_filter, framework.points.pre_filter
    if cached is not None and cached.still_hold:
        if not cached.live:
            cycle.skip_filter, cycle.filter_state, outcome.statuses = cached.skipped, cached.states, cached.statuses
            return outcome
        cycle.skip_filter, cycle.filter_state = cached.skipped.copy(), cached.states.copy()
        outcome.statuses = cached.statuses.copy()
        for i in cached.live:
            if _ask(framework, outcome, cycle, pod, plugins[i], i) is None:
                _as_if_unasked(outcome, cycle, plugins, i + 1)
                break
        return outcome
    results = []
    for i, plugin in enumerate(plugins):
        result = _ask(framework, outcome, cycle, pod, plugin, i)
        if result is None:
            return outcome
        results.append((plugin, result))
    if outcome.status.is_success and outcome.allowed is None:
        answers.pre_filter = CacheableAnswers(results, outcome.statuses, "PreFilter")
    return outcome


def _ask(
    framework: Framework,
    outcome: PreFilterOutcome,
    cycle: CycleState,
    pod: PodInfo,
    plugin: PreFilterPlugin[Any],
    position: int,
) -> PreFilterResult | None:
    """Ask one plugin and add its answer to the outcome; None if that answer ends the point."""
    try:
        started = perf_counter() if cycle.is_measured else None
        result = plugin.pre_filter(cycle, pod)
        status = of_plugin(result.status, plugin.name)
        if started is not None:
            framework.durations.add("PreFilter", plugin.name, perf_counter() - started, status.code.label)
    except Exception as problem:
        raise raised(plugin.name, "PreFilter", problem) from problem
    outcome.statuses[position : position + 1] = [(plugin.name, status, result.nodes)]
    if status.code is Code.SKIP:
        cycle.skip_filter.add(plugin.name)
    elif status.code is Code.UNSCHEDULABLE:
        outcome.status = status
        if result.state is not None:
            cycle.filter_state[plugin.name] = result.state
    elif status.code is not Code.SUCCESS:
        outcome.status = _pre_filter_failure(status, plugin.name)
        return None
    else:
        cycle.filter_state[plugin.name] = result.state
        if result.nodes is not None and _narrow(outcome, plugin.name, result.nodes):
            return None
    return result


def _narrow(outcome: PreFilterOutcome, plugin: str, nodes: frozenset[str]) -> bool:
    """Intersect the allowed nodes; whether none are left."""
    outcome.narrowing.add(plugin)
    outcome.allowed = nodes if outcome.allowed is None else outcome.allowed & nodes
    if outcome.allowed:
        return False
    names = sorted(outcome.narrowing)
    text = f"plugin {names[0]}" if len(names) == 1 else f"plugin(s) [{' '.join(names)}] simultaneously"
    outcome.status = unresolvable(f"node(s) didn't satisfy {text}")
    return True


def _as_if_unasked(
    outcome: PreFilterOutcome, cycle: CycleState, plugins: Sequence[PreFilterPlugin[Any]], first: int
) -> None:
    """Undo the cached answers of the plugins that come after the one that ended the point."""
    del outcome.statuses[first:]
    for plugin in plugins[first:]:
        cycle.skip_filter.discard(plugin.name)
        cycle.filter_state.pop(plugin.name, None)


def _pre_filter_failure(status: Status, name: str) -> Status:
    if status.is_rejected:
        return status
    return Status(Code.ERROR, (f'running PreFilter plugin "{name}": {status.message}',), name)
