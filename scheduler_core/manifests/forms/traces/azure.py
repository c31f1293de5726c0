"""The traces of Azure: vmtable of 2017 and 2019 as pods; the packing trace of 2020 is refused by name.

Amounts of 2019 are buckets: the last of them, such as ">24", is read as its bound.
"""

from __future__ import annotations

import re

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.forms.traces.rows import NO_TIMES, first_cells, make_pod, mebi, milli, number, rows
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw
from scheduler_core.manifests.parsing.sources import read_text

COLUMNS = (
    *("vmid", "subscriptionid", "deploymentid", "vmcreated", "vmdeleted"),
    *("maxcpu", "avgcpu", "p95maxcpu", "vmcategory", "vmcorecountbucket", "vmmemorybucket"),
)
_CATEGORY, _CORES, _MEMORY = 8, 9, 10
_CATEGORIES = ("Delay-insensitive", "Interactive", "Unknown")
_AMOUNT = re.compile(r">?\d+(?:\.\d+)?")
_PACKING = re.compile(
    r"\s*vmid\s*,\s*tenantid\s*,\s*vmtypeid\b|\s*(?:id\s*,\s*)?vmtypeid\s*,\s*machineid\b", re.IGNORECASE
)
_SQLITE = b"SQLite format 3\0"


def _is_table(head: FileHead) -> bool:
    cells = first_cells(head.text)
    if len(cells) != len(COLUMNS):
        return False
    return [cell.lower() for cell in cells[:5]] == list(COLUMNS[:5]) or (
        cells[_CATEGORY] in _CATEGORIES and all(_AMOUNT.fullmatch(cells[i]) for i in (_CORES, _MEMORY))
    )


def _read(source: ManifestSource, limits: Limits) -> FormReading:
    items: list[Raw] = []
    n_open = 0
    for line, row in rows(read_text(source, limits), COLUMNS, limits):
        n_open += row["vmcorecountbucket"].startswith(">") or row["vmmemorybucket"].startswith(">")
        bound = {column: row[column].removeprefix(">") for column in COLUMNS[_CORES:]}
        requests = {
            "cpu": milli(number(bound, "vmcorecountbucket", line)),
            "memory": mebi(number(bound, "vmmemorybucket", line)),
        }
        notes = {f"azure/{column}": row[column][:200] for column in ("vmid", "vmcreated", "vmdeleted", "vmcategory")}
        items.append(make_pod(f"vm-{len(items)}", requests, {}, notes))
    gap = InputGap(
        code="OPEN_BUCKETS",
        plugins=("NodeResourcesFit",),
        text=f"{n_open} machines of the trace are larger than its last bucket: they request its bound",
    )
    return FormReading(items, (NO_TIMES, gap) if n_open else (NO_TIMES,))


def _is_packing(head: FileHead) -> bool:
    return _PACKING.match(head.text) is not None or head.data.startswith(_SQLITE)


def _refuse(source: ManifestSource, limits: Limits) -> FormReading:
    what = "an SQLite database" if source.data.startswith(_SQLITE) else "a table"
    raise LoadError(
        f"this is {what}, as that of Azure's packing trace of 2020: its machines request shares of servers whose sizes "
        "are not published, so they have no amounts. Give the vmtable of 2017 or 2019 (AzurePublicDataset) instead",
        1,
    )


FORMS = (
    InputForm("vmtable of Azure", _is_table, _read),
    InputForm("packing trace of Azure", _is_packing, _refuse),
)
