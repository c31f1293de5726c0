"""Changes that may let a pod fit, derived from the verdicts of an attempt and the facts of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from scheduler_core.api.objects import Node, Pod, Taint
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain import edited_objects
from scheduler_core.explain.remedies.candidates import mending, pod_edits
from scheduler_core.explain.remedies.candidates.candidate import PodEdit, RemedyCandidate, edit_candidates
from scheduler_core.explain.remedies.candidates.claims import of_claims, without_what_refuses
from scheduler_core.explain.remedies.candidates.conditions import of_conditions
from scheduler_core.explain.remedies.candidates.devices import of_device_claims, of_devices
from scheduler_core.explain.remedies.candidates.new_nodes import of_new_nodes
from scheduler_core.explain.remedies.candidates.state_edits import (
    of_cordon,
    of_labels,
    of_missing_key,
    of_nodes,
    of_pods_gone,
    of_priority,
    of_taints,
)
from scheduler_core.explain.remedies.candidates.strategies import of_strategy
from scheduler_core.explain.remedies.candidates.topology import of_repelling, of_spread
from scheduler_core.explain.remedies.candidates.volumes import of_volumes
from scheduler_core.explain.remedies.shortages import Shortages
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom
from scheduler_core.profiles.names import AFFINITY, CORDON, DEVICES, PODS_NEAR, PORTS, SPREAD, TAINTS
from scheduler_core.profiles.names import FIT as ROOM

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
        yield from of_strategy(situation)
        yield from of_new_nodes(situation, frozenset((AFFINITY, TAINTS)))
        if any(plugins <= {ROOM, PORTS} for plugins in situation.groups):
            yield from of_priority(situation)


def of_gates(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """For a pod that PreEnqueue refuses: its gates taken off, or its claims for devices made or done without."""
    pod = situation.pod
    edits = [pod_edits.take_off_gates(pod)] if pod.scheduling_gates else []
    yield from _edited(situation, edits, ())
    if not edits and situation.base.refused_whole is not None:
        facts = list(situation.refusing_whole())
        yield from of_device_claims(situation, facts)
        yield from _edited(situation, list(without_what_refuses(situation, facts)), ())


def of_whole_pod(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """For a pod that PreFilter refuses as a whole: its node selection loosened, its claims made or done without."""
    is_own = _has_required_nodes(situation) and not is_controllers(situation.pod)
    edits = pod_edits.loosen_selector(situation.pod, (), is_own)
    if situation.base.refused_whole is not None and situation.base.refused_whole.plugin == AFFINITY:
        yield from _edited(situation, edits, ())
    yield from of_claims(situation)


def _of_group(situation: RemedySituation, plugins: frozenset[str], rows: Rows) -> Iterator[RemedyCandidate]:
    """Changes for nodes that one plugin refuses, or that lack room and ports; others take steps (stepwise.py)."""
    if len(plugins) == 1:
        yield from against(situation, next(iter(plugins)), rows)
    elif plugins <= {ROOM, PORTS}:
        yield from of_pods_gone(situation, rows)
    elif not plugins & AGAINST.keys():  # several plugins may be about one claim
        for row in rows[:VOLUME_NODES].tolist():
            yield from _without_volumes(situation, plugins, row)


def against(situation: RemedySituation, plugin: str, rows: Rows) -> Iterator[RemedyCandidate]:
    """Changes after which the plugin may not refuse the rows any more; what is sure to do comes before other changes
    of the same things."""
    if plugin in AGAINST:
        for made in AGAINST[plugin]:
            yield from made(situation, rows)
        return
    for row in rows[:VOLUME_NODES].tolist():  # by the types of its facts, from any plugin
        yield from _without_volumes(situation, (plugin,), row)
        yield from of_volumes(situation, plugin, row)


def is_controllers(pod: Pod) -> bool:
    """Whether the pod's node affinity is the DaemonSet controller's, which would write it again."""
    return any(one.controller and one.kind == "DaemonSet" for one in pod.owner_references)


# --- edits of the pod ----------------------------------------------------------------------------------------------
def _tolerating(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """The taints of nodes with the same ones tolerated; those of a condition are the node's to mend."""
    parts: dict[tuple[Taint, ...], list[int]] = {}
    for row in rows.tolist():
        parts.setdefault(pod_edits.untolerated(situation.pod, situation.node(row)), []).append(row)
    for taints, part in parts.items():
        if not any(map(is_symptom, taints)):
            yield from _edited(situation, mending.tolerations(situation.pod, taints), part)


