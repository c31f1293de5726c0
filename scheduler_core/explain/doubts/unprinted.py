"""Causes by the real scheduler's message, where the form of the input does not show the rule that decides.

kubectl describe prints, say, no volumes, and one event alone shows no node. Then the engine, which knows no more,
places the pod or refuses it elsewhere, while the message in the input says what refused it. The message is taken
apart; its parts that the engine does not reach by what the input shows, and whose rules it lacks, are the cause, beside
the gap and the command that shows the rule:

    message  0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod affinity rules.
    engine   places it on one of the two                  -> AFFINITY_NO_POD, of 2 nodes
    engine   0/3 nodes are available: 3 Insufficient cpu  -> stays: one node needs cpu alone, by the message, too
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.api.unplayed import InputGap
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.diagnosis.model import NodeList, Obstacle, ObstacleSet
from scheduler_core.explain.messages.parsing import MessagePiece, parse_message, split_message
from scheduler_core.explain.messages.texts import NODES, POD
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.obstacles import ACTORS, OTHER, ObstacleKind
from scheduler_core.profiles.names import AFFINITY, GATES
from scheduler_core.profiles.obstacle_kinds import find_kind

_GATED = "GATED"
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def unprinted_cause(pod: Pod, inputs: RunInputs, cause: ObstacleSet | None, ours: str) -> ObstacleSet | None:
    """The cause by the message of the input, or the engine's where the input shows what decides.

    ``cause`` is the engine's, None for a pod that it places; ``ours`` its message.
    """
    said, gaps = inputs.unplayed.said.get(pod.key), inputs.unplayed.gaps
    if said is None or (not gaps and inputs.objects.nodes):
        return cause
    if not said:
        gap = next(_about(gaps, pod), None)
        return _gated(pod, gap) if cause is None and gap is not None else cause
    message = split_message(said)
    hidden = _hidden(pod, message.pieces, ours, _Shown(inputs, message.nodes))
    if not hidden or (cause is not None and inputs.objects.nodes and _is_shown(message.pieces, hidden)):
        return cause
    sets = [_cause(pod, piece, message.nodes, gaps) for piece in _ordered(hidden)]
    first, also = sets[0], tuple(sets[1:])
    if cause is not None and inputs.objects.nodes:
        first = _both(first, cause)
    elif not inputs.objects.nodes:
        first = msgspec.structs.replace(first, text=_without_nodes(message.pieces, message.nodes, pod, gaps))
    return msgspec.structs.replace(first, also=also)


class _Shown:
    """What the input shows: ``plugins`` whose rules it lacks, and whether it ``has_all`` nodes of the message."""

    def __init__(self, inputs: RunInputs, seen: int | None) -> None:
        self.lacks = frozenset(plugin for gap in inputs.unplayed.gaps for plugin in gap.plugins)
        self.has_all = seen is None or len(inputs.objects.nodes) >= seen


def _hidden(pod: Pod, pieces: Sequence[MessagePiece], ours: str, shown: _Shown) -> list[MessagePiece]:
    """The parts that say more than the engine's message does, by rules that the input lacks."""
    parsed = parse_message(ours) if ours else None
    reasons, whole = (parsed.reasons, parsed.whole) if parsed is not None else ({}, "")
    out = []
    for piece in pieces:
        match = piece.match
        if piece.place not in (NODES, POD) or match is None or not match.codes:
            continue
        says_more = piece.text != whole if piece.place == POD else (piece.count or 0) > reasons.get(piece.text, 0)
        if says_more and (match.plugin in shown.lacks or not shown.has_all):
            out.append(piece)
    others = [piece for piece in pieces if piece.place == NODES and piece.match is not None and piece.match.codes]
    if _is_of_daemon_set(pod) and ours == "":
        # Its controller binds it to one node by a node affinity: what the other parts say is about that node.
        about_its_node = [piece for piece in others if _plugin(piece) != AFFINITY]
        return about_its_node if about_its_node and out else out
    return out


def _is_shown(pieces: Sequence[MessagePiece], hidden: Sequence[MessagePiece]) -> bool:
    """Whether some node is counted under a rule that the input shows, so that the engine's cause holds for it."""
    return any(piece.place == NODES and piece not in hidden for piece in pieces)


def _ordered(pieces: Sequence[MessagePiece]) -> list[MessagePiece]:
    """Parts about the pod first, then those of the most nodes, of equal ones by who can act; what keeps the control
    plane free comes last."""

    def order(piece: MessagePiece) -> tuple[bool, int, int]:
        actor = find_kind(piece.match.codes[0]).actor if piece.match is not None else OTHER
        return any(key in piece.text for key in _CONTROL_PLANE), -(piece.count or 1 << 30), ACTORS.index(actor)

    return sorted(pieces, key=order)


def _cause(pod: Pod, piece: MessagePiece, nodes: int | None, gaps: Sequence[InputGap]) -> ObstacleSet:
    """The cause by a part, with the other causes that its text may stand for as well."""
    codes = _codes(pod, piece)
    says = f"the real scheduler says of {_says(piece, nodes)}"
    means = _capital(listed([find_kind(code).means for code in codes], "or"))
    gap, lacks = _lacks(pod, piece, gaps)
    first, *others = [_of_code(code, pod, piece, gap, says) for code in codes]
    text = f"{means}: {says}.{f' {lacks}.' if lacks else ''}"
    return msgspec.structs.replace(first, text=text, either=tuple(others))


