"""Changes for volumes: moved, added, given a node, attach limits left alone, users that go.

They are made up from the facts of the refusing plugin, so that any plugin that gives these types of facts is served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Node, PersistentVolumeClaim
from scheduler_core.columns.zones import BETA_REGION, BETA_ZONE, REGION, ZONE
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.edited_objects import HOSTNAME
from scheduler_core.explain.outcomes.texts import listed, quantity
from scheduler_core.explain.remedies.candidates.candidate import (
    RemedyCandidate,
    leaving_words,
    of_state,
)
from scheduler_core.explain.remedies.candidates.claims import volume_created, volume_for
from scheduler_core.explain.remedies.candidates.new_nodes import one_more
from scheduler_core.explain.remedies.candidates.state_edits import may_leave
from scheduler_core.explain.remedies.model import LABEL, PODS_GONE, VOLUME, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation
from scheduler_core.framework.contracts.facts import (
    ClaimFact,
    ClaimInUseFact,
    DiskFact,
    Fact,
    VolumeLimitFact,
    VolumeZoneFact,
)
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.framework.plugin_helpers.volume_claims import (
    BIND_COMPLETED,
    DELAYED,
    SELECTED_NODE,
    claim_class,
)

replace = msgspec.structs.replace
_ZONE_LABELS = (ZONE, REGION, BETA_ZONE, BETA_REGION)


def of_volumes(situation: RemedySituation, plugin: str, row: int) -> Iterator[RemedyCandidate]:
    """Changes that could remove the reasons for which a volume plugin refuses the node: of volumes, of the node, and of
    pods that hold them."""
    facts, node = list(situation.refusing(plugin, row)), situation.node(row)
    for fact in facts:
        if isinstance(fact, ClaimFact) and fact.claim:
            yield from _of_claim(situation, fact, node)
        elif isinstance(fact, VolumeZoneFact):
            yield from _moved(situation, fact.volume, node)
    yield from remade(situation, facts, node)
    holders = [key for f in facts if isinstance(f, ClaimInUseFact) for key in f.holders if key != situation.pod.key]
    placed = situation.cluster.pods
    holders = [key for key in holders if key in placed and may_leave(situation.pod, placed[key].pod)]
    if holders:
        yield _gone(holders, "")
    if any(isinstance(fact, (DiskFact, VolumeLimitFact)) for fact in facts):
        yield from _users_gone(situation, plugin, row)


def _of_claim(situation: RemedySituation, fact: ClaimFact, node: Node) -> Iterator[RemedyCandidate]:
    claim = situation.listers.claims.get(fact.claim)
    if claim is None:
        return
    if fact.requirements:
        yield from _moved(situation, fact.volume, node)
        yield from _labelled(fact, node)
        yield from _one_more_there(situation, fact, node)
    elif fact.volume:
        yield volume_created(situation, claim, fact.volume, [node.name])
    else:
        volume = volume_for(situation, claim, f"{claim.namespace}-{claim.name}-volume")
        size = quantity("memory", claim.requested_bytes).removesuffix(" memory")
        edit = ProposedEdit(VOLUME, claim.key, "", volume.name)
        of_class = f" of class {volume.storage_class_name}" if volume.storage_class_name else ""
        text = f"add a volume of {size}{of_class} for claim {claim.key}"
        yield of_state(edit, text, 1.0, Changes(objects=(volume,)), [node.name])


def _moved(situation: RemedySituation, name: str, node: Node) -> Iterator[RemedyCandidate]:
    """The volume where the node is: its node affinity and its labels of zone and region as the node has them."""
    volume = situation.listers.volumes.get(name)
    if volume is None:
        return
    terms = volume.node_affinity.terms if volume.node_affinity is not None else ()
    of_zone = {key: node.labels[key] for key in _ZONE_LABELS if key in volume.labels and key in node.labels}
    lacking = [one for one in (terms[0].match_expressions if terms else ()) if not one.matches(node.labels)]
    if any(one.key not in node.labels or one.key == HOSTNAME for one in lacking):
        return  # a local disk is where its node is
    there = {**of_zone, **{one.key: node.labels[one.key] for one in lacking}}
    met = [one for one in (terms[0].match_expressions if terms else ()) if one not in lacking]
    requirements = (*met, *(Requirement(one.key, "In", (there[one.key],)) for one in lacking))
    affinity = NodeSelector((NodeSelectorTerm(requirements),)) if terms else None
    place = ", ".join(f"{key}={value}" for key, value in there.items())
    moved = replace(volume, labels={**volume.labels, **of_zone}, node_affinity=affinity)
    edit = ProposedEdit(VOLUME, name, "", place, code="MOVE_VOLUME_ZONE")
    yield of_state(edit, f"make volume {name} again in {place}", 1.0, Changes(objects=(moved,)), [node.name])


def remade(situation: RemedySituation, facts: Sequence[Fact], node: Node) -> Iterator[RemedyCandidate]:
    """The refused bound claims made again without a volume, so that they are bound with the pod: to a volume that is
    free, or to one made where the pod goes. A class that binds at once waits for the pod besides."""
    keys = dict.fromkeys(fact.claim for fact in facts if isinstance(fact, (ClaimFact, VolumeZoneFact)) and fact.claim)
    claims = [one for key in keys if (one := situation.listers.claims.get(key)) is not None and one.volume_name]
    if not claims:
        return
    classes = [situation.listers.storage_classes.get(claim_class(one)) for one in claims]
    at_once = {one.name: one for one in classes if one is not None and one.volume_binding_mode != DELAYED}
    waiting = tuple(replace(one, volume_binding_mode=DELAYED) for one in at_once.values())
    edits = [ProposedEdit(VOLUME, one.key, one.volume_name, "", code="REMAKE_CLAIM") for one in claims]
    named = listed([one.key for one in claims], "and")
    text = f"delete {'claim' if len(claims) == 1 else 'claims'} {named} and the pod, and make them again"
    if waiting:
        text += f", with volumeBindingMode WaitForFirstConsumer in storage class {listed(sorted(at_once), 'and')}"
        edits += [ProposedEdit(VOLUME, name, "Immediate", DELAYED, code="CHANGE_CLASS") for name in sorted(at_once)]
    new = Changes(objects=(*waiting, *(_without_volume(one) for one in claims)))
    made = of_state(edits[0], text, 1.0 + 0.5 * (len(edits) - 1), new, [node.name])
    yield replace(made, remedy=replace(made.remedy, edits=tuple(edits)))


def _without_volume(claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    """The claim as it is when it is made again."""
    remaining = {key: value for key, value in claim.annotations.items() if key not in (BIND_COMPLETED, SELECTED_NODE)}
    return replace(claim, uid="", volume_name="", phase="Pending", annotations=remaining, deletion_timestamp=None)


def _labelled(fact: ClaimFact, node: Node) -> Iterator[RemedyCandidate]:
    """The node with the labels that it lacks of those that its volume's node affinity asks for."""
    first = [one for one in fact.requirements if one.term == 0 and not one.met]
    if not first or any(one.key in node.labels or one.operator != "In" for one in first):
        return
    labels = {one.key: one.values[0] for one in first}
    edit = ProposedEdit(LABEL, first[0].key, "", first[0].values[0], node.name)
    text = f"label {node.name} {', '.join(f'{key}={value}' for key, value in labels.items())}"
    changes = Changes(nodes=(replace(node, labels={**node.labels, **labels}),))
    yield of_state(edit, text, float(len(labels)), changes, [node.name])


