"""The cluster map as data: names once per set of nodes, then per cursor one byte per node and figure."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.common.pages.numbers import grouped, percent
from dashboard.debugger.inputs.layout import Layout, Usage, shares
from dashboard.debugger.labels import plural
from dashboard.debugger.panels.matrix.frame_view import FrameView, filter_cell, verdict_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from scheduler_core.recording.state import RunState

CARDS = 60
_PREFIX = re.compile(r"^node\(s\) (were |had )?")
MARKED = 50
FITS, REFUSED, UNRESOLVABLE, UNSEEN, CANDIDATE, NOMINATED = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class MapSource:
    """What the map is drawn from. `view` and `cycle` are None where the cursor knows no verdicts."""

    state: RunState
    facts: Facts
    usage: Usage
    cycle: CycleView | None
    view: FrameView | None


def nodes_json(layout: Layout) -> dict[str, Any]:
    """Return {version, names}: what does not change from cursor to cursor."""
    return {"version": layout.version, "names": layout.names}


def map_json(source: MapSource) -> dict[str, Any]:
    """Return the map at a cursor.

    Bytes in base64, one per node in the order of the names: cpu and memory (percent, capped at 255), verdict (0 none,
    1 fits, 2 refused, 3 unresolvable, 4 not looked at, 5 candidate, 6 nominated), score (0..255 among those that fit).
    """
    usage = source.usage
    verdict, score = _verdicts(source)
    found: dict[str, Any] = {
        "version": usage.layout.version,
        "seq": source.state.seq,
        "cpu": _bytes(100 * shares(usage.cpu, usage.cpu_whole)),
        "memory": _bytes(100 * shares(usage.memory, usage.memory_whole)),
        "verdict": _bytes(verdict),
        "score": _bytes(score),
        "zones": _zones(source, verdict),
        "marks": _marks(source),
    }
    if len(usage.names) < CARDS:
        found["cards"] = _cards(source, verdict)
    return found


def _bytes(values: NDArray[Any]) -> str:
    # What is in use and rounds to nothing still shows as something.
    whole = np.where((values > 0) & (values < 1), 1, np.rint(values))
    return base64.b64encode(np.clip(whole, 0, 255).astype(np.uint8).tobytes()).decode()


def _verdicts(source: MapSource) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    layout, view = source.usage.layout, source.view
    verdict, score = np.zeros(len(layout.names), dtype=np.uint8), np.zeros(len(layout.names))
    if view is None:
        return verdict, score
    rows = _rows(layout, view)
    there = rows >= 0
    verdict[there] = verdict_codes(view)[rows[there]]
    verdict[~there] = UNSEEN
    fits = verdict == FITS
    if view.has_scores and fits.any():
        totals = view.totals[rows[fits]].astype(np.float64)
        low, span = totals.min(), max(totals.max() - totals.min(), 1.0)
        score[fits] = 255 * (totals - low) / span
    else:
        score[fits] = 160
    _mark_candidates(source, verdict)
    return verdict, score


def _rows(layout: Layout, view: FrameView) -> NDArray[np.int64]:
    """The frame's row of each node of the map, -1 for one that was not there when the cycle began."""
    if view.rows is layout.nodes.rows(view.frame.n_rows):
        return layout.rows
    return np.array([view.row_of.get(name, -1) for name in layout.names], dtype=np.int64)


def _mark_candidates(source: MapSource, verdict: NDArray[np.uint8]) -> None:
    preemption = source.cycle.preemption if source.cycle else None
    if preemption is None:
        return
    for one in preemption.candidates:
        i = source.usage.index.get(one.node)
        if i is not None:
            verdict[i] = NOMINATED if one.node == preemption.nominated_node else CANDIDATE


def _zones(source: MapSource, verdict: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """Stretches of nodes of the same zone, each with its line of text."""
    usage, found = source.usage, []
    for zone, start, end in usage.layout.zones:
        words = [plural(end - start, "node")]
        if source.view is not None:
            words.append(f"{grouped(int((verdict[start:end] == FITS).sum()))} fit")
        asked, whole = int(usage.cpu[start:end].sum()), int(usage.cpu_whole[start:end].sum())
        words.append(f"cpu {percent(asked, whole)} requested")
        found.append({"name": zone or "no zone", "start": start, "end": end, "note": " · ".join(words)})
    return found


def _marks(source: MapSource) -> dict[str, Any]:
    index, cycle = source.usage.index, source.cycle
    winner, second = (cycle.winner, cycle.second) if cycle else ("", "")
    found: dict[str, Any] = {
        "winner": index.get(winner, -1),
        "second": index.get(second, -1),
        "ties": [],
        "nominated": sorted({index[node] for node in source.state.nominations.values() if node in index})[:MARKED],
    }
    selected, view = (cycle.selected, source.view) if cycle else (None, None)
    if selected is not None and view is not None and view.has_scores and selected.tie_count > 1:
        rows = view.feasible[view.totals[view.feasible] == selected.total][:MARKED]
        names = [view.names[int(row)] for row in rows]
        found["ties"] = [index[name] for name in names if name in index and name not in (winner, second)]
    return found


# ---------------------------------------------------------------- cards


def _cards(source: MapSource, verdict: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """Per node a line of text, and its pods as [percent of its cpu, flag, name]: v victim, r reprieved, m mine."""
    by_node: dict[str, list[list[Any]]] = {name: [] for name in source.usage.names}
    flags = _flags(source)
    mine = source.cycle.row.pod if source.cycle else ""
    for pod, placement in source.state.placements.items():
        i = source.usage.index.get(placement.node)
        if i is None:
            continue
        known = source.facts.pod(pod, source.state)
        whole = int(source.usage.cpu_whole[i])
        share = 100 * known.cpu / whole if known and whole else 0
        flag = "m" if pod == mine else flags.get((placement.node, pod), "t" if pod in source.state.terminating else "")
        by_node[placement.node].append([round(share, 1), flag, pod])
    texts = [_card_text(source, name, int(verdict[i])) for i, name in enumerate(source.usage.names)]
    return [{"t": texts[i], "pods": by_node[name]} for i, name in enumerate(source.usage.names)]


def _flags(source: MapSource) -> dict[tuple[str, str], str]:
    preemption = source.cycle.preemption if source.cycle else None
    found = {}
    for one in preemption.candidates if preemption else ():
        found.update({(one.node, pod): "v" for pod in one.victims})
        found.update({(one.node, pod): "r" for pod in one.reprieved})
    return found


def _card_text(source: MapSource, name: str, verdict: int) -> str:
    """The node's line: who leaves, why not, or how it stands."""
    cycle, view = source.cycle, source.view
    if verdict in (CANDIDATE, NOMINATED) and cycle is not None and cycle.preemption is not None:
        one = next(c for c in cycle.preemption.candidates if c.node == name)
        broken = f", {one.violations} PDB" if one.violations else ""
        return plural(len(one.victims), "victim") + broken
    if view is None or verdict in (0, UNSEEN):
        return "not looked at" if verdict == UNSEEN else plural(int(source.usage.pods[source.usage.index[name]]), "pod")
    row = view.row_of[name]
    if verdict == FITS:
        return f"total {grouped(int(view.totals[row]))}" if view.has_scores else "fits"
    cells = (filter_cell(view.frame, plugin, row) for plugin in view.frame.filter_plugins)
    reason = next((cell.reason for cell in cells if cell.look in ("no", "nores")), "refused")
    return _PREFIX.sub("", reason)
