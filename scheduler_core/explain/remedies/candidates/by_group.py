"""Changes that may let a pod fit, derived from the verdicts of an attempt and the facts of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain import edits as pod_versions
from scheduler_core.explain.remedies.candidates import mending, pod_edits
from scheduler_core.explain.remedies.candidates.candidate import PodEdit, RemedyCandidate, merged, of_pod
from scheduler_core.explain.remedies.candidates.claims import of_claims, without_what_refuses
from scheduler_core.explain.remedies.candidates.conditions import of_conditions
from scheduler_core.explain.remedies.candidates.near_pods import of_repelling
from scheduler_core.explain.remedies.candidates.spread import of_spread
from scheduler_core.explain.remedies.candidates.state_edits import (
    of_cordon,
    of_labels,
    of_missing_key,
    of_new_nodes,
    of_nodes,
    of_pods_gone,
    of_priority,
    of_taints,
)
from scheduler_core.explain.remedies.candidates.volumes import of_volumes
from scheduler_core.explain.remedies.model import BIGGER_NODE
from scheduler_core.explain.remedies.shortages import Shortages
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom
from scheduler_core.profiles.names import AFFINITY, CORDON, PODS_NEAR, PORTS, SPREAD, TAINTS
from scheduler_core.profiles.names import FIT as ROOM

EDITABLE = frozenset((ROOM, AFFINITY, TAINTS, CORDON, PORTS, SPREAD, PODS_NEAR))
AMOUNTS_PER_GROUP = 3
VOLUME_NODES = 3
WIDENED = 5


def candidates(trials: Trials, base: Trial) -> list[RemedyCandidate]:
    """All candidates, the smallest change first; none is tried yet. ``base`` is an attempt on the current state,
    changes included (Trials.under)."""
    if base.outcome is None and base.gated is None and base.refused_whole is None:
        return []
    situation = RemedySituation(trials, base)
    by_text: dict[str, RemedyCandidate] = {}
    for one in _all(situation):
        earlier = by_text.get(one.remedy.text)
        if earlier is None or one.remedy.n_nodes > earlier.remedy.n_nodes:
            by_text[one.remedy.text] = one
    return sorted(by_text.values(), key=lambda one: (one.remedy.size, one.remedy.text))


def _all(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    if situation.base.gated is not None:
        yield from of_gates(situation)
    elif situation.base.refused_whole is not None:  # the verdicts on nodes say nothing then
        yield from of_whole_pod(situation)
    else:
        for plugins, rows in situation.groups.items():
            yield from _of_group(situation, plugins, rows)
        yield from of_new_nodes(situation, frozenset((AFFINITY, TAINTS)))
        if any(plugins <= {ROOM, PORTS} for plugins in situation.groups):
            yield from of_priority(situation)


def of_gates(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """For a pod that PreEnqueue refuses: its gates taken off, or its claims for devices done without."""
    pod = situation.pod
    edits = [pod_edits.take_off_gates(pod)] if pod.scheduling_gates else []
    if not edits:
        edits = [pod_edits.do_without_devices(entry.name) for entry in pod.resource_claims]
    yield from filter(None, [of_pod(pod, edits)] if edits else [])


def of_whole_pod(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """For a pod that PreFilter refuses as a whole: its node selection loosened, its claims made or done without."""
    is_own = _has_required_nodes(situation) and not is_controllers(situation.pod)
    edits = pod_edits.loosen_selector(situation.pod, (), is_own)
    if situation.base.refused_whole is not None and situation.base.refused_whole.plugin == AFFINITY and edits:
        yield from filter(None, [of_pod(situation.pod, edits)])
    yield from of_claims(situation)


def _of_group(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[RemedyCandidate]:
    if plugins <= EDITABLE:
        yield from _of_pod(situation, plugins, rows)
    mended = list(_MENDS[plugins](situation, rows)) if plugins in _MENDS else []
    yield from mended
    if plugins == {AFFINITY} and not mended and not is_controllers(situation.pod):
        yield from _widened(situation, rows)
    if len(plugins) == 1:
        yield from _of_one_plugin(situation, next(iter(plugins)), rows)
    if plugins <= {ROOM, PORTS}:
        yield from of_pods_gone(situation, rows)
    elif plugins <= EDITABLE and plugins & {ROOM, PORTS}:
        yield from _of_pod_and_node(situation, plugins, rows)
    if not plugins & EDITABLE:
        yield from _without_volumes(situation, plugins, rows)


def _widened(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """The nodeSelector or node affinity with one more value, for the nodes that have it."""
    parts: dict[str, list[int]] = {}
    edits: dict[str, PodEdit] = {}
    for row in rows.tolist():
        edit = pod_edits.widen_selector(situation.pod, situation.node(row))
        if edit is not None:
            parts.setdefault(edit[1], []).append(row)
            edits.setdefault(edit[1], edit)
    for text, part in sorted(parts.items(), key=lambda item: -len(item[1]))[:WIDENED]:
        names = [situation.base.names[row] for row in part]
        yield from filter(None, [of_pod(situation.pod, [edits[text]], names)])


def _of_one_plugin(situation: RemedySituation, plugin: str, rows: Rows) -> Iterator[RemedyCandidate]:
    """Changes of the cluster for nodes that one plugin alone refuses."""
    if plugin in _CHANGES_OF_CLUSTER:
        yield from _CHANGES_OF_CLUSTER[plugin](situation, rows)
        if plugin in (SPREAD, PODS_NEAR):
            yield from of_missing_key(situation, rows)
    elif plugin not in EDITABLE:  # by the types of its facts, whoever gives them
        for row in rows[:VOLUME_NODES].tolist():
            yield from of_volumes(situation, plugin, row)


_CHANGES_OF_CLUSTER = {
    AFFINITY: of_labels,
    CORDON: of_cordon,
    PODS_NEAR: of_repelling,
    ROOM: of_nodes,
    SPREAD: of_spread,
    TAINTS: of_taints,
}


_MENDS = {
    frozenset((AFFINITY,)): mending.of_near_labels,
    frozenset((TAINTS,)): of_conditions,
    frozenset((SPREAD,)): mending.of_constraints,
    frozenset((PODS_NEAR,)): mending.of_terms,
    frozenset((ROOM,)): mending.of_devices,
    frozenset((PORTS,)): mending.of_ports,
}
"""What mends the refusal of one plugin alone."""


def is_controllers(pod: Pod) -> bool:
    """Whether the pod's node affinity is the DaemonSet controller's, which would write it again."""
    return any(one.controller and one.kind == "DaemonSet" for one in pod.owner_references)


def _without_volumes(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[RemedyCandidate]:
    """The pod without the volumes that keep it off the first nodes."""
    for row in rows[:VOLUME_NODES].tolist():
        facts = [fact for plugin in sorted(plugins) for fact in situation.refusing(plugin, row)]
        edits = list(without_what_refuses(situation, facts))
        yield from filter(None, [of_pod(situation.pod, edits)] if edits else [])


def _has_required_nodes(situation: RemedySituation) -> bool:
    return situation.pod.affinity is not None and situation.pod.affinity.node_required is not None


def _of_pod_and_node(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[RemedyCandidate]:
    """Room made on a node, or a node enlarged, with edits of the pod for everything else that stands against it."""
    others = plugins - {ROOM, PORTS}
    for part, fixed in _parts(situation, others, rows):
        edited = list(_combined(situation, _choices(situation, others, fixed), part))
        made = [*islice(of_pods_gone(situation, part), 1)]
        if PORTS not in plugins:
            made += islice((one for one in of_nodes(situation, part) if one.remedy.kind == BIGGER_NODE), 1)
        for of_the_pod, other in product(edited, made):
            yield merged(of_the_pod, other)


# --- edits of the pod ----------------------------------------------------------------------------------------------
def _of_pod(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[RemedyCandidate]:
    """The edits that answer every plugin of the group, by what the nodes in it share."""
    for part, fixed in _parts(situation, plugins, rows):
        choices = _choices(situation, plugins, fixed)
        if ROOM not in plugins:
            yield from _combined(situation, choices, part)
            continue
        for several, amounts in amounts_on(situation, part):
            yield from _combined(situation, [*choices, [amounts]], several)


def _choices(situation: RemedySituation, plugins: frozenset[str], fixed: list[PodEdit]) -> list[list[list[PodEdit]]]:
    """The alternatives: from each list, one list of edits is to be chosen."""
    choices = [[fixed]] if fixed else []
    if SPREAD in plugins:
        choices.append(pod_edits.soften_spread(situation.pod))
    if PODS_NEAR in plugins:
        choices.append(pod_edits.drop_terms(situation.pod))
    return choices


def _combined(
    situation: RemedySituation, choices: Sequence[list[list[PodEdit]]], rows: Rows
) -> Iterator[RemedyCandidate]:
    names = [situation.base.names[row] for row in rows.tolist()]
    for chosen in product(*choices):
        edits = [edit for several in chosen for edit in several]
        candidate = of_pod(situation.pod, edits, names) if edits else None
        if candidate is not None:
            yield candidate


def _parts(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[tuple[Rows, list[PodEdit]]]:
    """The rows by what they share of taints and labels, with the edits that answer these."""
    if not plugins & {AFFINITY, TAINTS, CORDON}:
        yield rows, pod_edits.give_up_ports(situation.pod) if PORTS in plugins else []
        return
    parts: dict[tuple[object, ...], list[int]] = {}
    for row in rows.tolist():
        node = situation.node(row)
        taints = pod_edits.untolerated(situation.pod, node) if TAINTS in plugins else ()
        unmatched = pod_edits.unmatched_selector(situation.pod, node) if AFFINITY in plugins else ((), False)
        parts.setdefault((taints, unmatched), []).append(row)
    for part in parts.values():
        node = situation.node(part[0])
        taints = pod_edits.untolerated(situation.pod, node) if TAINTS in plugins else ()
        if CORDON in plugins or any(map(is_symptom, taints)) or (AFFINITY in plugins and is_controllers(situation.pod)):
            continue  # a cordon and a condition are the node's to mend, a controller's affinity is not the pod's
        edits = mending.tolerations(situation.pod, taints)
        if AFFINITY in plugins:
            edits += selector_edits(situation, node, [situation.node(row) for row in part])
        if PORTS in plugins:
            edits += pod_edits.give_up_ports(situation.pod)
        yield np.array(part, dtype=np.int64), edits


def selector_edits(situation: RemedySituation, node: Node, nodes: list[Node]) -> list[PodEdit]:
    """The edits by which the pod's node selection takes the node: keys mended if nearly right, else dropped."""
    keys, affinity = pod_edits.unmatched_selector(situation.pod, node)
    made: list[PodEdit] = []
    for key in keys:
        near = mending.near_label(situation.pod, key, nodes)
        made += [near] if near is not None else pod_edits.loosen_selector(situation.pod, (key,), affinity=False)
    return [*made, *pod_edits.loosen_selector(situation.pod, (), affinity)]


