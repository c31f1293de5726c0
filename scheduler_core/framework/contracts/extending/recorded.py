"""Calls of extenders as recordings hold them.

Nodes are named by their row in the node table where they have one. An extender may also name nodes that nobody else
knows, and one node several times; those are kept by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

EXTENDER = "Extender"
"""What kube-scheduler records as the plugin that refused a pod where extenders left out nodes (ExtenderName)."""
_PREFIX = f"{EXTENDER} "


def name_of_extender(address: str) -> str:
    """The name that an extender has where plugins have theirs: in filter results, scores and refusals."""
    return _PREFIX + address


def is_extender(name: str) -> bool:
    """Whether a name among those of plugins is that of an extender."""
    return name.startswith(_PREFIX)


def address_of_extender(name: str) -> str:
    """The address in the name that an extender has among plugins."""
    return name.removeprefix(_PREFIX)


class NamedNodes(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Nodes by row, as a bitmap (numpy.packbits), and by name: nodes that have no row, and those named once more."""

    rows: bytes = b""
    names: tuple[str, ...] = ()

    @property
    def row_numbers(self) -> list[int]:
        """The rows of the bitmap, ascending."""
        rows: list[int] = np.flatnonzero(np.unpackbits(np.frombuffer(self.rows, dtype=np.uint8))).tolist()
        return rows

    def sorted_names(self, names_by_row: Sequence[str]) -> list[str]:
        """All names, sorted, with those named twice twice."""
        return sorted([names_by_row[row] for row in self.row_numbers] + list(self.names))


NO_NODES = NamedNodes()


def node_names(names: Iterable[str], row_of: Mapping[str, int]) -> NamedNodes:
    """The nodes of these names."""
    names = list(names)
    rows = [row_of.get(name, -1) for name in names]
    if len(set(rows)) == len(rows) and -1 not in rows:
        return NamedNodes(_bitmap(rows))
    first_ones: set[int] = set()
    others: list[str] = []
    for name, row in zip(names, rows, strict=True):
        if row < 0 or row in first_ones:
            others.append(name)
        else:
            first_ones.add(row)
    return NamedNodes(_bitmap(list(first_ones)), tuple(sorted(others)))


def _bitmap(rows: list[int]) -> bytes:
    bits = np.zeros(max(rows, default=-1) + 1, dtype=bool)
    bits[rows] = True
    return np.packbits(bits).tobytes()


class RefusedNodes(msgspec.Struct, frozen=True, gc=False):
    """The nodes that an extender refused with one text."""

    text: str
    nodes: NamedNodes


class FilterCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of an extender's filterVerb. ``extender`` is its index in the configuration, ``name`` that among plugins.

    ``failed`` and ``unresolvable`` are the two maps of the answer; ``error`` is set where the call failed, and
    ``ignored`` where the extender is ignorable then. ``nominated``: only the nominated node was looked at.
    ``replaces``: the nodes go on as the answer has them, without pods and images.
    """

    extender: int
    name: str
    given: NamedNodes
    passed: NamedNodes = NO_NODES
    failed: tuple[RefusedNodes, ...] = ()
    unresolvable: tuple[RefusedNodes, ...] = ()
    error: str = ""
    ignored: bool = False
    nominated: bool = False
    replaces: bool = False


class PrioritizeCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of an extender's prioritizeVerb; ``unscored`` are the nodes without a score in the answer, which add 0.

    ``weight`` is the configuration's. Where the call failed, ``error`` says how, and the extender adds nothing.
    """

    extender: int
    name: str
    weight: int
    unscored: NamedNodes = NO_NODES
    error: str = ""


class UnknownNodeScores(msgspec.Struct, frozen=True, gc=False):
    """The scores of a feasible node that has no row: raw and normalised by score plugin, in the frame's order."""

    node: str
    raw: tuple[int, ...]
    norm: tuple[int, ...]
    total: int


class ReturnedVictims(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an extender returned of a node: pods by key in its order, and how many evictions violate a budget."""

    node: str
    victims: tuple[str, ...]
    violations: int = 0


class PreemptCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of an extender's preemptVerb; ``returned`` in order of node names. Each extender is given what the one
    before it returned, without the nodes that had no victim left."""

    extender: int
    name: str
    returned: tuple[ReturnedVictims, ...] = ()
    error: str = ""
    ignored: bool = False


class BindCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of an extender's bindVerb."""

    extender: int
    name: str
    error: str = ""
    ignored: bool = False