def _selecting(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """The node selection loosened where nodes fail the same of it, else widened by a value that nodes have; a
    controller's is not the pod's."""
    if is_controllers(situation.pod):
        return
    parts: dict[tuple[tuple[str, ...], bool], list[int]] = {}
    for row in rows.tolist():
        parts.setdefault(pod_edits.unmatched_selector(situation.pod, situation.node(row)), []).append(row)
    for part in parts.values():
        nodes = [situation.node(row) for row in part]
        yield from _edited(situation, _selector_edits(situation, nodes[0], nodes), part)
    mended = list(mending.of_near_labels(situation, rows))
    yield from mended or _widened(situation, rows)


def _selector_edits(situation: RemedySituation, node: Node, nodes: list[Node]) -> list[PodEdit]:
    """The edits by which the pod's node selection takes the node: keys mended if nearly right, else dropped."""
    keys, affinity = pod_edits.unmatched_selector(situation.pod, node)
    made: list[PodEdit] = []
    for key in keys:
        near = mending.near_label(situation.pod, key, nodes)
        made += [near] if near is not None else pod_edits.loosen_selector(situation.pod, (key,), affinity=False)
    return [*made, *pod_edits.loosen_selector(situation.pod, (), affinity)]


def _softening(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    for edits in pod_edits.soften_spread(situation.pod):
        yield from _edited(situation, edits, rows.tolist())


def _dropping(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    for edits in pod_edits.drop_terms(situation.pod):
        yield from _edited(situation, edits, rows.tolist())


def _without_ports(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    yield from _edited(situation, pod_edits.give_up_ports(situation.pod), rows.tolist())


def _asking_less(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    for several, amounts in _amounts_on(situation, rows):
        yield from _edited(situation, amounts, several.tolist())


def _without_volumes(situation: RemedySituation, plugins: Iterable[str], row: int) -> Iterator[RemedyCandidate]:
    """The pod without the volumes that keep it off the node."""
    facts = [fact for plugin in sorted(plugins) for fact in situation.refusing(plugin, row)]
    yield from _edited(situation, list(without_what_refuses(situation, facts)), ())


def _edited(situation: RemedySituation, edits: Sequence[PodEdit], rows: Sequence[int]) -> Iterator[RemedyCandidate]:
    yield from edit_candidates(situation.pod, edits, situation.names(rows))


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
        yield from _edited(situation, [edits[text]], part)


def _has_required_nodes(situation: RemedySituation) -> bool:
    return situation.pod.affinity is not None and situation.pod.affinity.node_required is not None


def _amounts_on(situation: RemedySituation, rows: Rows) -> Iterator[tuple[Rows, list[PodEdit]]]:
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
    edited = edited_objects.asking_for(pod, resource, amount)
    if edited is None or len(pod.containers) + len(pod.init_containers) < 2:
        return ""
    pairs = [("container", *both) for both in zip(pod.containers, edited.containers, strict=True)]
    pairs += [("init container", *both) for both in zip(pod.init_containers, edited.init_containers, strict=True)]
    less = [f"{kind} {one.name}" for kind, one, other in pairs if one != other]
    return f" in {less[0]}" if len(less) == 1 else ""


AGAINST: dict[str, tuple[Callable[[RemedySituation, Rows], Iterator[RemedyCandidate]], ...]] = {
    AFFINITY: (_selecting, of_labels),
    CORDON: (of_cordon,),
    DEVICES: (of_devices,),
    PODS_NEAR: (_dropping, mending.of_terms, of_repelling, of_missing_key),
    PORTS: (_without_ports, mending.of_ports, of_pods_gone),
    ROOM: (_asking_less, mending.of_devices, of_nodes, of_pods_gone),
    SPREAD: (_softening, mending.of_constraints, of_spread, of_missing_key),
    TAINTS: (_tolerating, of_conditions, of_taints),
}
"""What may help against a plugin that refuses: what is sure to do first."""
