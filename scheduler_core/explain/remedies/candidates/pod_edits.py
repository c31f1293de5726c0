"""Edits of the pod that answer the refusal of one plugin on a group of nodes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from scheduler_core.api.taints import Taint
from scheduler_core.explain import edited_objects
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.texts import short
from scheduler_core.explain.remedies.candidates.candidate import PodEdit
from scheduler_core.explain.remedies.model import (
    CONSTRAINT,
    DEVICES,
    GATE,
    PORT,
    REQUEST,
    SELECTOR,
    TOLERATION,
    VOLUME,
    ProposedEdit,
)
from scheduler_core.framework.plugin_helpers.node_conditions import CORDON

replace = msgspec.structs.replace
DROPPED = 3.0
"""The size of a volume or device that is done without: the pod is another one then."""
_HARD = ("NoSchedule", "NoExecute")


def lower_request(resource: str, before: int, after: int, share: float, where: str = "") -> PodEdit:
    """Ask for less; ``share`` is what that is of the node, ``where`` names the one container that it concerns."""
    plain = resource not in (CPU, MEMORY, EPHEMERAL_STORAGE)
    less, more = (f"{after:,}", f"{before:,}") if plain else amounts(resource, after, before)
    edit = ProposedEdit(REQUEST, resource, more, less)
    text = f"ask for {less} {short(resource)} instead of {more}{where}"
    return edit, text, share, partial(edited_objects.asking_for, resource=resource, amount=after)


def untolerated(pod: Pod, node: Node) -> tuple[Taint, ...]:
    """Taints that keep the pod off the node, but for the one that Kubernetes adds for a cordon."""
    hard = [taint for taint in node.taints if taint.effect in _HARD]
    repelling = [t for t in hard if not any(toleration.tolerates(t) for toleration in pod.tolerations)]
    return tuple(t for t in repelling if t.key != CORDON)


def taint_words(taint: Taint) -> str:
    """ "key=value:effect" """
    effect = f":{taint.effect}" if taint.effect else ""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}{effect}"


def tolerate(taints: tuple[Taint, ...]) -> list[PodEdit]:
    """A toleration for each taint; one for both effects of a key and value."""
    pod_edits: list[PodEdit] = []
    effects = Counter((taint.key, taint.value) for taint in taints)
    every = [replace(t, effect="") if effects[t.key, t.value] > 1 else t for t in taints]
    for taint in dict.fromkeys(every):
        name = taint_words(taint) if taint.effect else f"{taint_words(taint)} (every effect)"
        edit = ProposedEdit(TOLERATION, taint.key, "", name)
        pod_edits.append((edit, f"tolerate {name}", 1.0, partial(edited_objects.tolerating, taints=(taint,))))
    return pod_edits


def unmatched_selector(pod: Pod, node: Node) -> tuple[tuple[str, ...], bool]:
    """Keys of the nodeSelector that the node does not have so, and whether the required node affinity fails there."""
    keys = tuple(sorted(key for key, value in pod.node_selector.items() if node.labels.get(key) != value))
    required = pod.affinity.node_required if pod.affinity else None
    return keys, required is not None and not required.matches(node.name, node.labels)


def loosen_selector(pod: Pod, keys: tuple[str, ...], affinity: bool) -> list[PodEdit]:
    """Drop keys of the nodeSelector and, if asked to, the required node affinity."""
    pod_edits: list[PodEdit] = []
    for key in keys:
        text = f"drop {key}={pod.node_selector[key]} from the node selector"
        edit = ProposedEdit(SELECTOR, key, pod.node_selector[key])
        pod_edits.append((edit, text, 1.0, partial(edited_objects.without_selector_keys, keys=(key,))))
    if affinity:
        edit = ProposedEdit(SELECTOR, "required node affinity", "there", code="CHANGE_AFFINITY")
        pod_edits.append((edit, "drop the required node affinity", 1.0, edited_objects.without_required_nodes))
    return pod_edits


def widen_selector(pod: Pod, node: Node) -> PodEdit | None:
    """Let the nodeSelector, or else the node affinity, take the node's value too, where that is all it lacks."""
    keys, affinity = unmatched_selector(pod, node)
    if affinity or not keys:
        return None if keys else widen_affinity(pod, node)
    key, values = keys[0], (pod.node_selector[keys[0]], node.labels.get(keys[0], ""))
    if len(keys) > 1 or key not in node.labels:
        return None
    edit = ProposedEdit(SELECTOR, key, values[0], ", ".join(values), code="CHANGE_SELECTOR")
    text = f"let it go to nodes with {key}={values[1]} too"
    return edit, text, 0.5, partial(edited_objects.selecting, key=key, values=values)


def widen_affinity(pod: Pod, node: Node) -> PodEdit | None:
    """Let the required node affinity take the node's value too, where that is all that a term lacks."""
    required = pod.affinity.node_required if pod.affinity else None
    for i, term in enumerate(required.terms if required is not None else ()):
        unmet = [(j, one) for j, one in enumerate(term.match_expressions) if not one.matches(node.labels)]
        if term.match_fields or len(unmet) != 1 or unmet[0][1].operator != "In" or unmet[0][1].key not in node.labels:
            continue
        (j, one), value = unmet[0], node.labels[unmet[0][1].key]
        both = ", ".join(one.values), ", ".join((*one.values, value))
        edit = ProposedEdit(SELECTOR, one.key, *both, code="CHANGE_AFFINITY")
        text = f"let it go to nodes with {one.key}={value} too"
        return edit, text, 0.5, partial(edited_objects.with_value, term=i, position=j, value=value)
    return None


