"""The page about devices as templates read it: addresses, lists, and the side about what is selected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.devices.cards import CardView, card_view
from dashboard.devices.side import LOOKS, DevicesPlace, DevicesSide, address
from dashboard.devices.squares import SquaresView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.answers.outcomes import Outcome
    from dashboard.debugger.cursor.cursor import Cursor
    from scheduler_core.explain.devices import DeviceChoice, DevicePage
    from scheduler_core.explain.devices.model import ClaimRow, DeviceCard, SelectedClaim


class FigureCell(NamedTuple):
    """A cell of the strip."""

    meaning: str
    glyph: str
    number: int
    word: str
    note: str


@dataclass(frozen=True)
class ClaimLine:
    """A row of the list. `key` is the key that selects it, "" for none."""

    row: ClaimRow
    url: str
    meaning: str
    glyph: str
    is_selected: bool
    key: str = ""

    @property
    def key_label(self) -> str:
        """Return what the key does."""
        return "Next claim" if self.key == "j" else "Previous claim"


@dataclass(frozen=True)
class DevicesPanel:
    """The page, or what it waits for. `more` is what the next request for the same answer says."""

    outcome: Outcome
    place: DevicesPlace
    choice: DeviceChoice
    more: Mapping[str, str]
    cursor: Cursor | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def state(self) -> OutcomePanel:
        """Return what is shown instead of an answer that is missing."""
        return OutcomePanel(self.outcome)

    @property
    def page(self) -> DevicePage | None:
        """Return the answer, None where there is none yet."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    # --- addresses --------------------------------------------------------------------------------------------------
    def url(self, **changes: str) -> str:
        """Return the address of the page with another choice."""
        return address(self.place.path, self.place.query | self._chosen(changes))

    def _chosen(self, changes: Mapping[str, str]) -> dict[str, str]:
        chosen = {name: getattr(self.choice, name) for name in self.choice.__struct_fields__}
        return {name: value for name, value in (chosen | dict(changes)).items() if value and value != "claims"}

    @property
    def again(self) -> str:
        """Return the address at which the page asks for the same answer again."""
        return address(self.place.path, self.place.query | self._chosen({}) | dict(self.more))

    @property
    def table_url(self) -> str:
        """Return the address of the table in text."""
        return address(self.place.table, self.place.query | self._chosen({}))

    @property
    def kept_query(self) -> list[tuple[str, str]]:
        """Return what the form of the filter keeps of the query."""
        return list((self.place.query | self._chosen({"q": ""})).items())

    def claim_url(self, claim: str) -> str:
        """Return the address with the claim selected."""
        return self.url(claim=claim, node="", list="claims")

    # --- strip ------------------------------------------------------------------------------------------------------
    @property
    def figures(self) -> list[FigureCell]:
        """Return the strip; what no device is has its place, too."""
        assert self.page is not None
        one = self.page.figures
        claims = f"{one.n_claims:,} claim{_s(one.n_claims)}, {one.n_pods:,} pod{_s(one.n_pods)}"
        causes = f"for {one.n_causes:,} cause{_s(one.n_causes)}" if one.n_waiting else "none has to"
        return [
            FigureCell("bound", "box", one.n_use, "in use", claims),
            FigureCell("none", "ring", one.n_free, "free", f"most on one node {one.most_free:,}"),
            FigureCell("backoff", "ban", one.n_taint, "tainted", one.taints or "none"),
            FigureCell("backoff", "alert", one.n_out, "not offered", one.problems or "all pools are whole"),
            FigureCell("none", "grid", one.n_parts, "in parts", f"{one.parts_used:,} of {one.parts:,} parts in use"),
            FigureCell("unsched" if one.n_waiting else "none", "x", one.n_waiting, f"claim{_s(one.n_waiting)} wait"
                   + ("s" if one.n_waiting == 1 else ""), causes),
        ]  # fmt: skip

    # --- lists ------------------------------------------------------------------------------------------------------
    @property
    def lists(self) -> list[tuple[str, str, int, str, bool]]:
        """Return (name, word, number, address, whether it is shown) of each list."""
        assert self.page is not None
        sizes = {"claims": self.page.n_claims, "classes": self.page.n_classes, "slices": self.page.n_slices}
        return [
            (name, name.capitalize(), n, self.url(list=name, q=""), name == self.choice.list)
            for name, n in sizes.items()
        ]

    @cached_property
    def claim_lines(self) -> list[ClaimLine]:
        """The rows of the list of claims, with the keys that go to the next and the previous one."""
        assert self.page is not None
        rows, selected = self.page.claims, self.selected
        at = next((i for i, row in enumerate(rows) if selected is not None and row.key == selected.key), -1)
        return [
            ClaimLine(
                row=row,
                url=self.claim_url(row.key),
                meaning="unres" if row.is_hopeless else LOOKS[row.state].meaning,
                glyph="ban" if row.is_hopeless else LOOKS[row.state].glyph,
                is_selected=i == at,
                key="j" if i == at + 1 else "k" if at > 0 and i == at - 1 else "",
            )
            for i, row in enumerate(rows)
        ]

    @property
    def claim_groups(self) -> Iterator[tuple[str, list[ClaimLine]]]:
        """The rows under their heads."""
        for state, look in LOOKS.items():
            lines = [line for line in self.claim_lines if line.row.state == state]
            if lines:
                yield look.head, lines

    # --- map --------------------------------------------------------------------------------------------------------
    @property
    def drivers(self) -> list[tuple[str, int, str, bool]]:
        """Return (driver, devices, address, whether it is shown)."""
        assert self.page is not None
        return [(one, n, self.url(driver=one, node=""), one == self.page.driver) for one, n in self.page.drivers]

    @property
    def row_name(self) -> str:
        """Return the last part of the attribute that rows are made by."""
        return self.page.row_attribute.rpartition("/")[2] if self.page is not None else ""

    @cached_property
    def cards(self) -> list[CardView]:
        """The places as cards."""
        assert self.page is not None
        me = self.selected.key if self.selected is not None else ""
        return [card_view(card, self.page.labels, me, self.choice.node, self._cell_url) for card in self.page.cards]

    def _cell_url(self, node: str, claims: tuple[str, ...]) -> str:
        return self.claim_url(claims[0]) if claims else self.url(claim="", node=node, list="claims")

    @cached_property
    def squares(self) -> SquaresView | None:
        """The squares of a large cluster."""
        if self.page is None or self.page.squares is None:
            return None
        mine = {card.name for card in self.page.cards if self.selected and _holds(card, self.selected.key)}
        return SquaresView(self.page.squares, mine | {self.choice.node}, self.url(claim="", node="", list="claims"))

    @property
    def use_url(self) -> str:
        """Return the address of the map coloured by use."""
        return self.url(fits="")

    @property
    def fits_url(self) -> str:
        """Return the address of the map coloured by where the claim to offer gets devices, "" without one."""
        assert self.page is not None
        return self.url(fits=self.page.fit_offer) if self.page.fit_offer else ""

    @property
    def fits_label(self) -> str:
        """Return what people call the claim that is offered."""
        assert self.page is not None
        offered = self.page.asked_fit or self.page.fit_offer
        return self.page.labels.get(offered, offered)

    @property
    def selected(self) -> SelectedClaim | None:
        """Return the claim of the side."""
        return self.page.selected if self.page is not None else None

    @property
    def side(self) -> DevicesSide | None:
        """Return what the side says, None without an answer."""
        return DevicesSide(self.page, self.place, self.choice, self.cursor, self.claim_url) if self.page else None


def _holds(card: DeviceCard, claim: str) -> bool:
    return any(claim in cell.claims for cell in (*card.cells, *card.others))


def _s(count: int) -> str:
    return "" if count == 1 else "s"
