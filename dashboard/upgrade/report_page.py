"""What the page of an upgrade report shows: figures, behaviours in parts, decisions, waits, texts, fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from dashboard.common.http.params import choice_param, optional_int
from dashboard.common.pages.pagination import paginate
from dashboard.compare.figures import group_lines
from dashboard.upgrade.actions import MOST_CYCLES
from dashboard.upgrade.progress import ReportProgress
from dashboard.upgrade.rows import BehaviourRow, TextRow, UpgradeDecision, WaitRow, text_rows
from scheduler_core.compare.figures import SAME
from scheduler_core.compare.upgrade.figures import UpgradeFigures, figures_of
from scheduler_core.compare.upgrade.lines import wait_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.common.pages.pagination import Page
    from dashboard.compare.figures import FigureLine
    from dashboard.upgrade.models import StoredUpgrade
    from scheduler_core.compare.upgrade import PodUpgrade, UpgradeReport
    from scheduler_core.compare.upgrade.model import FieldUpgrade

ALL, FOLLOWS, NOT_TRIED, NOT_TOLD_APART = "all", "follows", "not tried", "not told apart"
DECISIONS_SHOWN, WAITS_SHOWN, MOST_FIGURES = 100, 20, 12


class UpgradeTile(NamedTuple):
    """A figure: its meaning and glyph as pages draw them, the value, what it counts, and a note."""

    meaning: str
    glyph: str
    value: str
    label: str
    note: str


class DecisionChoice(NamedTuple):
    """Decisions that can be listed: by a behaviour, or by what is known of their cause."""

    name: str
    label: str
    n: int
    url: str
    is_on: bool


@dataclass
class ReportPage:
    """A stored report; `query` has `show` (whose decisions), `cycle` (one to be shown), `page` and `waits`."""

    here: PageContext
    row: StoredUpgrade
    report: UpgradeReport
    query: Mapping[str, str]

    @cached_property
    def figures(self) -> UpgradeFigures:
        """The five figures."""
        return figures_of(self.report)

    @property
    def tiles(self) -> list[UpgradeTile]:
        """The same as tiles."""
        of = self.figures
        pending, evicted = (_pair(f"{a:,}", f"{b:,}") for a, b in (of.pending, of.evicted))
        wait = _pair(*(wait_text(one) for one in of.wait_p95))
        same_wait = of.wait_p95[0] == of.wait_p95[1]
        fits = f"{of.placed_now:,} fit now, {of.placed_no_longer:,} no longer"
        pods = f"of {self.report.comparison.n_pods:,} pods"
        return [
            UpgradeTile("nomin", "layers", f"{of.moved:,}", "another node", pods),
            UpgradeTile("unsched", "hour", pending, "pending", fits),
            UpgradeTile("preempt", "alert", evicted, "evicted", "under one of both alone"),
            UpgradeTile("queue", "clock", wait, "wait p95", "equal in both" if same_wait else "of bound pods"),
            UpgradeTile("backoff", "file", f"{of.texts:,}", "other texts", "of failure messages"),
        ]

    @cached_property
    def is_derived(self) -> bool:
        """Whether one of both versions was read in sources alone, so that every row rests on it."""
        return not (self.report.a.is_measured and self.report.b.is_measured)

    # ---------------------------------------------------------------- behaviours

    @cached_property
    def behaviours(self) -> list[BehaviourRow]:
        """Those that differ, the ones that decide most first; each leads to its decisions."""
        decided = dict.fromkeys((one.name for one in self.report.behaviours), 0)
        for pod in self.report.pods:
            for name in pod.by:
                decided[name] += 1
        rows = [
            BehaviourRow(one, decided[one.name], self.is_derived, self.url(show=one.name), one.name == self.show)
            for one in self.report.behaviours
        ]
        return sorted(rows, key=lambda row: (-row.n_decided, -row.n_waits))

    @property
    def parts(self) -> list[tuple[str, list[BehaviourRow]]]:
        """(title, behaviours) of what they do here; empty parts are left out."""
        parts = {"Decides here": [], "Changes waits alone": [], "Decides nothing here": []}  # type: dict[str, Any]
        for row in self.behaviours:
            part = "Decides here" if row.n_decided else "Changes waits alone" if row.n_waits else "Decides nothing here"
            parts[part].append(row)
        return [(title, rows) for title, rows in parts.items() if rows]

    @cached_property
    def show(self) -> str:
        """Whose decisions are listed: the behaviour that decides most at first, else all."""
        names = [one.name for one in self.report.behaviours]
        given = choice_param(self.query, "show", {"", ALL, FOLLOWS, NOT_TRIED, NOT_TOLD_APART, *names}, "")
        if given:
            return given
        counts = [name for pod in self.report.pods for name in pod.by]
        return max(names, key=counts.count) if counts else ALL

    @property
    def next_url(self) -> str:
        """The address of the next behaviour, "" where there is none."""
        return self._beside(1)

    @property
    def previous_url(self) -> str:
        """The address of the behaviour before, "" where there is none."""
        return self._beside(-1)

    def _beside(self, step: int) -> str:
        rows = [row for _, part in self.parts for row in part]
        at = next((place for place, row in enumerate(rows) if row.is_selected), -1 if step > 0 else len(rows))
        return rows[at + step].url if 0 <= at + step < len(rows) else ""

    # ---------------------------------------------------------------- decisions

    @property
    def choices(self) -> list[DecisionChoice]:
        """What can be listed besides a behaviour's decisions; what is empty is left out."""
        pods = self.report.pods
        reasons = {FOLLOWS: "follow", NOT_TOLD_APART: "not told apart", NOT_TRIED: "not tried"}
        counts = [(ALL, "all", len(pods))]
        counts += [(name, label, sum(pod.reason == name for pod in pods)) for name, label in reasons.items()]
        listed = ((name, label, n) for name, label, n in counts if n)
        return [DecisionChoice(*one, self.url(show=one[0]), one[0] == self.show) for one in listed]

    @cached_property
    def decisions(self) -> Page[UpgradeDecision]:
        """A page of the first differences that are listed, in the order of A's cycles."""
        pods, cycle = [pod for pod in self.report.pods if self._is_listed(pod)], optional_int(self.query, "cycle")
        query = dict(self.query)
        place = next((place for place, pod in enumerate(pods) if cycle is not None and _cycle(pod) == cycle), None)
        if place is not None:
            query["page"] = str(place // DECISIONS_SHOWN + 1)
        page: Page[Any] = paginate(pods, query, DECISIONS_SHOWN)
        derived = {one.name for one in self.report.behaviours if one.evidence != "recorded"}
        rows = [
            UpgradeDecision(
                pod,
                _cycle(pod),
                is_derived=self.is_derived or bool(derived & set(pod.by)),
                is_marked=_cycle(pod) == cycle,
                follows_url=f"{self.url(show=ALL, cycle=pod.follows)}#c-{pod.follows}" if pod.follows else "",
            )
            for pod in page.items
        ]
        page.items[:] = rows  # type: ignore[index]
        return page

    def _is_listed(self, pod: PodUpgrade) -> bool:
        return self.show == ALL or self.show == pod.reason or self.show in pod.by

    @cached_property
    def waits(self) -> Page[Any]:
        """A page of the pods that wait otherwise though their attempts end alike."""
        page: Page[Any] = paginate(self.report.waits, self.query, WAITS_SHOWN, "waits")
        page.items[:] = [WaitRow(one, is_tried=not self.report.is_cut) for one in page.items]  # type: ignore[index]
        return page

    # ---------------------------------------------------------------- beside it

    @cached_property
    def texts(self) -> list[TextRow]:
        """Texts that one version has alone, old and new together."""
        return text_rows(self.report.texts)

    @property
    def configuration(self) -> list[tuple[str, str, list[FieldUpgrade]]]:
        """(what, style, fields) of the scheduler's configuration; what no field is of is said too."""
        fields = [one for one in self.report.fields if one.n_objects is None]
        kinds = [("removed", "bound"), ("other default", "backoff"), ("new", "none")]
        return [(what, style, [one for one in fields if one.what == what]) for what, style in kinds]

    @property
    def object_fields(self) -> list[FieldUpgrade]:
        """Fields of objects that gain or lose meaning."""
        return [one for one in self.report.fields if one.n_objects is not None]

    @property
    def moving(self) -> list[FigureLine]:
        """The figures of both runs that differ, at most twelve."""
        lines = [
            replace(line, name=f"{group.title}: {line.name[:1].lower()}{line.name[1:]}")
            for group in self.report.comparison.figures
            for figure, line in zip(group.figures, group_lines(group).lines, strict=True)
            if figure.verdict != SAME and line.a != line.b
        ]
        return lines[:MOST_FIGURES]

    @property
    def limits(self) -> list[str]:
        """What the report does not cover."""
        sides = zip((self.report.a, self.report.b), self.report.comparison.totals, strict=True)
        said = [f"The run under {one.kubernetes} ended at the limit of {MOST_CYCLES:,} cycles"
                for one, totals in sides if totals.cycles >= MOST_CYCLES]  # fmt: skip
        if self.row.is_cancelled:
            said.append("Cancelled: both runs are whole, the search for causes is not")
        elif self.report.is_cut:
            said.append("The search for causes took too long and was ended")
        if self.report.n_untried:
            n = self.report.n_untried
            said.append(f"{n:,} first difference{'s were' if n != 1 else ' was'} not tried")
        said += [f"Extender {address} is left out of both runs" for address in self.row.without]
        return said

    @property
    def progress(self) -> ReportProgress:
        """The row in words."""
        return ReportProgress(self.row)

    def url(self, **query: Any) -> str:
        """The address of the report with other choices."""
        return f"{self.progress.url}?{urlencode(query)}" if query else self.progress.url


def _cycle(pod: PodUpgrade) -> int:
    """A's cycle, or B's where A has no such attempt."""
    some = pod.a or pod.b
    return 0 if some is None else some.cycle


def _pair(a: str, b: str) -> str:
    return f"{a} → {b}" if a != b else a