def _lacks(pod: Pod, piece: MessagePiece, gaps: Sequence[InputGap]) -> tuple[InputGap | None, str]:
    """The gap that hides the rule of a part, and what the input does not show, as a sentence."""
    gap = _gap_of(gaps, _plugin(piece), pod)
    if gap is None:
        return None, ""
    hidden = gap.text
    if _is_of_daemon_set(pod) and _plugin(piece) != AFFINITY:
        hidden = "its DaemonSet binds it to one node by an affinity, which the input does not show"
    return gap, f"{_capital(hidden)}; {gap.command} shows it" if gap.command else _capital(hidden)


def _of_code(code: str, pod: Pod, piece: MessagePiece, gap: InputGap | None, says: str) -> ObstacleSet:
    kind = find_kind(code)
    obstacle = Obstacle(
        code=code,
        plugin=_plugin(piece),
        object=f"v1/Pod/{pod.key}",
        needs={"says": piece.text, **({"shownBy": gap.command} if gap is not None else {})},
        nodes=NodeList(piece.count or 0),
        text=f"{kind.means}: {says}",
    )
    return ObstacleSet(
        codes=(code,),
        plugins=(obstacle.plugin,) if obstacle.plugin else (),
        obstacles=(obstacle,),
        stage=kind.stage,
        actor=kind.actor,
        text=f"{_capital(kind.means)}: {says}.",
    )


def _both(first: ObstacleSet, cause: ObstacleSet) -> ObstacleSet:
    """Every node has what is hidden; what the engine knows stands against them, too."""
    obstacles = (*first.obstacles, *cause.obstacles)
    return msgspec.structs.replace(
        first,
        codes=tuple(dict.fromkeys((*first.codes, *cause.codes))),
        plugins=tuple(dict.fromkeys((*first.plugins, *cause.plugins))),
        obstacles=obstacles,
        text=f"{first.text} By what the input shows, too: {cause.text}",
    )


def _without_nodes(pieces: Sequence[MessagePiece], nodes: int | None, pod: Pod, gaps: Sequence[InputGap]) -> str:
    """All that the message says, where the input has no node to hold it against."""
    parts = [_counted(piece) for piece in pieces if piece.place in (NODES, POD)]
    looked = f"the real scheduler looked at {plural(nodes, 'node')}" if nodes is not None else "the real scheduler said"
    command = next((gap.command for gap in gaps if gap.command and not gap.objects), "kubectl get nodes -o yaml")
    return f"The input holds no node; {looked}: {', '.join(parts)}. {command} shows them."


def _counted(piece: MessagePiece) -> str:
    return piece.text if piece.count is None else f"{piece.count:,} {piece.text}"


def _says(piece: MessagePiece, nodes: int | None) -> str:
    if piece.count is None:
        return f'the pod "{piece.text}"'
    of = f"{piece.count:,} of {plural(nodes, 'node')}" if nodes is not None else plural(piece.count, "node")
    return f'{of} "{piece.text}"'


def _codes(pod: Pod, piece: MessagePiece) -> tuple[str, ...]:
    """The codes of a part; of a node affinity not the selector's, where the pod has none."""
    codes = piece.match.codes if piece.match is not None else ()
    if _plugin(piece) == AFFINITY and not pod.node_selector and "AFFINITY_NO_MATCH" in codes:
        return ("AFFINITY_NO_MATCH",)
    return codes


def _gated(pod: Pod, gap: InputGap) -> ObstacleSet:
    """A pod of which nobody says that an attempt failed: that is how one with a gate looks, and gates are not
    printed."""
    kind: ObstacleKind = find_kind(_GATED)
    text = (
        "Its condition PodScheduled is False, and no event says that an attempt failed: so looks a pod that a "
        f"scheduling gate holds back. {_capital(gap.text)}; {gap.command} shows them"
    )
    obstacle = Obstacle(
        code=_GATED,
        subject="spec.schedulingGates",
        object=f"v1/Pod/{pod.key}",
        needs={"shownBy": gap.command},
        text="a scheduling gate, which the input does not show, probably holds it back",
    )
    return ObstacleSet(codes=(_GATED,), obstacles=(obstacle,), stage=kind.stage, actor=kind.actor, text=f"{text}.")


def _about(gaps: Sequence[InputGap], pod: Pod) -> Iterator[InputGap]:
    """The gaps about the pod itself that hide its gates."""
    reference = f"v1/Pod/{pod.key}"
    return (gap for gap in gaps if GATES in gap.plugins and reference in gap.objects)


def _gap_of(gaps: Sequence[InputGap], plugin: str, pod: Pod) -> InputGap | None:
    """The gap that hides the rule: one about the pod before others, one of the plugin before the lack of nodes."""
    reference = f"v1/Pod/{pod.key}"
    of_plugin = [gap for gap in gaps if plugin in gap.plugins]
    ordered = sorted(of_plugin, key=lambda gap: (reference not in gap.objects, len(gap.plugins)))
    return next(iter([*ordered, *(gap for gap in gaps if not gap.plugins and not gap.objects)]), None)


def _plugin(piece: MessagePiece) -> str:
    return piece.match.plugin if piece.match is not None else ""


def _is_of_daemon_set(pod: Pod) -> bool:
    return any(owner.kind == "DaemonSet" and owner.controller for owner in pod.owner_references)


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
