"""Changes that are proposed for a pod."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from tests.scheduler_core.crowded import pod_of, recorded


def trials_of(nodes, pods, cycle=1):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods))
    reader = recorded(inputs)
    return at_cycle(reader, inputs, cycle), pod_of(reader, cycle)


def made_up(nodes, pods, kind):
    trials, key = trials_of(nodes, pods)
    proposals = candidates(trials, trials.attempt(key))
    return [one.remedy for one in proposals if one.remedy.kind == kind]


def changed(remedy):
    """(code, subject, after) of its edits of different subjects."""
    return [*dict.fromkeys((edit.code, edit.subject, edit.after) for edit in remedy.edits)]
