"""What the page asks answer workers: each question by a part of the page that waits for its answer."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.answers.panel import AskedPart, Asking
from dashboard.answers.questions import NodesCompared, RequestRangesOf, RequestsTried
from dashboard.debugger.why.node.requests import RequestRows, TrialRow, request_rows, trial_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.debugger.attempt import InspectedAttempt
    from dashboard.debugger.why.node.address import RivalsCursor
    from scheduler_core.explain.rivals.model import Rivalry


def answer_address(cursor: RivalsCursor) -> Callable[[str], str]:
    """Return a function from a question's name to the URL at which a part of the page asks for its answer."""
    query = cursor.url().partition("?")[2]
    return lambda name: f"{reverse('debugger:why_node_answer', args=[cursor.slug, cursor.run.number, name])}?{query}"


class AskedRivals:
    """The nodes that are compared, and what answer workers say of them and of the pod's requests.

    `part` is the name of the question whose part is rendered, with the `query` of its request; the page itself, "",
    asks none, as most moments are only passed.
    """

    def __init__(
        self, cursor: RivalsCursor, attempt: InspectedAttempt, part: str = "", query: Mapping[str, str] | None = None
    ) -> None:
        asking = Asking(cursor.run, answer_address(cursor))
        self.cursor = cursor
        self.attempt = attempt
        self.asking = asking if query is None else asking.again(query)
        self.part = part

    @cached_property
    def names(self) -> list[str]:
        """The compared nodes: those of the address, even if the cycle did not have them; else the winner and the
        runner-up.
        """
        cycle, frame = self.attempt.cycle, self.attempt.frame
        if cycle is None or frame is None:
            return []
        if self.cursor.nodes:
            return list(self.cursor.nodes)
        nodes = [cycle.winner, cycle.second or cycle.equal]
        best = [frame.array[row] for row in frame.feasible[:2]] if not nodes[0] else []
        refused = [frame.names[int(row)] for row in frame.refused[:2]]
        return [str(name) for name in dict.fromkeys([*nodes, *best, *refused]) if name][:2]

    @cached_property
    def cycle(self) -> int | None:
        """The number of the cycle that is asked about: its decision is shown, and there are nodes to compare."""
        cycle = self.attempt.cycle
        return cycle.row.number if cycle is not None and cycle.is_done and self.names else None

    @cached_property
    def compared(self) -> AskedPart[Rivalry]:
        """The nodes with the inputs of their scores."""
        question = None if self.cycle is None else NodesCompared(self.cycle, tuple(self.names))
        return AskedPart(self.asking, question, lambda answer: answer.value, self.part == "why-node")

    @cached_property
    def _cycle_with_winner(self) -> int | None:
        return self.cycle if self.attempt.cycle is not None and self.attempt.cycle.winner else None

    @cached_property
    def ranges(self) -> AskedPart[RequestRows]:
        """The ranges of the pod's requests, where a node was found."""
        cycle, requests = self._cycle_with_winner, self.cursor.requests
        question = None if cycle is None else RequestRangesOf(cycle)
        return AskedPart(
            self.asking,
            question,
            lambda answer: request_rows(answer.value, requests, answer.seconds),
            self.part == "request-ranges",
        )

    @cached_property
    def trial(self) -> AskedPart[TrialRow]:
        """The requests and weights of the address, tried by the engine where a request is changed."""
        cycle, cursor = self._cycle_with_winner, self.cursor
        question = None
        if cycle is not None:
            question = RequestsTried(cycle, cursor.requests, cursor.weights, tuple(self.names))
        is_asked = self.part == "request-trial" and bool(cursor.requests)
        return AskedPart(self.asking, question, lambda answer: trial_row(answer.value), is_asked)

    @cached_property
    def asker(self) -> str:
        """The key by which a later request of this form replaces an earlier one."""
        return secrets.token_hex(8)

    @property
    def fields_url(self) -> str:
        """The URL that tries the requests of a form; it leaves out those of the address."""
        if self._cycle_with_winner is None:
            return ""
        return answer_address(replace(self.cursor, requests={}, weights={}))("request-trial")
