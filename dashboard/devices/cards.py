"""Cards of places: devices beside each other that one claim has are one bar."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from scheduler_core.explain.devices.table import cell_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scheduler_core.explain.devices.model import DeviceCard, DeviceCell

    CellUrl = Callable[[str, tuple[str, ...]], str]

ROW_CELLS = 8
MOST_CELLS, MOST_OTHERS = 64, 8


@dataclass(frozen=True)
class DeviceBar:
    """One device, or `n` beside each other of one claim. `parts` are (x, whether it is used) of a device in parts."""

    look: str
    n: int
    text: str
    title: str
    url: str
    is_mine: bool
    parts: tuple[tuple[int, bool], ...] = ()

    @property
    def parts_width(self) -> int:
        """Return the width of the picture of the parts."""
        return 6 * len(self.parts) - 1


@dataclass(frozen=True)
class CardRow:
    """Devices beside each other; `name` is the value of the rows' attribute, "" in the second line of one."""

    name: str
    bars: tuple[DeviceBar, ...]
    n_empty: int


@dataclass(frozen=True)
class CardView:
    """A place with its rows; `n_more` devices are not drawn."""

    card: DeviceCard
    url: str
    rows: tuple[CardRow, ...]
    others: tuple[DeviceBar, ...]
    is_chosen: bool
    n_more: int
    n_others_more: int

    @property
    def look(self) -> str:
        """Return the classes of the card."""
        looks = {"is-node": self.is_chosen, "has-names": self.has_names, f"is-{self.card.fits}": bool(self.card.fits)}
        return " ".join(name for name, holds in looks.items() if holds)

    @property
    def has_names(self) -> bool:
        """Return whether names of rows need more room than a number."""
        return any(len(row.name) > 2 for row in self.rows)

    @property
    def n_parts(self) -> int:
        """Return how many parts its devices in parts have."""
        return sum(cell.parts.n for cell in self.card.cells if cell.parts is not None)

    @property
    def parts_used(self) -> int:
        """Return how many of the parts are in use."""
        return sum(cell.parts.used for cell in self.card.cells if cell.parts is not None)

    @property
    def n_whole(self) -> int:
        """Return how many devices are not in parts."""
        return sum(cell.parts is None for cell in self.card.cells)

    @property
    def n_free(self) -> int:
        """Return how many devices are free."""
        return self.card.count("free")


def card_view(card: DeviceCard, labels: Mapping[str, str], mine: str, chosen: str, url: CellUrl) -> CardView:
    """Return a card; `mine` is the selected claim, `chosen` the selected node, `url` the address of a cell."""
    cells = card.cells[:MOST_CELLS]
    width = min(ROW_CELLS, max((len(list(row)) for _, row in groupby(cells, lambda c: c.row)), default=1))
    rows = tuple(
        CardRow(name, tuple(_bars(card, line, labels, mine, url)), width - len(line))
        for name, line in _lines(cells, width)
    )
    others = [bar for cell in card.others[:MOST_OTHERS] for bar in _bars(card, [cell], labels, mine, url)]
    named = [DeviceBar(one.look, 1, cell.name, one.title, one.url, one.is_mine)
             for one, cell in zip(others, card.others, strict=False)]  # fmt: skip
    return CardView(
        card=card,
        url=url(card.name, ()),
        rows=rows,
        others=tuple(named),
        is_chosen=card.name == chosen or any(bar.is_mine for row in rows for bar in row.bars),
        n_more=max(0, len(card.cells) - MOST_CELLS),
        n_others_more=max(0, len(card.others) - MOST_OTHERS),
    )


def _lines(cells: Iterable[DeviceCell], width: int) -> Iterator[tuple[str, list[DeviceCell]]]:
    for name, several in groupby(cells, lambda cell: cell.row):
        row = list(several)
        for start in range(0, len(row), width):
            yield name if not start else "", row[start : start + width]


def _bars(
    card: DeviceCard, line: list[DeviceCell], labels: Mapping[str, str], mine: str, url: CellUrl
) -> Iterator[DeviceBar]:
    def key(cell: DeviceCell) -> object:
        return cell.claims if cell.state == "use" else id(cell)

    for _, several in groupby(line, key):
        cells = list(several)
        first, last = cells[0], cells[-1]
        text = ", ".join(labels.get(claim, claim) for claim in first.claims) if first.state == "use" else ""
        title = cell_in_words(card, first)
        if len(cells) > 1:
            title = f"{first.name} to {last.name}{title.removeprefix(first.name)}"
        yield DeviceBar(
            look=first.state,
            n=len(cells),
            text=text,
            title=title,
            url=url(card.name, first.claims),
            is_mine=bool(mine) and mine in first.claims,
            parts=tuple((6 * i, i < first.parts.used) for i in range(first.parts.n)) if first.parts else (),
        )
