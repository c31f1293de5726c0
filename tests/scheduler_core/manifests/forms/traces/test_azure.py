"""The vmtable of Azure gives pods; the packing trace is refused by name."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.forms.traces import azure
from tests.scheduler_core.manifests.forms.reading import gaps, items, refusal, requests

VM = "x/y+z=,sub,dep,0,2591700,99.3,3.4,91.7,Delay-insensitive,4,32\n"
LARGE = "x/q=,sub,dep,300,,99.3,3.4,91.7,Unknown,>24,>64\n"


@pytest.mark.parametrize("head", ["", ",".join(azure.COLUMNS) + "\n"], ids=["rows", "named"])
def test_machines_of_azure_are_pods(head: str) -> None:
    small, large = items(head + VM + LARGE)
    assert requests(small) == {"cpu": "4000m", "memory": "32768Mi"}
    assert small["metadata"]["annotations"]["azure/vmdeleted"] == "2591700"
    assert requests(large) == {"cpu": "24000m", "memory": "65536Mi"}
    assert "azure/vmdeleted" not in large["metadata"]["annotations"]
    assert gaps(head + VM + LARGE) == ["TIMES_NOT_PLAYED", "OPEN_BUCKETS"]
    assert gaps(head + VM) == ["TIMES_NOT_PLAYED"]


@pytest.mark.parametrize(
    ("name", "data", "line", "said"),
    [
        ("a", VM + VM.replace(",32", ",-32"), 2, "no number"),
        ("a", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n", 1, "packing trace"),
        ("a", b"SQLite format 3\0", 1, "SQLite"),
    ],
)
def test_wrong_rows_and_tables_without_requests_are_refused(name: str, data: str | bytes, line: int, said: str) -> None:
    error = refusal(data, name)
    assert (error.line, said in error.message) == (line, True)
