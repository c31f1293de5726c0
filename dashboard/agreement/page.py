"""The page of a comparison: figures, classes that filter, differences, pods that agree, pending pods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.agreement.rows import STYLES, BoundRow, PendingRow
from dashboard.clusters.models import SchedulerConfig
from dashboard.common.http.params import choice_param
from dashboard.common.pages.pagination import Page, paginate
from dashboard.runs.models import Cycle, Run
from scheduler_core.explain.agreement.model import Standing
from scheduler_core.explain.agreement.texts import STANDINGS, unknowns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import Agreement, BoundPod

SIZE, PENDING_SIZE = 25, 10
RUNS_SEARCHED = 5
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
        self, page: PageContext, configuration: ChosenConfiguration, found: Agreement, query: Mapping[str, str]
    ) -> None:
        self.found = found
        self._page, self._configuration, self._query = page, configuration, query
        self.show = choice_param(query, "show", SHOWN, "differences" if found.differences else "all")

    def url(self, **query: str) -> str:
        """Return the page's address with other choices."""
        named = {"config": self._query.get("config", ""), **query}
        if not self._page.is_newest:
            named["r"] = str(self._page.revision.number)
        words = urlencode({name: value for name, value in named.items() if value})
        path = address(self._page)
        return f"{path}?{words}" if words else path

    @property
    def parts(self) -> list[tuple[str, int, str]]:
        """Return the bar's (meaning, count, word) of pods that were compared."""
        return [(STYLES[name], self.found.counted(name), STANDINGS[name]) for name in CLASSES]

    @property
    def tiles(self) -> list[ClassTile]:
        """Return the classes, each a filter that is taken off by the second click."""
        return [
            ClassTile(
                name=name,
                style=STYLES[name],
                label=STANDINGS[name],
                count=self.found.counted(name),
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
    def proof(self) -> str:
        """Return how much of what agrees proves anything."""
        one, scored = self.found.counted("only_one"), self.found.counted("same") + self.found.counted("tied")
        apart = len(self.found.bound) - self.found.n_compared
        told = f"{one:,} of the {self.found.n_agree:,} had one node that fits and prove filters only"
        told = f"{told}, {scored:,} prove scores."
        return f"{told} {apart:,} more {'is' if apart == 1 else 'are'} not compared." if apart else told

    @property
    def n_apart(self) -> int:
        """Return how many bound pods are not compared."""
        return len(self.found.bound) - self.found.n_compared

    @cached_property
    def bound(self) -> Page[BoundRow]:
        """Return a page of the bound pods that are asked for, those that differ first."""
        pods = [pod for pod in self.found.bound if self._is_shown(pod)]
        pods.sort(key=lambda pod: not pod.differs)
        page = paginate(pods, self._query, size=SIZE)
        urls = self._matrix_urls(page.items)
        rows = [BoundRow(pod, urls.get(pod.pod, "")) for pod in page.items]
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
        pods = sorted(self.found.pending, key=lambda pod: pod.standing == "equal")
        page = paginate(pods, self._query, size=PENDING_SIZE, param="pending")
        rows = [PendingRow(pod) for pod in page.items]
        return Page(rows, page.number, page.size, page.total, page.is_more, page.has_next, page.param)

    @property
    def unknowns(self) -> list[tuple[str, str]]:
        """Return what a snapshot cannot tell."""
        return list(unknowns(self.found))

    @property
    def rate(self) -> float:
        """Return how many pods a second were decided."""
        return self.found.n_decided / self.found.seconds if self.found.seconds else 0.0

    def _is_shown(self, pod: BoundPod) -> bool:
        if self.show == "differences":
            return pod.differs
        if self.show == "apart":
            return not (pod.differs or pod.agrees)
        return self.show in ("all", pod.standing)

    def _matrix_urls(self, pods: Sequence[BoundPod]) -> dict[str, str]:
        """Addresses of the last attempts that the newest runs of this revision recorded of these pods."""
        runs = Run.objects.filter(revision=self._page.revision).order_by("-number")
        numbers = dict(runs.values_list("pk", "number")[:RUNS_SEARCHED])
        cycles = Cycle.objects.filter(run__in=numbers, pod__in=[pod.pod for pod in pods])
        urls: dict[str, tuple[int, int]] = {}
        for run, pod, cycle in cycles.values_list("run_id", "pod", "number"):
            urls[pod] = max(urls.get(pod, (0, 0)), (numbers[run], cycle))
        return {pod: self._moment(number, cycle, pod) for pod, (number, cycle) in urls.items()}

    def _moment(self, run: int, cycle: int, pod: str) -> str:
        here = reverse("debugger:run", args=[self._page.access.workspace.slug, run])
        return f"{here}?{urlencode({'cycle': cycle, 'pod': pod}, safe='/')}"


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
