"""A cursor: a place in a run and the view of it. Each cursor has an address, and each address is a cursor or a clear
404.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlencode

from django.urls import reverse

from dashboard.common.http.params import choice_param, int_param, optional_int, shown, text_param
from dashboard.common.pages.extension_points import POINTS
from dashboard.common.problems import BadQuery, NotFound, WayOut
from dashboard.debugger.cursor.cycle_events import BINDING_POINTS, bound_at, positions_in
from dashboard.debugger.cursor.positions import Place
from dashboard.runs import queries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.runs.models import Cycle, Run

TABS = ("matrix", "why", "preemption", "story", "yaml", "threads")
VALUES = ("points", "norm", "raw")
CLUSTER = ("map", "table")
GRAINS = ("event", "call", "point", "cycle")
# Columns by which the table of nodes can be sorted; "-" before one reverses the order.
NODE_COLUMNS = ("group", "node", "verdict", "total", "share", "free")
SORTS = (*NODE_COLUMNS, *(f"-{name}" for name in NODE_COLUMNS))
# Values of `map` in addresses from before the map showed resources.
FORMER_DEFAULT = "verdict"
NAME_LIMIT = 400
QUERY_LIMIT = 2_000


@dataclass(frozen=True)
class View:
    """The view: contents and order of the panes. Defaults are left out of addresses.

    `uid` identifies the pod if it is not the first of the name `pod`. `q` filters nodes of the matrix, `pods` those of
    the lanes. `map` is the resource of the map, "" for the pod's dominant one; `table_sort` is the order of its table,
    `table_page` 0 the page of the selected node. `hits` is the query whose hits are marked on the timeline.
    """

    tab: str = "matrix"
    values: str = "points"
    map: str = ""
    cluster: str = "map"
    table_sort: str = ""
    table_page: int = 0
    step: str = "cycle"
    point: str = ""
    call: str = ""
    plugin: str = ""
    node: str = ""
    pod: str = ""
    uid: str = ""
    q: str = ""
    pods: str = ""
    hits: str = ""
    sort: str = ""
    order: str = ""
    page: int = 1
    open: str = ""

    def query(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults."""
        return {name: value for name, value in self.__dict__.items() if value != _DEFAULTS[name]}


_DEFAULTS = View().__dict__
# A placeholder for a value that is inserted later; no parameter may contain it.
OPEN = "\x00"
# Parameters that the address of another moment keeps.
LASTING = (
    "tab",
    "values",
    "map",
    "cluster",
    "table_sort",
    "step",
    "plugin",
    "node",
    "q",
    "pods",
    "hits",
    "sort",
    "order",
)
# A step by event keeps the selected pod; a step to another cycle selects that cycle's pod.
SELECTED = ("pod", "uid")


@dataclass(frozen=True)
class Cursor:
    """A seq of a run (the state after that many events) and the cycle in the inspector, None before the first.

    `named` is the cycle that the address names: the cursor is at its end or at one of its points. With `turn` n > 0 the
    cursor is inside event number `seq`, after the first n plugin calls that the event records. `is_plain`: the address
    names no moment.
    """

    run: Run
    slug: str
    seq: int
    cycle: Cycle | None
    view: View = field(default_factory=View)
    named: int | None = None
    is_plain: bool = False
    turn: int = 0

    @property
    def place(self) -> Place:
        """Return the place of the cursor in the order of all positions."""
        return Place(self.seq, self.turn)

    def url(self, **changes: Any) -> str:
        """Return the address of this cursor with some of `seq`, `cycle` and the view's fields changed.

        Another moment drops what belongs to this one: page, open group, point.
        """
        moment = {name: changes.pop(name) for name in ("seq", "cycle") if name in changes}
        view = self._lasting(with_pod="seq" in moment) if moment else self.view
        if "pod" in changes:
            # The uid identifies the pod of that name; "" is the first.
            changes.setdefault("uid", "")
        if changes and not moment and "page" not in changes:
            changes = {"page": 1, **changes}
        query = (moment or self._moment()) | replace(view, **changes).query()
        return f"{self._address}?{urlencode(query)}"

    def urls(self, name: str, **changes: Any) -> Callable[[str], str]:
        """Return a function from values of the view's field `name` (not "") to addresses as `url` gives them."""
        before, after = self.url(**{name: OPEN, **changes}).split(quote_plus(OPEN))
        return lambda value: f"{before}{quote_plus(value)}{after}"

    @cached_property
    def _address(self) -> str:
        return reverse("debugger:run", kwargs={"slug": self.slug, "number": self.run.number})

    def pod_url(self, pod: str, uid: str = "") -> str:
        """Return the address that selects a pod: its last attempt at or before this cursor, which the server finds."""
        selection = {"seq": self.seq, "select": pod} | ({"uid": uid} if uid else {})
        return f"{self._address}?{urlencode(selection | self._lasting(with_pod=False).query())}"

    def pod_urls(self) -> Callable[[str], str]:
        """Return a function from pods (the first of their name) to addresses as `pod_url` gives them."""
        before, after = self.pod_url(OPEN).split(quote_plus(OPEN))
        return lambda pod: f"{before}{quote_plus(pod)}{after}"

    def _lasting(self, with_pod: bool) -> View:
        names = LASTING + SELECTED if with_pod else LASTING
        return View(**{name: getattr(self.view, name) for name in names})

    def _moment(self) -> dict[str, int]:
        return {"cycle": self.named} if self.named is not None else {"seq": self.seq}


