"""Edits of a description by its form, written into the YAML text.

What a person sends is compared with the form of the text that they were shown, and only what differs is written, each
value into its place: comments, order and fields without a place in the form stay.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.forms.edits import applied, edit_in
from dashboard.clusters.forms.values import MAX_ROWS, below
from dashboard.clusters.texts.changes import read_document, rewritten
from dashboard.common.problems import Problem
from dashboard.generating.form import FIELDS, OWN, description_form
from dashboard.generating.inline_yaml import read_mapping, value_in
from dashboard.generating.row_fields import form_of
from dashboard.generating.sizes import chosen_by
from scheduler_core.api.quantity import format_quantity
from scheduler_core.manifests.model import LoadError
from scheduler_core.workloads.generator.description import HOUR, MAX_PODS, SECOND
from scheduler_core.workloads.generator.fields import parse_duration
from scheduler_core.workloads.generator.ready_lists import SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIRST_VALUES: dict[str, dict[str, Any]] = {
    "at-once": {},
    "poisson": {"over": "30m"},
    "bursts": {"over": "30m", "pods": 20, "every": "5m"},
    "daily": {"over": "24h", "peak": "12h", "trough": 0.2},
    "list": {},
}
_HOW = "how:"
_FIRST_TIMES = 6
_FIRST_LENGTH = HOUR // 2
_NEW = {
    "pools": {"name": "pool", "nodes": 3, "shape": "m5.xlarge", "zones": 3},
    "workloads": {"name": "workload", "pods": 10, "sizes": {"cpu": "500m", "memory": "512Mi"}},
}


class EditedText(NamedTuple):
    """A text after edits; `refused` says which could not be made, the others are."""

    text: str
    refused: Problem | None = None


def edited(text: str, shown: str, fields: Mapping[str, str]) -> EditedText:
    """Return the text with the fields that differ from the form of `shown`, the text that they were shown beside."""
    before = description_form(shown)
    if before is None:
        return EditedText(text)
    changes = {
        name: fields[name].strip()
        for name, value in before.fields.items()
        if name in fields and fields[name].strip() != _as_sent(value)
    }
    if not changes or read_mapping(text) is None:
        return EditedText(text)
    root, refused = read_document(text) or {}, None
    edits = {name: edit for name, value in changes.items() if (edit := edit_in(name, value))}
    try:
        root = applied(root, form_of(root), list(edits.values()))
    except Problem as problem:
        refused = problem
    for name, value in changes.items():
        if name not in edits:
            _write(root, name, value)
    return EditedText(rewritten(text, root).text, refused)


def _as_sent(value: str) -> str:
    """Return a value as a browser sends it from a field of one line."""
    return value.replace("\r", "").replace("\n", "").strip()


def _write(root: Any, name: str, value: str) -> None:
    section, _, rest = name.partition(".")
    if name.startswith(_HOW):
        _choose_amount(root, name.removeprefix(_HOW), value)
    elif section in FIELDS:
        index, _, field = rest.partition(".")
        rows = root.get(section)
        if isinstance(rows, list) and int(index) < len(rows) and isinstance(rows[int(index)], dict):
            _write_in_row(rows[int(index)], field, value)
    elif section == "arrivals":
        if not isinstance(root.get("arrivals"), dict):
            root["arrivals"] = {"process": root.get("arrivals") or "at-once"}
        _set(root["arrivals"], rest, value)
    else:
        _set(root, section, value)


def _choose_amount(root: Any, name: str, key: str) -> None:
    """Choose the amount of a resource in another way; `name` is that of its row."""
    *place, resource = json.loads(name)
    sizes = below(root, tuple(place))
    if isinstance(sizes, dict) and resource in sizes:
        sizes[resource] = chosen_by(key, sizes[resource])


def _write_in_row(row: Any, field: str, value: str) -> None:
    if field == "shape":
        if value == OWN:
            shape = SHAPES.get(str(row.pop("shape", "")))
            row.setdefault("resources", _resource_amounts(shape.resources) if shape else {"cpu": 4, "memory": "16Gi"})
        else:
            row.pop("resources", None)
            row["shape"] = value
    elif field == "sizes":
        row["sizes"] = {"cpu": "500m", "memory": "512Mi"} if value == OWN else value
    else:
        _set(row, field, value)


def _resource_amounts(resources: Mapping[str, int]) -> dict[str, Any]:
    return {name: format_quantity(name, amount) for name, amount in resources.items()}


def _set(parent: Any, field: str, text: str) -> None:
    if text:
        parent[field] = value_in(field, text)
    else:
        parent.pop(field, None)


def done(text: str, action: str) -> str:
    """Return the text after a button of the form; one that is none of these changes nothing.

    ``add:pools``, ``copy:pools:0``, ``remove:pools:0``, ``process:poisson``, ``shape:NAME`` (a pool of a ready shape),
    ``more:0:12`` (12 more nodes in pool 0), ``seed:7``; and ``add:["pools",0,"taints"]`` as in forms of objects, which
    raises Problem where it cannot be done.
    """
    verb, _, rest = action.partition(":")
    if verb not in _ACTIONS or read_mapping(text) is None:
        return text
    root = read_document(text) or {}
    if rest.startswith("[") and (edit := edit_in(action, "")):
        root = applied(root, form_of(root), [edit])
    else:
        _ACTIONS[verb](root, rest)
    return rewritten(text, root).text


def _add(root: Any, section: str) -> None:
    if section in _NEW:
        _append(root, section, _NEW[section])


def _add_shape(root: Any, name: str) -> None:
    if name in SHAPES:
        _append(
            root, "pools", {**_NEW["pools"], "name": name.lower().replace(".", "-").replace("_", "-"), "shape": name}
        )


def _append(root: Any, section: str, entry: dict[str, Any]) -> None:
    rows = root[section] = root[section] if isinstance(root.get(section), list) else []
    if len(rows) < MAX_ROWS:
        rows.append({**entry, "name": _free(rows, entry["name"])})


def _free(rows: Any, name: str) -> str:
    """Return a name that no row has: the name itself, or with a number behind it."""
    taken = {str(row.get("name")) for row in rows if isinstance(row, dict)}
    stem = name[:36]
    return next(one for n in range(1, len(taken) + 2) if (one := stem if n == 1 else f"{stem}-{n}") not in taken)


def _copy(root: Any, place: str) -> None:
    rows, index = _place(root, place)
    if rows is not None and isinstance(rows[index], dict):
        raw = copy.deepcopy(rows[index])
        rows.insert(index + 1, {**raw, "name": _free(rows, str(raw.get("name", "row")))})


def _remove(root: Any, place: str) -> None:
    rows, index = _place(root, place)
    if rows is not None:
        del rows[index]


def _place(root: Any, place: str) -> tuple[Any, int]:
    section, _, index = place.partition(":")
    rows = root.get(section) if section in FIELDS else None
    if not isinstance(rows, list) or not index.isdecimal() or len(index) > 6 or int(index) >= len(rows):
        return None, 0
    return rows, int(index)


def _choose_process(root: Any, process: str) -> None:
    if process in _FIRST_VALUES:
        before = root.get("arrivals")
        over = before.get("over") if isinstance(before, dict) else None
        values = dict(_FIRST_VALUES[process])
        if process == "list":
            values["times"] = _first_times(root, over)
        if "over" in values and over is not None:
            values["over"] = over
        root["arrivals"] = {"process": process, **values}


def _first_times(root: Any, over: Any) -> list[dict[str, Any]]:
    """Return a few times, as far apart as can be, that have between them the pods without arrivals of their own."""
    workloads = root.get("workloads")
    rows = [one for one in workloads if isinstance(one, dict)] if isinstance(workloads, list) else []
    counts = [one.get("pods") for one in rows if one.get("arrivals") is None]
    pods = sum(one for one in counts if isinstance(one, int) and 0 < one <= MAX_PODS)
    n = min(_FIRST_TIMES, pods)
    try:
        length = parse_duration(over, _FIRST_LENGTH)
    except LoadError:
        length = _FIRST_LENGTH
    shares = [pods // n + (i < pods % n) for i in range(n)]
    return [{"at": _time(length * i // n // SECOND), "pods": one} for i, one in enumerate(shares)]


def _time(seconds: int) -> str:
    """Return a time as people write it: 90s, 5m, 4h."""
    units = (("h", 3600), ("m", 60)) if seconds else ()
    return next((f"{seconds // size}{unit}" for unit, size in units if not seconds % size), f"{seconds}s")


def _add_nodes(root: Any, rest: str) -> None:
    index, _, more = rest.partition(":")
    rows, at = _place(root, f"pools:{index}")
    if rows is not None and more.isdecimal() and len(more) <= 6 and isinstance(rows[at].get("nodes"), int):
        rows[at]["nodes"] += int(more)


def _draw_seed(root: Any, rest: str) -> None:
    if rest.isdecimal() and len(rest) <= 18:
        root["seed"] = int(rest)


_ACTIONS = {
    "add": _add,
    "shape": _add_shape,
    "copy": _copy,
    "remove": _remove,
    "process": _choose_process,
    "more": _add_nodes,
    "seed": _draw_seed,
}
