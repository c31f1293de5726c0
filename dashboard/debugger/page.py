"""Everything that the page of a cursor shows, gathered once per request; each part only when it is asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.common.pages.extension_points import POINTS
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.cursor import queries
from dashboard.debugger.cursor.cycle_events import BINDING_EVENTS
from dashboard.debugger.cursor.selection import Selection, first_trouble, selection_of
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.events.line import EventLine, event_line
from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.debugger.inputs.facts import facts_if_ready, facts_of
from dashboard.debugger.inputs.layout import Usage
from dashboard.debugger.inputs.node_set import node_set
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.labels import plural, seconds, wakes
from dashboard.debugger.panels.asks import Ask, asks_of
from dashboard.debugger.panels.causes import causes_of, has_causes
from dashboard.debugger.panels.cluster_map.node_states import MapSource
from dashboard.debugger.panels.cluster_map.panel import MapPanel
from dashboard.debugger.panels.cycle import extension_points
from dashboard.debugger.panels.cycle.call_strip import CallStrip, call_strip
from dashboard.debugger.panels.cycle.from_recording import cycle_view
from dashboard.debugger.panels.cycle.view_model import CycleView, PluginAnswer
from dashboard.debugger.panels.cycle_list import reason_texts
from dashboard.debugger.panels.jumps import JumpPair, jump_pairs
from dashboard.debugger.panels.lanes import board as queue_board
from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell, cell_of
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.debugger.panels.missing import Missing
from dashboard.debugger.panels.object_yaml import ObjectYaml, object_yaml
from dashboard.debugger.panels.pod_history import Ending, Line, history_lines, moves_with_a_line, pod_status
from dashboard.debugger.panels.preemption import PreemptionPanel, preemption_panel
from dashboard.debugger.panels.transport import Transport, transport
from dashboard.debugger.panels.untried import UntriedPod, untried_pod
from dashboard.debugger.panels.why import near_misses as misses
from dashboard.debugger.panels.why import refusals as refused
from dashboard.debugger.panels.why.state import why_state
from dashboard.debugger.panels.why.waterfall import Waterfall, waterfall
from dashboard.runs import queries as run_queries
from dashboard.runs.demo import is_demo
from dashboard.runs.models import State
from dashboard.runs.storage import recordings
from scheduler_core.explain import checked_requests
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.events import RunFinished
from scheduler_core.recording.state import RunState

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.inputs.facts import Facts, PodFacts


# How long a pod stays unschedulable (microseconds) where the policies do not say: in v1.34, and in the older queue.
STAY, MOVE_CYCLE_STAY = 300_000_000, 60_000_000


class CursorPage:
    """The parts of the page, each computed on first use. `wait` reads the sizes of pods even where that takes long."""

    def __init__(self, cursor: Cursor, wait: bool = False) -> None:
        self.cursor = cursor
        self.run = cursor.run
        self.wait = wait

    @cached_property
    def selection(self) -> Selection:
        """The pod, its attempt and the node that every pane speaks of."""
        return selection_of(self.cursor)

    @cached_property
    def steps(self) -> queries.Steps:
        """Where one can go from here."""
        return queries.steps_from(self.run, self.cursor.seq, self.cursor.cycle)

    @cached_property
    def transport(self) -> Transport:
        """The buttons that step, in the grain that the address names."""
        return transport(self.cursor)

    @cached_property
    def jumps(self) -> list[JumpPair]:
        """The buttons that jump along the run."""
        return jump_pairs(self.cursor, self.selection)

    @cached_property
    def facts(self) -> Facts | None:
        """Sizes of pods and nodes, None while they are being read."""
        return facts_of(self.run) if self.wait else facts_if_ready(self.run)

    @cached_property
    def state(self) -> RunState:
        """The state at the cursor; an empty one before the run has begun."""
        if not self.has_begun:
            return RunState()
        if self.selection.attempt is not None:
            # It lies before this one, which is then folded from it.
            _ = self.before
        return state_at(self.run, self.cursor.seq)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are at the cursor; before the run has begun, how many its inputs have."""
        return len(self.state.nodes) if self.has_begun else self.run.n_nodes

    @cached_property
    def before(self) -> RunState:
        """The state when the attempt's cycle began, empty where there is none."""
        attempt = self.selection.attempt
        return state_at(self.run, attempt.first_seq) if attempt else RunState()

    @cached_property
    def has_begun(self) -> bool:
        """Whether there is a state to show: before, a worker is waited for, or reads the inputs."""
        return self.run.head.seq > 0 or self._has_begun()

    @property
    def is_starting(self) -> bool:
        """Whether the run has not begun and will: nothing is known of the cluster then but its size."""
        return not self.has_begun and not self.run.has_ended

    @property
    def waiting_text(self) -> str:
        """What a run that has not begun waits for."""
        if self.run.state == State.PAUSED:
            return "Paused before the first event"
        if self.run.state == State.QUEUED:
            return "Waiting for a worker"
        return f"Reading {plural(self.run.revision.n_objects, 'object')}"

    @property
    def no_cycle(self) -> tuple[str, str]:
        """Return title and sentence for a cursor without a cycle."""
        run = self.run
        size = f"{grouped(run.n_nodes)} nodes, {grouped(run.n_pods)} pods"
        if run.head.cycle:
            return "Before the first cycle", size
        if run.has_ended:
            return "No cycles", run.error if run.state == State.FAILED else run.finish_reason or "the run has no cycle"
        return "No cycle yet", size

    def _has_begun(self) -> bool:
        try:
            return recordings.read(self.run.pk, lambda reader: reader.keyframe_before(0) is not None)
        except RecordingError:
            return False

    @cached_property
    def lanes(self) -> list[queue_board.BoardLane]:
        """The queue board, narrowed to the pods that the filter lets through."""
        selected = self.selection
        query = queue_board.BoardQuery(self.cursor.view.pods, selected.pod, selected.uid)
        return queue_board.board(self.state, self.facts, query)

    @property
    def event_line(self) -> EventLine | None:
        """The event that the cursor has just behind it, in words."""
        return event_line(self.run, self.cursor.seq)

    @cached_property
    def cycle(self) -> CycleView | None:
        """The cycle of the inspector: the selected pod's last attempt."""
        return cycle_view(replace(self.cursor, cycle=self.selection.attempt))

    @cached_property
    def untried(self) -> UntriedPod | None:
        """Where the selected pod is instead, where it had no attempt yet."""
        selected = self.selection
        if not selected.pod or selected.attempt is not None:
            return None
        return untried_pod(self.state, selected.pod, selected.uid)

    @property
    def point_names(self) -> tuple[str, ...]:
        """The extension points in their order."""
        return POINTS

    @cached_property
    def calls(self) -> CallStrip | None:
        """The plugin calls of the extension point at the cursor."""
        return call_strip(self.cycle, self.cursor) if self.cycle else None

    @cached_property
    def pod(self) -> PodFacts | None:
        """What the cycle's pod asks for."""
        return self.facts.pod(self.cycle.row.pod, self.before) if self.facts and self.cycle else None

    @property
    def asks(self) -> list[Ask]:
        """What the selected pod requests, also where it was not tried yet."""
        if self.cycle is None and self.facts and self.selection.pod:
            return asks_of(self.facts.pod(self.selection.pod, self.state))
        return asks_of(self.pod)

    @cached_property
    def frame(self) -> FrameView | None:
        """The cycle's verdicts and scores as far as the cursor knows them, None before its filter phase."""
        cycle = self.cycle
        if cycle is None or cycle.known_columns is None:
            return None
        number = cycle.row.number
        found = recordings.read(self.run.pk, lambda reader: reader.frame(number), self.run.head)
        if found is None:
            return None
        rows = node_set(self.before.nodes).rows(found.n_rows)
        return FrameView(found, rows, cycle.known_columns)

    @cached_property
    def matrix(self) -> matrix.Matrix | None:
        """One page of the plugin x node matrix."""
        if self.frame is None or self.cycle is None:
            return None
        view, cycle = self.cursor.view, self.cycle
        query = matrix.MatrixQuery(
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
    def usage_before(self) -> Usage | None:
        """What was requested of the nodes when the cycle began."""
        if self.facts is None or self.cycle is None:
            return None
        return usage_at(self.facts, self.before)

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
        """Nodes by first refusal."""
        return refused.refusals(self.frame, self.missing) if self.frame and self.cycle else None

    @cached_property
    def missing(self) -> Missing:
        """What refused nodes lack for the cycle's pod; no amounts while sizes are being read."""
        frame, context = self.frame, self.explaining
        if frame is None or context is None or not len(frame.refused) or self.usage_before is None:
            return Missing()
        return Missing(misses.with_nominated(self.usage_before, context), context.requests)

    @property
    def why_state(self) -> str:
        """Which answer the Why tab gives."""
        return why_state(self.cycle, self.waterfall, self.refusals, self.rejected) if self.cycle else "open"

    @property
    def why_template(self) -> str:
        """The partial of that answer."""
        return f"debugger/why/_{self.why_state}.html"

    @cached_property
    def explaining(self) -> misses.RefusalContext | None:
        """Pod and cluster as the cycle found them, None while sizes are being read or for a pod that no input has."""
        if self.facts is None or self.cycle is None or self.pod is None:
            return None
        checked = checked_requests(self.pod.object, configuration_of(self.run))
        return misses.RefusalContext(self.pod, self.facts, self.before, checked)

    @cached_property
    def misses(self) -> list[misses.Miss]:
        """The refused nodes that came nearest, where nothing fitted."""
        frame, context = self.frame, self.explaining
        if frame is None or context is None or self.usage_before is None or len(frame.feasible):
            return []
        return misses.misses(context, frame, self.usage_before)

    @cached_property
    def preemption_panel(self) -> PreemptionPanel | None:
        """The preemption."""
        if self.cycle is None or self.cycle.preemption is None:
            return None
        return preemption_panel(self.cycle.preemption, self.cycle.row.n_nodes, self.facts, self.before)

    @cached_property
    def history(self) -> run_queries.PodHistory | None:
        """Everything that happened to the selected pod."""
        selected = self.selection
        return run_queries.pod_history(self.run, selected.pod, selected.uid) if selected.pod else None

    @cached_property
    def yaml(self) -> ObjectYaml | None:
        """The selected pod's manifest as of the cursor; None for a pod that neither inputs nor run have."""
        pod = self.selection.pod
        return object_yaml(self.run, self.facts, self.state, "Pod", pod) if pod else None

    @cached_property
    def pod_status(self) -> str:
        """How the pod stands at the cursor where it is not simply there: who made it, how it leaves or left."""
        return pod_status(self.history, self.state) if self.history else ""

    @cached_property
    def ending(self) -> Ending | None:
        """How the run ended, None where the cursor is before its end."""
        if not self.state.finished:
            return None
        last = recordings.read(self.run.pk, lambda reader: reader.event(self.state.seq - 1), self.run.head)
        return Ending(last.reason, last.missing, last.n_short) if isinstance(last, RunFinished) else None

    @cached_property
    def history_lines(self) -> list[Line]:
        """The pod's history in lines."""
        found = self.history
        if found is None:
            return []
        times = queries.times_of(self.run, [victim.cycle for victim in found.evictions])
        causes = {} if self.lacks_causes else causes_of(self.run, [move.seq for move in moves_with_a_line(found)])
        victims = run_queries.victims_of(self.run, [one.cycle for one in found.preemptions if one.node])
        failed = [cycle.number for cycle in found.cycles if cycle.outcome == "unschedulable"]
        return history_lines(found, self.cursor, times, causes, victims, reason_texts(self.run, failed))

    @cached_property
    def lacks_causes(self) -> bool:
        """Whether the recording is of a format that does not say what caused its events."""
        return not has_causes(self.run)

    @cached_property
    def attempts(self) -> int:
        """How many cycles the selected pod had in the whole run."""
        selected = self.selection
        return run_queries.attempts_of(self.run, selected.pod, selected.uid) if selected.pod else 0

    @cached_property
    def map(self) -> MapPanel | None:
        """The cluster map with its cards, table and node card; None while sizes are being read."""
        if self.facts is None:
            return None
        selected, state = self.selection, self.state
        source = MapSource(
            state=state,
            facts=self.facts,
            usage=usage_at(self.facts, state),
            cycle=self.cycle,
            view=self.frame,
            pod=self.pod or self.facts.pod(selected.pod, state),
            selection=selected,
            context=self.explaining,
        )
        return MapPanel(source, self.cursor.view)

    @cached_property
    def chosen_cell(self) -> ChosenCell | None:
        """The cell of the matrix that the address names, with the reasons of those that refuse."""
        view = self.cursor.view
        if self.frame is None or not view.node:
            return None
        cell = cell_of(self.frame, view.node, view.plugin)
        if cell.kind == "missing" or self.explaining is None:
            return cell
        asked = [cell.verdict] if cell.verdict else cell.cells
        return replace(cell, reasons=misses.reasons_of(self.explaining, view.node, asked))

    @property
    def wakes(self) -> list[tuple[str, str]]:
        """(plugin, events) that would let the cycle's pod try again."""
        finished = self.cycle.finished if self.cycle else None
        plugins = finished.plugins + finished.pending_plugins if finished else ()
        return [(plugin, wakes((plugin,))) for plugin in plugins]

    @property
    def longest_stay(self) -> str:
        """How long a pod stays unschedulable before it is tried again without any event: "5 min 0 s"."""
        given = self.run.policies.get("unschedulable_stay_us")
        usual = MOVE_CYCLE_STAY if self.run.policies.get("queue") == "move-cycle" else STAY
        return seconds(usual if given is None else given)

    @property
    def pin(self) -> str:
        """The query of the cursor for threads: seq, point, plugin (the chosen cell's, else the one called), node."""
        view = self.cursor.view
        plugin = view.plugin or view.call
        named = {"seq": self.cursor.seq, "point": view.point, "plugin": plugin, "node": view.node}
        return urlencode({name: value for name, value in named.items() if value})

    @property
    def bound_seq(self) -> int | None:
        """The cursor behind the binding of the cycle's pod."""
        return extension_points.bound_seq(self.cycle) if self.cycle else None

    @property
    def skipped(self) -> list[str]:
        """Plugins that had nothing to filter in this cycle."""
        return extension_points.skipped_plugins(self.cycle) if self.cycle else []

    @property
    def rejected(self) -> PluginAnswer | None:
        """What ended the cycle in PreFilter."""
        return extension_points.rejected_by_pre_filter(self.cycle) if self.cycle else None

    @property
    def is_introduction(self) -> bool:
        """Whether a reader's first visit should show how a run goes: a demo's page as it is opened from elsewhere."""
        if not self.run.has_ended or not is_demo(self.run):
            return False
        trouble = first_trouble(self.run)
        return trouble is not None and (self.cursor.is_plain or self.cursor.named == trouble.number)

    @property
    def is_final(self) -> bool:
        """Whether this answer stays as it is while the run goes on, but for how far the run is."""
        if self.run.has_ended:
            return True
        attempt = self.selection.attempt
        bound_later = attempt.last_seq + BINDING_EVENTS if attempt else 0
        return len(self.steps.ahead) == queries.AHEAD and bound_later < self.run.head.seq
