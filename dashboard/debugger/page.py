"""The contents of a cursor's page, gathered once per request; each part is computed only when it is used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.answers.panel import Asking
from dashboard.common.pages.extension_points import POINTS
from dashboard.debugger.asked import AskedParts
from dashboard.debugger.attempt import InspectedAttempt
from dashboard.debugger.cause import PodCause
from dashboard.debugger.events.line import EventLine, event_line
from dashboard.debugger.inputs.facts import facts_if_ready
from dashboard.debugger.inputs.node_usage import usage_at
from dashboard.debugger.moment import CursorMoment
from dashboard.debugger.panels.cluster_map.node_states import MapSource
from dashboard.debugger.panels.cluster_map.panel import MapPanel
from dashboard.debugger.panels.jumps import JumpPair, jump_pairs
from dashboard.debugger.panels.lanes import board as queue_board
from dashboard.debugger.panels.transport import TransportBar, transport
from dashboard.debugger.selected_pod import InspectedPod

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.inputs.facts import Facts
    from dashboard.runs.models import Run


def answer_address(cursor: Cursor) -> Callable[[str], str]:
    """Return a function from names of questions to the addresses at which parts of the page request their answers."""
    query = cursor.url().partition("?")[2]
    return lambda name: f"{reverse('debugger:answer', args=[cursor.slug, cursor.run.number, name])}?{query}"


class CursorPage:
    """The panels of the page, each computed on first use.

    `moment`, `attempt` and `pod` are what is shown: the state at the cursor, the selected pod's last attempt, the pod
    over the run; `why` is the cause of its waiting, `asked` what answer workers add. `read_facts` is that of
    `CursorMoment`, `asks_at_once` that of `PodCause`; `asking` is by default without waiting for answers.
    """

    def __init__(
        self,
        cursor: Cursor,
        read_facts: Callable[[Run], Facts | None] = facts_if_ready,
        asking: Asking | None = None,
        asks_at_once: bool = False,
    ) -> None:
        self.cursor = cursor
        self.run = cursor.run
        self.moment = CursorMoment(cursor, read_facts)
        self.attempt = InspectedAttempt(self.moment)
        self.pod = InspectedPod(self.moment, self.attempt)
        self.why = PodCause(
            self.attempt, self.pod, asking or Asking(self.run, answer_address(cursor)), asks_at_once=asks_at_once
        )
        self.asked = AskedParts(self.why)

    @cached_property
    def transport(self) -> TransportBar:
        """The buttons for steps, in the grain that the address names."""
        return transport(self.cursor)

    @cached_property
    def jumps(self) -> list[JumpPair]:
        """The buttons for jumps along the run."""
        return jump_pairs(self.cursor, self.moment.selection, self.pod.attempt_numbers)

    @cached_property
    def lanes(self) -> list[queue_board.BoardLane]:
        """The queue board with the pods that match the filter."""
        selected = self.moment.selection
        query = queue_board.BoardQuery(self.cursor.view.pods, selected.pod, selected.uid)
        return queue_board.board(self.moment.state, self.moment.facts, query)

    @property
    def event_line(self) -> EventLine | None:
        """The last event before the cursor, as a sentence."""
        return event_line(self.run, self.cursor.seq)

    @property
    def point_names(self) -> tuple[str, ...]:
        """The extension points in their order."""
        return POINTS

    @cached_property
    def map(self) -> MapPanel | None:
        """The cluster map with its cards, table and node card; None while sizes are being read."""
        moment, facts = self.moment, self.moment.facts
        if facts is None:
            return None
        source = MapSource(
            state=moment.state,
            facts=facts,
            usage=usage_at(facts, self.run, moment.state),
            run=self.run,
            cycle=self.attempt.cycle,
            view=self.attempt.frame,
            pod=self.attempt.pod or self.pod.facts,
            selection=moment.selection,
            context=self.attempt.explaining,
        )
        return MapPanel(source, self.cursor.view)

    @property
    def pin(self) -> str:
        """The query of the cursor for threads: seq, point, plugin (the chosen cell's, else the one called), node."""
        view = self.cursor.view
        plugin = view.plugin or view.call
        named = {"seq": self.cursor.seq, "point": view.point, "plugin": plugin, "node": view.node}
        return urlencode({name: value for name, value in named.items() if value})
