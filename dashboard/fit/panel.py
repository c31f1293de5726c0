"""An answer as the panel shows it: the count, what each filter took, why not, and a page of the nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from django.utils.safestring import SafeString, mark_safe

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.common.pages.pagination import Page, paginate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scheduler_core.explain.fit import Fit, NodeFit, RefusalGroup, SieveStep

SORTS = ("verdict", "-verdict", "node", "-node", "reason", "-reason")
ROWS = 20
_SHOWN_BEST = 3
# What a page may not hold inside of a script element.
_UNSAFE = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


class NodesHead(NamedTuple):
    """A sortable head of the table of nodes: its id and title, what to sort by next, and the present order."""

    id: str
    title: str
    sort: str
    order: str


@dataclass(frozen=True)
class FitPanel(OutcomePanel):
    """What came of a question. `subject` names the revision or draft; `again` asks for the same once more: an address,
    or the further fields of the form where a text `is_typed`. `path` is the panel's own address, `query` that of the
    request. The table of nodes is shown where it `is_open`, else on demand."""

    pod: str
    subject: str
    configuration: str
    sort: str
    again: str
    path: str = ""
    extenders_not_asked: tuple[str, ...] = ()
    is_typed: bool = False
    is_open: bool = True
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def fit(self) -> Fit | None:
        """The answer, None where there is none yet."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    @property
    def state(self) -> str:
        """What a script has to know of it: "answer", "waiting" or "failed"."""
        return "answer" if self.fit is not None else "waiting" if self.is_waiting else "failed"

    @property
    def _computed(self) -> str:
        return "Being computed: the engine reads the cluster"

    @cached_property
    def steps(self) -> list[SieveStep]:
        """The filters that took nodes, in their order."""
        return [step for step in self.fit.sieve if step.took] if self.fit is not None else []

    @property
    def best(self) -> str:
        """The nodes with the best total, in words."""
        best = self.fit.best if self.fit is not None else ()
        more = len(best) - _SHOWN_BEST
        return ", ".join(best[:_SHOWN_BEST]) + (f" and {more:,} more" if more > 0 else "")

    @property
    def best_total(self) -> int | None:
        """The best total, None where nothing was scored."""
        return max(self.fit.totals) if self.fit is not None and self.fit.best else None

    # ---------------------------------------------------------------- the table of nodes

    @cached_property
    def rows(self) -> Page[NodeFit]:
        """A page of the nodes in the order asked for."""
        return paginate(self._sorted(), self.query, size=ROWS, param="fit_page")

    def _sorted(self) -> list[NodeFit]:
        nodes = sorted(self.fit.each() if self.fit is not None else (), key=lambda one: one.node)
        by, is_down = self.sort.lstrip("-"), self.sort.startswith("-")
        if by == "verdict":
            nodes.sort(key=lambda one: (not one.fits, -(one.total or 0)), reverse=is_down)
        elif by == "reason":
            nodes.sort(key=lambda one: why_not(one.refusal), reverse=is_down)
        elif is_down:
            nodes.reverse()
        return nodes

    @property
    def heads(self) -> list[NodesHead]:
        """The heads of the table."""
        titles = {"node": "Node", "verdict": "Score", "reason": "Why not"}
        by, is_down = self.sort.lstrip("-"), self.sort.startswith("-")
        return [
            NodesHead(
                f"fit-by-{name}",
                title,
                f"-{name}" if name == by and not is_down else name,
                ("descending" if is_down else "ascending") if name == by else "",
            )
            for name, title in titles.items()
        ]

    def address(self, **changed: str | int) -> str:
        """The address of the same with another order or page."""
        parameters = {name: self.query[name] for name in ("fit", "r", "draft") if name in self.query}
        return f"{self.path}?{urlencode({**parameters, 'sort': self.sort, **changed}, safe='/')}"

    @property
    def lit(self) -> SafeString:
        """What the map gets, as JSON for a script element."""
        lit = None if self.fit is None else lit_nodes(self.fit)
        return mark_safe(msgspec.json.encode(lit).decode().translate(_UNSAFE))


def lit_nodes(fit: Fit) -> dict[str, Any]:
    """What the map gets of an answer: names, the number of each one's reason (-1: it fits), totals, reasons; and why
    no node was tried.
    """
    return {
        "pod": fit.pod,
        "nodes": fit.nodes,
        "reasonOf": fit.group_of,
        "totals": fit.totals,
        "reasons": [why_not(group) for group in fit.groups],
        "untried": "" if fit.nodes else fit.error or fit.gated,
    }


def why_not(group: RefusalGroup | None) -> str:
    """A refusal in kube-scheduler's words, "" for none."""
    return "" if group is None else f"{group.plugin}: {', '.join(group.reasons)}"
