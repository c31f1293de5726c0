"""By which plugin a pod is on another node in one of two runs: both nodes at both decisions, from the recorded frames.

A is the run on whose node the pod was, B the other. Let x be the pod's node in A and y that in B. Where a filter plugin
refuses x in B, or refused y in A, that plugin is named. Where both nodes were scored both times, let d(p) be how many
weighted points plugin p gave y more than x: that whose d grew most from A to B is named, by that many points.

    A: x 40 + 10, y 30 + 12     d = -10, +2
    B: x 15 + 10, y 35 + 12     d = +20, +2     the first plugin, by +30

What earlier decisions of both runs changed on the nodes is part of these points. Where the frames name no plugin, it is
said why. Cost: two frames and two states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scheduler_core.recording import Cell

if TYPE_CHECKING:
    from scheduler_core.compare.pods import PodDifference
    from scheduler_core.recording import Frame, RecordingReader

TIE = "drawn from a tie"


class Chosen(NamedTuple):
    """What one run chose for a pod: the node ("" for none) and the cycle (0: it did not decide)."""

    node: str
    cycle: int


class _Matrix(NamedTuple):
    """The frame of a decision, with the names of its rows."""

    side: str
    frame: Frame
    names: list[str]

    def refusing(self, node: str) -> str:
        """The filter plugin whose refusal of the node counts, "" for none."""
        row = self.names.index(node)
        verdicts = ((plugin, self.frame.verdict(plugin, row)) for plugin in self.frame.filter_plugins)
        return next((plugin for plugin, verdict in verdicts if verdict.cell == Cell.DECISIVE), "")

    def fits(self, node: str) -> bool:
        """Whether it was a node to choose from."""
        return self.names.index(node) in self.frame.feasible().tolist()

    def more(self, x: str, y: str) -> dict[str, int]:
        """What each score plugin gives y more than x, in weighted points."""
        rows = self.names.index(x), self.names.index(y)
        weighed = enumerate(zip(self.frame.score_plugins, self.frame.weights, strict=True))
        scores = [(name, weight, self.frame.normalized(i)) for i, (name, weight) in weighed]
        return {name: weight * int(norm[rows[1]] - norm[rows[0]]) for name, weight, norm in scores}


def decided_by(a: RecordingReader, b: RecordingReader, pod: PodDifference) -> str:
    """What made the difference of a pod that is on another node, "" for a pod that one side never had."""
    if pod.a is None or pod.b is None:
        return ""
    return moved_by(a, b, Chosen(pod.a.node, pod.a.cycle), Chosen(pod.b.node, pod.b.cycle))


def moved_by(a: RecordingReader, b: RecordingReader, mine: Chosen, other: Chosen) -> str:
    """What made the difference of two choices: the plugin with its points or the node that it refuses, a draw, or why
    the frames name none."""
    matrices = []
    for side, reader, chosen in (("A", a, mine), ("B", b, other)):
        if not chosen.cycle:
            return f"{side} decided nothing for it"
        frame = reader.frame(chosen.cycle)
        if frame is None:
            return f"cycle {chosen.cycle:,} of {side} has no matrix"
        matrices.append(_Matrix(side, frame, reader.node_names(chosen.cycle)))
    before, after = matrices
    return _difference(before, after, mine.node, other.node)


def _difference(before: _Matrix, after: _Matrix, x: str, y: str) -> str:
    for matrix, node, verb in ((after, x, "refuses"), (before, y, "refused")):
        if not node:
            continue
        if node not in matrix.names:
            return f"{node} is not there in {matrix.side}"
        if plugin := matrix.refusing(node):
            return f"{plugin} {verb} {node}"
        if not matrix.fits(node):
            return f"{node} was not looked at in {matrix.side}"
    if not x or not y:
        return f"{x or y} fitted both times"
    for matrix in (before, after):
        if not matrix.frame.score_plugins or not (matrix.fits(x) and matrix.fits(y)):
            return f"{matrix.side} scored no nodes"
    return _by_points(before.more(x, y), after.more(x, y))


def _by_points(before: dict[str, int], after: dict[str, int]) -> str:
    grown = {plugin: after.get(plugin, 0) - before.get(plugin, 0) for plugin in {**before, **after}}
    plugin = max(grown, key=lambda name: grown[name], default="")
    if grown.get(plugin, 0) > 0:
        return f"{plugin} {grown[plugin]:+,}"
    return TIE if sum(before.values()) == sum(after.values()) == 0 else "no plugin gave it more points"
