"""Groups of nodes with equal obstacles against the obstacles: what refuses whom, and what kube-scheduler counted it as.

Rows stand by how much is left of them without the cause, then by how many nodes they have; columns by letter. An
obstacle is in the message where its plugin is the first that refuses the group; else it is hidden behind that one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.why.causes.letters import LETTERS, Letter, Lettering
from dashboard.debugger.panels.why.causes.short_words import head_of, value_of

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import Diagnosis, EqualNodes, Obstacle

SHOWN_ROWS = 9
SHOWN_COLUMNS = len(LETTERS)
# At most this many names stand in the head of a row, and at most that many below an open one.
NAMED = 3
SHOWN_NAMES = 120
SHOWN_GROUPS = 60


@dataclass(frozen=True)
class MatrixColumn:
    """An obstacle: how many nodes it `refuses`, and on how many of them the message `counts` it."""

    letter: Letter | None
    head: str
    value: str
    title: str
    refuses: int
    counts: int
    is_lit: bool

    @property
    def is_less(self) -> bool:
        """Return whether the message counts fewer nodes than it refuses."""
        return self.counts < self.refuses


@dataclass(frozen=True)
class MatrixCell:
    """What an obstacle does to a group: "said", "hidden" behind another, or "none"."""

    look: str
    is_lit: bool
    letter: Letter | None


@dataclass(frozen=True)
class MatrixRow:
    """A group: `name` and `shared` are its nodes in short, `letters` those of all that refuses them; without the cause
    `n_left` of that are left.

    `kinds` are the obstacles beyond the columns in short words; `texts` those of the group with their letters and the
    values on its nodes.
    """

    name: str
    shared: str
    count: int
    cells: tuple[MatrixCell, ...]
    kinds: str
    letters: tuple[Letter, ...]
    n_left: int
    texts: tuple[tuple[tuple[Letter, ...], str], ...]
    nodes: tuple[str, ...]
    plugin: str
    unresolvable: bool

    @property
    def is_open(self) -> bool:
        """Return whether nothing refuses it without the cause."""
        return self.n_left == 0

    @property
    def names(self) -> tuple[str, ...]:
        """Return the nodes that are named, the first in order."""
        return self.nodes[:SHOWN_NAMES]

    @property
    def left_out(self) -> int:
        """Return how many are not."""
        return self.count - len(self.names)

    @property
    def unnamed(self) -> int:
        """Return how many of the obstacles have no letter."""
        return self.n_left - sum(not letter.is_lit for letter in self.letters)


@dataclass(frozen=True)
class ObstacleMatrix:
    """The table: `rows` are shown, `folded` open on demand, `n_more` groups are beyond both. `n_kinds` obstacles have
    no column, `has_lit` says whether the cause has one; `note` compares the message with what refuses."""

    columns: tuple[MatrixColumn, ...]
    n_kinds: int
    rows: tuple[MatrixRow, ...]
    folded: tuple[MatrixRow, ...]
    n_more: int
    n_groups: int
    n_nodes: int
    note: str

    @property
    def has_lit(self) -> bool:
        """Return whether the cause is among the columns."""
        return any(column.is_lit for column in self.columns)

    @property
    def lit(self) -> tuple[Letter, ...]:
        """Return the letters of the cause."""
        return tuple(column.letter for column in self.columns if column.is_lit and column.letter is not None)

    @property
    def lettered(self) -> tuple[Letter, ...]:
        """Return the letters of all columns."""
        return tuple(column.letter for column in self.columns if column.letter is not None)

    @property
    def is_plain(self) -> bool:
        """Return whether one group with one obstacle is all there is, so that a table says nothing."""
        return self.n_groups <= 1 and len(self.columns) <= 1

    @property
    def n_columns(self) -> int:
        """Return how many columns of obstacles there are, the one of all further kinds counted in."""
        return len(self.columns) + bool(self.n_kinds)

    @property
    def width(self) -> int:
        """Return how many columns a cell spans that takes the whole width."""
        return self.n_columns + 2 + self.has_lit

    @property
    def n_folded(self) -> int:
        """Return how many groups are not shown at once."""
        return len(self.folded) + self.n_more

    @property
    def nodes_folded(self) -> int:
        """Return how many nodes they have."""
        return self.n_nodes - sum(row.count for row in self.rows)


def obstacle_matrix(diagnosis: Diagnosis) -> ObstacleMatrix | None:
    """Return the table; None where no node was looked at."""
    if not diagnosis.groups:
        return None
    letters = Lettering(diagnosis)
    shown, rest = letters.obstacles[:SHOWN_COLUMNS], letters.obstacles[SHOWN_COLUMNS:]
    columns = tuple(_column(one, diagnosis, letters) for one in shown)
    rows = sorted((_row(one, shown, rest, letters) for one in diagnosis.groups), key=_order)
    return ObstacleMatrix(
        columns=columns,
        n_kinds=len(rest),
        rows=tuple(rows[:SHOWN_ROWS]),
        folded=tuple(rows[SHOWN_ROWS:SHOWN_GROUPS]),
        n_more=len(rows[SHOWN_GROUPS:]),
        n_groups=len(rows),
        n_nodes=sum(row.count for row in rows),
        note=_note(columns),
    )


def _order(row: MatrixRow) -> tuple[int, int, str]:
    return row.n_left, -row.count, row.nodes[0]


def _column(one: Obstacle, diagnosis: Diagnosis, letters: Lettering) -> MatrixColumn:
    of_it = [group for group in diagnosis.groups if one.key in group.obstacles]
    return MatrixColumn(
        letter=next(iter(letters.of([one.key])), None),
        head=head_of(one.code),
        value=value_of(one),
        title=f"{one.code}: {one.text}",
        refuses=sum(group.count for group in of_it),
        counts=sum(group.count for group in of_it if group.counted == one.plugin),
        is_lit=one.key in letters.lit,
    )


def _row(group: EqualNodes, shown: list[Obstacle], rest: list[Obstacle], letters: Lettering) -> MatrixRow:
    by_key = {one.key: one for one in letters.obstacles}
    left = [key for key in group.obstacles if key not in letters.lit]
    name, shared = _named(group)
    texts = zip(group.obstacles, group.texts, strict=False)
    return MatrixRow(
        name=name,
        shared=shared,
        count=group.count,
        cells=tuple(
            MatrixCell(_look(one, group), one.key in letters.lit, next(iter(letters.of([one.key])), None))
            for one in shown
        ),
        kinds=", ".join(_kind(one) for one in rest if one.key in group.obstacles),
        letters=letters.of(group.obstacles),
        n_left=len(left),
        texts=tuple(sorted(((letters.of([key]), text) for key, text in texts), key=_lettered_first)),
        nodes=group.nodes,
        plugin=group.counted or by_key[group.obstacles[0]].plugin,
        unresolvable=group.unresolvable,
    )


def _lettered_first(one: tuple[tuple[Letter, ...], str]) -> tuple[str, str]:
    letters, text = one
    return "".join(letter.text for letter in letters) or "~", text


def _look(one: Obstacle, group: EqualNodes) -> str:
    if one.key not in group.obstacles:
        return "none"
    return "said" if group.counted == one.plugin else "hidden"


def _kind(one: Obstacle) -> str:
    return value_of(one) or head_of(one.code)


def _named(group: EqualNodes) -> tuple[str, str]:
    """(the nodes in short, what they have in common where that is not their names)."""
    names = ", ".join(group.nodes[:NAMED])
    if group.count <= NAMED:
        return names, "" if group.shared == names else group.shared
    return (group.shared, "") if group.shared else (f"{group.nodes[0]} and {grouped(group.count - 1)} more", "")


def _note(columns: tuple[MatrixColumn, ...]) -> str:
    less = next((one for one in sorted(columns, key=lambda one: not one.is_lit) if one.is_less), None)
    if less is None:
        return "No obstacle hides behind another: the message counts what each refuses."
    hidden = less.refuses - less.counts
    what = less.letter.text if less.letter is not None else f"{less.head} {less.value}".strip()
    on = f"{grouped(hidden)} of the {grouped(less.refuses)} nodes"
    return f"On {on} that {what} refuses, the message counts another plugin, which refuses first."
