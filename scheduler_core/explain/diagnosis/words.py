"""Each obstacle in words, from its facts on a set of nodes: the noun first, the value that decides in it.

Values that differ between the nodes are said as a range or a list. No sentence names a node outside of the set that it
is about; a value that would satisfy the rule may (the empty domain of a spread constraint).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.near_misses import closest, near_toleration
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.diagnosis.plugin_words import (
    claim_words,
    in_use_words,
    label_words,
    limit_words,
    pod_term_words,
    spread_words,
    terms_words,
    zone_words,
)
from scheduler_core.explain.diagnosis.resource_words import shortage_words
from scheduler_core.explain.diagnosis.table import BareRefusal, ObstacleTable, OneOfTerms
from scheduler_core.explain.facts.device_texts import claim_text, devices_in_words
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts import facts as f
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.framework.plugin_helpers.node_conditions import reported_conditions

_SHOWN = 3


def obstacle_words(table: ObstacleTable, key: ObstacleKey, rows: Iterable[int]) -> str:
    """The obstacle on these rows as a part of a sentence that begins with its noun."""
    facts = ObstacleFacts(table, key, rows)
    if not facts:
        return KINDS[key.code].means if key.code in KINDS else key.code
    say = _BY_TYPE.get(type(facts[0][1]))
    return say(facts) if say is not None else facts[0][1].words() or key.code


def names(several: Sequence[str], shown: int = _SHOWN, word: str = "and") -> str:
    """ "a, b and c", "a, b, c and 5 more" """
    ordered = sorted(several)
    if len(ordered) <= shown + 1:
        return listed(ordered, word)
    return f"{', '.join(ordered[:shown])} and {len(ordered) - shown:,} more"


def opened_words(opened: Sequence[str], n_nodes: int) -> str:
    """What removing exactly the set opens, as a sentence."""
    if not opened:
        return "No single change opens a node."
    if len(opened) == n_nodes > _SHOWN + 1:
        return f"Nothing else keeps it off any of the {n_nodes:,} nodes."
    return f"Nothing else keeps it off {names(opened)}."


def cause_words(texts: Sequence[str], opened: Sequence[str], n_nodes: int) -> str:
    """The sentence of a set of obstacles, in the order of their texts."""
    count = "" if len(texts) == 1 else f"{len(texts)} at once: "
    said = f"{count}{'; and '.join(texts)}"
    return f"{said[:1].upper()}{said[1:]}. {opened_words(opened, n_nodes)}"


# --- words by type of fact -------------------------------------------------------------------------------------------
def _taint(facts: ObstacleFacts) -> str:
    taint = facts[0][1]
    if facts.key.code == "CORDONED":
        return f"cordoned: {names([name for name, _ in facts])}"
    if facts.key.code == "TAINT_NODE_CONDITION":
        return _condition(facts)
    text = f"taint {facts.key.subject}, which it does not tolerate"
    one = near_toleration(facts.pod, taint.key)
    if one is not None:
        have = f"{one.key}{f'={one.value}' if one.value else ''}"
        differs = f"effect {one.effect}" if one.effect not in ("", taint.effect) else f"value {one.value or 'none'}"
        has = f"effect {taint.effect}" if one.effect not in ("", taint.effect) else f"value {taint.value or 'none'}"
        text += f": its toleration of {have} has {differs}, the taint {has}"
    return text


def _condition(facts: ObstacleFacts) -> str:
    """The condition that the node reports first, the taint of it second."""
    said = []
    for node in facts.nodes[:_SHOWN]:
        troubles = reported_conditions(node, facts.key.subject)
        more = [f"{one.type}={one.status}{f' ({one.message or one.reason})' if one.message or one.reason else ''}"
                for one in troubles]  # fmt: skip
        said.append(f"{node.name}{': ' + ', '.join(more) if more else ''}")
    left = f" and {plural(len(facts) - _SHOWN, 'node')} more" if len(facts) > _SHOWN else ""
    return f"node condition (taint {facts.key.subject}): {'; '.join(said)}{left}"


def _cordon(facts: ObstacleFacts) -> str:
    return f"cordoned: {names([name for name, _ in facts])}"


def _node_name(facts: ObstacleFacts) -> str:
    return f"spec.nodeName asks for {facts[0][1].node_name}, which is another node"


def _feature(facts: ObstacleFacts) -> str:
    return f"the pod needs the feature {facts[0][1].feature}, which the node does not declare"


def _port(facts: ObstacleFacts) -> str:
    holders = [f"{one.holder or 'a pod that is not known'} on {name}{_address(one)}" for name, one in facts[:_SHOWN]]
    more = f" and on {plural(len(facts) - _SHOWN, 'node')} more" if len(facts) > _SHOWN else ""
    return f"host port {facts.key.subject} is taken: by {listed(holders, 'and')}{more}"


def _address(fact: f.PortFact) -> str:
    return f" (address {fact.held_address})" if fact.held_address not in ("", "0.0.0.0") else ""


def _disk(facts: ObstacleFacts) -> str:
    holders = {one.holder for one in facts.values}
    return f"volume {facts.key.subject} excludes sharing, and {names(sorted(holders))} has it"


def _device_claim(facts: ObstacleFacts) -> str:
    """A claim that the pod cannot have, with the class that is nearly the one that is not there."""
    fact = facts[0][1]
    near = closest(fact.class_name, facts.table.cluster.listers.device_classes) if fact.class_name else None
    return f"{claim_text(fact)}{f'; there is a class {near}' if near else ''}"


def _devices(facts: ObstacleFacts) -> str:
    return devices_in_words(facts.values)


def _refusal(facts: ObstacleFacts) -> str:
    fact: BareRefusal = facts[0][1]
    reasons = list(dict.fromkeys("; ".join(one.reasons) or "without a reason" for one in facts.values))
    return f"{fact.plugin} refuses it: {names(reasons)}"


_BY_TYPE: dict[type[f.Fact], Callable[[ObstacleFacts], str]] = {
    f.CordonFact: _cordon,
    f.TaintFact: _taint,
    f.NodeNameFact: _node_name,
    f.FeatureFact: _feature,
    f.PortFact: _port,
    f.LabelFact: label_words,
    OneOfTerms: terms_words,
    f.ResourceFact: shortage_words,
    f.SpreadFact: spread_words,
    f.PodTermFact: pod_term_words,
    f.ClaimFact: claim_words,
    f.VolumeZoneFact: zone_words,
    f.ClaimInUseFact: in_use_words,
    f.DiskFact: _disk,
    f.VolumeLimitFact: limit_words,
    f.DeviceClaimFact: _device_claim,
    f.DeviceFact: _devices,
    BareRefusal: _refusal,
}
