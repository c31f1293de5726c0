"""Edits of a form, carried out on an object's value and written into its YAML."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.forms.model import CONTAINERS, MAPPINGS, FormField, KindForm, Path, Sort
from dashboard.clusters.forms.values import ABSENT, MAX_ROWS, below
from dashboard.clusters.texts.changes import Rewritten, read_document, rewritten
from dashboard.common.problems import BadQuery, Problem
from scheduler_core.manifests.model import LoadError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SET, RENAME, ADD, PAIR, REMOVE = "set", "rename", "add", "pair", "remove"
VERBS = (SET, RENAME, ADD, PAIR, REMOVE)
MAX_VALUE = 10_000
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
# Mappings and lists that say nothing when they are empty, and go with their last entry. An empty selector does say
# something: it means everything.
_EMPTY_GOES = frozenset((
    "requests", "limits", "resources", "overhead", "nodeSelector", "affinity", "nodeAffinity", "podAffinity",
    "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "required",
    "preferredDuringSchedulingIgnoredDuringExecution", "tolerations", "topologySpreadConstraints", "matchLabels",
    "matchExpressions", "matchFields", "taints", "labels", "ports", "schedulingGates", "volumes", "initContainers",
    "values", "claimRef", "persistentVolumeClaim", "allowedTopologies", "namespaces", "matchLabelKeys", "accessModes",
    "capacity", "ordinals", "min", "max", "reserved", "variants",
))  # fmt: skip


class FormEdit(NamedTuple):
    """One edit: set a field, rename or add a pair ("key=value"), add or remove a row, a pair or a field."""

    verb: str
    path: Path
    value: str = ""


def edit_in(name: str, value: str) -> FormEdit | None:
    """Return the edit that a parameter of a request says ("set:[...]"), None where it is none; raises BadQuery."""
    verb, _, rest = name.partition(":")
    if verb not in VERBS or not rest:
        return None
    try:
        path = json.loads(rest)
    except (ValueError, RecursionError):
        path = None
    if not isinstance(path, list) or not path or not all(_is_part(part) for part in path):
        raise BadQuery("The form names a field that does not exist.")
    if len(value) > MAX_VALUE:
        raise Problem(f"A value of the form has at most {MAX_VALUE:,} characters. Write it in the YAML.")
    return FormEdit(verb, tuple(path), value)


def _is_part(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, int) and not isinstance(part, bool) and 0 <= part < MAX_ROWS)


def written(text: str, form: KindForm, edits: Sequence[FormEdit]) -> Rewritten:
    """Return the text with the edits; raises Problem where it cannot be read, or they cannot be made in it."""
    try:
        raw = read_document(text)
    except LoadError as problem:
        where = f" (line {problem.line})" if problem.line else ""
        raise Problem(f"Correct the YAML first{where}: {problem.message}.") from None
    if not isinstance(raw, dict):
        raise Problem("There is no object in the YAML.")
    return rewritten(text, applied(raw, form, edits))


def applied(raw: Mapping[str, Any], form: KindForm, edits: Sequence[FormEdit]) -> dict[str, Any]:
    """Return the object with the edits; raises BadQuery for paths that the form does not have, Problem for others."""
    out: dict[str, Any] = copy.deepcopy(dict(raw))
    for edit in edits:
        place = field_at(form.fields, edit.path)
        if place is None:
            raise BadQuery("The form names a field that does not exist.")
        _apply(out, place, edit, _own_labels(out, form))
    return out


class _FieldPlace(NamedTuple):
    """The field of a path, and what the path names: the field itself, one of its rows or one of its pairs."""

    field: FormField
    is_entry: bool


def field_at(fields: Sequence[FormField], path: Path) -> _FieldPlace | None:
    """Return the field that a path leads to, None where it leads to none."""
    for one in fields:
        size = len(one.path)
        if path[:size] != one.path:
            continue
        rest = path[size:]
        if not rest:
            return _FieldPlace(one, is_entry=False)
        if one.sort is Sort.ROWS and isinstance(rest[0], int):
            return _FieldPlace(one, is_entry=True) if len(rest) == 1 else field_at(one.fields, rest[1:])
        if one.sort in MAPPINGS and len(rest) == 1 and isinstance(rest[0], str):
            return _FieldPlace(one, is_entry=True)
    return None


def _apply(raw: dict[str, Any], place: _FieldPlace, edit: FormEdit, labels: Mapping[str, Any]) -> None:
    text, sort = edit.value.strip(), place.field.sort
    is_mapping = sort in MAPPINGS
    if edit.verb == REMOVE:
        _remove(raw, edit.path)
    elif edit.verb == SET and place.is_entry and is_mapping:
        _set(raw, edit.path, _entry(sort, text, below(raw, edit.path)))
    elif edit.verb == SET and not place.is_entry and sort not in CONTAINERS:
        value = typed(sort, text, below(raw, edit.path))
        if value is None and not place.field.is_needed:
            _remove(raw, edit.path)
        else:
            _set(raw, edit.path, "" if value is None else value)
    elif edit.verb == ADD and not place.is_entry and sort in CONTAINERS:
        _add(raw, place.field, edit.path, labels)
    elif edit.verb == PAIR and not place.is_entry and is_mapping:
        _add_pair(raw, place.field, edit.path, text)
    elif edit.verb == RENAME and place.is_entry and is_mapping:
        _rename(raw, edit.path, text)
    else:
        raise BadQuery("This field of the form cannot be changed in that way.")


def typed(sort: Sort, text: str, before: Any = ABSENT) -> Any:
    """Return what a field's text says, None for nothing; text of the wrong sort stays text, which the check refuses."""
    if not text:
        return None
    if sort is Sort.WHOLE or sort is Sort.SHARE:
        return int(text) if _WHOLE.fullmatch(text) else text
    if sort is Sort.NUMBER:
        return _number(text)
    if sort is Sort.FLAG:
        return {"true": True, "false": False}.get(text, text)
    if sort is Sort.WORDS:
        return [word for part in text.split(",") if (word := part.strip())] or None
    return _quantity(text, before) if sort is Sort.QUANTITY else text


