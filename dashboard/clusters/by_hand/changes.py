"""What an action makes of the selected objects: edits, computed from manifests and values alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dashboard.clusters.by_hand.catalogue import SCALED
from dashboard.clusters.by_hand.copies import MOST_COPIES, check_size, make_copy, names_for
from dashboard.clusters.by_hand.manifests import in_zone, off_node, on_node, resized, scaled
from dashboard.clusters.drafts.contents import named_keys
from dashboard.clusters.drafts.node_changes import NODE_CHANGES, NodeChange, change_node
from dashboard.clusters.drafts.operations import Edit
from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dashboard.clusters.drafts.opened import StoredObject
    from dashboard.clusters.revisions.object_keys import Key, Raw

ANY_KIND = ("label", "unlabel", "delete", "duplicate")
FOR_KINDS = {"unbind": ("Pod",), "bind": ("Pod",), "scale": SCALED}


class HandValues(NamedTuple):
    """What a dialog asks for: key, value and effect of a label or taint, the zone or node, amounts by resource, a
    number of pods or copies, the pattern of their names and the labels that they get.
    """

    key: str = ""
    value: str = ""
    effect: str = "NoSchedule"
    place: str = ""
    amounts: Mapping[str, str] = {}
    number: int = 1
    pattern: str = ""
    labels: Mapping[str, str] = {}


def require_kinds(what: str, keys: Sequence[Key]) -> None:
    """Raise Problem where an action is not for all of these objects."""
    if not keys:
        raise Problem("Select at least one object.")
    kinds = FOR_KINDS.get(what, ("Node",))
    wrong = next((key for key in keys if key.kind not in kinds), None) if what not in ANY_KIND else None
    if wrong is not None:
        raise Problem(f"{wrong.label} is no {' or '.join(kinds)}. Select these alone.")


def make_edits(
    what: str, objects: Mapping[Key, StoredObject], values: HandValues, taken: Collection[Key] = ()
) -> list[Edit]:
    """Return the edits of these objects; `taken` are all keys of the draft. Raises Problem for impossible values."""
    require_kinds(what, list(objects))
    if what == "delete":
        return [Edit(key, None, one.address) for key, one in objects.items()]
    if what == "duplicate":
        check_size([one.manifest for one in objects.values()], max(1, min(values.number, MOST_COPIES)))
        return [edit for key, one in objects.items() for edit in _copies(key, one.manifest, values, taken)]
    return [Edit(key, _changed(what, one.manifest, values), one.address) for key, one in objects.items()]


def _changed(what: str, raw: Raw, values: HandValues) -> Raw:
    if what in NODE_CHANGES:
        if what not in ("cordon", "uncordon") and not values.key:
            raise Problem(f"Write the key of the {'label' if 'label' in what else 'taint'}.")
        return change_node(raw, _node_change(what, values))
    if what == "zone":
        return in_zone(raw, _given(values.place, "Write the name of the zone."))
    if what == "resize":
        if not values.amounts:
            raise Problem("Write at least one amount.")
        return resized(raw, values.amounts)
    if what == "bind":
        return on_node(raw, _given(values.place, "Choose a node."))
    return off_node(raw) if what == "unbind" else scaled(raw, values.number)


def _copies(key: Key, raw: Raw, values: HandValues, taken: Collection[Key]) -> list[Edit]:
    if not 1 <= values.number <= MOST_COPIES:
        raise Problem(f"Make from 1 to {grouped(MOST_COPIES)} copies at a time.")
    names = {one.name for one in taken if one.kind == key.kind and one.namespace == key.namespace}
    made = names_for(values.pattern or f"{key.name}-#", values.number, names)
    return [Edit(None, make_copy(raw, name, values.labels)) for name in made]


def _node_change(what: str, values: HandValues) -> NodeChange:
    return NodeChange(what, values.key, values.value, values.effect)


def _given(value: str, words: str) -> str:
    if not value:
        raise Problem(words)
    return value


def operation_name(what: str, keys: Sequence[Key], values: HandValues) -> str:
    """Return the action on these objects as the name of an operation: "Cordon node-a and 19 more"."""
    first = keys[0] if keys else None
    objects = named_keys(keys) if keys else "nothing"
    kind = first.kind if first else ""
    if what in NODE_CHANGES:
        label = "" if kind == "Node" or what in ("cordon", "uncordon") else f"{kind} "
        return f"{_node_change(what, values).text} {label}{objects}"
    amounts = ", ".join(f"{amount} {name}" for name, amount in values.amounts.items())
    return {
        "zone": f"Move {objects} to zone {values.place}",
        "resize": f"Resize {objects} to {amounts}",
        "bind": f"Bind {objects} to {values.place}",
        "unbind": f"Take {objects} back to pending",
        "scale": f"Scale {kind} {objects} to {values.number}",
        "delete": f"Delete {kind} {objects}",
        "duplicate": f"Duplicate {kind} {objects}" + (f" {values.number} times" if values.number > 1 else ""),
        "drain": f"Drain {objects}",
    }[what]
