"""Tables of the trace of PAI (Alibaba cluster-trace-gpu-v2020), with or without a row of names: tasks as pods and Jobs,
machines as nodes. The other tables of the trace have no requests and are refused by name."""

from __future__ import annotations

import posixpath
import re

from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.forms.traces.rows import (
    NO_TIMES,
    Row,
    dns_name,
    first_cells,
    make_node,
    make_pod,
    mebi,
    milli,
    number,
    rows,
)
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw
from scheduler_core.manifests.parsing.sources import read_text

TASKS = (
    *("job_name", "task_name", "inst_num", "status", "start_time", "end_time"),
    *("plan_cpu", "plan_mem", "plan_gpu", "gpu_type"),
)
MACHINES = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")
_OTHERS = ("job_name,inst_id,user,status", "job_name,task_name,inst_name,worker_name", "inst_id,user,gpu_type_spec")
_OTHER_NAMES = re.compile(r"pai_(?:job|instance|sensor|group_tag|machine_metric)\w*\.csv(?:\.gz)?")
_STATES = ("Terminated", "Failed", "Running", "Waiting")
_NUMBER = re.compile(r"\d*(?:\.\d+)?")
_HASH = re.compile(r"[0-9a-f]{16,64}")
_GPU, _LABEL = "alibabacloud.com/gpu-milli", "alibabacloud.com/gpu-card-model"
_PER_CENT = 100


def _is_tasks(head: FileHead) -> bool:
    cells = first_cells(head.text)
    if len(cells) != len(TASKS):
        return False
    return cells == list(TASKS) or (cells[3] in _STATES and all(_NUMBER.fullmatch(cells[i]) for i in (2, 6, 7, 8)))


def _is_machines(head: FileHead) -> bool:
    cells = first_cells(head.text)
    if len(cells) != len(MACHINES):
        return False
    return cells == list(MACHINES) or (
        _HASH.fullmatch(cells[0]) is not None and all(_NUMBER.fullmatch(cell) for cell in cells[2:])
    )


def _is_other(head: FileHead) -> bool:
    is_named = _OTHER_NAMES.fullmatch(posixpath.basename(head.name)) is not None
    return head.text.startswith(_OTHERS) or (is_named and "," in head.text[:1_000])


def _read_tasks(source: ManifestSource, limits: Limits) -> FormReading:
    items: list[Raw] = []
    for line, row in rows(read_text(source, limits), TASKS, limits):
        n_instances = int(number(row, "inst_num", line))
        if n_instances:
            one = _pod(dns_name(row["job_name"][:24], row["task_name"][:24], line), row, line)
            items.append(one if n_instances == 1 else _job(one, n_instances))
    return FormReading(items, (NO_TIMES,))


def _job(pod: Raw, n_instances: int) -> Raw:
    """A Job of pods like this one: what makes the pods has limits of its own."""
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    metadata = {"annotations": pod["metadata"]["annotations"]}
    template = {"metadata": metadata, "spec": {**pod["spec"], "restartPolicy": "Never"}}
    spec = {"parallelism": n_instances, "completions": n_instances, "template": template}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def _pod(name: str, row: Row, line: int) -> Raw:
    """A pod that requests what its task plans: cpu and GPUs in per cent of one, memory in GiB."""
    gpu = number(row, "plan_gpu", line)
    requests = {
        "cpu": milli(number(row, "plan_cpu", line) / _PER_CENT),
        "memory": mebi(number(row, "plan_mem", line)),
    }
    extended = {_GPU: str(int(gpu * 1000 / _PER_CENT))} if gpu else {}
    notes = {f"pai/{column.replace('_', '-')}": row[column] for column in ("start_time", "end_time", "status")}
    made = make_pod(name, requests, extended, notes)
    if row["gpu_type"] and row["gpu_type"] != "MISC" and gpu:
        made["spec"]["nodeSelector"] = {_LABEL: dns_name(row["gpu_type"])}
    return made


def _read_machines(source: ManifestSource, limits: Limits) -> FormReading:
    items = []
    for line, row in rows(read_text(source, limits), MACHINES, limits):
        amounts: Raw = {"cpu": milli(number(row, "cap_cpu", line)), "memory": mebi(number(row, "cap_mem", line))}
        gpus = number(row, "cap_gpu", line)
        if gpus:
            amounts[_GPU] = str(int(1000 * gpus))
        labels = {_LABEL: dns_name(row["gpu_type"])} if row["gpu_type"] else {}
        items.append(make_node(dns_name(row["machine"]), amounts, labels))
    return FormReading(items)


def _refuse(source: ManifestSource, limits: Limits) -> FormReading:
    raise LoadError(
        "this is a table of the trace of PAI (cluster-trace-gpu-v2020) without requests. Give pai_task_table, which "
        "has plan_cpu, plan_mem and plan_gpu, and pai_machine_spec",
        1,
    )


FORMS = (
    InputForm("tasks of the trace of PAI", _is_tasks, _read_tasks),
    InputForm("machines of the trace of PAI", _is_machines, _read_machines),
    InputForm("other tables of the trace of PAI", _is_other, _refuse),
)
