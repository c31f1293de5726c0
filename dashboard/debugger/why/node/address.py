"""The address of the page: a cycle, the nodes that are compared, and the weights and requests that are tried."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import WHOLE, shown, text_param
from dashboard.common.problems import BadQuery
from dashboard.debugger.cursor.cursor import NAME_LIMIT, Cursor
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.why.address import WhyCursor
from scheduler_core.api.quantity import canonical, format_quantity
from scheduler_core.explain.rivals.flips import LIMIT as MOST_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.runs.models import Run

MOST = 3
FIELDS = ("node1", "node2", "node3")
# Parameters of an address; a field of the page's form for each resource begins with ASKED.
ASKED = "ask."
OWN = ("nodes", "weights", "requests")
VALUES_LIMIT = 4000
MOST_VALUES = 40
MOST_AMOUNT = 2**62


@dataclass(frozen=True)
class RivalsCursor(WhyCursor):
    """A cursor on the page; `nodes` are those that the address names, none for the winner and the next.

    `weights` of score plugins and `requests` of resources (canonical integers) are tried instead of the recorded ones.
    """

    nodes: tuple[str, ...] = ()
    weights: dict[str, int] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed, as `WhyCursor.url`; another moment compares its own nodes, and
        nothing is tried there."""
        is_other = bool({"seq", "cycle"} & changes.keys())
        own = {name: changes.pop(name, () if is_other else getattr(self, name)) for name in OWN}
        address = super().url(**changes)
        query = own_query(own["nodes"], own["weights"] or {}, own["requests"] or {})
        return address if not query or "tab" in changes else f"{address}&{query}"

    @property
    def weights_text(self) -> str:
        """Return the weights as the address has them: "P:3,Q:0"."""
        return ",".join(f"{name}:{weight}" for name, weight in sorted(self.weights.items()))

    @cached_property
    def _address(self) -> str:
        return reverse("debugger:why_node", kwargs={"slug": self.slug, "number": self.run.number})


def own_query(nodes: Iterable[str], weights: Mapping[str, int], requests: Mapping[str, int]) -> str:
    """Return what the page's addresses have besides those of a cursor: nodes=a,b&weights=P:3&requests=cpu:500m."""
    query = {
        "nodes": ",".join(nodes),
        "weights": ",".join(f"{name}:{weight}" for name, weight in sorted(weights.items())),
        "requests": ",".join(f"{name}:{format_quantity(name, amount)}" for name, amount in sorted(requests.items())),
    }
    return urlencode({name: value for name, value in query.items() if value}, safe=",:/")


def rivals_url(slug: str, number: int, cycle: int, nodes: Iterable[str] = ()) -> str:
    """Return the address that compares nodes in a cycle; without nodes the winner and the next."""
    query = {"cycle": str(cycle)} | ({"nodes": ",".join(nodes)} if nodes else {})
    address = reverse("debugger:why_node", kwargs={"slug": slug, "number": number})
    return f"{address}?{urlencode(query, safe=',')}"


def rivals_cursor(run: Run, slug: str, query: Mapping[str, str]) -> RivalsCursor:
    """Return the cursor that an address names; `nodes=a,b`, or one field for each as the page's form has them.

    Raises BadQuery for weights and requests that cannot be read, and as `opened` does.
    """
    base = opened(run, slug, query)
    named = text_param(query, "nodes", MOST * (NAME_LIMIT + 1)).split(",")
    named += [text_param(query, field, NAME_LIMIT) for field in FIELDS]
    nodes = tuple(dict.fromkeys(name.strip() for name in named if name.strip()))[:MOST]
    values = {one.name: getattr(base, one.name) for one in fields(Cursor)}
    values |= {"nodes": nodes, "weights": weights_in(query), "requests": _requests(query), "is_plain": False}
    return RivalsCursor(**values)


def asks_in_fields(query: Mapping[str, str]) -> bool:
    """Return whether the query comes from the page's forms, each value in a field of its own."""
    return any(name in FIELDS or name.startswith(ASKED) for name in query)


def weights_in(query: Mapping[str, str]) -> dict[str, int]:
    """Return the weights of "weights=P:3,Q:0"; raises BadQuery."""
    weights = {}
    for name, value in _values(query, "weights"):
        if not WHOLE.fullmatch(value) or not 0 <= int(value) <= MOST_WEIGHT:
            raise BadQuery(
                f'A weight of "weights" must be a whole number from 0 to {MOST_WEIGHT}, not "{shown(value)}".'
            )
        weights[name] = int(value)
    return weights


def _requests(query: Mapping[str, str]) -> dict[str, int]:
    given = [*_values(query, "requests")]
    given += [
        (name.removeprefix(ASKED), text_param(query, name)) for name in query if name.startswith(ASKED) and query[name]
    ]
    return {name: _amount(name, value) for name, value in given[:MOST_VALUES]}


def _amount(resource: str, value: str) -> int:
    try:
        amount = canonical(resource, value)
    except ValueError as error:
        raise BadQuery(f'A request of {shown(resource)} cannot be "{shown(value)}": {error}.') from error
    if not 0 <= amount <= MOST_AMOUNT:
        raise BadQuery(f'A request of {shown(resource)} cannot be "{shown(value)}".')
    return amount


def _values(query: Mapping[str, str], name: str) -> list[tuple[str, str]]:
    """The pairs of a parameter "a:1,b:2"."""
    texts = [text for text in text_param(query, name, VALUES_LIMIT).split(",") if text.strip()]
    if any(":" not in text for text in texts) or len(texts) > MOST_VALUES:
        raise BadQuery(f'"{name}" must be names with values, as in a:1,b:2, at most {MOST_VALUES}.')
    pairs = [text.rpartition(":") for text in texts]
    return [(before.strip(), after.strip()) for before, _, after in pairs]
