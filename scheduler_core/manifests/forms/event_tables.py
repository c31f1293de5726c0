"""The table that ``kubectl get events`` prints: its rows as events, so that their messages are there beside objects."""

from __future__ import annotations

import re
from itertools import pairwise

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.kinds.registry import KINDS, WITHOUT_EFFECT
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw, quoted
from scheduler_core.manifests.parsing.sources import read_text

_HEADER = re.compile(
    r"\s{0,80}(?:NAMESPACE {1,200})?(?:LAST SEEN|FIRST SEEN|LASTSEEN) [^\n]{0,400}?\bTYPE {1,80}REASON {1,200}OBJECT "
    r"[^\n]{0,1000}?\bMESSAGE\b"
)
_COLUMN = re.compile(r"\S+(?: \S+)*")
_KINDS = {kind.lower(): kind for kind in (*WITHOUT_EFFECT, *KINDS)}
_TYPES = ("Normal", "Warning")
_MOST_SHOWN = 60


def _is_table(head: FileHead) -> bool:
    return _HEADER.match(head.text) is not None


def _read(source: ManifestSource, limits: Limits) -> FormReading:
    lines = read_text(source, limits).lstrip("\n\r ").split("\n")
    starts = {column[0]: column.start() for column in _COLUMN.finditer(lines[0])}
    items: list[Raw] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or _HEADER.match(line):
            continue
        items.append(_event(_cells(line.rstrip("\r"), starts), len(items), number))
        if len(items) > limits.max_objects:
            raise LoadError(f"more than {limits.max_objects} events. Split the import")
    gap = InputGap(
        code="EVENTS_AS_TABLE",
        concerns="message",
        text="events come from a table: times are left out, and messages may be cut",
        command="kubectl get events -A -o yaml",
    )
    if "NAMESPACE" in starts:
        return FormReading(items, (gap,))
    unnamed = InputGap(
        code="NO_NAMESPACE",
        concerns="message",
        text="the table of events has no column NAMESPACE: they are read as events of the namespace default",
        command="kubectl get events -A -o yaml",
    )
    return FormReading(items, (gap, unnamed))


def _cells(line: str, starts: dict[str, int]) -> dict[str, str]:
    """The cells of a row: by the places of the header where they are aligned, else by the wider gaps between them."""
    edges = [*starts.values(), len(line)]
    if len(line) > edges[-2] and all(line[at - 1] == " " for at in edges[1:-1]):
        cells = [line[begin:end].strip() for begin, end in pairwise([0, *edges[1:]])]
        return dict(zip(starts, cells, strict=True))
    cells = re.split(r"\t+| {2,}", line.strip(), maxsplit=len(starts) - 1)
    return dict(zip(starts, cells, strict=False))


def _event(cells: dict[str, str], index: int, line: int) -> Raw:
    kind, slash, name = cells.get("OBJECT", "").partition("/")
    if cells.get("TYPE") not in _TYPES or not slash:
        shown = " ".join(cells.values())[:_MOST_SHOWN]
        raise LoadError(f"{quoted(shown)} is no row of this table. Get the events with -o yaml", line)
    namespace = cells.get("NAMESPACE") or "default"
    about = {"kind": _KINDS.get(kind.partition(".")[0].lower(), kind), "namespace": namespace, "name": name}
    event: Raw = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{index + 1}", "namespace": namespace},
        "involvedObject": about,
        "type": cells["TYPE"],
        "reason": cells.get("REASON", ""),
        "message": cells.get("MESSAGE", ""),
    }
    if cells.get("SOURCE"):
        event["source"] = {"component": cells["SOURCE"].partition(",")[0]}
    if cells.get("COUNT", "").isdecimal() and len(cells["COUNT"]) < 10:
        event["count"] = int(cells["COUNT"])
    return event


TABLE = InputForm("table of kubectl get events", _is_table, _read)