def soften_spread(pod: Pod) -> list[list[PodEdit]]:
    """One hard spread constraint each made soft, then all of them where there are several."""
    hard = [i for i, one in enumerate(pod.topology_spread_constraints) if one.when_unsatisfiable == "DoNotSchedule"]
    return _one_or_all([_softened(pod, i) for i in hard])


def _softened(pod: Pod, position: int) -> PodEdit:
    """The constraint made soft; dropped where there is a soft one over the key, as a pod may have one only."""
    constraints = pod.topology_spread_constraints
    key = constraints[position].topology_key
    if any(one.topology_key == key and one.when_unsatisfiable == "ScheduleAnyway" for one in constraints):
        edit = ProposedEdit(CONSTRAINT, key, "DoNotSchedule")
        without = partial(edited_objects.without_constraint, position=position)
        return edit, f"drop the hard spread over {key}", 1.0, without
    edit = ProposedEdit(CONSTRAINT, key, "DoNotSchedule", "ScheduleAnyway")
    text = f"set whenUnsatisfiable of the spread over {key} to ScheduleAnyway"
    soft = partial(
        edited_objects.with_constraint, position=position, when_unsatisfiable="ScheduleAnyway", min_domains=None
    )
    return edit, text, 1.0, soft


def raise_skew(pod: Pod, position: int, skew: int) -> PodEdit:
    """Allow a spread constraint this skew; the size is what is added of it."""
    one = pod.topology_spread_constraints[position]
    edit = ProposedEdit(CONSTRAINT, one.topology_key, f"maxSkew {one.max_skew}", f"maxSkew {skew}")
    text = f"raise maxSkew of the spread over {one.topology_key} from {one.max_skew} to {skew}"
    make = partial(edited_objects.with_constraint, position=position, max_skew=skew)
    return edit, text, (skew - one.max_skew) / skew, make


def do_without_claim(key: str) -> PodEdit:
    """Leave out the volumes of a claim."""
    edit = ProposedEdit(VOLUME, key, "there", code="DROP_VOLUME")
    return edit, f"do without claim {key}", DROPPED, partial(edited_objects.without_claim, key=key)


def do_without_volume(name: str) -> PodEdit:
    """Leave out a volume that is no claim's."""
    edit = ProposedEdit(VOLUME, name, "there", code="DROP_VOLUME")
    return edit, f"do without volume {name}", DROPPED, partial(edited_objects.without_volume, name=name)


def do_without_devices(entry: str) -> PodEdit:
    """Leave out an entry for a resource claim."""
    edit = ProposedEdit(DEVICES, entry, "there")
    without = partial(edited_objects.without_device_claim, entry=entry)
    return edit, f"do without resource claim {entry}", DROPPED, without


def take_off_gates(pod: Pod) -> PodEdit:
    """Take off the scheduling gates; each counts 1."""
    names = ", ".join(pod.scheduling_gates)
    s = "s" if len(pod.scheduling_gates) > 1 else ""
    edit = ProposedEdit(GATE, names, "there")
    text = f"take off the scheduling gate{s} {names}"
    return edit, text, float(len(pod.scheduling_gates)), edited_objects.without_gates


def drop_terms(pod: Pod) -> list[list[PodEdit]]:
    """One required term of pod affinity or anti-affinity each, then all of them where there are several."""
    affinity, singles = pod.affinity, list[PodEdit]()
    if affinity is None:
        return []
    for field, name in (("pod_required", "affinity"), ("anti_required", "anti-affinity")):
        for i, term in enumerate(getattr(affinity, field)):
            text = f"the required pod {name} per {term.topology_key}"
            singles.append(_constraint(term.topology_key, text, partial(edited_objects.without_term, field=field), i))
    return _one_or_all(singles)


def give_up_ports(pod: Pod) -> list[PodEdit]:
    """The pod's host ports."""
    several = [port for c in (*pod.containers, *pod.init_containers) for port in c.ports if port.host_port > 0]
    names = ", ".join(dict.fromkeys(f"{port.host_port}/{port.protocol}" for port in several))
    edit = ProposedEdit(PORT, "host ports", names)
    return [(edit, f"give up host port {names}", 1.0, edited_objects.without_host_ports)]


def _constraint(key: str, text: str, make: Any, position: int) -> PodEdit:
    edit = ProposedEdit(CONSTRAINT, key, text, code="CHANGE_AFFINITY")
    return edit, f"drop {text}", 1.0, lambda pod: make(pod, position=position)


def _one_or_all(singles: list[PodEdit]) -> list[list[PodEdit]]:
    together = singles[::-1]  # from the last on, so that the positions of the others stay
    return [[one] for one in singles] + ([together] if len(singles) > 1 else [])
