"""Reserve, Permit, PreBind, Bind and PostBind of one profile (framework/runtime/framework.go).

What a plugin raises here becomes a status of code ERROR at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import Plugin
from scheduler_core.framework.contracts.plugin_errors import POST_BIND, UNRESERVE, PluginError
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, attributed
from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord
from scheduler_core.framework.runtime.framework import Framework

P = TypeVar("P", bound=Plugin[Any])
MAX_PERMIT_SECONDS = 15 * 60
"""Upstream caps every permit time-out (runtime maxTimeout)."""


def run_reserve(framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
    """Reserve in order; the first that is no success ends it (the caller unreserves)."""
    plugins = framework.points.reserve
    return _until_refused(framework, "Reserve", plugins, lambda p: p.reserve(cycle, pod, node_name), cycle, pod)


def run_unreserve(framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
    """Unreserve in reverse order, all of them whatever one raises."""
    for plugin in reversed(framework.points.reserve):
        try:
            plugin.unreserve(cycle, pod, node_name)
        except Exception as problem:
            framework.failed(PluginError.of(plugin.name, UNRESERVE, problem), pod, cycle)


def run_permit(
    framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str
) -> tuple[Status, WaitingPodRecord | None]:
    """Success, a refusal, or WAIT with the record of the waiting pod."""
    deadlines: dict[str, int] = {}
    for plugin in framework.points.permit:
        try:
            status, timeout = plugin.permit(cycle, pod, node_name)
            if status.code is Code.WAIT:
                deadlines[plugin.name] = framework.run.now + int(min(timeout, MAX_PERMIT_SECONDS) * 1_000_000)
            elif not status.is_success:
                return attributed(status, plugin.name, f'running Permit plugin "{plugin.name}"'), None
        except Exception as problem:
            return framework.failed(PluginError.of(plugin.name, "Permit", problem), pod, cycle), None
    if not deadlines:
        return SUCCESS, None
    return Status(Code.WAIT), WaitingPodRecord(pod, node_name, cycle.number, deadlines, framework.run.current_cause)


def run_pre_bind(
    framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str, first: int = 0
) -> tuple[Status, int, int]:
    """PreBind in order, from the ``first`` plugin on; the first that is no success ends it.

    With WAIT, the place of the plugin that waits, and when it looks again."""
    for i, plugin in enumerate(framework.points.pre_bind[first:], first):
        try:
            status = plugin.pre_bind(cycle, pod, node_name)
            if status.code is Code.WAIT:
                return status, i, plugin.looks_again_at(pod)
            if status is not SUCCESS and not status.is_success:
                return attributed(status, plugin.name, f'running PreBind plugin "{plugin.name}"'), i, 0
        except Exception as problem:
            return framework.failed(PluginError.of(plugin.name, "PreBind", problem), pod, cycle), i, 0
    return SUCCESS, 0, 0


def _until_refused(
    framework: Framework,
    point: str,
    plugins: Sequence[P],
    ask: Callable[[P], Status],
    cycle: CycleState,
    pod: PodInfo,
) -> Status:
    """Ask the plugins of a point in order, until one gives no success."""
    for plugin in plugins:
        try:
            status = ask(plugin)
            if status is not SUCCESS and not status.is_success:
                return attributed(status, plugin.name, f'running {point} plugin "{plugin.name}"')
        except Exception as problem:
            return framework.failed(PluginError.of(plugin.name, point, problem), pod, cycle)
    return SUCCESS


def run_bind(framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
    """The first bind plugin that does not skip decides."""
    for plugin in framework.points.bind:
        try:
            status = plugin.bind(cycle, pod, node_name)
            if status.is_success:
                return status
            if not status.is_skip:
                return attributed(status, plugin.name, f'running Bind plugin "{plugin.name}"')
        except Exception as problem:
            return framework.failed(PluginError.of(plugin.name, "Bind", problem), pod, cycle)
    return Status(Code.ERROR, ("no bind plugin took the pod",))


def run_post_bind(framework: Framework, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
    """Inform all, whatever one raises: the pod is bound."""
    for plugin in framework.points.post_bind:
        try:
            plugin.post_bind(cycle, pod, node_name)
        except Exception as problem:
            framework.failed(PluginError.of(plugin.name, POST_BIND, problem), pod, cycle)
