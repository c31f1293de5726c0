"""Traces of PAI, Philly, Azure and SimKube give pods with requests and times, or are refused by name."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from scheduler_core.manifests.forms.traces import azure, pai
from tests.scheduler_core.manifests.forms.reading import gaps, items, loaded, names, node, refusal

TASK = "4f2a,worker,2,Terminated,10.0,20.5,600.0,29.296875,50.0,T4\n"
VM = "x/y+z=,sub,dep,0,2591700,99.3,3.4,91.7,Delay-insensitive,4,32\n"
LARGE = "x/q=,sub,dep,300,,99.3,3.4,91.7,Unknown,>24,>64\n"


def requests(pod: dict[str, Any]) -> dict[str, str]:
    return pod["spec"]["containers"][0]["resources"]["requests"]


@pytest.mark.parametrize("head", ["", ",".join(pai.TASKS) + "\n"], ids=["rows", "named"])
def test_tasks_of_pai_are_pods(head: str) -> None:
    first, second = items(head + TASK)
    assert requests(first) == {"cpu": "6000m", "memory": "30000Mi", "alibabacloud.com/gpu-milli": "500"}
    assert first["metadata"]["annotations"] == {
        "pai/start-time": "10.0",
        "pai/end-time": "20.5",
        "pai/status": "Terminated",
    }
    assert first["spec"]["nodeSelector"] == {"alibabacloud.com/gpu-card-model": "t4"}
    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert gaps(head + TASK) == ["TIMES_NOT_PLAYED"]


@pytest.mark.parametrize("head", ["", ",".join(pai.MACHINES) + "\n"], ids=["rows", "named"])
def test_machines_of_pai_are_nodes(head: str) -> None:
    (made,) = items(head + "03c0b0c6ad8b5d7a1f2e3d4c,T4,96,512,2\n")
    assert made["status"]["allocatable"] == {
        "cpu": "96000m",
        "memory": "524288Mi",
        "alibabacloud.com/gpu-milli": "2000",
        "pods": "110",
    }
    assert made["metadata"]["labels"]["alibabacloud.com/gpu-card-model"] == "t4"


def test_jobs_of_philly_are_pods_by_machine_and_machines_nodes() -> None:
    attempt = {
        "start_time": "2017-10-09 07:37:01",
        "end_time": "2017-10-09 08:37:01",
        "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu3"]}],
    }
    job = {"status": "Pass", "vc": "ee", "jobid": "application_1", "submitted_time": "2017-10-09 07:02:28", "user": "c"}
    log = json.dumps([{**job, "attempts": [attempt]}, {**job, "jobid": "b", "attempts": []}])
    made = items(log)
    assert [requests(pod) for pod in made] == [{"nvidia.com/gpu": "2"}, {"nvidia.com/gpu": "1"}]
    assert made[0]["metadata"]["annotations"]["philly/submitted-time"] == "2017-10-09 07:02:28"
    assert gaps(log) == ["TIMES_NOT_PLAYED", "GPUS_ALONE"]
    assert ["(1)" in one.message for one in loaded(log).warnings] == [True]
    (machine,) = items("machineId,number of GPUs, single GPU mem\nm1,2,12GB\n")
    assert machine["status"]["allocatable"] == {"nvidia.com/gpu": "2", "pods": "110"}


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
        ("a", TASK + "4f2a,worker,x,Failed,,,1,1,1,\n", 2, "no number"),
        ("a", TASK + "4f2a,worker\n", 2, "columns"),
        ("a", "4f2a,worker,300000,Failed,,,1,1,1,\n", 1, "Split"),
        ("a", VM + VM.replace(",32", ",-32"), 2, "no number"),
        ("a", "job_name,inst_id,user,status,start_time,end_time\n", 1, "pai_task_table"),
        ("x/pai_instance_table.csv", "a,b,c\n", 1, "pai_task_table"),
        ("a", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n", 1, "packing trace"),
        ("a", b"SQLite format 3\0", 1, "SQLite"),
    ],
)
def test_wrong_rows_and_tables_without_requests_are_refused(name: str, data: Any, line: int, said: str) -> None:
    error = refusal(data, name)
    assert (error.line, said in error.message) == (line, True)


def trace(*events: tuple[list[Any], list[Any]], version: int = 2) -> bytes:
    """A trace of SimKube; its pod_lifecycles have keys that JSON does not know."""
    rows = [{"ts": i, "applied_objs": applied, "deleted_objs": gone} for i, (applied, gone) in enumerate(events)]
    lifecycles = {("v1.Pod", "a/b"): {17: [{"start_ts": 1}]}}
    return msgspec.msgpack.encode(
        {"version": version, "config": {}, "events": rows, "index": {}, "pod_lifecycles": lifecycles}
    )


def test_a_trace_of_simkube_gives_what_is_there_at_its_end() -> None:
    a, b = node("a"), node("b")
    data = trace(([a, b], []), ([{**a, "spec": {"unschedulable": True}}], [b]), ([node("c")], []))
    assert names(data) == ["a", "c"]
    assert items(data)[0]["spec"] == {"unschedulable": True}
    assert gaps(data) == ["TIMES_NOT_PLAYED"]


def test_another_trace_or_msgpack_is_refused_by_name() -> None:
    assert "version 1" in refusal(trace(version=1)).message
    assert refusal(trace((["x"], []))).field == "events[0].applied_objs"
    assert "msgpack" in refusal(msgspec.msgpack.encode(["a", b"\xff\xfe"])).message
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    assert "nested" in refusal(trace(([{**node("a"), "spec": deep}], []))).message