def amounts_on(situation: RemedySituation, rows: Rows) -> Iterator[tuple[Rows, list[PodEdit]]]:
    """The smallest reductions of the requests that the rows ask for, each with the rows for which it is enough."""
    short, pod_line = situation.shortages, situation.shortages.resources.index(PODS)
    missing = short.missing(rows)
    can = missing[pod_line] == 0  # a node that takes no more pods is not helped by smaller ones
    rows, missing = rows[can], missing[:, can]
    shares, proposed_shares = short.shares_of_largest(missing, rows), set[tuple[int, ...]]()
    free, n_found = np.maximum(short.free[:, rows], 0), 0
    for i in np.argsort(shares, kind="stable").tolist():
        after, lines = np.minimum(short.needs, free[:, i]), np.flatnonzero(missing[:, i]).tolist()
        after[lines] = [_written(short.resources[j], int(after[j])) for j in lines]
        key = tuple(after.tolist())
        if key in proposed_shares or not after[lines].all():
            continue  # where nothing is left, a pod that asks for none of it is another pod
        proposed_shares.add(key)
        lowered = _lowered(situation.pod, short, after, lines, float(shares[i]))
        yield rows[(free >= after[:, None]).all(axis=0)], lowered
        n_found += 1
        if n_found == AMOUNTS_PER_GROUP:
            return


