"""What tables of traces have in common: their rows, numbers in them, and pods and nodes made of a row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.model import Limits, LoadError, Raw, quoted

Row = dict[str, str]
_NAME = re.compile(r"[^a-z0-9]+")
_MOST = Decimal(10) ** 9
NO_TIMES = InputGap(
    code="TIMES_NOT_PLAYED",
    text="the times of the trace are annotations of its pods: all pods wait from the start, and none ends",
    concerns="placement",
)


def rows(text: str, columns: Sequence[str], limits: Limits) -> Iterator[tuple[int, Row]]:
    """(line, {column: value}) of each row; a first row that names the columns is none. Raises LoadError."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for number, cells in enumerate(reader):
            if not cells or (number == 0 and cells[0].strip() == columns[0]):
                continue
            if len(cells) != len(columns):
                raise LoadError(
                    f"there are {len(cells)} columns, not the {len(columns)} of this table", reader.line_num
                )
            if number > limits.max_objects:
                raise LoadError(f"more than {limits.max_objects} rows. Split the import")
            yield reader.line_num, dict(zip(columns, (cell.strip() for cell in cells), strict=True))
    except csv.Error as problem:
        raise LoadError(f"this is no CSV table: {problem}", reader.line_num) from None


def first_cells(text: str) -> list[str]:
    """The cells of a text's first line, [] where it is no table."""
    try:
        return [cell.strip() for cell in next(csv.reader([text.lstrip().split("\n", 1)[0]], strict=True), [])]
    except csv.Error:
        return []


def number(row: Row, column: str, line: int) -> Decimal:
    """The value of a column, 0 where it is empty. Raises LoadError for what is no number from 0."""
    try:
        value = Decimal(row[column] or 0)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or not 0 <= value <= _MOST:
        raise LoadError(f"{quoted(row[column])} is no number", line, column)
    return value


def milli(value: Decimal) -> str:
    """An amount of cpu, in thousandths."""
    return f"{int(value * 1000)}m"


def mebi(gibibytes: Decimal) -> str:
    """An amount of memory, in MiB."""
    return f"{int(gibibytes * 1024)}Mi"


def dns_name(*parts: object) -> str:
    """A name of the API from parts of any text."""
    return "-".join(filter(None, (_NAME.sub("-", str(part).lower()).strip("-")[:60] for part in parts))) or "x"


def make_pod(name: str, requests: Raw, extended: Raw, annotations: Row) -> Raw:
    """A pod of one container; what is extended is its limit, too."""
    resources: Raw = {"requests": {**requests, **extended}, **({"limits": extended} if extended else {})}
    metadata: Raw = {"name": name, "namespace": "default"}
    notes = {key: value for key, value in annotations.items() if value}
    if notes:
        metadata["annotations"] = notes
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def make_node(name: str, amounts: Raw, labels: Row) -> Raw:
    """A node that offers these amounts and 110 pods."""
    offered = {**amounts, "pods": "110"}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
    status = {"capacity": offered, "allocatable": offered}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}
