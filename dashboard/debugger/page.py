"""The contents of a cursor's page, gathered once per request; each part is computed only when it is used."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from urllib.parse import urlencode

from dashboard.common.pages.extension_points import POINTS
from dashboard.debugger.cursor import queries
from dashboard.debugger.events.line import EventLine, causes_of, event_line
from dashboard.debugger.explained import ExplainedAttempt
from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.panels.cluster_map.node_states import MapSource
from dashboard.debugger.panels.cluster_map.panel import MapPanel
from dashboard.debugger.panels.cycle import extension_points
from dashboard.debugger.panels.cycle.call_strip import CallStrip, call_strip
from dashboard.debugger.panels.cycle_list import reason_texts
from dashboard.debugger.panels.jumps import JumpPair, jump_pairs
from dashboard.debugger.panels.lanes import board as queue_board
from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery
from dashboard.debugger.panels.object_yaml import ObjectYaml, object_yaml
from dashboard.debugger.panels.pod_history import HistoryLine, history_lines, moves_with_a_line, pod_status
from dashboard.debugger.panels.preemption import PreemptionPanel, preemption_panel
from dashboard.debugger.panels.preemption_extenders import answers_to
from dashboard.debugger.panels.transport import TransportBar, transport
from dashboard.debugger.panels.untried import UntriedPod, untried_pod
from dashboard.runs import queries as run_queries


class CursorPage(ExplainedAttempt):
    """The panels of the page, each computed on first use."""

    @cached_property
    def transport(self) -> TransportBar:
        """The buttons for steps, in the grain that the address names."""
        return transport(self.cursor)

    @cached_property
    def jumps(self) -> list[JumpPair]:
        """The buttons for jumps along the run."""
        return jump_pairs(self.cursor, self.selection, self.attempt_numbers)

    @cached_property
    def lanes(self) -> list[queue_board.BoardLane]:
        """The queue board with the pods that match the filter."""
        selected = self.selection
        query = queue_board.BoardQuery(self.cursor.view.pods, selected.pod, selected.uid)
        return queue_board.board(self.state, self.facts, query)

    @property
    def event_line(self) -> EventLine | None:
        """The last event before the cursor, as a sentence."""
        return event_line(self.run, self.cursor.seq)

    @cached_property
    def untried(self) -> UntriedPod | None:
        """Where the selected pod is if it had no attempt yet."""
        selected = self.selection
        if not selected.pod or selected.attempt is not None:
            return None
        return untried_pod(self.state, selected.pod, selected.uid, self.gates, self.other_scheduler)

    @property
    def recorded_template(self) -> str:
        """The partial that says what is recorded, until the cause is known."""
        template: str = super().recorded_template if self.untried is None else self.untried.template
        return template

    @property
    def gates(self) -> tuple[str, ...]:
        """The scheduling gates of the selected pod, () while sizes are being read."""
        pod = self.facts.pod(self.selection.pod, self.state) if self.facts else None
        return pod.gates if pod else ()

    @property
    def other_scheduler(self) -> str:
        """The scheduler of the selected pod if the run has no profile of that name; "" otherwise, and while sizes are
        being read.
        """
        pod = self.facts.pod(self.selection.pod, self.state) if self.facts else None
        name = pod.object.scheduler_name if pod else ""
        profiles = configuration_of(self.run, self.cursor.seq).profiles
        return "" if name in {profile.scheduler_name for profile in profiles} else name

    @property
    def point_names(self) -> tuple[str, ...]:
        """The extension points in their order."""
        return POINTS

    @cached_property
    def calls(self) -> CallStrip | None:
        """The plugin calls of the extension point at the cursor."""
        return call_strip(self.cycle, self.cursor) if self.cycle else None

    @cached_property
    def matrix(self) -> matrix.Matrix | None:
        """One page of the plugin x node matrix."""
        if self.frame is None or self.cycle is None:
            return None
        view, cycle = self.cursor.view, self.cycle
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
    def preemption_panel(self) -> PreemptionPanel | None:
        """The preemption."""
        if self.cycle is None or self.cycle.preemption is None:
            return None
        cycle, plugin = self.cycle, extension_points.preempting_plugin(self.cycle)
        panel = preemption_panel(self.cycle.preemption, plugin, cycle.row.n_nodes, self.facts, self.before)
        if (shown := cycle.shown_to_extenders) is None:
            return panel
        return replace(panel, n_shown=len(shown.candidates), extenders=answers_to(shown))

    @cached_property
    def yaml(self) -> ObjectYaml | None:
        """The selected pod's manifest at the cursor; None if neither inputs nor run have the pod."""
        pod = self.selection.pod
        return object_yaml(self.run, self.facts, self.state, "Pod", pod) if pod else None

    @cached_property
    def pod_status(self) -> str:
        """The pod's state at the cursor if it was created by the run, or is leaving, or left; else ""."""
        return pod_status(self.history, self.state) if self.history else ""

    @cached_property
    def history_lines(self) -> list[HistoryLine]:
        """The pod's history in lines."""
        history = self.history
        if history is None:
            return []
        times = queries.times_of(self.run, [victim.cycle for victim in history.evictions])
        causes = {} if self.lacks_causes else causes_of(self.run, [move.seq for move in moves_with_a_line(history)])
        victims = run_queries.victims_of(self.run, [one.cycle for one in history.preemptions if one.node])
        failed = [cycle.number for cycle in history.cycles if cycle.outcome == "unschedulable"]
        return history_lines(history, self.cursor, times, causes, victims, reason_texts(self.run, failed))

    @cached_property
    def map(self) -> MapPanel | None:
        """The cluster map with its cards, table and node card; None while sizes are being read."""
        if self.facts is None:
            return None
        selected, state = self.selection, self.state
        source = MapSource(
            state=state,
            facts=self.facts,
            usage=usage_at(self.facts, self.run, state),
            run=self.run,
            cycle=self.cycle,
            view=self.frame,
            pod=self.pod or self.facts.pod(selected.pod, state),
            selection=selected,
            context=self.explaining,
        )
        return MapPanel(source, self.cursor.view)

    @property
    def pin(self) -> str:
        """The query of the cursor for threads: seq, point, plugin (the chosen cell's, else the one called), node."""
        view = self.cursor.view
        plugin = view.plugin or view.call
        named = {"seq": self.cursor.seq, "point": view.point, "plugin": plugin, "node": view.node}
        return urlencode({name: value for name, value in named.items() if value})