def _written(resource: str, amount: int) -> int:
    """The largest amount up to this one that people would write: whole Mi, cpu in hundredths."""
    step = 10 if resource == CPU else 1 << 20 if resource in (MEMORY, EPHEMERAL_STORAGE) else 1
    return amount - amount % step if amount >= 10 * step else amount


def _lowered(pod: Pod, short: Shortages, after: Rows, lines: list[int], share: float) -> list[PodEdit]:
    """The requests lowered to ``after``; the share is that of all edits together."""
    each = share / len(lines)
    made = []
    for j in lines:
        name, amount = short.resources[j], int(after[j])
        where = _in_container(pod, name, amount)
        made.append(pod_edits.lower_request(name, int(short.needs[j]), amount, each, where))
    return made


def _in_container(pod: Pod, resource: str, amount: int) -> str:
    """ " in init container warm", where one of several containers alone has to ask for less."""
    edited = pod_versions.asking_for(pod, resource, amount)
    if edited is None or len(pod.containers) + len(pod.init_containers) < 2:
        return ""
    pairs = [("container", *both) for both in zip(pod.containers, edited.containers, strict=True)]
    pairs += [("init container", *both) for both in zip(pod.init_containers, edited.init_containers, strict=True)]
    less = [f"{kind} {one.name}" for kind, one, other in pairs if one != other]
    return f" in {less[0]}" if len(less) == 1 else ""
