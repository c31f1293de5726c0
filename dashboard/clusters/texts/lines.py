"""Values as YAML: on lines of their own, and on one line."""

from __future__ import annotations

import json
from typing import Any

from scheduler_core.manifests import dump_yaml


def key_text(name: str) -> str:
    """Return a key as a mapping has it."""
    return dump_yaml([{name: 1}]).rstrip().removesuffix(" 1").removesuffix(":")


def entry_text(name: str, value: Any, column: int) -> str:
    """Return the lines of a mapping's entry, indented."""
    return _indented(block_text({name: value}, 0), column)


def item_text(value: Any, column: int) -> str:
    """Return the lines of a list's item, indented."""
    return _indented(block_text([value], 0), column)


def block_text(value: Any, column: int) -> str:
    """Return the lines of a value, indented."""
    return _indented(dump_yaml([value]), column)


def _indented(lines: str, column: int) -> str:
    return "".join(f"{' ' * column if line.strip() else ''}{line}" for line in lines.splitlines(keepends=True))


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
