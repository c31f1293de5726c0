"""How runs hang together: which run left which one, where, and what was changed, in words."""

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
    """A run in the tree of its cluster: how deep it lies, the run, its branch row (None where it left no run)."""

    depth: int
    run: Run
    branch: RunBranch | None

    @property
    def level(self) -> int:
        """Return how far it is indented: lines deeper than that stand there as well."""
        return min(self.depth, DEEPEST)

    @property
    def has_origin(self) -> bool:
        """Return whether the run that it left stands above it."""
        return self.depth > 0

    @property
    def words(self) -> str:
        """Return what was changed where it left its origin."""
        return changes_in_words(self.branch) if self.branch is not None else ""


def changes_in_words(changed: RunBranch | RunChange) -> str:
    """Return what was changed at one place in a line: "Node n-1 put, policies: draw; and 2 more"."""
    phrases = [change_in_words(change) for change in changed.changes]
    more = f"; and {len(phrases) - SHOWN_CHANGES} more" if len(phrases) > SHOWN_CHANGES else ""
    return ", ".join(phrases[:SHOWN_CHANGES]) + more


def change_in_words(change: Mapping[str, Any]) -> str:
    """Return one stored change in a phrase."""
    action = str(change["action"])
    if action in VERBS:
        return f"{_name_of(change)} {VERBS[action]}"
    if action == "configure":
        weights = change.get(WEIGHTS)
        if not weights:
            return "another configuration"
        return "weights: " + ", ".join(f"{plugin} {weight}" for plugin, weight in weights.items())
    if action == "set_policies":
        return "policies: " + ", ".join(f"{name} {value}" for name, value in change["policies"].items())
    return f"entry {change['entry']} of the timeline switched off"


def _name_of(change: Mapping[str, Any]) -> str:
    if WHOLE in change:
        whole = msgspec.convert(change[WHOLE], WholeObjectChange)
        obj = whole.at(0).object
        return _label(whole.kind, getattr(obj, "namespace", ""), obj.name)
    metadata = change["object"].get("metadata") or {}
    return _label(str(change["object"].get("kind")), metadata.get("namespace") or "", str(metadata.get("name")))


def _label(kind: str, namespace: str, name: str) -> str:
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def living_origin(run: Run) -> Run | None:
    """Return the run that a branch left, None where it is gone or on its way."""
    origin = run.branch.origin if run.is_branch else None
    return None if origin is None or origin.state == State.DELETING else origin


def branches_of(run: Run) -> list[Run]:
    """Return the runs that left this one, in the order in which they were made."""
    return list(Run.objects.filter(branch__origin=run).select_related("branch", "workspace").order_by("number"))


def tree_of(cluster: Cluster) -> list[TreeLine]:
    """Return the newest runs of a cluster that left one another, each below the one that it left; [] where none did.

    A run whose origin is gone, or is not among them, stands at the beginning of a line.
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