def view_of(query: Mapping[str, str]) -> View:
    """Return the view in an address; raises BadQuery."""
    return View(
        tab=choice_param(query, "tab", TABS, "matrix"),
        values=choice_param(query, "values", VALUES, "points"),
        map=_resource(query),
        cluster=choice_param(query, "cluster", CLUSTER, "map"),
        table_sort=choice_param(query, "table_sort", SORTS, ""),
        table_page=int_param(query, "table_page", default=0, low=0, high=1_000_000),
        step=choice_param(query, "step", GRAINS, "cycle"),
        point=choice_param(query, "point", POINTS, ""),
        call=text_param(query, "call", NAME_LIMIT),
        plugin=text_param(query, "plugin", NAME_LIMIT),
        node=text_param(query, "node", NAME_LIMIT),
        pod=text_param(query, "pod", NAME_LIMIT),
        uid=text_param(query, "uid", NAME_LIMIT),
        q=text_param(query, "q", NAME_LIMIT),
        pods=text_param(query, "pods", NAME_LIMIT),
        hits=text_param(query, "hits", QUERY_LIMIT),
        sort=text_param(query, "sort", NAME_LIMIT),
        order=choice_param(query, "order", ("asc", "desc"), ""),
        page=int_param(query, "page", default=1, low=1, high=1_000_000),
        open=text_param(query, "open", 20),
    )


def _resource(query: Mapping[str, str]) -> str:
    """The resource of the map in the address; "verdict" was the name of the default."""
    name = text_param(query, "map", NAME_LIMIT)
    return "" if name == FORMER_DEFAULT else name


def cursor_of(run: Run, slug: str, query: Mapping[str, str]) -> Cursor:
    """Return the cursor that the address names; raises BadQuery, or NotFound with the way to the nearest one."""
    view = view_of(query)
    number = optional_int(query, "cycle")
    if view.call and (number is None or not view.point):
        raise BadQuery('"call" names a plugin call of an extension point; "cycle" and "point" must say which.')
    if number is not None:
        return _at_cycle(run, slug, view, number)
    near = optional_int(query, "near")
    if near is not None:
        # The scrubber selects the cycle at its position.
        cycle_there = queries.cycle_at_seq(run, near)
        return _at_cycle(run, slug, view, cycle_there.number) if cycle_there else Cursor(run, slug, 0, None, view)
    seq = optional_int(query, "seq")
    if seq is not None and seq > run.head.seq:
        nearest, by_now = Cursor(run, slug, run.head.seq, None, view), "" if run.has_ended else " so far"
        raise NotFound(
            f"Run {run.number} has {run.head.seq:,} events{by_now}; there is no event {seq:,}.",
            title="After the end of the run",
            way_out=WayOut(nearest.url(), f"Open event {run.head.seq:,}"),
        )
    cycle = queries.cycle_at_seq(run, seq) if seq else None
    return Cursor(run, slug, seq or 0, cycle, view, is_plain=seq is None)


def _at_cycle(run: Run, slug: str, view: View, number: int) -> Cursor:
    cycle = queries.find_cycle(run, number)
    if cycle is None:
        raise _no_cycle(run, slug, view, number)
    if cycle.last_seq >= run.head.seq:
        # The event was committed after the run was loaded; readers stop at the head that they are given.
        run.head.refresh_from_db()
    place = _place_of(run, slug, view, cycle)
    return Cursor(run, slug, place.seq, cycle, view, named=number, turn=place.turn)


def _place_of(run: Run, slug: str, view: View, cycle: Cycle) -> Place:
    """The place of the named point or call; the end of the cycle if the point did not run."""
    end = Place(cycle.last_seq + 1)
    if not view.point:
        return end
    inside = positions_in(run, cycle)
    point = inside.point(view.point)
    if view.call:
        call = next((one for one in point.calls if one.plugin == view.call), None) if point else None
        if call is None:
            raise _no_call(run, slug, view, cycle)
        return call.place
    if point is None and view.point in BINDING_POINTS:
        seq = bound_at(run, cycle)
        return end if seq is None else Place(seq)
    return end if point is None else point.place


def _no_call(run: Run, slug: str, view: View, cycle: Cycle) -> NotFound:
    at = Cursor(run, slug, cycle.last_seq + 1, cycle, view, named=cycle.number)
    return NotFound(
        f"Cycle {cycle.number:,} recorded no call of {shown(view.call)} at {view.point}.",
        title="No such plugin call",
        way_out=WayOut(at.url(cycle=cycle.number, point=view.point), f"Open {view.point} of cycle {cycle.number:,}"),
    )


def _no_cycle(run: Run, slug: str, view: View, number: int) -> NotFound:
    # A run that was just started may be behind its head for a moment, so the newest row counts, not the head.
    last = run.head.cycle
    start = Cursor(run, slug, 0, None, view)
    way_out = WayOut(start.url(cycle=last), f"Open cycle {last:,}") if last else WayOut(start.url(), "Open the run")
    last_text = f"its last one is {last:,}" if last else "it has none so far"
    return NotFound(f"Run {run.number} has no cycle {number:,}; {last_text}.", title="No such cycle", way_out=way_out)
