"""Values as YAML: on lines of their own, indented as a text does it, and on one line."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from scheduler_core.manifests import dump_yaml


class ListLayout(NamedTuple):
    """How a text indents its lists: columns from a key to the dashes below it, and from a dash to its item."""

    offset: int = 0
    step: int = 2

    def block(self, value: Any, column: int) -> str:
        """Return the lines of a mapping or list with something in it, indented; keys keep their order."""
        if isinstance(value, dict):
            return "".join(self.entry(name, one, column) for name, one in value.items())
        return "".join(self.item(one, column) for one in value)

    def entry(self, name: str, value: Any, column: int) -> str:
        """Return the lines of a mapping's entry, indented."""
        key = f"{' ' * column}{flow_text(name)}:"
        if not is_nested(value):
            return f"{key}{_indented(_scalar(value), column)}"
        return f"{key}\n{self.block(value, self.below(value, column))}"

    def item(self, value: Any, column: int) -> str:
        """Return the lines of a list's item, indented."""
        dash = f"{' ' * column}-"
        if not is_nested(value):
            return f"{dash}{' ' * (self.step - 2)}{_indented(_scalar(value), column)}"
        return f"{dash}{' ' * (self.step - 1)}{self.block(value, column + self.step)[column + self.step :]}"

    def below(self, value: Any, column: int) -> int:
        """Return the column of a nested value whose key is at `column`."""
        return column + (2 if isinstance(value, dict) else self.offset)


def is_nested(value: Any) -> bool:
    """Return whether a value is a mapping or list with something in it."""
    return isinstance(value, dict | list) and bool(value)


def _scalar(value: Any) -> str:
    """Return what follows a colon or dash, its line break included: a scalar, or an empty mapping or list."""
    return dump_yaml([{"k": value}]).removeprefix("k:")


def _indented(lines: str, column: int) -> str:
    """Return lines with all but the first indented."""
    first, *others = lines.splitlines(keepends=True)
    return "".join([first, *(f"{' ' * column if line.strip() else ''}{line}" for line in others)])


def flow_text(value: Any, quote: str | None = None) -> str:
    """Return a value on one line; text keeps the quotes that the old one had."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow_text(name)}: {flow_text(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_text(one) for one in value) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    plain = dump_yaml([value]).removesuffix("\n").removesuffix("\n...")
    if quote == '"' or "\n" in plain or _has_indicator(plain):
        return json.dumps(value, ensure_ascii=False)
    return plain


def _has_indicator(plain: str) -> bool:
    """Return whether unquoted text would end early within brackets."""
    return plain[:1] not in "\"'" and any(one in plain for one in ",[]{}")
