"""The text of ``kubectl describe`` taken apart: blocks of one object each, with fields by name.

A block begins with ``Name:`` and holds fields at the same indentation; what belongs to a field follows it, indented
deeper. A paste may indent all of it, quote it with ``>`` or have other text around it:

    > Name:         web-0          block, field Name with the value web-0
    > Labels:       app=web        field Labels with the value app=web
    >               tier=front     and a line more
    > Containers:                  field Containers without a value
    >   main:                      with the lines "  main:" and "    Image:  nginx"
    >     Image:  nginx

Blocks are looked for in one pass over the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_LINES = 2_000_000
_START = re.compile(r"(?P<before>[> \t]*)Name:[ \t]+(?P<name>\S.*)")
_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9 /_-]*):(?:[ \t]+(?P<value>.*))?")
NOTHING = ("<none>", "<unset>", "")


class DescribedField(NamedTuple):
    """A field: what stands in its line, and the lines that belong to it, without the block's indentation."""

    value: str
    lines: list[str]

    @property
    def values(self) -> list[str]:
        """Its value in each line, where it is a list such as Labels and Taints; empty for <none>."""
        return [one for one in (self.value, *(line.strip() for line in self.lines)) if one not in NOTHING]


class DescribedBlock(NamedTuple):
    """A described object: the number of its first line, from 1, and its fields; the first of a name counts."""

    line: int
    fields: dict[str, DescribedField]

    def value(self, name: str) -> str:
        """The value of a field, "" for one that is not there or says <none>."""
        field = self.fields.get(name)
        return "" if field is None or field.value in NOTHING else field.value

    def values(self, name: str) -> list[str]:
        """The values of a field that is a list."""
        field = self.fields.get(name)
        return [] if field is None else field.values

    def lines(self, name: str) -> list[str]:
        """The lines that belong to a field."""
        field = self.fields.get(name)
        return [] if field is None else field.lines


def blocks_in(text: str) -> Iterator[DescribedBlock]:
    """The blocks of a text, in order; text around them is passed over."""
    block: DescribedBlock | None = None
    field: DescribedField | None = None
    prefix = ""
    for number, whole in enumerate(text.split("\n", MAX_LINES)[:MAX_LINES], start=1):
        line = whole.rstrip("\r")
        start = _START.fullmatch(line.rstrip())
        if start is not None and (block is None or start["before"] == prefix):
            if block is not None:
                yield block
            prefix, field = start["before"], DescribedField(start["name"], [])
            block = DescribedBlock(number, {"Name": field})
            continue
        if block is None:
            continue
        inner = line.removeprefix(prefix)
        if not inner.strip("> \t") or (inner is line and prefix):
            continue
        if inner[0] in " \t":
            if field is not None:
                field.lines.append(inner.rstrip())
            continue
        match = _FIELD.fullmatch(inner.rstrip())
        if match is None:
            # Other text: what follows belongs to no field until a block begins.
            yield block
            block, field = None, None
            continue
        field = DescribedField((match["value"] or "").strip(), [])
        block.fields.setdefault(match["name"], field)
    if block is not None:
        yield block


def parts(lines: list[str]) -> dict[str, DescribedField]:
    """The fields that lines hold one level deeper, by the indentation of the first of them."""
    out: dict[str, DescribedField] = {}
    field: DescribedField | None = None
    depth = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    for line in lines:
        inner = line[depth:]
        if line[:depth].strip() or inner[:1] in (" ", "\t"):
            if field is not None:
                field.lines.append(line)
            continue
        name, colon, value = inner.partition(":")
        if not colon:
            name, _, value = inner.partition("  ")
        field = DescribedField(value.strip(), [])
        out.setdefault(name.strip(), field)
    return out
