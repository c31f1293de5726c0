"""The attempt shown in the inspector: its cycle, verdicts and scores, and what refused nodes lack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.inputs.attempts import pending_attempts
from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.debugger.inputs.node_set import node_set
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.panels.cycle import extension_points
from dashboard.debugger.panels.cycle.call_strip import CallStrip, call_strip
from dashboard.debugger.panels.cycle.extension_points import cycle_view
from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery
from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell, cell_of
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.debugger.panels.missing import MissingOnNodes
from dashboard.debugger.panels.preemption import PreemptionPanel, answers_to, preemption_panel
from dashboard.debugger.panels.refused_node import RefusalContext, reasons_of, with_nominated
from dashboard.debugger.panels.why.waterfall import Waterfall, waterfall
from dashboard.runs.storage import recordings
from scheduler_core.explain import checked_requests
from scheduler_core.explain.outcomes.reasons import cover
from scheduler_core.profiles.names import FIT

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import PodFacts
    from dashboard.debugger.inputs.layout import Usage
    from dashboard.debugger.moment import CursorMoment
    from dashboard.debugger.panels.cycle.view_model import CycleView, PluginAnswer
    from dashboard.debugger.panels.why.waterfall import Waterfall
    from scheduler_core.explain.pending.model import PendingAttempt


@dataclass(frozen=True)
class Refusals:
    """How many nodes said what."""

    n_nodes: int
    n_refused: int
    feasible: int
    unvisited: int


def node_counts(view: FrameView) -> Refusals:
    """Return how many nodes fit, refuse, or were not looked at."""
    n_nodes = view.rows.n_present
    return Refusals(n_nodes, len(view.refused), len(view.feasible), n_nodes - int(view.visited.sum()))


# Each has a partial of its name in templates/debugger/why/.
STATES = ("drawn", "decided", "nominated", "only", "rejected", "refused", "ended", "open")


def why_state(
    cycle: CycleView, waterfall: Waterfall | None, refusals: Refusals | None, rejected: PluginAnswer | None
) -> str:
    """Return the state: drawn among equals, decided by scores, taken without scores (nominated, only), rejected in
    PreFilter, refused by all nodes looked at, ended otherwise, or open where the cursor is before the answer."""
    if waterfall is not None:
        return "drawn" if waterfall.is_tie else "decided"
    if cycle.selected is not None:
        return "nominated" if cycle.filtered is not None and cycle.filtered.nominated_only else "only"
    if rejected is not None:
        return "rejected"
    if refusals is not None and not refusals.feasible:
        return "refused"
    return "ended" if cycle.is_done and cycle.row.outcome != "scheduled" else "open"


class InspectedAttempt:
    """The selected pod's last attempt at or before the cursor, each part computed on first use."""

    def __init__(self, moment: CursorMoment) -> None:
        self.moment = moment
        self.run = moment.run

    @cached_property
    def cycle(self) -> CycleView | None:
        """The cycle of the selected pod's last attempt."""
        return cycle_view(replace(self.moment.cursor, cycle=self.moment.selection.attempt))

    @cached_property
    def pod(self) -> PodFacts | None:
        """The requests of the cycle's pod."""
        facts, cycle = self.moment.facts, self.cycle
        return facts.pod(cycle.row.pod, self.moment.before) if facts and cycle else None

    @property
    def n_nodes(self) -> int:
        """The number of nodes that there were for the attempt; without one, that are at the cursor."""
        return self.cycle.row.n_nodes if self.cycle is not None else self.moment.n_nodes

    # ---------------------------------------------------------------- verdicts and scores

    @cached_property
    def frame(self) -> FrameView | None:
        """The cycle's verdicts and scores up to the cursor, None before its filter phase."""
        cycle = self.cycle
        if cycle is None or cycle.known_columns is None:
            return None
        number = cycle.row.number
        recorded_frame = recordings.read(self.run.pk, lambda reader: reader.frame(number), self.run.head)
        if recorded_frame is None:
            return None
        rows = node_set(self.moment.before.nodes).rows(recorded_frame.n_rows)
        return FrameView(recorded_frame, rows, cycle.known_columns)

    @cached_property
    def matrix(self) -> matrix.Matrix | None:
        """One page of the plugin x node matrix."""
        if self.frame is None or self.cycle is None:
            return None
        view, cycle = self.moment.cursor.view, self.cycle
        query = MatrixQuery(
            values=view.values,
            sort=view.sort,
            order=view.order,
            q=view.q,
            page=view.page,
            open=view.open,
            winner=cycle.winner,
            second=cycle.second,
            pinned=view.node,
        )
        return matrix.build(self.frame, query, self.missing)

    @cached_property
    def chosen_cell(self) -> ChosenCell | None:
        """The cell of the matrix that the address names, with reasons if it is a refusal."""
        view = self.moment.cursor.view
        if self.frame is None or not view.node:
            return None
        cell = cell_of(self.frame, view.node, view.plugin)
        if cell.kind == "missing" or self.explaining is None:
            return cell
        asked = [cell.verdict] if cell.verdict else cell.cells
        return replace(cell, reasons=reasons_of(self.explaining, view.node, asked))

    @cached_property
    def waterfall(self) -> Waterfall | None:
        """Winner against runner-up."""
        if self.frame is None or self.cycle is None:
            return None
        return waterfall(self.cycle, self.frame, self.moment.cursor.view.node)

    @cached_property
    def calls(self) -> CallStrip | None:
        """The plugin calls of the extension point at the cursor."""
        return call_strip(self.cycle, self.moment.cursor) if self.cycle else None

    @property
    def skipped(self) -> list[str]:
        """Plugins that PreFilter skipped in this cycle."""
        return extension_points.skipped_plugins(self.cycle) if self.cycle else []

    # ---------------------------------------------------------------- refusals

    @cached_property
    def refusals(self) -> Refusals | None:
        """The number of nodes that refused the pod."""
        return node_counts(self.frame) if self.frame and self.cycle else None

    @property
    def rejected(self) -> PluginAnswer | None:
        """The plugin's answer that ended the cycle in PreFilter."""
        return extension_points.rejected_by_pre_filter(self.cycle) if self.cycle else None

    @cached_property
    def recorded(self) -> PendingAttempt | None:
        """The shown attempt as its rows have it."""
        return pending_attempts(self.run, [self.cycle.row], [])[0] if self.cycle is not None else None

    @property
    def refused_first(self) -> str:
        """Which plugins were the first to refuse how many nodes: "NodeAffinity 2, NodeUnschedulable 1"."""
        counts: Counter[str] = Counter()
        for one in self.recorded.refusals if self.recorded is not None else ():
            counts[one.plugin] += one.count
        return ", ".join(f"{plugin} {grouped(count)}" for plugin, count in counts.most_common())

    @property
    def refusing(self) -> frozenset[str]:
        """The plugins that refused the pod, on nodes or before any was looked at."""
        refusals = self.recorded.refusals if self.recorded is not None else ()
        before = {self.rejected.plugin} if self.rejected is not None else set()
        return frozenset({one.plugin for one in refusals} | before)

    @property
    def short_resource(self) -> str:
        """The resource that most of the nodes lack which are counted under room, "" where none is short."""
        refusals = self.recorded.refusals if self.recorded is not None else ()
        return next(iter(cover([one for one in refusals if one.plugin == FIT])), "")

    @cached_property
    def usage_before(self) -> Usage | None:
        """What was requested on the nodes when the cycle began."""
        if self.moment.facts is None or self.cycle is None:
            return None
        return usage_at(self.moment.facts, self.run, self.moment.before)

    @cached_property
    def missing(self) -> MissingOnNodes:
        """What refused nodes lack for the cycle's pod; without amounts while sizes are being read."""
        frame, context = self.frame, self.explaining
        if frame is None or context is None or not len(frame.refused) or self.usage_before is None:
            return MissingOnNodes()
        return MissingOnNodes(with_nominated(self.usage_before, context), context.requests)

    @cached_property
    def explaining(self) -> RefusalContext | None:
        """The pod and the cluster when the cycle began; None while sizes are being read or if no input has the pod."""
        facts = self.moment.facts
        if facts is None or self.cycle is None or self.pod is None:
            return None
        checked = checked_requests(self.pod.object, configuration_of(self.run, self.cycle.row.first_seq))
        return RefusalContext(self.pod, facts, self.moment.before, checked)

    # ---------------------------------------------------------------- the end

    @cached_property
    def preemption(self) -> PreemptionPanel | None:
        """The preemption."""
        cycle, moment = self.cycle, self.moment
        if cycle is None or cycle.preemption is None:
            return None
        plugin = extension_points.preempting_plugin(cycle)
        panel = preemption_panel(cycle.preemption, plugin, cycle.row.n_nodes, moment.facts, moment.before)
        if (shown := cycle.shown_to_extenders) is None:
            return panel
        return replace(panel, n_shown=len(shown.candidates), extenders=answers_to(shown))

    @property
    def is_refused(self) -> bool:
        """Whether the attempt is over and found no node."""
        return self.cycle is not None and self.cycle.row.outcome == "unschedulable" and self.cycle.is_done

    @property
    def bound_seq(self) -> int | None:
        """The cursor after the binding of the cycle's pod."""
        return extension_points.bound_seq(self.cycle) if self.cycle else None

    @property
    def why_state(self) -> str:
        """The name of the answer that the Why tab shows."""
        return why_state(self.cycle, self.waterfall, self.refusals, self.rejected) if self.cycle else "open"

    @property
    def why_template(self) -> str:
        """The partial of that answer."""
        return f"debugger/why/_{self.why_state}.html"

    @property
    def ended_title(self) -> str:
        """The title of an attempt that looked at no node."""
        assert self.cycle is not None
        row = self.cycle.row
        if row.outcome == "error":
            return "The attempt ended with an error"
        if row.outcome == "unschedulable":
            return "No node was looked at"
        return row.outcome.capitalize()
