"""The attempt shown in the inspector: its cycle, verdicts and scores, and what refused nodes lack."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.debugger.inputs.layout import Usage
from dashboard.debugger.inputs.node_set import node_set
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.moment import CursorMoment
from dashboard.debugger.panels.cycle import extension_points
from dashboard.debugger.panels.cycle.from_recording import cycle_view
from dashboard.debugger.panels.cycle.view_model import CycleView, PluginAnswer
from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell, cell_of
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.debugger.panels.missing import MissingOnNodes
from dashboard.debugger.panels.refused_node import RefusalContext, reasons_of, with_nominated
from dashboard.debugger.panels.why import refusals as refused
from dashboard.debugger.panels.why.state import why_state
from dashboard.debugger.panels.why.waterfall import Waterfall, waterfall
from dashboard.runs.storage import recordings
from scheduler_core.explain import checked_requests

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import PodFacts


class InspectedAttempt(CursorMoment):
    """The selected pod's last attempt at or before the cursor, each part computed on first use."""

    @cached_property
    def cycle(self) -> CycleView | None:
        """The cycle of the selected pod's last attempt."""
        return cycle_view(replace(self.cursor, cycle=self.selection.attempt))

    @cached_property
    def pod(self) -> PodFacts | None:
        """The requests of the cycle's pod."""
        return self.facts.pod(self.cycle.row.pod, self.before) if self.facts and self.cycle else None

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
        rows = node_set(self.before.nodes).rows(recorded_frame.n_rows)
        return FrameView(recorded_frame, rows, cycle.known_columns)

    @cached_property
    def usage_before(self) -> Usage | None:
        """What was requested on the nodes when the cycle began."""
        if self.facts is None or self.cycle is None:
            return None
        return usage_at(self.facts, self.run, self.before)

    @cached_property
    def need(self) -> tuple[int, int] | None:
        """The pod's (cpu, memory)."""
        return (self.pod.cpu, self.pod.memory) if self.pod else None

    @cached_property
    def waterfall(self) -> Waterfall | None:
        """Winner against runner-up."""
        return waterfall(self.cycle, self.frame, self.cursor.view.node) if self.frame and self.cycle else None

    @cached_property
    def refusals(self) -> refused.Refusals | None:
        """The number of nodes that refused the pod."""
        return refused.refusals(self.frame) if self.frame and self.cycle else None

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
        if self.facts is None or self.cycle is None or self.pod is None:
            return None
        checked = checked_requests(self.pod.object, configuration_of(self.run, self.cycle.row.first_seq))
        return RefusalContext(self.pod, self.facts, self.before, checked)

    @cached_property
    def chosen_cell(self) -> ChosenCell | None:
        """The cell of the matrix that the address names, with reasons if it is a refusal."""
        view = self.cursor.view
        if self.frame is None or not view.node:
            return None
        cell = cell_of(self.frame, view.node, view.plugin)
        if cell.kind == "missing" or self.explaining is None:
            return cell
        asked = [cell.verdict] if cell.verdict else cell.cells
        return replace(cell, reasons=reasons_of(self.explaining, view.node, asked))

    @property
    def rejected(self) -> PluginAnswer | None:
        """The plugin's answer that ended the cycle in PreFilter."""
        return extension_points.rejected_by_pre_filter(self.cycle) if self.cycle else None

    @property
    def skipped(self) -> list[str]:
        """Plugins that PreFilter skipped in this cycle."""
        return extension_points.skipped_plugins(self.cycle) if self.cycle else []

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
