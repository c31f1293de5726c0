"""Origins and branches of runs: which run branched off which one, where, and with which changes, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.runs.inputs import WEIGHTS, WHOLE
from dashboard.runs.models import Run, RunBranch, RunChange, State
from scheduler_core.simulate import WholeObjectChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dashboard.clusters.models import Cluster

VERBS = {"put": "put", "patch": "changed", "delete": "deleted"}
SHOWN_CHANGES = 3
SHOWN_RUNS = 200
DEEPEST = 6


@dataclass(frozen=True)
class TreeLine:
    """A run in the tree of its cluster's runs, its depth there, and its branch row (None if it is no branch)."""

    depth: int
    run: Run
    branch: RunBranch | None

    @property
    def level(self) -> int:
        """Return the indentation of the line, at most the deepest that has a style."""
        return min(self.depth, DEEPEST)

    @property
    def has_origin(self) -> bool:
        """Return whether the origin of the run is a line above it."""
        return self.depth > 0

    @property
    def words(self) -> str:
        """Return the changes of the branch in words."""
        return changes_in_words(self.branch) if self.branch is not None else ""


def changes_in_words(changed: RunBranch | RunChange) -> str:
    """Return the changes at one place in one line: "Node n-1 put, policies: draw; and 2 more"."""
    phrases = [change_in_words(change) for change in changed.changes]
    more = f"; and {len(phrases) - SHOWN_CHANGES} more" if len(phrases) > SHOWN_CHANGES else ""
    return ", ".join(phrases[:SHOWN_CHANGES]) + more


def change_in_words(change: Mapping[str, Any]) -> str:
    """Return one stored change in a phrase."""
    action = str(change["action"])
    if action in VERBS:
        return f"{_change_name(change)} {VERBS[action]}"
    if action == "configure":
        weights = change.get(WEIGHTS)
        if not weights:
            return "another configuration"
        return "weights: " + ", ".join(f"{plugin} {weight}" for plugin, weight in weights.items())
    if action == "set_policies":
        return "policies: " + ", ".join(f"{name} {value}" for name, value in change["policies"].items())
    return f"entry {change['entry']} of the timeline switched off"


def _change_name(change: Mapping[str, Any]) -> str:
    if WHOLE in change:
        whole = msgspec.convert(change[WHOLE], WholeObjectChange)
        obj = whole.at(0).object
        return _label(whole.kind, getattr(obj, "namespace", ""), obj.name)
    metadata = change["object"].get("metadata") or {}
    return _label(str(change["object"].get("kind")), metadata.get("namespace") or "", str(metadata.get("name")))


def _label(kind: str, namespace: str, name: str) -> str:
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def living_origin(run: Run) -> Run | None:
    """Return the origin of a branch, None if it is deleted or being deleted."""
    origin = run.branch.origin if run.is_branch else None
    return None if origin is None or origin.state == State.DELETING else origin


def list_branches(run: Run) -> list[Run]:
    """Return the branches of the run, oldest first."""
    return list(Run.objects.filter(branch__origin=run).select_related("branch", "workspace").order_by("number"))


def branch_tree(cluster: Cluster) -> list[TreeLine]:
    """Return the newest runs of a cluster that are branches or have some, each below its origin; [] if there are none.

    A run whose origin is deleted or not among them is at the top level.
    """
    runs = Run.objects.filter(revision__cluster=cluster).select_related("branch", "workspace").order_by("-number")
    newest = list(reversed(runs[:SHOWN_RUNS]))
    by_origin: dict[int | None, list[Run]] = {}
    keys = {run.pk for run in newest}
    for run in newest:
        origin = run.branch.origin_id if run.is_branch else None
        by_origin.setdefault(origin if origin in keys else None, []).append(run)
    lines = list(_below(None, by_origin, 0))
    return [one for one in lines if one.branch is not None or one.run.pk in by_origin]


def _below(origin: int | None, by_origin: Mapping[int | None, Iterable[Run]], depth: int) -> Iterator[TreeLine]:
    for run in by_origin.get(origin, ()):
        yield TreeLine(depth, run, run.branch if run.is_branch else None)
        yield from _below(run.pk, by_origin, depth + 1)
