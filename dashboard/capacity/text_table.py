"""The answer that is shown as a table in text, columns by tabs, to be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.capacity.group_page import GroupPage
from dashboard.capacity.other_pages import DrainPage, RoomPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dashboard.capacity.other_pages import SparePage
    from dashboard.capacity.panel import AnswerPage


def text_table(page: AnswerPage) -> str:
    """The sentence of the answer, a head, then a line for each row."""
    return "".join("\t".join(str(one) for one in line) + "\n" for line in ([page.lead], *_lines(page)))


def _lines(page: AnswerPage) -> Iterable[Sequence[object]]:
    if isinstance(page, GroupPage):
        return _of_groups(page)
    if isinstance(page, RoomPage):
        return _of_room(page)
    return _of_drain(page) if isinstance(page, DrainPage) else _of_spare(page)


def _of_groups(page: GroupPage) -> Iterator[Sequence[object]]:
    yield ["namespace", "owner", "pods", "requests", "group", "nodes", "words"]
    for row in page.matrix.rows:
        for cell, head in zip(row.cells, page.matrix.heads, strict=True):
            nodes = next((one.nodes for one in row.row.cells if one.name == head), "")
            yield [row.row.namespace, row.name, row.n_pods, row.needs, head, nodes, cell.look.text]
    for row in page.matrix.gated:
        yield [row.row.namespace, row.name, row.n_pods, row.needs, "", "", "waits for a gate"]


def _of_room(page: RoomPage) -> Iterator[Sequence[object]]:
    yield ["shape", "nodes", "more"]
    for shape in page.answer.fitting.by_shape if page.answer.fitting is not None else ():
        yield [shape.shape, shape.nodes, shape.count]
    yield ["node", "", "more"]
    for node, count in page.answer.fitting.by_node.items() if page.answer.fitting is not None else ():
        yield [node, "", count]


def _of_drain(page: DrainPage) -> Iterator[Sequence[object]]:
    yield ["pod", "node", "what becomes of it", "why"]
    yield from ([row.pod, row.source, row.word, row.why] for row in page.rows)


def _of_spare(page: SparePage) -> Iterator[Sequence[object]]:
    yield ["node", "group", "pods", "needed", "why"]
    yield from ([row.line.name, row.line.group, row.line.pods, row.word, row.why] for row in page.rows)
