"""The page of a comparison: figures, classes that filter, differences, pods that agree, pending pods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.agreement import decided_runs
from dashboard.agreement.decided_runs import YOUNGER
from dashboard.agreement.rows import STYLES, BoundRow, PendingRow, list_doubts
from dashboard.agreement.stored_rows import BOUND, bound_rows, pending_rows
from dashboard.common.http.params import choice_param
from dashboard.common.pages.pagination import Page, paginate
from dashboard.documents.models import SchedulerConfig
from scheduler_core.explain.agreement.model import DIFFERING, Standing
from scheduler_core.explain.agreement.texts import STANDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.agreement.models import AgreementResult
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import AgreementFigures

SIZE, PENDING_SIZE = 25, 10
CLASSES: tuple[Standing, ...] = ("only_one", "same", "tied", "lower", "refused")
NOTES = {
    "only_one": "filters leave no choice",
    "same": "the best total alone",
    "tied": "shares the best total",
    "lower": "others have more points",
    "refused": "does not fit there now",
}
SHOWN = ("differences", "all", *CLASSES, "apart")


@dataclass(frozen=True)
class ClassTile:
    """A class of bound pods: the pages' style, words, count, and the address that shows only these."""

    name: str
    style: str
    label: str
    count: int
    note: str
    url: str
    is_on: bool


class AgreementPage:
    """What the page shows of a comparison that is there."""

    def __init__(
        self,
        page: PageContext,
        configuration: ChosenConfiguration,
        result: AgreementResult,
        figures: AgreementFigures,
        query: Mapping[str, str],
    ) -> None:
        self.figures = figures
        self._page, self._configuration, self._result, self._query = page, configuration, result, query
        self.show = choice_param(query, "show", SHOWN, "differences" if figures.n_differ else "all")

    def url(self, **query: str) -> str:
        """Return the page's address with other choices."""
        named = {"config": self._query.get("config", ""), **query}
        if not self._page.is_newest:
            named["r"] = str(self._page.revision.number)
        parameters = urlencode({name: value for name, value in named.items() if value})
        path = address(self._page)
        return f"{path}?{parameters}" if parameters else path

    @property
    def parts(self) -> list[tuple[str, int, str]]:
        """Return the bar's (meaning, count, word) of pods that were compared."""
        return [(STYLES[name], self.figures.counted(name), STANDINGS[name]) for name in CLASSES]

    @property
    def tiles(self) -> list[ClassTile]:
        """Return the classes, each a filter that is taken off by the second click."""
        return [
            ClassTile(
                name=name,
                style=STYLES[name],
                label=STANDINGS[name],
                count=self.figures.counted(name),
                note=NOTES[name],
                url=self.url(show="" if self.show == name else name),
                is_on=self.show == name,
            )
            for name in CLASSES
        ]

    @property
    def differences_url(self) -> str:
        """Return the address that shows the pods that differ."""
        return self.url(show="differences")

    @property
    def all_url(self) -> str:
        """Return the address that shows every bound pod."""
        return self.url(show="all")

    @property
    def apart_url(self) -> str:
        """Return the address that shows the pods that are not compared."""
        return self.url(show="apart")

    @property
    def markdown_url(self) -> str:
        """Return the address of the same as Markdown."""
        return self.url().replace(address(self._page), address(self._page) + "agreement.md", 1)

    @property
    def csv_url(self) -> str:
        """Return the address of every pod as CSV."""
        return self.url().replace(address(self._page), address(self._page) + "agreement.csv", 1)

    @property
    def proof(self) -> str:
        """Return how much of what agrees proves anything."""
        one, scored = self.figures.counted("only_one"), self.figures.counted("same") + self.figures.counted("tied")
        apart = self.n_apart
        if not self.figures.n_compared:
            sentence = "No bound pod is compared."
        elif not self.figures.n_agree:
            sentence = "No bound pod agrees."
        else:
            sentence = f"{one:,} of the {self.figures.n_agree:,} had one node that fits and prove filters only, "
            sentence += f"{scored:,} prove scores."
        if not (apart and self.figures.n_compared):
            return sentence
        return f"{sentence} {apart:,} more {'is' if apart == 1 else 'are'} not compared."

    @property
    def n_apart(self) -> int:
        """Return how many bound pods are not compared."""
        return self.figures.n_bound - self.figures.n_compared

    @cached_property
    def bound(self) -> Page[BoundRow]:
        """Return a page of the bound pods that are asked for, those that differ first."""
        pods = bound_rows(self._result, self.figures.standings, self._standings)
        page = paginate(pods, self._query, size=SIZE)
        decided = decided_runs.addresses(self._page.revision, self._configuration, [pod.pod for pod in page.items])
        rows = [
            BoundRow(pod, decided.get((pod.pod, ""), ""), decided.get((pod.pod, YOUNGER), "")) for pod in page.items
        ]
        return Page(rows, page.number, page.size, page.total, page.is_more, page.has_next, page.param)

    @property
    def differing(self) -> list[BoundRow]:
        """Return those of the page that differ."""
        return [row for row in self.bound.items if row.pod.differs]

    @property
    def agreeing(self) -> list[BoundRow]:
        """Return the others of the page."""
        return [row for row in self.bound.items if not row.pod.differs]

    @cached_property
    def pending(self) -> Page[PendingRow]:
        """Return a page of the pending pods, those whose messages differ first."""
        pods = pending_rows(self._result, self.figures.messages)
        page = paginate(pods, self._query, size=PENDING_SIZE, param="pending")
        rows = [PendingRow(pod) for pod in page.items]
        return Page(rows, page.number, page.size, page.total, page.is_more, page.has_next, page.param)

    @property
    def messages(self) -> str:
        """Return the messages of the pending pods of this page, real and ours, as text to take along."""
        with_messages = [row for row in self.pending.items if row.pod.report.message or row.pod.is_tried]
        return "\n\n".join(
            f"{row.pod.pod}\nreal: {row.pod.report.message or 'no message'}\n"
            f"ours: {row.pod.ours or f'fits {row.pod.node}'}"
            for row in with_messages
        )

    @property
    def unknowns(self) -> list[tuple[str, str]]:
        """Return what a snapshot cannot tell."""
        return list_doubts(self.figures, self._configuration)

    @property
    def rate(self) -> float:
        """Return how many pods a second were decided."""
        return self.figures.n_decided / self.figures.seconds if self.figures.seconds else 0.0

    @property
    def _standings(self) -> Sequence[Standing]:
        """The classes that are shown, in their order."""
        if self.show == "differences":
            return DIFFERING
        if self.show == "apart":
            return [name for name in STANDINGS if name not in CLASSES]
        return BOUND if self.show == "all" else [name for name in CLASSES if name == self.show]


def address(page: PageContext) -> str:
    """Return the page's path."""
    return reverse("agreement:page", args=[page.access.workspace.slug, page.cluster.slug])


def choices(
    page: PageContext, configuration: ChosenConfiguration, presets: Iterable[str]
) -> list[tuple[str, str, bool]]:
    """Return (name, label, whether chosen) of the configurations to compare with."""
    saved = SchedulerConfig.objects.filter(workspace=page.access.workspace, archived_at=None).order_by("name")
    named = [
        ("default", "kube-scheduler defaults"),
        *((one.slug, one.name) for one in saved[:200]),
        *((f"preset:{name}", name) for name in presets),
    ]
    if configuration.name not in dict(named):
        named.insert(0, (configuration.name, configuration.label))
    return [(name, label, name == configuration.name) for name, label in named]
