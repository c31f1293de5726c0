"""What must hold for a diagnosis, compared with brute force; each violation is a value of its own."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scheduler_core.explain.diagnosis import Diagnosis, ObstacleSet, readings
from tests.scheduler_core.explain.diagnosis.as_edits import edits_for
from tests.scheduler_core.explain.diagnosis.atomic_edits import Edit
from tests.scheduler_core.explain.diagnosis.barriers import CONDITIONS, CONTROL_PLANE, LOCAL, POOL
from tests.scheduler_core.explain.diagnosis.draft import GPU, HOSTNAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.scheduler_core.explain.diagnosis.brute_force import BruteForce, Edits

_NODE_NAME = re.compile(r"\bnode-\d\d\b")
_UNSAID = "field requirement"
"""Whether one by metadata.name is a choice of a host, as a selector by hostname is, the rules leave open."""


class Violation(NamedTuple):
    """A property that does not hold, with what brute force expects and what the diagnosis has."""

    rule: str
    expected: object = ""
    got: object = ""


def violations(brute: BruteForce, answer: Diagnosis | None) -> list[Violation]:
    """All of a pod that does not fit as it is."""
    if answer is None:
        return [Violation("a pod that does not fit has a cause", "a diagnosis", None)]
    try:
        return [*_of_cause(brute, answer), *_of_readings(brute, answer), *_of_groups(brute, answer)]
    except KeyError as unknown:
        return [Violation("each obstacle is one of the cluster", got=unknown.args[0])]


# --- the cause -------------------------------------------------------------------------------------------------------
def _of_cause(brute: BruteForce, answer: Diagnosis) -> Iterator[Violation]:
    cause, expected = answer.cause, _shown(brute.smallest)
    edits = edits_for(cause.obstacles, brute.edits)
    if brute.size is None:
        yield from _without_cause(answer)
    elif len(cause.obstacles) != brute.size or len(edits) != brute.size:
        yield Violation("the cause has as few obstacles as open a node", expected, _codes(cause))
    elif edits not in brute.smallest:
        yield Violation("the cause opens a node when it is removed", expected, _codes(cause))
    elif _is_decided(brute) and not any(len(several) > 1 for several in _codes_by_edit(brute, answer).values()):
        yield from _of_order(brute, cause, _rank(brute, edits))


def _of_order(brute: BruteForce, cause: ObstacleSet, rank: tuple[bool, bool, int]) -> Iterator[Violation]:
    expected = _shown(brute.smallest)
    if rank != min(map(partial(_rank, brute), brute.smallest)):
        yield Violation("the cause is the first by the rules of order", expected, _codes(cause))
    unequal = [one for one in cause.either if _rank(brute, edits_for(one.obstacles, brute.edits)) != rank]
    if unequal:
        yield Violation("causes that are equal by all rules are so", expected, [_codes(one) for one in unequal])


def _without_cause(answer: Diagnosis) -> Iterator[Violation]:
    """No few obstacles open a node: the cause is what all nodes share, or the two most frequent."""
    cause, keys = answer.cause, {one.key for one in answer.cause.obstacles}
    if cause.opens.count:
        yield Violation("where no small set opens a node the cause opens none", 0, cause.opens.names)
    counts = Counter(key for group in answer.groups for key in group.obstacles for _ in group.nodes)
    shared = {key for key, n_nodes in counts.items() if n_nodes == sum(group.count for group in answer.groups)}
    least = sorted(counts.values())[-2:][0]
    if not keys or (not keys <= shared if shared else any(counts[key] < least for key in keys)):
        yield Violation("the cause is what all nodes share, or the most frequent", shared or counts, _codes(cause))


def _of_readings(brute: BruteForce, answer: Diagnosis) -> Iterator[Violation]:
    cause, codes = answer.cause, _codes_by_edit(brute, answer)
    for one in readings(cause):
        edits = edits_for(one.obstacles, brute.edits)
        opened = sorted(brute.feasible(edits)) if brute.size is not None else []
        if any(len(codes[edit]) > 1 for edit in edits):  # one edit removes more than this one obstacle
            if not set(one.opens.names) <= set(opened):
                yield Violation("a reading opens no other nodes than its edits", opened, _codes(one))
        elif list(one.opens.names) != opened or one.opens.count != len(opened):
            yield Violation("a reading opens the nodes that it says", opened, _codes(one))
    for alike in ((cause, *cause.either), *((one,) for one in (*cause.either, *cause.also))):
        yield from _of_text(brute, alike)


def _codes_by_edit(brute: BruteForce, answer: Diagnosis) -> dict[Edit, set[str]]:
    codes: dict[Edit, set[str]] = {}
    for one in answer.obstacles:
        for edit in edits_for([one], brute.edits):
            codes.setdefault(edit, set()).add(one.code)
    return codes


def _of_text(brute: BruteForce, alike: tuple[ObstacleSet, ...]) -> Iterator[Violation]:
    """The text of the first, which speaks of all of them where there are several."""
    names, text = {name for one in alike for name in one.opens.names}, alike[0].text
    spoken = set(_NODE_NAME.findall(_without_places(brute, text))) - names
    if names and (others := spoken - {name for one in alike for name in _values(brute, one)}):
        yield Violation("nothing in the sentence is about a node outside of its set", sorted(names), (others, text))


def _without_places(brute: BruteForce, text: str) -> str:
    """The text without the nodes on which it rightly says that pods are, which may be elsewhere in a domain."""
    for pod in brute.cluster.placed:
        text = text.replace(f"{pod.name} on {pod.node_name}", pod.name)
    return text


def _values(brute: BruteForce, cause: ObstacleSet) -> Iterator[str]:
    """Names of nodes that are values by which a rule would be satisfied: those asked for, those that a volume reaches,
    and empty hosts."""
    edits = edits_for(cause.obstacles, brute.edits)
    for obstacle in cause.obstacles:
        for value in obstacle.needs.values():
            yield from _NODE_NAME.findall(value)
    if Edit("claim", f"default/{LOCAL}") in edits:
        volume = next(one for one in brute.cluster.objects if one.name == f"pv-{LOCAL}")
        yield from volume.node_affinity.terms[0].match_expressions[0].values
    if Edit("spread", HOSTNAME) in edits:
        crowded = {pod.node_name for pod in brute.cluster.placed if "crowd-k" in pod.labels}
        yield from (node.name for node in brute.cluster.nodes if node.name not in crowded)


# --- the order -------------------------------------------------------------------------------------------------------
def _is_decided(brute: BruteForce) -> bool:
    return not any(edit.kind == _UNSAID for several in brute.smallest for edit in several)


def _rank(brute: BruteForce, edits: Edits) -> tuple[bool, bool, int]:
    """What the rules of order say of the set, the first is the smallest: whether it holds what nobody can remove,
    whether it holds somebody's choice, and how many nodes it opens."""
    opened = brute.feasible(edits)
    return (
        any(_is_of_nobody(brute, edit, opened) for edit in edits),
        any(_is_chosen(brute, edit) for edit in edits),
        -len(opened),
    )