def _one_more_there(situation: RemedySituation, fact: ClaimFact, node: Node) -> Iterator[RemedyCandidate]:
    """One more node like this one where the volume is."""
    first = [one for one in fact.requirements if one.term == 0 and not one.met]
    if first and all(one.operator == "In" and one.key != HOSTNAME for one in first):
        there = {one.key: one.values[0] for one in first}
        moved = replace(node, labels={**node.labels, **there})
        made = one_more(situation, moved, [node.name])
        text = f"{made.remedy.text} with {', '.join(f'{key}={value}' for key, value in there.items())}"
        yield RemedyCandidate(replace(made.remedy, text=text), made.changes)


def _users_gone(situation: RemedySituation, plugin: str, row: int) -> Iterator[RemedyCandidate]:
    """Pods on the node whose volumes are in the way: all with volumes go, then each stays that can, the important
    ones first."""
    cluster, view = situation.cluster, situation.cluster.view(row)
    filtering = situation.plugin(plugin)
    users = [info for info in view.pods.values() if info.pod.volumes and may_leave(situation.pod, info.pod)]
    if not isinstance(filtering, FilterPlugin) or not users:
        return
    asked = cluster.info(situation.pod)

    def refuses() -> bool:
        return any(
            isinstance(f, (DiskFact, VolumeLimitFact)) and f.refuses for f in situation.facts_on(filtering, view)
        )

    for info in users:
        view.remove_pod(info)
    if asked.key in cluster.pods or refuses():
        return
    going = []
    for info in sorted(users, key=lambda one: (-one.pod.priority, one.key)):
        view.add_pod(info)
        if refuses():
            view.remove_pod(info)
            going.append(info.key)
    if going:
        yield _gone(sorted(going), situation.node(row).name)


def _gone(keys: list[str], node: str) -> RemedyCandidate:
    """These pods gone; each counts as a constraint does, as what they hold has no amount."""
    edit = ProposedEdit(PODS_GONE, ", ".join(keys), "there", "gone", node)
    text = leaving_words(keys, node) if node else leaving_words(keys, "their nodes")
    return of_state(edit, text, float(len(keys)), Changes(gone=tuple(keys)), [node] if node else [])
