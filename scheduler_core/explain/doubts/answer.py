"""The doubts of a run and of one pod, and how sentences name them."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import RunInputs, default_schedule
from scheduler_core.engine.policies import Policies
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts import objects, surroundings, versions
from scheduler_core.explain.doubts.subject import DoubtSubject
from scheduler_core.manifests import LoadResult
from scheduler_core.versions.detecting import detect

_SOURCES = (
    surroundings.of_nodes,
    surroundings.of_gaps,
    versions.of_versions,
    objects.of_objects,
    objects.of_parts,
    objects.of_read_kinds,
    surroundings.of_devices,
    surroundings.of_schedulers,
    surroundings.of_masks,
    versions.of_changes,
)
_SHOWN = 3
_OF_THE_RUN = ("MODE_CHOSEN", "OTHER_VERSION", versions.CHANGE_NOT_PLAYED)
"""Doubts that say nothing of objects that the input lacks."""
BOUND = "every pod is bound"
"""How a run says that no pod waits and none is missing."""


def doubts_of_run(inputs: RunInputs, *, waits: bool) -> tuple[AnswerDoubt, ...]:
    """What may falsify what a run of the inputs says at its end; ``waits``: some pod has no node then."""
    return _all(DoubtSubject.of_run(inputs, waits=waits))


def doubts_of_input(loaded: LoadResult) -> tuple[AnswerDoubt, ...]:
    """What may falsify what is said of an input by default configuration and its cluster's version, before a run."""
    schedule = default_schedule(loaded.objects)
    policies = policies_followed(loaded)
    inputs = RunInputs(objects=loaded.objects, unplayed=loaded.unplayed, schedule=schedule, policies=policies)
    return doubts_of_run(inputs, waits=schedule == "pending")


def policies_followed(loaded: LoadResult) -> Policies:
    """The policies of a run of an input of which nobody said more: it follows the version that its cluster runs."""
    return Policies(kubernetes=detect(loaded.objects.pods, loaded.unplayed.versions).train)


def doubts_about(inputs: RunInputs, pod: Pod, *, waits: bool) -> tuple[AnswerDoubt, ...]:
    """What may falsify the answer about a pod of a run; ``waits``: it has no node.

    A pod that the input has on its node, and that the run leaves there, is a fact: nothing may falsify it."""
    is_there = any(one.key == pod.key and one.node_name for one in inputs.objects.pods)
    if is_there and not waits and inputs.schedule != "all" and inputs.policies.decide_anew != pod.key:
        return ()
    return doubts_of_pods(inputs, [pod], waits=waits)


def doubts_of_pods(inputs: RunInputs, pods: Sequence[Pod], *, waits: bool) -> tuple[AnswerDoubt, ...]:
    """The doubts about answers on these pods; ``waits``: some of them have no node."""
    return _all(DoubtSubject(inputs, pods, waits=waits, is_run=False))


def mode_doubt(n_pods: int) -> AnswerDoubt:
    """The doubt about a run that schedules pods from scratch because none waits, and nobody said which to schedule."""
    which = "its 1 pod is" if n_pods == 1 else f"all {n_pods:,} pods are"
    text = f"no pod waits: {which} scheduled from scratch (--schedule all)"
    return AnswerDoubt(code="MODE_CHOSEN", concerns="placement", text=text)


def with_doubts(sentence: str, doubts: Sequence[AnswerDoubt]) -> str:
    """The end of a run in words, with what it leaves out where it says that every pod is bound."""
    left_out = [one for one in doubts if one.code not in _OF_THE_RUN and one.concerns != "message"]
    if not sentence.startswith(BOUND) or not left_out:
        return sentence
    named = [one.text.partition(":")[0] for one in left_out]
    more = [f"and {len(named) - _SHOWN:,} doubts more"] if len(named) > _SHOWN else []
    said = "; ".join([*named[:_SHOWN], *more])
    return f"{BOUND}, of those that this input says exist; {said}{sentence.removeprefix(BOUND)}"


def _all(subject: DoubtSubject) -> tuple[AnswerDoubt, ...]:
    return tuple(doubt for source in _SOURCES for doubt in source(subject))