def _is_of_nobody(brute: BruteForce, edit: Edit, opened: frozenset[str]) -> bool:
    """Conditions of nodes, and devices that none of the nodes offers that the set opens."""
    if edit == Edit("request", GPU):
        return not any(GPU in node.allocatable for node in brute.cluster.nodes if node.name in opened)
    return edit.kind == "taint" and edit.subject in CONDITIONS


def _is_chosen(brute: BruteForce, edit: Edit) -> bool:
    """Taints of the control plane and of a pool that pods run in, and a host by its name that is there."""
    if edit == Edit("taint", POOL):
        return any(one.key == "gpu" and one.value == "yes" for pod in brute.cluster.placed for one in pod.tolerations)
    if edit == Edit("selector", HOSTNAME):
        return brute.cluster.pod.node_selector[HOSTNAME] in {node.name for node in brute.cluster.nodes}
    return edit == Edit("taint", CONTROL_PLANE)


# --- groups ----------------------------------------------------------------------------------------------------------
def _of_groups(brute: BruteForce, answer: Diagnosis) -> Iterator[Violation]:
    """Each node is in one group, and the group's obstacles are all that keep each of its nodes off, and no more."""
    names = sorted(name for group in answer.groups for name in group.nodes)
    if names != sorted(node.name for node in brute.cluster.nodes):
        yield Violation("each node is in one group", len(brute.cluster.nodes), names)
    for group in answer.groups:
        edits = edits_for(group.obstacles, brute.edits)
        shut = set(group.nodes) - brute.feasible(edits)
        if shut:
            yield Violation("without a group's obstacles its nodes fit", sorted(shut), group.obstacles)
        for edit in sorted(edits):
            if early := set(group.nodes) & brute.feasible(edits - {edit}):
                yield Violation("each obstacle of a group is one", f"{sorted(early)} without {edit}", group.obstacles)
    yield from _of_obstacles(answer)


def _of_obstacles(answer: Diagnosis) -> Iterator[Violation]:
    """The nodes of each obstacle are those of the groups that have it."""
    for one in answer.obstacles:
        having = sorted(name for group in answer.groups for name in group.nodes if one.key in group.obstacles)
        if list(one.nodes.names) != having or one.nodes.count != len(having):
            yield Violation("an obstacle is on the nodes of the groups that have it", having, one)


def _shown(smallest: dict[Edits, frozenset[str]]) -> list[tuple[list[str], list[str]]]:
    """The sets with the nodes that they open, for people."""
    return [([" ".join(edit) for edit in sorted(edits)], sorted(names)) for edits, names in smallest.items()]


def _codes(cause: ObstacleSet) -> tuple[object, ...]:
    keys = [f"{one.code} {one.subject} {one.needs or ''}".strip() for one in cause.obstacles]
    return (*keys, cause.opens.names)
