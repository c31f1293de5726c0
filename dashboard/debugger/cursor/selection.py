"""The selection of the page at a cursor, which all panes share: one pod with its attempt, and one node.

The address names them: `pod` (and `uid`) and `node`. Without `pod` it is the pod of the cursor's cycle. `select` is a
pod to select at its last attempt; the resulting cursor has an address of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.common.http.params import text_param
from dashboard.debugger.cursor import queries
from dashboard.debugger.cursor.cursor import NAME_LIMIT, Cursor, cursor_of
from dashboard.debugger.labels import split_key
from dashboard.runs.queries import cycle_at_seq, find_cycle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.runs.models import Cycle, Run


@dataclass(frozen=True)
class Selection:
    """The selected pod ("" before the first cycle), its last attempt at or before the cursor, and the selected node.

    `is_explicit`: the address names the pod. `is_last_decision`: the cursor is after the attempt, so what the inspector
    shows of it does not happen at the cursor.
    """

    pod: str
    uid: str
    node: str
    attempt: Cycle | None
    is_explicit: bool
    is_last_decision: bool

    @property
    def namespace(self) -> str:
        """Return the pod's namespace."""
        return split_key(self.pod)[0]

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return split_key(self.pod)[1]

    @property
    def cycle(self) -> int:
        """Return the number of the attempt's cycle, 0 without one."""
        return self.attempt.number if self.attempt else 0


def selection_of(cursor: Cursor) -> Selection:
    """Return what is selected at a cursor."""
    view, attempt = cursor.view, cursor.cycle
    if view.pod and not _is_about(attempt, view.pod, view.uid):
        attempt = queries.last_attempt(cursor.run, view.pod, view.uid, cursor.seq)
    pod, uid = (view.pod, view.uid) if view.pod else (attempt.pod, attempt.pod_uid or "") if attempt else ("", "")
    return Selection(
        pod=pod,
        uid=uid,
        node=view.node,
        attempt=attempt,
        is_explicit=bool(view.pod),
        is_last_decision=attempt is not None and not _is_at(cursor, attempt),
    )


def opened(run: Run, slug: str, query: Mapping[str, str]) -> Cursor:
    """Return the cursor that an address opens; raises as `cursor_of`.

    `select` moves it to that pod's last attempt at or before it. An address without a moment opens a live run at its
    head, and a finished one at its first trouble.
    """
    cursor = cursor_of(run, slug, query)
    pod, uid = text_param(query, "select", NAME_LIMIT), text_param(query, "uid", NAME_LIMIT)
    if pod:
        seq = run.head.seq if cursor.is_plain else cursor.seq
        attempt = queries.last_attempt(run, pod, uid, seq)
        moment = replace(cursor, seq=seq, cycle=cycle_at_seq(run, seq)) if attempt is None else _at_end(cursor, attempt)
        return replace(moment, view=replace(cursor.view, pod=pod, uid=uid, point="", call=""), is_plain=False)
    if not cursor.is_plain:
        return cursor
    if not run.has_ended:
        return replace(cursor, seq=run.head.seq, cycle=cycle_at_seq(run, run.head.seq))
    trouble = first_trouble(run)
    return cursor if trouble is None else _at_end(cursor, trouble)


def first_trouble(run: Run) -> Cycle | None:
    """Return the first cycle that failed, with or without preemption, else the first cycle; None without cycles."""
    return queries.first_failure(run) or find_cycle(run, 1)


def entry_of(run: Run, slug: str) -> str:
    """Return the address at which other pages open the debugger.

    A run that has not ended opens at its head; another one at its first failed cycle, else at its first cycle.
    """
    if not run.has_ended:
        return reverse("debugger:run", kwargs={"slug": slug, "number": run.number})
    failure, start = queries.first_failure(run), Cursor(run, slug, 0, None)
    number = failure.number if failure else min(run.head.cycle, 1)
    return start.url(cycle=number) if number else start.url()


def _at_end(cursor: Cursor, cycle: Cycle) -> Cursor:
    return replace(cursor, seq=cycle.last_seq + 1, cycle=cycle, named=cycle.number)


def _is_about(cycle: Cycle | None, pod: str, uid: str) -> bool:
    return cycle is not None and cycle.pod == pod and (cycle.pod_uid or "") == uid


def _is_at(cursor: Cursor, attempt: Cycle) -> bool:
    """Whether the cursor is at a moment of the attempt, or the address names its cycle (its binding may end later)."""
    return cursor.named == attempt.number or attempt.first_seq < cursor.seq <= attempt.last_seq + 1
