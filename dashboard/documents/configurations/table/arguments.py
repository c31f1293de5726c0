"""The arguments of a plugin as fields of a form, made from the type that the plugin declares.

Numbers, flags, choices, lists of names and lists of flat objects have fields of their own; what is nested deeper, such
as node affinity, is a field of YAML. A value that equals the plugin's default is left out of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from dashboard.documents.configurations.checking import registry
from dashboard.documents.configurations.table.values import value_at, with_value
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.field_guide.argument_forms import CHOICES, COLUMNS, HINTS, REFUSED, SHOWN_WITH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dashboard.documents.configurations.table.edits import SetArgument

SORTS = ("choice", "number", "flag", "rows", "names", "text", "yaml")
DEFAULT_SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]


@dataclass(frozen=True)
class EntryColumn:
    """A column of a list of objects: its name, whether it is a number, and what a new row has."""

    name: str
    is_number: bool
    default: str


@dataclass(frozen=True)
class ArgumentField:
    """A field of the form: `sort` is number, flag, choice, names, rows, text or yaml; `value` what holds.

    `default` is the plugin's own value as YAML, `is_given` whether the text has another.
    """

    path: str
    sort: str
    value: Any
    default: str
    is_given: bool
    hint: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[EntryColumn, ...] = ()

    @property
    def rows(self) -> list[list[tuple[EntryColumn, Any]]]:
        """Return the cells of the objects of a list, and of an empty one behind them for a new object."""
        return [
            [(column, entry.get(column.name, column.default)) for column in self.columns] for entry in self.value or []
        ]

    @property
    def lines(self) -> str:
        """Return names one per line, and other values as YAML."""
        if self.sort == "names":
            return "\n".join(map(str, self.value or ()))
        return "" if self.value in (None, [], {}) else dump_yaml([self.value]).removeprefix("---\n")


def argument_fields(plugin: str, given: Mapping[str, Any]) -> list[ArgumentField]:
    """Return the fields of a plugin's form with the values of its arguments; none for one that takes none."""
    fields = [_field(plugin, path, kind, default, given) for path, kind, default in _argument_leaves(plugin)]
    values = {one.path: one.value for one in fields}
    shown = [one for one in fields if one.is_given or _counts(plugin, one.path, values)]
    return sorted(shown, key=lambda one: SORTS.index(one.sort))


def _counts(plugin: str, path: str, values: Mapping[str, Any]) -> bool:
    other = SHOWN_WITH.get((plugin, path))
    return other is None or values.get(other[0]) == other[1]


def default_arguments(plugin: str) -> dict[str, Any]:
    """Return what a plugin does without arguments, as arguments."""
    out: dict[str, Any] = {}
    for path, _, default in _argument_leaves(plugin):
        if default is not None:
            out = with_value(out, path.split("."), default)
    return out


def completed(edit: SetArgument, given: Mapping[str, Any]) -> SetArgument:
    """Return an edit of arguments that are `given` now, as it is written into the text.

    It goes back to the default where its value is the default, and brings what the plugin asks for beside it: a shape,
    or the type that takes constraints.
    """
    also: dict[str, Any] = {}
    shape = "scoringStrategy.requestedToCapacityRatio.shape"
    if edit.value == "RequestedToCapacityRatio" and not value_at(given, shape.split(".")):
        also[shape] = DEFAULT_SHAPE
    if edit.path == "defaultConstraints":
        also["defaultingType"] = "List" if edit.value else None
    return msgspec.structs.replace(edit, also=also, value=None if _is_default(edit) else edit.value)


def _is_default(edit: SetArgument) -> bool:
    defaults = {path: default for path, _, default in _argument_leaves(edit.plugin)}
    return edit.path in defaults and defaults[edit.path] == edit.value


@cache
def _argument_leaves(plugin: str) -> list[tuple[str, Any, Any]]:
    factory = registry().factories.get(plugin)
    arguments = getattr(factory, "Args", None)
    if not (isinstance(arguments, type) and issubclass(arguments, msgspec.Struct)):
        return []
    leaves = _leaves(inspect.type_info(arguments), arguments(), "")
    return [leaf for leaf in leaves if (plugin, leaf[0]) not in REFUSED]


def _leaves(kind: Any, default: Any, before: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield (path, type, default) of the fields of a struct; those of structs inside it by their own paths."""
    for one in kind.fields:
        path = f"{before}{_camel(one.name)}"
        inner = _bare_type(one.type)
        value = getattr(default, one.name, None)
        if isinstance(inner, inspect.StructType) and _is_flat_tree(inner):
            yield from _leaves(inner, value, f"{path}.")
        else:
            yield path, inner, _raw(value)


def _bare_type(kind: Any) -> Any:
    """Return the type without None."""
    if isinstance(kind, inspect.UnionType):
        kinds = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return kinds[0] if len(kinds) == 1 else kind
    return kind


def _is_flat_tree(kind: Any) -> bool:
    """Return whether every field of a struct has a form of its own."""
    return all(_sort(_bare_type(one.type)) != "yaml" or _is_struct(one.type) for one in kind.fields) and all(
        _is_flat_tree(_bare_type(one.type)) for one in kind.fields if _is_struct(one.type)
    )


def _is_struct(kind: Any) -> bool:
    return isinstance(_bare_type(kind), inspect.StructType)


def _sort(kind: Any) -> str:
    if isinstance(kind, inspect.BoolType):
        return "flag"
    if isinstance(kind, inspect.IntType):
        return "number"
    if isinstance(kind, inspect.StrType):
        return "text"
    item = getattr(kind, "item_type", None)
    if isinstance(item, inspect.StrType):
        return "names"
    if isinstance(item, inspect.StructType) and all(_is_scalar(one.type) for one in item.fields):
        return "rows"
    return "yaml"


def _is_scalar(kind: Any) -> bool:
    return isinstance(kind, (inspect.IntType, inspect.StrType))


def _field(plugin: str, path: str, kind: Any, default: Any, given: Mapping[str, Any]) -> ArgumentField:
    value = value_at(given, path.split("."))
    choices = CHOICES.get((plugin, path), {})
    sort = "choice" if choices else _sort(kind)
    return ArgumentField(
        path=path,
        sort=sort,
        value=default if value is None else value,
        default=_default_text(default),
        is_given=value is not None and value != default,
        hint=HINTS.get((plugin, path), ""),
        choices=choices,
        columns=_columns(plugin, path, kind) if sort == "rows" else (),
    )


def _columns(plugin: str, path: str, kind: Any) -> tuple[EntryColumn, ...]:
    names = COLUMNS.get((plugin, path))
    return tuple(
        EntryColumn(_camel(one.name), isinstance(one.type, inspect.IntType), "" if one.required else str(one.default))
        for one in kind.item_type.fields
        if names is None or _camel(one.name) in names
    )


def _default_text(default: Any) -> str:
    if default in (None, [], {}, ""):
        return "none"
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, list):
        return ", ".join(_entry_text(entry) for entry in default)
    return str(default)


def _entry_text(entry: Any) -> str:
    return " ".join(str(value) for value in entry.values()) if isinstance(entry, dict) else str(entry)


def _raw(value: Any) -> Any:
    """Return an engine value in the configuration's terms."""
    if isinstance(value, msgspec.Struct):
        return {_camel(name): _raw(getattr(value, name)) for name in value.__struct_fields__}
    return [_raw(one) for one in value] if isinstance(value, (list, tuple)) else value


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), name)
