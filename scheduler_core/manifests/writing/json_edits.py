"""Edits of objects as remedies, ``--would``, branches and drafts have them: set, add or remove at a JSON pointer.

``{"op": "set", "object": "v1/Node//w1", "path": "/metadata/labels/tier", "value": "gold"}``: ``object`` is
apiVersion/Kind/namespace/name (an apiVersion with a group has a slash of its own), ``path`` an RFC 6901 pointer, ""
for the object itself, and "-" in it the end of a list. Example: op remove with path "" deletes the object.
"""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any, Final, Literal

import msgspec

from scheduler_core.manifests.kinds.registry import kind_name

Raw = dict[str, Any]
EditOp = Literal["set", "add", "remove"]
SET: Final = "set"
ADD: Final = "add"
REMOVE: Final = "remove"
MOST_CHARACTERS, MOST_STEPS = 100_000, 64


class EditProblem(ValueError):
    """An edit that cannot be read or applied; ``field`` is that of the edit which is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class JsonEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One edit; ``value`` counts for set and add alone."""

    op: EditOp
    object: str
    path: str = ""
    value: Any = None

    @property
    def named(self) -> tuple[str, str, str]:
        """(kind, namespace, name) of the object; the kind by its name in the registry."""
        version, kind, namespace, name = self.object.rsplit("/", 3)
        return kind_name(kind, version) or kind, namespace, name


def parse_edit(text: str) -> JsonEdit:
    """The edit of a JSON text. Raises EditProblem."""
    if len(text) > MOST_CHARACTERS:
        raise EditProblem("edit", f"it has more than {MOST_CHARACTERS:,} characters")
    try:
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as problem:
        raise EditProblem("edit", str(problem)) from problem
    return edit_from_raw(raw)


def edit_from_raw(raw: Any) -> JsonEdit:
    """The edit of a decoded text. Raises EditProblem."""
    try:
        edit = msgspec.convert(raw, JsonEdit)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise EditProblem("edit", str(problem)) from problem
    if edit.object.count("/") not in (3, 4) or not all(edit.named[i] for i in (0, 2)):
        raise EditProblem("object", f'"{edit.object[:80]}" is not of the form apiVersion/Kind/namespace/name')
    if edit.path and not edit.path.startswith("/"):
        raise EditProblem("path", f'"{edit.path[:80]}" is no JSON pointer: it begins with a slash, or is empty')
    if edit.path.count("/") > MOST_STEPS:
        raise EditProblem("path", f"it has more than {MOST_STEPS} steps")
    return edit


def new_object(edit: JsonEdit) -> Raw:
    """The manifest of an object that the edit adds, or sets whole. Raises EditProblem."""
    if not isinstance(edit.value, dict):
        raise EditProblem("value", "a whole object is a mapping")
    version, kind = edit.object.rsplit("/", 2)[0].rsplit("/", 1)
    _, namespace, name = edit.named
    own = edit.value.get("metadata")
    metadata = {**(own if isinstance(own, dict) else {}), "name": name}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, **edit.value, "kind": kind, "metadata": metadata}


def edited(raw: Raw, edit: JsonEdit) -> Raw:
    """A copy of the manifest with the edit of a value in it (not of the object itself). Raises EditProblem, also where
    it would be another object then."""
    changed = copy.deepcopy(raw)
    steps = [step.replace("~1", "/").replace("~0", "~") for step in edit.path.split("/")[1:]]
    if not steps:
        raise EditProblem("path", "it names the object itself")
    holder: Any = changed
    for step, following in pairwise(steps):
        holder = _below(holder, step, following, make=edit.op != REMOVE)
    _put(holder, steps[-1], edit)
    if _identity(changed) != _identity(raw):
        raise EditProblem("path", "an object keeps its kind, namespace and name. Remove it and add another one")
    return changed


def _identity(raw: Raw) -> list[Any]:
    metadata = raw.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    return [raw.get("kind"), named.get("namespace"), named.get("name")]


def _below(holder: Any, step: str, following: str, *, make: bool) -> Any:
    if isinstance(holder, dict):
        if step not in holder and make and not following.isdecimal():
            holder[step] = [] if following == "-" else {}
        if step in holder:
            return holder[step]
    elif isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    raise EditProblem("path", f'there is nothing at "{step[:80]}"')


def _put(holder: Any, last: str, edit: JsonEdit) -> None:
    if isinstance(holder, dict):
        if edit.op != REMOVE:
            holder[last] = edit.value
        elif holder.pop(last, None) is None:
            raise EditProblem("path", f'there is nothing at "{last[:80]}"')
        return
    if not isinstance(holder, list) or not (last == "-" or last.isdecimal()):
        raise EditProblem("path", f'"{last[:80]}" is no place in what is there')
    place = len(holder) if last == "-" else int(last)
    if place > len(holder) or (place == len(holder) and edit.op != ADD):
        raise EditProblem("path", f"the list has {len(holder)} entries, so none is at {last[:20]}")
    if edit.op == ADD:
        holder.insert(place, edit.value)
    elif edit.op == SET:
        holder[place] = edit.value
    else:
        del holder[place]
