"""Pods that wait by node groups, as a table: rows of pods that need the same, of each row what each group does alone.

Pods of one controller are a row, else pods that are equal to the scheduler. What a cell says is tried without the
other rows, beside the pods that find a node as it is, so the nodes of a column are no sum. First comes the answer about
all that wait, then row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.capacity.adding import AddingAnswer, GroupAnswer, GroupQuestion
from scheduler_core.capacity.groups.model import NodeGroup
from scheduler_core.capacity.resting import RestingCluster

MOST_ROWS = 40
"""Rows whose cells are asked for, those of the most pods first; the others are counted."""


class NeedRow(msgspec.Struct, frozen=True, kw_only=True):
    """Pods that need the same: ``owner`` is Kind/name of their controller ("" for none), ``requests`` what one of them
    asks for. ``cells`` are by group, as many as were tried so far, about ``lacking`` of the pods: those that find no
    node without the other rows."""

    namespace: str
    owner: str
    pods: tuple[str, ...]
    requests: dict[str, int]
    cells: tuple[GroupAnswer, ...] = ()
    lacking: int = 0


class NewNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the mix, and the pods of the question that it takes. ``resource`` is the one that is fullest: ``used``
    of what the pods of DaemonSets leave (``free``)."""

    name: str
    group: str
    pods: tuple[str, ...]
    resource: str = ""
    used: int = 0
    free: int = 0


class GroupTable(msgspec.Struct, frozen=True, kw_only=True):
    """The answer so far: ``done`` of ``total`` cells are asked. ``places`` are the nodes of the mix, or of the one
    group that helps; ``gated`` the pods that wait for a gate, which no node lets run. ``more_rows`` are not asked."""

    answer: AddingAnswer
    rows: tuple[NeedRow, ...] = ()
    places: tuple[NewNode, ...] = ()
    gated: tuple[NeedRow, ...] = ()
    more_rows: int = 0
    done: int = 0
    total: int = 0
    is_complete: bool = False


class AskedTable:
    """The table as it is made: ``go_on`` until it says that all is done. Raises KeyError for a ``pod`` (namespace/name)
    that does not wait."""

    def __init__(
        self, resting: RestingCluster, groups: Sequence[NodeGroup], pod: str = "", *, by_price: bool = False
    ) -> None:
        self.resting, self.groups = resting, groups
        self.asking = GroupQuestion(resting, groups, (pod,) if pod else (), by_price=by_price)
        self.rows = rows_of(resting, self.asking.asked)
        self.gated = [] if pod else rows_of(resting, filter(_is_gated, resting.inputs.objects.pods))
        self.cells: list[GroupQuestion] = []
        self.places: tuple[NewNode, ...] = ()
        self._steps = self._all()
        self._is_done = False

    def go_on(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Go on until ``is_over``, for one step at least; whether all is done."""
        for _ in self._steps:
            if is_over():
                return False
        self._is_done = True
        return True

    @property
    def table(self) -> GroupTable:
        """What is known so far."""
        asked = self.rows[:MOST_ROWS]
        return GroupTable(
            answer=self.asking.answer,
            rows=tuple([_row(pods, self.cells[i : i + 1]) for i, pods in enumerate(asked)]),
            places=self.places,
            gated=tuple([_row(pods, []) for pods in self.gated]),
            more_rows=len(self.rows) - len(asked),
            done=len(self.asking.answers) + sum(len(one.answers) for one in self.cells),
            total=(1 + len(asked)) * len(self.groups),
            is_complete=self._is_done,
        )

    def _all(self) -> Iterator[None]:
        yield from self.asking.steps()
        self.places = self._places()
        if len(self.rows) == 1:
            self.cells.append(self.asking)
            return
        placed = {pod.key for pod in self.asking.queue} - {pod.key for pod in self.asking.asked}
        for pods in self.rows[:MOST_ROWS]:
            yield
            row = GroupQuestion(self.resting, self.groups, placed | {pod.key for pod in pods})
            self.cells.append(row)
            yield from row.alone(is_proved=False)

    def _places(self) -> tuple[NewNode, ...]:
        """The nodes that are called the answer, with what each takes."""
        answer = self.asking.answer
        helping = {one.name: one.nodes for one in answer.groups if one.nodes}
        numbers = answer.mix.nodes if answer.mix else helping if len(helping) == 1 else {}
        added = {
            node.name: (group.name, node)
            for group in self.groups
            for node in (group.node(number + 1) for number in range(numbers.get(group.name, 0)))
        }
        if not added:
            return ()
        nodes_of = self.resting.where(self.asking.queue, [node for _, node in added.values()])
        taken: dict[str, list[Pod]] = {name: [] for name in added}
        for pod in self.asking.queue:
            if nodes_of.get(pod.key) in taken:
                taken[nodes_of[pod.key]].append(pod)
        return tuple([self._new_node(group, node, taken[name]) for name, (group, node) in added.items()])

    def _new_node(self, group: str, node: Node, pods: Sequence[Pod]) -> NewNode:
        held, used = _sum(self.resting.daemons_of(node)), _sum(pods)
        free = {name: amount - held.get(name, 0) for name, amount in node.allocatable.items()}
        shares = {name: amount / free[name] for name, amount in used.items() if free.get(name, 0) > 0}
        fullest = max(shares, key=lambda name: shares[name], default="")
        return NewNode(
            name=node.name,
            group=group,
            pods=tuple([pod.key for pod in pods]),
            resource=fullest,
            used=used.get(fullest, 0),
            free=free.get(fullest, 0),
        )


def rows_of(resting: RestingCluster, pods: Iterable[Pod]) -> list[list[Pod]]:
    """The pods by what they need, the row of the most pods first."""
    info = resting.simulation.context.cluster.info
    rows: dict[tuple[object, ...], list[Pod]] = {}
    for pod in pods:
        same = (pod.namespace, owner_of(pod) or info(pod).cls.id, tuple(sorted(pod_requests(pod).items())))
        rows.setdefault(same, []).append(pod)
    return sorted(rows.values(), key=lambda row: -len(row))


def owner_of(pod: Pod) -> str:
    """Kind/name of the pod's controller, "" where it has none."""
    return next((f"{owner.kind}/{owner.name}" for owner in pod.owner_references if owner.controller), "")


def _row(pods: Sequence[Pod], asked: Sequence[GroupQuestion]) -> NeedRow:
    """The row, with the question about it where there is one already."""
    first = pods[0]
    return NeedRow(
        namespace=first.namespace,
        owner=owner_of(first),
        pods=tuple([pod.key for pod in pods]),
        requests=pod_requests(first),
        cells=tuple([cell for one in asked for cell in one.answers]),
        lacking=sum(len(one.asked) for one in asked),
    )


def _is_gated(pod: Pod) -> bool:
    return bool(pod.scheduling_gates) and not (pod.node_name or pod.is_terminal or pod.deletion_timestamp)


def _sum(pods: Sequence[Pod]) -> dict[str, int]:
    total: dict[str, int] = {}
    for pod in pods:
        for name, amount in pod_requests(pod).items():
            total[name] = total.get(name, 0) + amount
    return total
