"""Objects that an input gives more than once: which of them counts, and what is said of it."""

from __future__ import annotations

from scheduler_core.manifests.checking.raw_values import Complaint
from scheduler_core.manifests.finding_log import FindingLog
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.model import Raw, Severity
from scheduler_core.manifests.parsing.line_positions import ObjectPosition

Key = tuple[str, str, str]
_SHOWN_SAME = 3
"""Objects of a file that are named where they are the same as before; of more the number is said."""


def each_once(items: list[Item], log: FindingLog) -> tuple[list[Item], list[Item]]:
    """The items, each object once, and those that are other objects of a name that was given.

    The same object again is a warning, a different one of that name an error; of a later state of an object in the same
    text, as a watch writes it, the last counts.
    """
    first: dict[Key, Item] = {}
    out: list[Item] = []
    again: list[tuple[Item, Item]] = []
    later: dict[int, list[Item]] = {}
    for item in items:
        earlier = first.setdefault(item.key, item) if item.name and not item.generated else item
        if earlier is item:
            out.append(item)
        elif _is_later_state(item, earlier):
            later.setdefault(item.origin.source, []).append(item)
            first[item.key] = item
        else:
            again.append((item, earlier))
    for states in later.values():
        text = f"{_objects(states)} given again later, as a watch writes them: the last state of each counts"
        log.add(None, Complaint("warning", (), text), states[0].origin._replace(label=""))
    if later:
        out = [first[item.key] if item.name and not item.generated else item for item in out]
    return out, _complained_of(again, log)


def _complained_of(again: list[tuple[Item, Item]], log: FindingLog) -> list[Item]:
    """Log what is given twice; the items that are not the same as the first of their name."""
    others = []
    same: dict[int, int] = {}
    places = log.name_positions([earlier for _, earlier in again])
    for (item, earlier), where in zip(again, places, strict=True):
        severity: Severity = "error"
        raw, before = item.raw, earlier.raw
        if before == raw:
            source = item.origin.source
            same[source] = same.get(source, 0) + 1
            if same[source] > _SHOWN_SAME:
                continue
            severity = "warning"
            text = f"{item.name} is given twice, the same each time (first {where}); it counts once"
        else:
            others.append(item)
            text = f"{item.name} is given twice (first {where}). Rename or remove one of them"
            if _identity(raw)[0] and _identity(before)[0] and _identity(raw)[0] != _identity(before)[0]:
                text = (
                    f"{item.name} is given twice with two uids (first {where}): by two clusters, or made again between "
                    "two dumps. Import each cluster by itself"
                )
        log.add(item, Complaint(severity, ("metadata", "name"), text), item.origin)
    for source, count in same.items():
        if count > _SHOWN_SAME:
            text = f"{count - _SHOWN_SAME} more objects are given twice, the same each time; each counts once"
            log.add(None, Complaint("warning", (), text), ObjectPosition(source, 0, (), None))
    return others


def _is_later_state(item: Item, earlier: Item) -> bool:
    """Whether two documents of one text are states of one object."""
    here, before = item.origin, earlier.origin
    if here.source != before.source or here.document == before.document or here.path or before.path:
        return False
    uid, version = _identity(item.raw)
    return bool(uid and version) and _identity(earlier.raw)[0] == uid and _identity(earlier.raw)[1] not in ("", version)


def _identity(raw: Raw) -> tuple[str, str]:
    """The uid and resourceVersion of an object, "" for what it does not have."""
    metadata = raw.get("metadata")
    values = metadata if isinstance(metadata, dict) else {}
    uid, version = values.get("uid"), values.get("resourceVersion")
    return uid if isinstance(uid, str) else "", version if isinstance(version, str) else ""


def _objects(states: list[Item]) -> str:
    n = len({state.key for state in states})
    return "1 object is" if n == 1 else f"{n} objects are"
