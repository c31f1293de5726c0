"""Tables of the trace of PAI become pods and nodes, or are refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.manifests.forms.traces import pai
from tests.scheduler_core.manifests.forms.reading import gaps, items, loaded, refusal, requests

TASK = "4f2a,worker,2,Terminated,10.0,20.5,600.0,29.296875,50.0,T4\n"


@pytest.mark.parametrize("head", ["", ",".join(pai.TASKS) + "\n"], ids=["rows", "named"])
def test_tasks_of_pai_are_pods(head: str) -> None:
    one, several = items(head + TASK.replace(",2,", ",1,") + TASK)
    assert several["kind"] == "Job"
    assert (several["spec"]["parallelism"], several["spec"]["completions"]) == (2, 2)
    assert len(loaded(head + TASK).objects.pods) == 2
    for pod in (one, several["spec"]["template"]):
        _check_task(pod)
    assert gaps(head + TASK) == ["TIMES_NOT_PLAYED"]


def _check_task(first: dict[str, Any]) -> None:
    assert requests(first) == {"cpu": "6000m", "memory": "30000Mi", "alibabacloud.com/gpu-milli": "500"}
    assert first["metadata"]["annotations"] == {
        "pai/start-time": "10.0",
        "pai/end-time": "20.5",
        "pai/status": "Terminated",
    }
    assert first["spec"]["nodeSelector"] == {"alibabacloud.com/gpu-card-model": "t4"}


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


@pytest.mark.parametrize(
    ("name", "data", "line", "said"),
    [
        ("a", TASK + "4f2a,worker,x,Failed,,,1,1,1,\n", 2, "no number"),
        ("a", TASK + "4f2a,worker\n", 2, "columns"),
        ("a", "job_name,inst_id,user,status,start_time,end_time\n", 1, "pai_task_table"),
        ("x/pai_instance_table.csv", "a,b,c\n", 1, "pai_task_table"),
    ],
)
def test_wrong_rows_and_tables_without_requests_are_refused(name: str, data: str | bytes, line: int, said: str) -> None:
    error = refusal(data, name)
    assert (error.line, said in error.message) == (line, True)


def test_instances_beyond_the_limit_of_pods_are_an_error_of_their_task() -> None:
    (error,) = loaded(TASK.replace(",2,", ",300000,")).errors
    assert error.object.startswith("Job ")
