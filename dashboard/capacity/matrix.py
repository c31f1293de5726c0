"""The matrix of pods that need the same by node groups, and the selected cell in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dashboard.capacity.words import amounts, first, offered, sentence, tail
from dashboard.common.pages.numbers import plural
from dashboard.debugger.panels.why.causes.short_words import head_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.capacity import GroupsAnswer
    from dashboard.answers.answering.capacity_state import GroupFacts
    from dashboard.capacity.choice import CapacityChoice
    from scheduler_core.capacity.adding import GroupAnswer
    from scheduler_core.capacity.table import NeedRow

MAXIMUM = "GROUP_MAXIMUM"


class CellLook(NamedTuple):
    """A cell: how it looks, its word, the value below it, and all of it in a sentence."""

    meaning: str
    glyph: str
    word: str
    value: str
    text: str


def cell_look(cell: GroupAnswer | None, n_pods: int) -> CellLook:
    """Return what a cell says of `n_pods` pods of a row that find no node; None is not asked yet."""
    if cell is None:
        return CellLook("wait", "hour", "to be asked", "", "is not asked yet")
    n_run = len(cell.pods)
    if cell.nodes:
        nodes = plural(cell.nodes, "node")
        if n_run == n_pods:
            let = "let it run" if n_pods == 1 else f"let all {n_pods:,} run"
            return CellLook("bound", "check", nodes, "", f"{nodes} {_verb(let, cell.nodes)}")
        rest = "; ".join(cell.bounds) or _refusal(cell)[1]
        text = f"{nodes} {_verb(f'let {n_run:,} of {n_pods:,} run', cell.nodes)}{'; ' if rest else ''}{rest}"
        return CellLook("backoff", "alert", nodes, f"{n_run:,} of {n_pods:,} pods", text)
    if MAXIMUM in cell.codes:
        return CellLook("unsched", "x", "maximum", "", "; ".join(cell.bounds))
    (code, subject), text = _refusal(cell)
    is_short = code.startswith("SHORT_")
    return CellLook("unsched" if is_short else "unres", "x" if is_short else "ban", head_of(code), subject, text)


def _verb(said: str, nodes: int) -> str:
    return said.replace("let", "lets", 1) if nodes == 1 else said


def _refusal(cell: GroupAnswer) -> tuple[tuple[str, str], str]:
    """The first obstacle with what it is about, and all of them in words."""
    if not cell.refused:
        return ("no node helps", ""), "no number of its nodes lets the rest run"
    one = cell.refused[0]
    subject = tail(one.subjects[0]) if one.subjects else ""
    return (one.codes[0] if one.codes else "refused", subject), "; ".join(one.texts) or ", ".join(one.codes)


@dataclass(frozen=True)
class GroupCell:
    """A cell with its place in the table."""

    look: CellLook
    group: str
    url: str
    is_chosen: bool
    id: str


@dataclass(frozen=True)
class PodsRow:
    """Pods that need the same."""

    row: NeedRow
    cells: tuple[GroupCell, ...] = ()

    @property
    def name(self) -> str:
        """What the row is named by: its controller, else its first pod."""
        return tail(self.row.owner) or tail(self.row.pods[0])

    @property
    def title(self) -> str:
        """The name in full, with some of the pods."""
        return f"{self.row.namespace}, {self.row.owner or 'no controller'}: {first(map(tail, self.row.pods))}"

    @property
    def n_pods(self) -> int:
        """How many pods."""
        return len(self.row.pods)

    @property
    def needs(self) -> str:
        """What one of them requests."""
        return amounts(self.row.requests)


class CellWords(NamedTuple):
    """The selected cell: its row and group, (name, words) of what is said, and the same row in the other groups."""

    row: str
    group: str
    facts: list[tuple[str, str]]
    others: list[tuple[str, CellLook]]


@dataclass(frozen=True)
class GroupMatrix:
    """The table of an answer; `url` gives the address of the page with another choice."""

    answer: GroupsAnswer
    choice: CapacityChoice
    url: Callable[..., str]

    @property
    def heads(self) -> list[str]:
        """The names of the groups."""
        return [group.name for group in self.answer.groups]

    @cached_property
    def chosen(self) -> tuple[int, int] | None:
        """Row and column of the selected cell: the one that is named, else the first that helps, else the first."""
        rows, heads = self.answer.table.rows, self.heads
        if not rows or not heads:
            return None
        row = next((i for i, one in enumerate(rows) if one.pods[0] == self.choice.row), -1)
        if row >= 0 and self.choice.group in heads:
            return row, heads.index(self.choice.group)
        places = [(i, j) for i, one in enumerate(rows) for j, cell in enumerate(one.cells) if cell.nodes]
        return next((place for place in places if row in (-1, place[0])), (max(row, 0), 0))

    @cached_property
    def rows(self) -> list[PodsRow]:
        """The rows that have cells."""
        return [PodsRow(row, tuple(self._cells(i, row))) for i, row in enumerate(self.answer.table.rows)]

    @property
    def gated(self) -> list[PodsRow]:
        """The rows of pods that wait for a gate."""
        return [PodsRow(row) for row in self.answer.table.gated]

    def _cells(self, i: int, row: NeedRow) -> list[GroupCell]:
        return [
            GroupCell(
                look=self._look(row, j),
                group=name,
                url=self.url(row=row.pods[0], group=name),
                is_chosen=(i, j) == self.chosen,
                id=f"cap-{i}-{j}",
            )
            for j, name in enumerate(self.heads)
        ]

    @staticmethod
    def _look(row: NeedRow, column: int) -> CellLook:
        return cell_look(row.cells[column] if column < len(row.cells) else None, row.lacking)

    @property
    def detail(self) -> CellWords | None:
        """The selected cell in words, None where there is no cell."""
        if self.chosen is None:
            return None
        i, j = self.chosen
        row, group = self.answer.table.rows[i], self.answer.groups[j]
        facts = [
            ("These pods", sentence(self._look(row, j).text)),
            ("Template", _template(group)),
            ("DaemonSets", first(group.daemons, 6) if group.daemons else "none puts a pod on a new node"),
            ("Group", _size(group)),
        ]
        others = [(one.name, self._look(row, k)) for k, one in enumerate(self.answer.groups) if k != j]
        return CellWords(self.rows[i].name, group.name, facts, others)


def _template(group: GroupFacts) -> str:
    taints = f"taints {first(group.taints)}" if group.taints else "no taint"
    zone = f"zone {group.zone}" if group.zone else "no zone"
    return f"{offered(group.amounts)}, {group.amounts.get('pods', 0):,} pods; {taints}; {zone}; from {group.source}"


def _size(group: GroupFacts) -> str:
    most = "no maximum is known" if group.maximum is None else f"at most {group.maximum:,}"
    return f"{group.present:,} now, {most}"
