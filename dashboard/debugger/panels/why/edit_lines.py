"""The edits of a remedy as lines: what is done to which field of which object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from scheduler_core.explain.remedies.model import ProposedEdit


@dataclass(frozen=True)
class EditLine:
    """One operation: `op` is set, remove or add, `field` the last part of its path with its value where that is short;
    `title` names the object and the whole path."""

    op: str
    field: str
    object: str
    title: str


def edit_lines(edits: Iterable[ProposedEdit]) -> tuple[EditLine, ...]:
    """Return the operations in order, each once; none of an edit that was not tried."""
    return tuple(dict.fromkeys(_line(one) for one in edits if one.op))


def _line(edit: ProposedEdit) -> EditLine:
    kind, namespace, name = edit.object.split("/")[-3:]
    short = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
    field = _field(edit.path, edit.value) if edit.path else short
    return EditLine(edit.op, field, short, f"{edit.op} {edit.path or 'the object'} of {short}")


def _field(path: str, value: Any) -> str:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    name = parts[-1]
    if name.isdigit() or name == "-":
        name = f"{parts[-2]}[{name}]" if len(parts) > 1 else name
    return f"{name}: {value}" if isinstance(value, (str, int, float)) and value != "" else name
