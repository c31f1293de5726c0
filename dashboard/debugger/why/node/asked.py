"""What the page asks answer workers: each question by a part of the page that waits for its answer."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import NodesCompared, RequestRangesOf, RequestsTried
from dashboard.debugger.page import CursorPage
from dashboard.debugger.why.node.requests import RequestRows, TrialRow, request_rows, trial_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.debugger.why.node.address import RivalsCursor
    from scheduler_core.explain.rivals.model import Rivalry


def answer_address(cursor: RivalsCursor) -> Callable[[str], str]:
    """Return a function from a question's name to the URL at which a part of the page asks for its answer."""
    query = cursor.url().partition("?")[2]
    return lambda name: f"{reverse('debugger:why_node_answer', args=[cursor.slug, cursor.run.number, name])}?{query}"


class AskedRivals(CursorPage):
    """The nodes that are compared, and what answer workers say of them and of the pod's requests.

    `part` is the question that the part of the page asks which is rendered; the page itself, "", asks none, as most
    moments are only passed.
    """

    cursor: RivalsCursor
    part = ""
    reads_inputs = False

    def __init__(self, cursor: RivalsCursor, asking: Asking | None = None) -> None:
        super().__init__(cursor, asking=asking or Asking(cursor.run, answer_address(cursor)))

    @cached_property
    def names(self) -> list[str]:
        """The compared nodes: those of the address, even if the cycle did not have them; else the winner and the
        runner-up.
        """
        cycle, frame = self.cycle, self.frame
        if cycle is None or frame is None:
            return []
        if self.cursor.nodes:
            return list(self.cursor.nodes)
        nodes = [cycle.winner, cycle.second or cycle.equal]
        best = [frame.array[row] for row in frame.feasible[:2]] if not nodes[0] else []
        refused = [frame.names[int(row)] for row in frame.refused[:2]]
        return [str(name) for name in dict.fromkeys([*nodes, *best, *refused]) if name][:2]

    @cached_property
    def is_asked(self) -> bool:
        """Whether there is something to ask: the cycle's decision is shown, and there are nodes to compare."""
        return self.cycle is not None and self.cycle.is_done and bool(self.names)

    def answer_url(self, name: str) -> str:
        """Return the URL of the part that shows the answer to a question; "" where nothing is to be asked."""
        return self.asking.address(name) if self.is_asked else ""

    @property
    def compared_url(self) -> str:
        """The URL of the nodes with the inputs of their scores."""
        return self.answer_url("why-node")

    @property
    def ranges_url(self) -> str:
        """The URL of the ranges of requests; "" where no node was found."""
        return self.answer_url("request-ranges") if self.cycle is not None and self.cycle.winner else ""

    @property
    def trial_url(self) -> str:
        """The URL that tries the requests in the address."""
        return self.answer_url("request-trial") if self.ranges_url else ""

    @cached_property
    def asker(self) -> str:
        """The key by which a later request of this form replaces an earlier one."""
        return secrets.token_hex(8)

    @property
    def fields_url(self) -> str:
        """The URL that tries the requests of a form; it leaves out those of the address."""
        return answer_address(replace(self.cursor, requests={}, weights={}))("request-trial") if self.ranges_url else ""

    @cached_property
    def compared(self) -> AnswerPanel | None:
        """The comparison, asked of an answer worker; None where the page does not ask."""
        if self.part != "why-node" or not self.is_asked or self.cycle is None:
            return None
        return AnswerPanel.of(self.asking, NodesCompared(self.cycle.row.number, tuple(self.names)))

    @cached_property
    def answer(self) -> Rivalry | None:
        """The comparison's answer, None until it has arrived."""
        answer = self.compared.answer if self.compared is not None else None
        return None if answer is None else answer.value

    @cached_property
    def ranges(self) -> AnswerPanel | None:
        """The ranges of the pod's requests, asked of an answer worker."""
        if self.part != "request-ranges" or not self.ranges_url or self.cycle is None:
            return None
        return AnswerPanel.of(self.asking, RequestRangesOf(self.cycle.row.number))

    @cached_property
    def request_rows(self) -> RequestRows | None:
        """The rows of those ranges, None until the answer has arrived."""
        answer = self.ranges.answer if self.ranges is not None else None
        return None if answer is None else request_rows(answer.value, self.cursor.requests, answer.seconds)

    @cached_property
    def trial(self) -> AnswerPanel | None:
        """The requests and weights of the address, tried by an answer worker; None where none is changed."""
        is_asked = self.part == "request-trial" and self.cursor.requests
        if not is_asked or not self.trial_url or self.cycle is None:
            return None
        cursor = self.cursor
        question = RequestsTried(self.cycle.row.number, cursor.requests, cursor.weights, tuple(self.names))
        return AnswerPanel.of(self.asking, question)

    @cached_property
    def trial_row(self) -> TrialRow | None:
        """The row of that trial, None until the answer has arrived."""
        answer = self.trial.answer if self.trial is not None else None
        return None if answer is None else trial_row(answer.value)
