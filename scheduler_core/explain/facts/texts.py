"""The text of each fact: a part of a sentence, in terms of the pod and the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.resources import PODS
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.facts.device_texts import claim_text, device_text, given_text, rank_text
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.framework.contracts import facts as f

_OPERATORS = {"In": "in", "NotIn": "not in", "Gt": ">", "Lt": "<"}


def text(fact: f.Fact) -> str:
    """The fact as text; a fact type of an external plugin provides its own."""
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
    text = f"needs {needs}, {left} free" if fact.refuses else f"needs {needs} {name}, {left} free"
    if fact.promised:
        text += f", {promised} promised to nominated pods"
    return f"short of {missing} {name}: {text}" if fact.refuses else text


def _pods(fact: f.ResourceFact) -> str:
    there = fact.requested - fact.promised
    text = f"takes {plural(fact.allocatable, 'pod')} and has {there:,}"
    return f"{text}, and {fact.promised:,} more nominated" if fact.promised else text


def _label(fact: f.LabelFact) -> str:
    if not fact.key:
        return f"the {fact.source} has a term without requirements, which no node matches"
    requirement, own = _requirement(fact), _own(fact)
    scheduler_s = "the scheduler's addedAffinity " if fact.source == "addedAffinity" else ""
    return f"{scheduler_s}{requirement}{own}"


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
    return f"the pod names another node: {fact.node_name}" if fact.refuses else "the pod names this node"


def _feature(fact: f.FeatureFact) -> str:
    return f"the node {'does not declare' if fact.refuses else 'declares'} the feature {fact.feature}"


def _port(fact: f.PortFact) -> str:
    port = f"{fact.port}/{fact.protocol}"
    if not fact.refuses:
        return f"host port {port} is free"
    return f"host port {port} is held by {fact.holder or 'a pod that is not known'}"


def selector_words(selector: LabelSelector | None) -> str:
    """A label selector as kubectl writes it: "app in (web),tier"."""
    if selector is None:
        return "no pods"
    return ",".join(map(_selects, selector.requirements)) or "all pods"


def _selects(one: Requirement) -> str:
    if one.operator == "Exists":
        return one.key
    if one.operator == "DoesNotExist":
        return f"!{one.key}"
    if one.operator == "In" and len(one.values) == 1:
        return f"{one.key}={one.values[0]}"
    return f"{one.key} {'in' if one.operator == 'In' else 'notin'} ({','.join(one.values)})"


def _spread(fact: f.SpreadFact) -> str:
    """ "zone=eu-b would have 3 pods of app=web, the least is 1: skew 2, allowed 1" """
    if fact.domain is None:
        return f"the label {fact.topology_key} is missing, by which pods are spread"
    pods = f"{plural(fact.here + fact.adds, 'pod')} of {selector_words(fact.selector)}"
    least = f"the least is {fact.least}"
    if not fact.least and fact.min_domains and fact.n_domains < fact.min_domains:
        least = f"the least counts as 0, as there are {fact.n_domains} of at least {fact.min_domains} domains"
    text = f"{fact.topology_key}={fact.domain} would have {pods}, {least}"
    return f"{text}: skew {fact.skew}, allowed {fact.max_skew}"


def _pod_term(fact: f.PodTermFact) -> str:
    if fact.domain is None:
        return f"the label {fact.topology_key} is missing, which the pod's {fact.kind} goes by"
    domain = f"{fact.topology_key}={fact.domain}"
    if fact.kind == "anti-affinity of placed pods":
        return f"{_named(fact)} in {domain} must not be with a pod like this one"
    selector = selector_words(fact.selector)
    if fact.kind == "anti-affinity":
        return f"must not be with {selector}; {domain} has {_named(fact) if fact.n_pods else 'none'}"
    if fact.first and not fact.n_pods:
        return f"must be with {selector}; no pod matches yet, so the pod may be the first"
    return f"must be with {selector}; {domain} has {_named(fact) if fact.n_pods else 'none'}"


def _named(fact: f.PodTermFact, shown: int = 3) -> str:
    names = ", ".join(fact.pods[:shown])
    more = fact.n_pods - min(shown, len(fact.pods))
    return f"{names} and {more} more" if more else names


def _claim(fact: f.ClaimFact) -> str:
    if fact.refuses:
        unmet = next((_label(one) for one in fact.requirements if not one.met), "")
        if unmet:
            return f"claim {fact.claim}: volume {fact.volume} {unmet}"
        return f"claim {fact.claim}: {fact.problem}"
    if fact.volume:
        return f"claim {fact.claim} has volume {fact.volume}"
    return f"claim {fact.claim}: {'a volume would be made here' if fact.provisioned else 'nothing was found wrong'}"


def _volume_zone(fact: f.VolumeZoneFact) -> str:
    values = " or ".join(fact.values)
    own = "the label is missing" if fact.value is None else f"the node is in {fact.value}"
    return f"claim {fact.claim}: volume {fact.volume} is in {fact.key}={values}; {own}"


def _disk(fact: f.DiskFact) -> str:
    disk = f"disk {fact.volume} ({fact.source})"
    return f"{disk} is in use by {fact.holder} on the node" if fact.holder else f"{disk} is free on the node"


def _claim_in_use(fact: f.ClaimInUseFact) -> str:
    if not fact.refuses:
        return f"claim {fact.claim} (ReadWriteOncePod) is free"
    return f"claim {fact.claim} (ReadWriteOncePod) is in use by {', '.join(fact.holders) or 'another pod'}"


def _volume_limit(fact: f.VolumeLimitFact) -> str:
    limit = "no known limit" if fact.limit is None else f"a limit of {fact.limit}"
    return f"{fact.driver}: {fact.attached} volumes attached, {fact.adds} more with the pod, {limit}"


# --- scores --------------------------------------------------------------------------------------------------------
def _share(fact: f.ShareFact) -> str:
    """ "cpu: 3.4 of 4 requested with the pod, 15 points" """
    used, whole = amounts(fact.resource, fact.requested, fact.allocatable)
    text = f"{fact.resource}: {used} of {whole} requested with the pod"
    if fact.points is None:
        return text
    weight = f" of weight {fact.weight}" if fact.weight != 1 else ""
    return f"{text}, {fact.points} points{weight}"


def _deviation(fact: f.DeviationFact) -> str:
    now = f"the used shares deviate by {100 * fact.deviation:.1f} %"
    return now if fact.before is None else f"{now}, without the pod by {100 * fact.before:.1f} %"


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


def _spread_score(fact: f.SpreadScoreFact) -> str:
    if fact.domain is None:
        return f"the label {fact.topology_key} is missing, by which pods are spread"
    pods = f"{plural(fact.here, 'pod')} of {selector_words(fact.selector)}"
    return f"{fact.topology_key}={fact.domain} has {pods}, times {fact.weight:.3f}: {fact.term:.2f} (low is good)"


def _attraction(fact: f.AttractionFact) -> str:
    if fact.domain is None:
        return f"the label {fact.topology_key} is missing: 0"
    return f"preferred terms that match in {fact.topology_key}={fact.domain}: {fact.points:+}"


_BY_TYPE: dict[type[f.Fact], Callable[[Any], str]] = {
    f.CordonFact: _cordon,
    f.DeviationFact: _deviation,
    f.ImageFact: _image,
    f.LabelFact: _label,
    f.NodeNameFact: _node_name,
    f.FeatureFact: _feature,
    f.PortFact: _port,
    f.PreferenceFact: _preference,
    f.ResourceFact: _resource,
    f.ShareFact: _share,
    f.TaintFact: _taint,
    f.AttractionFact: _attraction,
    f.SpreadFact: _spread,
    f.SpreadScoreFact: _spread_score,
    f.PodTermFact: _pod_term,
    f.ClaimFact: _claim,
    f.VolumeZoneFact: _volume_zone,
    f.DiskFact: _disk,
    f.ClaimInUseFact: _claim_in_use,
    f.VolumeLimitFact: _volume_limit,
    f.DeviceClaimFact: claim_text,
    f.DeviceFact: device_text,
    f.DeviceGivenFact: given_text,
    f.DeviceRankFact: rank_text,
}
