"""What ``kubectl get --watch --output-watch-events`` and ``get --raw '...?watch=1'`` write: an object in each event.

The cluster is what is there at the end. A stream is cut where it was stopped, so the event that was begun there is left
out; ERROR and BOOKMARK change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scheduler_core.manifests.forms.cut import cut_gap, cut_note, values_before
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw, quoted
from scheduler_core.manifests.parsing.cut_json import before_cut
from scheduler_core.manifests.parsing.sources import is_yaml, read_documents, read_text

_TYPES = ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
_JSON = re.compile(rf'\s*\{{\s*"(?:type"\s*:\s*"(?:{"|".join(_TYPES)})"|object"\s*:\s*\{{)')
_YAML = re.compile(
    rf"""(?:\s*---[^\n]*\n)?\s*(?:object:[ \t]*(?:\n[ \t]|\{{)|type:[ \t]*["']?(?:{"|".join(_TYPES)})["']?\s)"""
)


def is_stream(head: FileHead) -> bool:
    """Whether the file begins with an event."""
    return (_JSON.match(head.text) or _YAML.match(head.text)) is not None


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    text = read_text(source, limits)
    cut = None if is_yaml(text) else before_cut(text)
    there: dict[tuple[str, ...], Raw] = {}
    line_of_cut = cut.line if cut is not None else None
    number = 0
    for number, event in enumerate(values_before(cut, limits) if cut is not None else _values(text, limits), start=1):
        if event is None:  # YAML stops reading there
            line_of_cut = text.count("\n") + 1
            break
        if not _is_event(event):
            if number == 1:
                return None
            raise LoadError("this is no event of a watch: type and object are needed", field=f"[{number - 1}]")
        _apply(there, event, number)
    if not number and cut is not None:
        raise LoadError("the stream is cut off here, before its first event is whole", cut.line)
    if not number:
        return None
    items = list(there.values())
    if line_of_cut is None:
        return FormReading(items)
    return FormReading(items, (cut_gap(line_of_cut),), (cut_note(line_of_cut),))


def _values(text: str, limits: Limits) -> Iterator[Raw | None]:
    """The events; None at the end of YAML where the last one is not whole, as its type comes after its object."""
    documents = read_documents(text, limits)
    value: Any = None
    last_line = 0
    try:
        for document in documents:
            if value is not None:
                yield value
            value, last_line = document.value, document.line
    except LoadError:
        if not _is_last(text, last_line + 1):
            raise
        if value is not None:
            yield value
        yield None
        return
    if is_yaml(text) and _is_begun(value):
        yield None
    elif value is not None:
        yield value


def _is_last(text: str, line: int) -> bool:
    """Whether at most one document begins from this line on."""
    rest = text.split("\n", line)[-1] if line > 1 else text
    return len(re.findall(r"^---", rest, re.MULTILINE)) <= 1


def _is_begun(value: Any) -> bool:
    """Whether a YAML event is not whole: its type comes after its object."""
    if not isinstance(value, dict) or "object" not in value:
        return False
    kind = str(value.get("type") or "")
    return kind not in _TYPES and any(one.startswith(kind) for one in _TYPES)


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and {"type", "object"} <= value.keys()


def _apply(there: dict[tuple[str, ...], Raw], event: Raw, number: int) -> None:
    kind, thing = event["type"], event["object"]
    if kind in ("BOOKMARK", "ERROR"):
        return
    metadata = thing.get("metadata") if isinstance(thing, dict) else None
    if kind not in _TYPES:
        raise LoadError(f"{quoted(kind)} is no type of an event. Write one of {', '.join(_TYPES)}", field="type")
    if not isinstance(metadata, dict):
        raise LoadError(f"an object with metadata is needed in event {number}", field="object")
    key = tuple(str(part or "") for part in (thing.get("kind"), metadata.get("namespace"), metadata.get("name")))
    if kind == "DELETED":
        there.pop(key, None)
    else:
        there[key] = thing


EVENTS = InputForm("watch events of kubectl", is_stream, _read)
