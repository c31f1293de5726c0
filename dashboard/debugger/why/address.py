"""The address of the page that says why a pod is pending: a pod, and one of its attempts or a moment."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import optional_int, text_param
from dashboard.common.problems import NotFound, WayOut
from dashboard.debugger.cursor.cursor import NAME_LIMIT, Cursor
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.why.own_change import change_text
from dashboard.runs.models import Cycle
from dashboard.runs.queries import of_pod

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.runs.models import Run

MOMENTS = ("cycle", "seq", "near", "select")


@dataclass(frozen=True)
class WhyCursor(Cursor):
    """A cursor on the page: its addresses stay there, but for those of the debugger's tabs.

    `would` is the change that the page's form asks about; another moment or pod is not asked about it.
    """

    would: str = ""

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed, as `Cursor.url`; one that names a tab is the debugger's."""
        if "tab" in changes:
            return self.plain.url(**changes)
        asked = changes.pop("would", "" if {"seq", "cycle", "pod"} & changes.keys() else self.would)
        address = super().url(**changes)
        return f"{address}&{urlencode({'would': asked})}" if asked else address

    @cached_property
    def plain(self) -> Cursor:
        """The same moment and selection in the debugger."""
        return Cursor(**{one.name: getattr(self, one.name) for one in fields(Cursor)})

    @property
    def in_debugger(self) -> str:
        """Return the URL of the same answer in the debugger, beside queues and map."""
        return self.plain.url(tab="why")

    @cached_property
    def _address(self) -> str:
        return reverse("debugger:why", kwargs={"slug": self.slug, "number": self.run.number})


def why_url(slug: str, number: int, pod: str, uid: str = "") -> str:
    """Return the address of the pod's last attempt on the page; `uid` is "" for the first pod of its name."""
    query = {"pod": pod} | ({"uid": uid} if uid else {})
    return f"{reverse('debugger:why', kwargs={'slug': slug, 'number': number})}?{urlencode(query, safe='/')}"


def why_cursor(run: Run, slug: str, query: Mapping[str, str]) -> WhyCursor:
    """Return the cursor that an address names: the pod's last attempt where it names no moment, its `attempt` K if any.

    Raises as `cursor_of` does, and NotFound for an attempt that the pod did not have.
    """
    pod, uid = text_param(query, "pod", NAME_LIMIT), text_param(query, "uid", NAME_LIMIT)
    asked = dict(query.items())
    if pod and not any(name in query for name in MOMENTS):
        attempt = optional_int(query, "attempt")
        asked |= {"select": pod} if attempt is None else {"cycle": str(_cycle(run, slug, (pod, uid), attempt))}
    base = opened(run, slug, asked)
    # The page speaks of one pod: a run that goes on does not lead to the next.
    cursor = replace(base, is_plain=False, view=replace(base.view, tab="matrix"))
    return WhyCursor(**{one.name: getattr(cursor, one.name) for one in fields(Cursor)}, would=change_text(query))


def _cycle(run: Run, slug: str, pod: tuple[str, str], attempt: int) -> int:
    """The cycle of the pod's attempt number K."""
    cycles = Cycle.objects.filter(**of_pod(run, *pod))
    number = cycles.filter(attempt=attempt).order_by("-number").values_list("number", flat=True).first()
    if number is None:
        last = cycles.count()
        attempts = f"it had {last:,}" if last else "it had none"
        raise NotFound(
            f"{pod[0]} had no attempt {attempt:,} in run {run.number}; {attempts}.",
            title="No such attempt",
            way_out=WayOut(why_url(slug, run.number, *pod), "Open its last attempt"),
        )
    return number
