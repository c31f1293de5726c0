"""What lets pods be made that a limit range refuses: the range changed by what their containers exceed."""

from __future__ import annotations

from math import ceil

from msgspec.structs import replace

from scheduler_core.api.objects import Pod
from scheduler_core.api.quotas import LimitRange, LimitRangeItem
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.not_created.refused_pods import amount_edit, escaped, remedy
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.model import LIMITS, ProposedEdit
from scheduler_core.explain.remedies.whole_runs import RunRemedy, with_object

_RATIO_UNIT = 1000


def widened(simulation: Simulation, one: LimitRange, pod: Pod) -> RunRemedy:
    """A range that lets the pod's containers in as they are, changed by what they exceed."""
    edits: list[ProposedEdit] = []
    target, items = f"v1/LimitRange/{one.key}", list[LimitRangeItem]()
    for index, item in enumerate(one.limits):
        wider = _wider(item, pod)
        items.append(wider)
        for field, name in (
            ("max", "max"),
            ("min", "min"),
            ("default", "default"),
            ("max_ratio", "maxLimitRequestRatio"),
        ):
            before, after = getattr(item, field), getattr(wider, field)
            for resource in after:
                if after[resource] == before.get(resource):
                    continue
                path = f"/spec/limits/{index}/{name}/{escaped(resource)}"
                of = "cpu" if field == "max_ratio" else resource
                made = amount_edit(
                    LIMITS, "CHANGE_LIMIT_RANGE", target, path, resource, before.get(resource), after[resource], of
                )
                edits.append(replace(made, subject=f"{name} of {resource}"))
    said = listed([f"{edit.subject} to {edit.after}" for edit in edits], "and")
    changed = with_object(simulation.inputs, replace(one, limits=tuple(items)))
    return RunRemedy(remedy(f"change limit range {one.key}: {said}", edits, "CHANGE_LIMIT_RANGE"), changed)


def _wider(item: LimitRangeItem, pod: Pod) -> LimitRangeItem:
    if item.type != "Container":
        return item
    most, least, default, ratio = dict(item.max), dict(item.min), dict(item.default), dict(item.max_ratio)
    for container in (*pod.containers, *pod.init_containers):
        for name, request in container.requests.items():
            limit = container.limits.get(name)
            if limit is None and name in default:
                default[name] = limit = max(default[name], request)
            if name in least:
                least[name] = min(least[name], request)
            if limit is not None and name in most:
                most[name] = max(most[name], limit)
            if limit is not None and request and name in ratio:
                ratio[name] = max(ratio[name], ceil(_RATIO_UNIT * limit / request))
    return replace(item, max=most, min=least, default=default, max_ratio=ratio)
