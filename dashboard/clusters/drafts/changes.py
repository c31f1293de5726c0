"""The changes of a draft, by object, and grouped for the draft bar."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.clusters.drafts.contents import base_address, current_address
from dashboard.clusters.revisions.diff import ObjectChange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.clusters.models import DraftObject
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_keys import Key

MARKS = {"added": "+", "changed": "~", "removed": "\N{MINUS SIGN}", "bound": "\N{RIGHTWARDS ARROW}"}
# Up to this many objects of one kind with the same sort of change have a chip each; more share one.
APART = 3


@dataclass(frozen=True)
class ChangeChip:
    """One object, or objects of a kind with the same sort of change: their number, a description, and the query that
    shows them.
    """

    mark: str
    what: str
    count: int
    label: str
    query: dict[str, str]

    @property
    def address(self) -> str:
        """Return the query string that shows the changes."""
        return urlencode(self.query)


def changed_objects(rows: Mapping[Key, DraftObject]) -> list[ObjectChange]:
    """Return those objects of a draft's rows that differ from its base, in the order of their first change."""
    changes = [ObjectChange(key, base_address(row), current_address(row)) for key, row in rows.items()]
    return [one for one in changes if one.old != one.new]


def moved_pods(changes: Sequence[ObjectChange], before: Contents, after: Contents) -> dict[Key, str]:
    """Return {key: node, "" for none} of the pods that have another node after the changes than before.

    A pod of a workload was there without a node, though it was no object of its own; the workload may be new.
    """
    moved = {}
    for key in (one.key for one in changes if one.key.kind == "Pod"):
        old, new = (contents.pods.get((key.namespace, key.name)) for contents in (before, after))
        if new is None or (old is None and not any(one.controller for one in new.owner_references)):
            continue
        if new.node_name != (old.node_name if old else ""):
            moved[key] = new.node_name
    return moved


def change_chips(changes: Sequence[ObjectChange], moved: Mapping[Key, str] = {}) -> list[ChangeChip]:
    """Return the chips of the draft bar: one per object, or per kind if many objects change in the same way; pods that
    `moved` to a node, or from one, are named so.
    """

    def group_of(change: ObjectChange) -> tuple[str, str]:
        return change.key.kind, "bound" if change.key in moved else change.what

    chips = []
    for (kind, what), group in groupby(sorted(changes, key=group_of), key=group_of):
        alike = list(group)
        if len(alike) > APART:
            label = f"{kind} {_between(alike[0].key.name, alike[-1].key.name)}"
            query = {"kind": kind} if what == "bound" else {"kind": kind, "what": what}
            chips.append(ChangeChip(MARKS[what], what, len(alike), label, query))
            continue
        for one in alike:
            query = {"kind": kind, "ns": one.key.namespace, "name": one.key.name}
            to = f" to {moved[one.key] or 'pending'}" if one.key in moved else ""
            chips.append(ChangeChip(MARKS[what], what, 1, f"{kind} {one.key.name}{to}", query))
    return chips


def _between(first: str, last: str) -> str:
    """Return a range of names, the parts that both begin with once: ``web-01 … 20``."""
    one, other = first.split("-"), last.split("-")
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{first} … {'-'.join(other[same:])}"
