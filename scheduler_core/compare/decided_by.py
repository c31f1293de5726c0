"""By which plugin a pod is on another node in one of two runs: both nodes at both decisions, from the recorded frames.

A is the run on whose node the pod was, B the other. Let x be the pod's node in A and y that in B. Where a filter plugin
refuses x in B, or refused y in A, that plugin is named. Where both nodes were scored both times, let d(p) be how many
weighted points plugin p gave y more than x: the plugin named is that whose d grew most from A to B, by so many points.

    A: x 40 + 10, y 30 + 12     d = -10, +2
    B: x 15 + 10, y 35 + 12     d = +20, +2     the first plugin, by +30

What earlier decisions of both runs changed on the nodes is part of these points. Cost: two frames and two states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scheduler_core.recording import Cell

if TYPE_CHECKING:
    from scheduler_core.compare.pods import PodDifference
    from scheduler_core.recording import Frame, RecordingReader

TIE = "drawn from a tie"


class _NodePair(NamedTuple):
    """Two nodes in one cycle: who refuses each ("" for nobody), and by score plugin what the second has more.

    ``more`` is None where one of them was not scored.
    """

    refused: tuple[str, str]
    more: dict[str, int] | None


def decided_by(a: RecordingReader, b: RecordingReader, pod: PodDifference) -> str:
    """The plugin that made the difference of a pod that is on another node, "" where the frames do not say it."""
    if pod.a is None or pod.b is None:
        return ""
    nodes = pod.a.node, pod.b.node
    before, after = _pair_in(a, pod.a.cycle, *nodes), _pair_in(b, pod.b.cycle, *nodes)
    if before is None or after is None:
        return ""
    if after.refused[0]:
        return f"{after.refused[0]} refuses {nodes[0]}"
    if before.refused[1]:
        return f"{before.refused[1]} refused {nodes[1]}"
    return "" if before.more is None or after.more is None else _by_points(before.more, after.more)


def _by_points(before: dict[str, int], after: dict[str, int]) -> str:
    grown = {plugin: after.get(plugin, 0) - before.get(plugin, 0) for plugin in {**before, **after}}
    plugin = max(grown, key=lambda name: grown[name], default="")
    if grown.get(plugin, 0) > 0:
        return f"{plugin} {grown[plugin]:+,}"
    return TIE if sum(before.values()) == sum(after.values()) == 0 else ""


def _pair_in(reader: RecordingReader, cycle: int, x: str, y: str) -> _NodePair | None:
    """The two nodes as the frame of a cycle has them, None without a frame or where one did not exist."""
    frame = reader.frame(cycle) if cycle > 0 else None
    if frame is None:
        return None
    names = reader.node_names(cycle)
    if x not in names or y not in names:
        return None
    rows = names.index(x), names.index(y)
    refused = _refusing(frame, rows[0]), _refusing(frame, rows[1])
    feasible = set(frame.feasible().tolist())
    if not frame.score_plugins or not feasible.issuperset(rows):
        return _NodePair(refused, None)
    scores = [(name, weight, frame.normalized(i)) for i, (name, weight) in enumerate(_weights(frame))]
    return _NodePair(refused, {name: weight * int(norm[rows[1]] - norm[rows[0]]) for name, weight, norm in scores})


def _weights(frame: Frame) -> zip[tuple[str, int]]:
    return zip(frame.score_plugins, frame.weights, strict=True)


def _refusing(frame: Frame, row: int) -> str:
    """The filter plugin whose refusal of a row counts, "" for none."""
    verdicts = ((plugin, frame.verdict(plugin, row)) for plugin in frame.filter_plugins)
    return next((plugin for plugin, verdict in verdicts if verdict.cell == Cell.DECISIVE), "")
