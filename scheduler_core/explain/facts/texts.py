"""Facts in words: one plain part of a sentence each, in the terms of the pod and the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.api.objects import Toleration
from scheduler_core.api.resources import PODS
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.framework.contracts import facts as f

_OPERATORS = {"In": "in", "NotIn": "not in", "Gt": ">", "Lt": "<"}


def text(fact: f.Fact) -> str:
    """The fact in words; a type of a plugin from outside says itself."""
    say = _BY_TYPE.get(type(fact))
    return say(fact) if say is not None else fact.words()


# --- filters -------------------------------------------------------------------------------------------------------
def _resource(fact: f.ResourceFact) -> str:
    """ "short of 0.5 cpu: needs 6, 5.5 free"; all amounts in one unit"""
    if fact.resource == PODS:
        return _pods(fact)
    name, free = fact.resource, max(fact.free, 0)
    needs, whole, left, promised, missing = amounts(
        name, fact.asked, fact.allocatable, free, fact.promised, fact.missing
    )
    if fact.is_too_small:
        return f"too small: needs {needs} {name}, has {whole} in all"
    told = f"needs {needs}, {left} free" if fact.refuses else f"needs {needs} {name}, {left} free"
    if fact.promised:
        told += f", {promised} promised to nominated pods"
    return f"short of {missing} {name}: {told}" if fact.refuses else told


def _pods(fact: f.ResourceFact) -> str:
    there = fact.requested - fact.promised
    told = f"takes {fact.allocatable} pods and has {there}"
    return f"{told}, and {fact.promised} more nominated" if fact.promised else told


def _label(fact: f.LabelFact) -> str:
    if not fact.key:
        return f"the {fact.source} has a term without requirements, which no node matches"
    wanted, own = _requirement(fact), _own(fact)
    scheduler_s = "the scheduler's addedAffinity " if fact.source == "addedAffinity" else ""
    return f"{scheduler_s}{wanted}{own}"


def _requirement(fact: f.LabelFact) -> str:
    if fact.operator == "Exists":
        return f"needs the label {fact.key}"
    if fact.operator == "DoesNotExist":
        return f"must not have the label {fact.key}"
    if fact.source == "nodeSelector":
        return f"needs {fact.key}={fact.values[0]}"
    return f"needs {fact.key} {_OPERATORS.get(fact.operator, fact.operator)} {', '.join(fact.values)}"


def _own(fact: f.LabelFact) -> str:
    """What the node has, where the requirement does not say so."""
    if fact.operator in ("Exists", "DoesNotExist"):
        return "" if not fact.met else "; it has it" if fact.operator == "Exists" else "; it has none"
    return "; the label is missing" if fact.value is None else f"; it is {fact.value}"


def _taint(fact: f.TaintFact) -> str:
    taint = f"{fact.key}={fact.value}:{fact.effect}" if fact.value else f"{fact.key}:{fact.effect}"
    return f"no toleration for the taint {taint}" if fact.by is None else f"tolerates the taint {taint}"


def toleration(one: Toleration) -> str:
    """A toleration as it stands in a manifest: "key: gpu, operator: Exists, effect: NoSchedule"."""
    fields = (("key", one.key), ("operator", one.operator), ("value", one.value), ("effect", one.effect))
    return ", ".join(f"{name}: {value}" for name, value in fields if value)


def _cordon(fact: f.CordonFact) -> str:
    if not fact.cordoned:
        return "the node is not cordoned"
    return "the node is cordoned, which the pod tolerates" if fact.tolerated else "the node is cordoned"


def _node_name(fact: f.NodeNameFact) -> str:
    return f"the pod names another node: {fact.wanted}" if fact.refuses else "the pod names this node"


def _port(fact: f.PortFact) -> str:
    port = f"{fact.port}/{fact.protocol}"
    if not fact.refuses:
        return f"host port {port} is free"
    return f"host port {port} is held by {fact.holder or 'a pod that is not known'}"


# --- scores --------------------------------------------------------------------------------------------------------
def _share(fact: f.ShareFact) -> str:
    """ "cpu: 3.4 of 4 requested with the pod, 15 points" """
    used, whole = amounts(fact.resource, fact.requested, fact.allocatable)
    told = f"{fact.resource}: {used} of {whole} requested with the pod"
    if fact.points is None:
        return told
    weight = f" of weight {fact.weight}" if fact.weight != 1 else ""
    return f"{told}, {fact.points} points{weight}"


def _deviation(fact: f.DeviationFact) -> str:
    return f"the used shares deviate by {100 * fact.deviation:.1f} %"


def _preference(fact: f.PreferenceFact) -> str:
    terms = " and ".join(map(_label, fact.requirements))
    return f"preference of weight {fact.weight} {'matches' if fact.met else 'does not match'}: {terms}"


def _image(fact: f.ImageFact) -> str:
    if not fact.here:
        return f"{fact.image} is not there"
    size, counted = _mebibytes(fact.size), _mebibytes(fact.counted)
    return f"{fact.image} is there and on {fact.nodes} of {fact.of_nodes} nodes: {counted} of its {size} count"


def _mebibytes(value: int) -> str:
    return f"{value / (1 << 20):,.0f} MiB"


_BY_TYPE: dict[type[f.Fact], Callable[[Any], str]] = {
    f.CordonFact: _cordon,
    f.DeviationFact: _deviation,
    f.ImageFact: _image,
    f.LabelFact: _label,
    f.NodeNameFact: _node_name,
    f.PortFact: _port,
    f.PreferenceFact: _preference,
    f.ResourceFact: _resource,
    f.ShareFact: _share,
    f.TaintFact: _taint,
}
