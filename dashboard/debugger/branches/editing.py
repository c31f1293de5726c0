"""The objects of a run at the cursor, as text to edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_keys import normal_key
from dashboard.debugger.panels.object_yaml import object_yaml
from scheduler_core.manifests.kinds.registry import KINDS

if TYPE_CHECKING:
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.debugger.page import CursorPage


class NotEditable(Exception):
    """The object has no text to edit; the message says why and what to do instead."""


def named(kind: str, name: str) -> Key:
    """Return the key of a form's kind and name (namespace/name); raises NotEditable if they are invalid."""
    namespace, _, bare = name.strip().rpartition("/")
    if kind not in KINDS:
        raise NotEditable(f'"{kind[:40]}" is no kind of object that a run reads.')
    if not bare:
        raise NotEditable(f"Which {kind}? Write its name, with its namespace as in shop/web-1.")
    return normal_key(kind, namespace, bare)


def text_of(page: CursorPage, key: Key) -> str:
    """Return the object's YAML as of the cursor, with its node if it is bound; raises NotEditable."""
    shown = object_yaml(page.run, page.moment.facts, page.moment.state, key.kind, key.path)
    if shown is None:
        raise NotEditable(f"Run {page.run.number} has no {key.label} at the cursor.")
    if not shown.text:
        raise NotEditable(f"{key.label}: {' '.join(shown.notes)}")
    if shown.is_partial:
        raise NotEditable(
            f"{key.label} is {shown.origin.partition(';')[0]}, so it has no manifest of its own. Put it whole, or"
            " change its workload in the cluster."
        )
    # Including what pages fold: a node's allocatable amounts are in its status.
    return shown.text + "".join(fold.text for fold in shown.folds if fold.name == "status")


def is_there(page: CursorPage, key: Key) -> bool:
    """Return whether the run has the object at the cursor."""
    if key.kind == "Node":
        return key.name in page.moment.state.nodes
    shown = object_yaml(page.run, page.moment.facts, page.moment.state, key.kind, key.path)
    return shown is not None and bool(shown.text)


def kinds_of(page: CursorPage) -> list[str]:
    """Return the kinds that the form offers: those of the cluster first, then the others that a run reads."""
    present = {key.kind for key in contents_of(page.run.revision).by_key}
    usual = [kind for kind in ("Pod", "Node", "PodDisruptionBudget", "PriorityClass") if kind in KINDS]
    return [*usual, *sorted(present - set(usual)), *sorted(set(KINDS) - present - set(usual))]
