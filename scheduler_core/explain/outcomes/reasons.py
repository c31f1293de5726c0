"""Why a pod ended as it did: the kind, and within it the reason by which pods are grouped.

A pending pod's reason is the one that refused most of the nodes that its selectors allow in its last attempt:

- ``room``: NodeResourcesFit; ``what`` are the fewest resources that are short on all of these nodes, the one that is
  short on most first. Example: 123 nodes lack gpus and 8 lack cpu: (gpus, cpu). Where 131 lack gpus, and 8 of them cpu
  as well: (gpus,).
- ``size``: as ``room``, but more than half of these nodes would be too small even if they were empty; all of them where
  ``what`` is empty.
- ``plugin``: another plugin, by its name and its reason. ``selector``: the selectors allow no node at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes import model
from scheduler_core.explain.outcomes.records import PodRecord
from scheduler_core.explain.outcomes.tally import LOST, PREEMPTED, OutcomesTally
from scheduler_core.explain.outcomes.texts import fit_error, without_names
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.node_resources.fit import TOO_MANY_PODS
from scheduler_core.profiles.names import FIT, SELECTING
from scheduler_core.recording import events as ev

COMPLETED, REMOVED = "completed", "removed: "
"""Plugins that refuse nodes because the pod does not ask for them."""
# Each pod that a rollout removes says how many are wanted then; all of them have one reason.
_WANTS = re.compile(r"\bwants \d[\d,]* pods?\b")
_INSUFFICIENT = "Insufficient "


class Reason(msgspec.Struct, frozen=True):
    """What pods of one group have in common. ``where`` is the key of the nodes that they allow, "" where it does not
    matter; ``plugins`` refused, those that refused most nodes first."""

    kind: str
    sort: str
    where: str = ""
    what: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, tuple[str, ...]]:
        """By what pods are grouped; the order of resources, and who else refused a few nodes, may differ."""
        what = tuple(sorted(self.what)) if self.sort in ("room", "size") else self.what
        return self.kind, self.sort, self.where, what


def find_reason(tally: OutcomesTally, record: PodRecord, where: str, allows_any: bool) -> Reason:
    """The pod's reason; ``where`` is the key of the nodes that its selectors allow, ``allows_any`` whether there are
    any."""
    if not record.exists or record.cause.startswith(PREEMPTED):
        return _gone(record)
    entry, state = tally.state.queue.get(record.pod), tally.state
    pod = tally.objects.pods.get(record.pod)
    placement = state.placements.get(record.pod)
    if placement is not None and placement.bound:
        return Reason(model.BOUND, "bound" if record.bound_at >= 0 else "was bound")
    if record.pod in state.waiting:
        plugins = state.waiting[record.pod].plugins
        return Reason(model.WAITING, "permit", what=plugins, plugins=plugins)
    if record.failure is not None:
        failure = record.failure
        what = (failure.plugin, failure.error, failure.point)
        return Reason(model.ERROR, "raised", what=what, plugins=(failure.plugin,))
    if record.outcome == "error":
        return Reason(model.ERROR, "failed", what=record.plugins, plugins=record.plugins)
    if entry is not None and entry.lane == "gated":
        gates = pod.scheduling_gates if pod is not None else ()
        return Reason(model.GATED, "gates", what=gates, plugins=(entry.gated_by,) if entry.gated_by else ())
    reason = _pending(tally, record, pod, where)
    if reason.sort == "plugin" and where and not allows_any:
        # Taints are looked at before labels; without them the pod would have no node either.
        return Reason(model.PENDING, "selector", where, plugins=reason.plugins)
    return reason


def kind_of_cause(cause: str) -> str:
    """Return how a pod ended that is gone, or terminates, by this cause."""
    if cause.startswith(PREEMPTED):
        return model.PREEMPTED
    if cause.startswith(LOST):
        return model.LOST
    return model.COMPLETED if cause == COMPLETED else model.DELETED


def _gone(record: PodRecord) -> Reason:
    cause, kind = record.cause, kind_of_cause(record.cause)
    if kind in {model.PREEMPTED, model.LOST}:
        sorts = {True: "replaced", False: "not replaced", None: "unknown"}
        return Reason(kind, f"{'lost, ' * (kind == model.LOST)}{sorts[record.replaced]}")
    if kind == model.COMPLETED:
        return Reason(kind, "completed")
    if cause.startswith(REMOVED):
        return Reason(kind, "removed", what=(_WANTS.sub("wants fewer pods", cause.removeprefix(REMOVED)),))
    return Reason(kind, "deleted", what=(cause,) if cause else ())


def _pending(tally: OutcomesTally, record: PodRecord, pod: Pod | None, where: str) -> Reason:
    state, entry = tally.state, tally.state.queue.get(record.pod)
    if pod is not None and pod.scheduler_name not in tally.objects.profiles:
        return Reason(model.PENDING, "no profile", what=(pod.scheduler_name,))
    placement = state.placements.get(record.pod)
    if placement is not None and placement.of_input:
        return Reason(model.PENDING, "decided")
    if record.pod in state.nominations:
        return Reason(model.PENDING, "nominated")
    if record.outcome == "scheduled":
        if entry is None or entry.lane == "in_flight" or record.pod in state.placements:
            return Reason(model.PENDING, "binding")
        return Reason(model.PENDING, "rejected", what=entry.plugins, plugins=entry.plugins)
    if record.outcome != "unschedulable":
        return Reason(model.PENDING, "untried")
    return refused(record.refusals, record.plugins, where, record.message)


def refused(refusals: Collection[ev.Refusal], plugins: tuple[str, ...], where: str, message: str = "") -> Reason:
    """The reason of a pod whose last attempt found no node; ``plugins`` refused it before Filter where there are no
    refusals of nodes, for what ``message`` says, whichever objects it names."""
    others = [one for one in refusals if one.plugin not in SELECTING]
    if not others:
        if refusals:
            return Reason(model.PENDING, "selector", where, plugins=_by_nodes(refusals))
        said = without_names(fit_error(message))
        return Reason(model.PENDING, "before filter", what=(*plugins, said) if said else plugins, plugins=plugins)
    order = _by_nodes(others)
    if order[0] != FIT:
        largest = max((one for one in others if one.plugin == order[0]), key=lambda one: one.count)
        return Reason(model.PENDING, "plugin", what=(order[0], *largest.reasons), plugins=order)
    fit = [one for one in others if one.plugin == FIT]
    too_small = sum(one.count for one in fit if one.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    rest = [one for one in fit if one.code != Code.UNSCHEDULABLE_AND_UNRESOLVABLE]
    total = sum(one.count for one in fit)
    sort = "size" if 2 * too_small > total else "room"
    return Reason(model.PENDING, sort, where, cover(rest if sort == "size" else fit), order)


def _by_nodes(refusals: Collection[ev.Refusal]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for one in refusals:
        counts[one.plugin] += one.count
    return tuple(plugin for plugin, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def cover(refusals: Collection[ev.Refusal]) -> tuple[str, ...]:
    """The fewest resources (taken greedily) such that each refused node lacks one of them, the commonest first."""
    left, chosen = [(lacking_resources(one), one.count) for one in refusals], list[str]()
    while left:
        counts: Counter[str] = Counter()
        for resources, count in left:
            for resource in resources:
                counts[resource] += count
        if not counts:
            break
        best = min(counts, key=lambda name: (-counts[name], name))
        chosen.append(best)
        left = [(resources, count) for resources, count in left if best not in resources]
    return tuple(chosen)


def lacking_resources(refusal: ev.Refusal) -> tuple[str, ...]:
    """The resources that a refusal by NodeResourcesFit names."""
    named = [PODS if reason == TOO_MANY_PODS else reason.removeprefix(_INSUFFICIENT) for reason in refusal.reasons]
    return tuple(named)
