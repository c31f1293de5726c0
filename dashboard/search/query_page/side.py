"""The left column of the page of a query: saved and recent searches, breakpoints, and which runs are searched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.accounts.models import Role
from dashboard.common.pages.numbers import grouped, plural
from dashboard.query.saved import may_change, searches_of
from dashboard.query.searching import MAX_RUNS
from dashboard.runs.breakpoints.attachments import attached_to
from dashboard.runs.breakpoints.definitions import list_breakpoints
from dashboard.runs.queries import list_runs
from dashboard.search.query_page.address import SearchAddress

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.query.models import SavedSearch
    from dashboard.runs.models import Run
    from dashboard.search.query_page.saved_counts import SavedCount, SavedCounts

OFFERED_RUNS = 30


@dataclass(frozen=True)
class SavedRow:
    """A line of the left column."""

    name: str
    query: str
    url: str
    is_current: bool
    search: SavedSearch | None = None
    may_change: bool = False
    note: str = ""
    count: SavedCount | None = None
    count_url: str = ""

    @property
    def title(self) -> str:
        """What the tooltip says: the whole name, the query, and whose it is."""
        named = self.name if self.name == self.query else f"{self.name}: {self.query}"
        return f"{named}, by {self.note}" if self.search and self.note else named


@dataclass(frozen=True)
class RunChoice:
    """A run that can be searched."""

    run: Run
    is_chosen: bool


@dataclass
class SideColumn:
    """What a member can search for and where: `runs` are those of the address."""

    access: Access
    address: SearchAddress
    run: Run | None
    runs: list[Run]
    recent_queries: list[str]
    counts: SavedCounts | None = None

    @property
    def counts_url(self) -> str:
        """Where the lists come with counts of hits in the runs that are searched."""
        return self._counts_url(q=self.address.q)

    def count_url(self, query: str, turn: int) -> str:
        """Where a worker is asked for the count of one query."""
        return self._counts_url(q=query, turn=turn)

    def _counts_url(self, **more: Any) -> str:
        runs = self.run.number if self.run else ",".join(map(str, self.address.runs))
        values = {"run" if self.run else "runs": runs, **more}
        return f"{reverse('search:saved_counts', args=[self.address.slug])}?{urlencode(values)}"

    @property
    def is_of_workspace(self) -> bool:
        """Whether all runs are searched."""
        return self.run is None and not self.address.runs

    @property
    def workspace_path(self) -> str:
        """Where runs of the workspace are searched."""
        return reverse("search:workspace", args=[self.address.slug])

    @property
    def workspace_url(self) -> str:
        """Where the same is searched in the whole workspace."""
        return SearchAddress(self.address.slug, q=self.address.q).url()

    @cached_property
    def n_runs_text(self) -> str:
        """How many runs a search of the workspace looks at."""
        total = list_runs(self.access.workspace).count()
        return f"newest {MAX_RUNS} of {grouped(total)}" if total > MAX_RUNS else plural(total, "run")

    @cached_property
    def run_choices(self) -> list[RunChoice]:
        """The newest runs, of which some can be chosen, and those that are."""
        chosen = set(self.address.numbers)
        newest = list(list_runs(self.access.workspace)[:OFFERED_RUNS])
        offered = {run.number: run for run in (*newest, *(run for run in self.runs if run.number in chosen))}
        return [RunChoice(run, run.number in chosen) for run in offered.values()]

    @property
    def changeable(self) -> list[SavedRow]:
        """Saved searches that the member may change."""
        return [row for row in (*self.yours, *self.shared) if row.may_change]

    @property
    def short_path(self) -> str:
        """The address for others: short where the search is a shared one, else with all that is asked for.

        It begins at the first hit, wherever the reader is among them.
        """
        address = self.address.first()
        if address == SearchAddress(address.slug, address.run, q=address.q):
            saved = next((one for one in self._searches if one.is_shared and one.query == address.q), None)
            if saved and address.run is None:
                return reverse("search:short", args=[address.slug, saved.pk])
            if saved:
                return reverse("search:run_short", args=[address.slug, address.run, saved.pk])
        return address.url()

    @property
    def making_path(self) -> str:
        """Where a short address is made of a search that has none yet, with all that is asked for; else ""."""
        address = self.address.first()
        if self.short_path != address.url():
            return ""
        making = reverse("search:make_link", args=[address.slug])
        return f"{making}?{address.query}{f'&run={address.run}' if address.run is not None else ''}"

    def _saved(self, is_shared: bool) -> list[SavedRow]:
        member, rows = self.access.member, []
        for one in self._searches:
            if one.is_shared == is_shared:
                note = "" if one.owner == member.user else one.owner.label
                rows.append(self._saved_row(one.name, one.query, one, may_change(member, one), note))
        return rows

    @cached_property
    def _searches(self) -> list[SavedSearch]:
        return list(searches_of(self.access.member))

    def _saved_row(
        self, name: str, query: str, search: SavedSearch | None = None, may: bool = False, note: str = ""
    ) -> SavedRow:
        url = self._search_url(query)
        count = self.counts.of_rows(query) if self.counts and self.runs else None
        count_url = self.count_url(query, 0)
        return SavedRow(name, query, url, query == self.address.q, search, may, note, count, count_url)

    def _search_url(self, query: str) -> str:
        return self.address.first_url(q=query, sort="", order="", group="")

    @cached_property
    def yours(self) -> list[SavedRow]:
        """The member's private searches."""
        return self._saved(False)

    @cached_property
    def shared(self) -> list[SavedRow]:
        """The searches that are shared in the workspace."""
        return self._saved(True)

    @cached_property
    def breakpoints(self) -> list[SavedRow]:
        """Breakpoints of the workspace: their queries can be searched for. A run's page tells which stop it."""
        stops = None
        if self.run is not None:
            stops = set(attached_to(self.run).filter(is_enabled=True).values_list("breakpoint_id", flat=True))
        return [
            SavedRow(
                one.name,
                one.query,
                self._search_url(one.query),
                one.query == self.address.q,
                note="on" if one.is_enabled and (stops is None or one.pk in stops) else "off",
            )
            for one in list_breakpoints(self.access.workspace)
        ]

    @cached_property
    def recent(self) -> list[SavedRow]:
        """The member's recent searches, without those that are saved."""
        saved = {row.query for row in (*self.yours, *self.shared)}
        return [self._saved_row(query, query) for query in self.recent_queries if query not in saved]

    @cached_property
    def n_cycles_text(self) -> str:
        """How many cycles the run of the tab has."""
        return plural(self.run.head.cycle, "cycle") if self.run else ""

    @property
    def may_share(self) -> bool:
        """Whether the member may share searches."""
        return self.access.member.may(Role.EDITOR)