def _entry(sort: Sort, text: str, before: Any = ABSENT) -> Any:
    """Return the value of an entry of such a mapping."""
    if sort is Sort.WEIGHTS:
        return _number(text)
    return _quantity(text, before) if sort is Sort.AMOUNTS else text


def _number(text: str) -> Any:
    if _NUMBER.fullmatch(text):
        return float(text)
    return int(text) if _WHOLE.fullmatch(text) else text


def _quantity(text: str, before: Any) -> Any:
    is_number = isinstance(before, int) and not isinstance(before, bool)
    return int(text) if is_number and _WHOLE.fullmatch(text) else text


# ---------------------------------------------------------------- carried out


def _holder(raw: dict[str, Any], path: Path) -> Any:
    """Return the mapping or list that holds a path's last part; mappings on the way are made where they are missing."""
    at: Any = raw
    for n, part in enumerate(path[:-1]):
        if isinstance(part, int):
            if not isinstance(at, list) or part >= len(at):
                raise Problem("This entry is gone.")
            at = at[part]
            continue
        if not isinstance(at, dict):
            raise Problem(f"{_words(path[:n])} is no mapping. Correct it in the YAML.")
        if at.get(part) is None:
            at[part] = {}
        at = at[part]
    if not isinstance(at, list if isinstance(path[-1], int) else dict):
        raise Problem(f"{_words(path[:-1])} has another form than the one that is edited here. Correct it in the YAML.")
    return at


def _set(raw: dict[str, Any], path: Path, value: Any) -> None:
    holder = _holder(raw, path)
    if isinstance(holder, list) and (not isinstance(path[-1], int) or path[-1] >= len(holder)):
        raise Problem("This entry is gone.")
    holder[path[-1]] = value


def _remove(raw: dict[str, Any], path: Path) -> None:
    if below(raw, path) is ABSENT:
        return
    del _holder(raw, path)[path[-1]]
    while len(path) > 2 and (path := path[:-1])[-1] in _EMPTY_GOES and below(raw, path) in ({}, []):
        del _holder(raw, path)[path[-1]]


def _own_labels(raw: Mapping[str, Any], form: KindForm) -> Mapping[str, Any]:
    """Return the labels of the object's pods, which new selectors of pods begin with."""
    labels = ABSENT if form.pod_path is None else below(raw, (*form.pod_path, "metadata", "labels"))
    return labels if isinstance(labels, dict) else {}


def _completed(value: Any, labels: Mapping[str, Any]) -> Any:
    """Return a copy in which each selector without labels has these."""
    if not isinstance(value, dict):
        return copy.deepcopy(value)
    return {
        name: dict(labels) if name == "matchLabels" and not one else _completed(one, labels)
        for name, one in value.items()
    }


def _add(raw: dict[str, Any], one: FormField, path: Path, labels: Mapping[str, Any]) -> None:
    new = _completed(one.new, labels)
    present = below(raw, path)
    if one.sort is not Sort.ROWS:
        if present in (ABSENT, None, {}) and new is not None:
            _set(raw, path, new)
        return
    if present in (ABSENT, None):
        _set(raw, path, [new])
    elif not isinstance(present, list):
        raise Problem(f"{_words(path)} is no list. Correct it in the YAML.")
    elif len(present) >= MAX_ROWS:
        raise Problem(f"The form shows {MAX_ROWS} entries. Add more in the YAML.")
    else:
        present.append(new)


def _add_pair(raw: dict[str, Any], one: FormField, path: Path, text: str) -> None:
    key, value = (part.strip() for part in text.partition("=")[::2])
    if not key or (one.sort is not Sort.PAIRS and not value):
        raise Problem(f"{one.label}: write key=value, such as {one.example}.")
    _set(raw, (*path, key), _entry(one.sort, value))


def _rename(raw: dict[str, Any], path: Path, text: str) -> None:
    old = path[-1]
    holder = _holder(raw, path)
    if not text or old not in holder:
        raise Problem("A key cannot be empty. Remove the entry instead.")
    if text != old and text in holder:
        raise Problem(f"{text} is there already.")
    renamed = {text if key == old else key: value for key, value in holder.items()}
    holder.clear()
    holder.update(renamed)


def _words(path: Path) -> str:
    return ".".join(str(part) for part in path)
