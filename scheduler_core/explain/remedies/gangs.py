"""What would let a whole gang start: each change tried with all of its pods, one after the other.

A remedy of one pod alone is none: nine that fit while the tenth does not are held and given back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from scheduler_core.api.objects import Node, Pod, PodGroup
from scheduler_core.api.resources import PODS
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain import edited_objects
from scheduler_core.explain.diagnosis.gangs import GangOf, room_for, waiting_members
from scheduler_core.explain.outcomes.texts import amount, plural, quantity
from scheduler_core.explain.remedies import edited_claims
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_state
from scheduler_core.explain.remedies.model import GANG, NEW_NODE, NOT_ENOUGH, REQUEST, VERIFIED, ProposedEdit, Remedy
from scheduler_core.explain.remedies.proposed_edits import published_edits
from scheduler_core.explain.remedies.shortages import Shortages
from scheduler_core.framework.contracts.waiting_pod import Gang

_MOST_NEW, _MOST_SHAPES, _MOST_MADE, _STEPS = 3, 2, 32, 64


def gang_candidates(trials: Trials, of: GangOf, pod: Pod) -> Iterator[RemedyCandidate]:
    """Changes that may let the gang of the pod start, where it lacks pods or room; none is tried yet."""
    gang, pods = of.gang, waiting_members(trials, of.gang, pod)
    if len(gang.members) < gang.least:
        yield from _completed(gang, pods)
        yield from _started_with(trials, gang, len(gang.members))
    else:
        yield from _asking_less(trials, gang, pods)
        yield from _started_with(trials, gang, len(gang.placed) + len(room_for(trials, pods)))
        yield from _with_nodes(trials, pods)


def in_all_pods(trials: Trials, of: GangOf, candidate: RemedyCandidate, pod: Pod) -> RemedyCandidate:
    """The candidate with what it edits in the pod edited in its siblings that are like it."""
    edited, siblings = candidate.changes.pod, candidate.changes.siblings
    if edited is None or siblings:
        return candidate
    others = [one for one in waiting_members(trials, of.gang, pod) if one.key != pod.key and _as(pod, one) == one]
    made = tuple(_as(edited, one) for one in others)
    return msgspec.structs.replace(candidate, changes=msgspec.structs.replace(candidate.changes, siblings=made))


def _as(pod: Pod, other: Pod) -> Pod:
    """The pod with all that tells the other one from it."""
    return msgspec.structs.replace(pod, **{name: getattr(other, name) for name in _OWN})


_OWN = (
    *("name", "namespace", "uid", "labels", "annotations", "creation_timestamp", "nominated_node_name", "start_time"),
    *("phase", "preempted", "owner_references"),
)


def gang_remedy(trials: Trials, of: GangOf, candidate: RemedyCandidate, pod: Pod) -> Remedy:
    """The remedy after an attempt of each pod of the gang, in order; it helps where enough of them find nodes."""
    gang, changes = of.gang, candidate.changes
    versions = {one.key: one for one in (changes.pod, *changes.siblings) if one is not None}
    pods = [versions.pop(one.key, one) for one in waiting_members(trials, gang, pod)]
    nodes_of = room_for(trials, [*pods, *versions.values()], changes)
    groups = {one.key: one.min_member for one in changes.objects if isinstance(one, PodGroup)}
    least = groups.get(gang.key, gang.least)
    helps = pod.key in nodes_of and len(gang.placed) + len(nodes_of) >= least
    nodes = tuple(sorted(set(nodes_of.values())))
    return msgspec.structs.replace(
        candidate.remedy,
        status=VERIFIED if helps else NOT_ENOUGH,
        node=nodes_of.get(pod.key, "") if helps else "",
        n_fit=len(nodes),
        opens=nodes if helps else (),
        edits=published_edits(trials, pod, candidate.remedy.edits, changes),
        failure="" if helps else f"room for {len(gang.placed) + len(nodes_of):,} of {least:,}",
    )


def _completed(gang: Gang, pods: list[Pod]) -> Iterator[RemedyCandidate]:
    """The pods that the gang lacks, like the last one that waits."""
    missing = gang.least - len(gang.members)
    if not pods or missing > _MOST_MADE:
        return
    like = pods[-1]
    more = [msgspec.structs.replace(like, name=f"{like.name}-more-{n}", uid="") for n in range(1, missing + 1)]
    edit = ProposedEdit(GANG, gang.key, str(len(gang.members)), str(gang.least), code="COMPLETE_GANG")
    text = f"create {plural(missing, 'pod')} more of gang {gang.key}, like {like.name}"
    yield of_state(edit, text, 1.0 * missing, Changes(siblings=tuple(more)), ())


def _asking_less(trials: Trials, gang: Gang, pods: list[Pod]) -> Iterator[RemedyCandidate]:
    """Each pod asks for less of one resource: as much as lets enough of them fit beside each other."""
    short, needed = Shortages(trials, pods[0]), gang.least - len(gang.placed)
    for j, resource in enumerate(short.resources):
        free, asked = np.maximum(short.free[j], 0), int(short.needs[j])
        if resource == PODS or int((free // max(asked, 1)).sum()) >= needed:
            continue
        less = _most_each(free, asked, needed)
        made = [edited_objects.asking_for(pod, resource, min(less, asked)) for pod in pods]
        if not less or any(one is None for one in made):
            continue
        edit = ProposedEdit(REQUEST, resource, amount(resource, asked), amount(resource, less), code="REQUEST_LESS")
        text = f"ask for {quantity(resource, less)} instead of {amount(resource, asked)} in each pod of gang {gang.key}"
        changed = tuple(one for one in made if one is not None)
        yield of_state(edit, text, (asked - less) / asked, Changes(siblings=changed), ())


def _most_each(free: np.ndarray[tuple[int], np.dtype[np.int64]], asked: int, needed: int) -> int:
    """The most that each of ``needed`` pods can ask for so that all fit, in steps that people write; 0 where none."""
    step = max(1, asked // _STEPS)
    step = next((one for one in (1 << 30, 1 << 20, 1 << 10, 100, 50, 10, 1) if one <= step), 1)
    for each in range(asked - asked % step, 0, -step):
        if each < asked and int((free // each).sum()) >= needed:
            return each
    return 0


def _started_with(trials: Trials, gang: Gang, there: int) -> Iterator[RemedyCandidate]:
    """The gang starts with as many pods as there are, or have room."""
    group = trials.simulation.context.cluster.listers.pod_groups.get(gang.key)
    if group is None or not 0 < there < gang.least:
        return
    edit = ProposedEdit(GANG, gang.key, str(gang.least), str(there), code="SHRINK_GANG")
    text = f"lower minMember of gang {gang.key} from {gang.least} to {there}"
    lowered = msgspec.structs.replace(group, min_member=there)
    yield of_state(edit, text, 1.0, Changes(objects=(lowered,)), ())


def _with_nodes(trials: Trials, pods: list[Pod]) -> Iterator[RemedyCandidate]:
    """One to three more nodes like one that is large enough for a pod."""
    for like in _shapes(trials, pods[0]):
        for count in range(1, _MOST_NEW + 1):
            names = _new_names(trials, like, count)
            new = tuple(edited_objects.another(like, name) for name in names)
            edit = ProposedEdit(NEW_NODE, like.name, "", names[0], names[0], code="ADD_NODE_LIKE")
            text = f"add {'one more node' if count == 1 else plural(count, 'more node')} like {like.name}"
            listers = trials.simulation.context.cluster.listers
            slices = (one for name in names for one in edited_claims.slices_of_node(listers, like, name))
            yield of_state(edit, text, 2.0 * count, Changes(nodes=new, objects=tuple(slices)), [like.name])


def _shapes(trials: Trials, pod: Pod) -> list[Node]:
    """The first nodes of each shape that is large enough for the pod."""
    short, table = Shortages(trials, pod), trials.simulation.context.cluster.table
    large = np.all(short.allocatable >= short.needs[:, None], axis=0).tolist()
    shapes: dict[tuple[object, ...], Node] = {}
    for node in sorted((one for row, one in enumerate(table.nodes) if one is not None and large[row]), key=_name):
        shapes.setdefault(tuple(sorted(node.allocatable.items())), node)
    return list(shapes.values())[:_MOST_SHAPES]


def _name(node: Node) -> str:
    return node.name


def _new_names(trials: Trials, like: Node, count: int) -> list[str]:
    taken: Sequence[str] = [*trials.simulation.context.cluster.table.row_of]
    free = (f"{like.name}-more-{n}" for n in range(1, len(taken) + count + 1))
    return [name for name in free if name not in taken][:count]
