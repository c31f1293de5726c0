"""Answers by node for all pods whose claims ask for the same, kept while the pools of the node stay as they are.

Idea. What claims get on a node depends on what they ask for, in order, and on the pools that the node reaches with what
is taken of them; names of claims and pods do not count. So the answers of one shape of claims are kept by node, and a
device that is taken or given back makes those nodes stale that reach its pool: one node where the pool is local, all of
them where everybody reaches it.

Invariant. A kept answer for a node is that of a new search (``ClaimWork.searched``), unless the node is in ``_stale``.
It holds for one generation of slices, classes and node objects. Nodes whose search ends in an error, whose text names
the claim, have no kept answer.

Cost. Per cycle one search for each node that reaches a pool in which something was taken or given back; one for all
nodes that reach the same pools, none of them local.

Example. Two shapes A (one device) and B (two devices) on nodes n0 and n1 with a pool each, and a pool for both.
    a pod of A gets a device of n0's pool:    A and B search n0 again
    a pod of B gets one of the common pool:   A and B search n0 and n1 again
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.devices import ClaimSpec
from scheduler_core.api.objects import Node
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.contracts.verdicts import ReasonTable, Rows
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex, PoolKey

MOST_ANSWERS = 100_000
"""Answers of all shapes together; beyond it the shape used longest ago is forgotten."""
_LEAST_SHAPES = 2
_MOST_SPECS = 10_000
_encode = msgspec.msgpack.Encoder(order="deterministic").encode
Search = Callable[[Node], Any]
"""The answer for a node (an AnswerOnNode) by a search."""


class ShapeAnswers:
    """The answers of one shape. By row, which ``refresh`` brings up to date: ``codes`` uint8, ``reasons`` int32,
    ``ranks`` int64; ``row_log`` has each row that was searched. ``errors`` are nodes without an answer.
    ``depends_on_node``: what is asked for depends on the node, not only what it reaches."""

    def __init__(
        self,
        table: NodeTable,
        reasons: ReasonTable,
        pools: PoolIndex,
        pool_log: list[PoolKey],
        *,
        depends_on_node: bool = False,
    ) -> None:
        n_rows = table.n_rows
        self.codes: NDArray[np.uint8] = np.zeros(n_rows, dtype=np.uint8)
        self.reasons: NDArray[np.int32] = np.zeros(n_rows, dtype=np.int32)
        self.ranks: NDArray[np.int64] = np.zeros(n_rows, dtype=np.int64)
        self.row_log: list[int] = []
        self.errors: set[str] = set()
        self._table, self._reason_table, self._pools, self._pool_log = table, reasons, pools, pool_log
        self._depends_on_node = depends_on_node
        self._answers: dict[str, Any] = {}
        self._stale = dict.fromkeys(table.row_of)
        self._position = len(pool_log)

    def on(self, node: Node, search: Search) -> Any:
        """The answer for the node."""
        self._follow()
        if node.name in self._stale:
            return self._searched(node, search)
        return self._answers[node.name]

    def refresh(self, search: Search) -> None:
        """Have an answer for every node."""
        self._follow()
        nodes, row_of = self._table.nodes, self._table.row_of
        same: dict[tuple[int, ...], Any] = {}
        for name in list(self._stale):
            node = nodes[row_of[name]]
            assert node is not None, name
            key = self._alike(node)
            if key is None:
                self._searched(node, search)
            elif key in same:
                self._take(node, same[key])
            else:
                same[key] = self._searched(node, search)

    def _alike(self, node: Node) -> tuple[int, ...] | None:
        """What nodes have in common that get the same answer, None for one that gets an answer of its own."""
        if self._depends_on_node:
            return None
        try:
            return self._pools.alike(node)
        except AllocationError:
            return None

    def rows_since(self, position: int) -> Rows:
        """Each row that was searched since the log had that length, once."""
        return np.array(list(dict.fromkeys(self.row_log[position:])), dtype=np.int64)

    def _follow(self) -> None:
        log = self._pool_log
        if self._position == len(log):
            return
        for pool in dict.fromkeys(log[self._position :]):
            for name in self._pools.reached_by.get(pool, ()):
                self._stale[name] = None
        self._position = len(log)

    def _searched(self, node: Node, search: Search) -> Any:
        answer = search(node)
        self._take(node, answer)
        return answer

    def _take(self, node: Node, answer: Any) -> None:
        name, row = node.name, self._table.row_of[node.name]
        self.row_log.append(row)
        self.codes[row], self.ranks[row] = answer.status.code, answer.rank
        self.reasons[row] = self._reason_table.intern(answer.status.reasons)
        if answer.status.code is Code.ERROR:
            self.errors.add(name)  # stale as long as it is one: its text is of one pod
            self._stale[name] = None
            return
        self.errors.discard(name)
        self._stale.pop(name, None)
        self._answers[name] = answer


class SpecTexts:
    """What claims ask for, as bytes that are equal for equal specs."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[ClaimSpec, bytes]] = {}

    def text(self, spec: ClaimSpec) -> bytes:
        """The bytes; those of an object are kept, since the claims of a template share it."""
        entry = self._texts.get(id(spec))
        if entry is None:
            if len(self._texts) >= _MOST_SPECS:
                self._texts.clear()
            entry = self._texts[id(spec)] = spec, _encode(spec)
        return entry[1]


class Shapes:
    """The shapes of one generation of slices, classes and nodes."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[Any, ShapeAnswers] = OrderedDict()
        self._stamp: Any = None

    def of(self, stamp: Any, key: Any, n_nodes: int, make: Callable[[], ShapeAnswers]) -> ShapeAnswers:
        """The answers of the shape with this key; all are forgotten with another stamp."""
        if stamp != self._stamp:
            self._by_key.clear()
            self._stamp = stamp
        shape = self._by_key.get(key)
        if shape is None:
            shape = self._by_key[key] = make()
            if len(self._by_key) > max(_LEAST_SHAPES, MOST_ANSWERS // max(1, n_nodes)):
                self._by_key.popitem(last=False)
        self._by_key.move_to_end(key)
        return shape
