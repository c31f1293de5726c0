"""The trace of Philly (Microsoft, 2019): the log of jobs as pods that request GPUs, the list of machines as nodes.

The trace has neither cpu nor memory. A pod stands for what a job had on one machine in its first attempt.
"""

from __future__ import annotations

import re
from typing import Any

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.forms.traces.rows import NO_TIMES, dns_name, make_node, make_pod, number, rows
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw
from scheduler_core.manifests.parsing.json_values import read_json
from scheduler_core.manifests.parsing.sources import read_text

_GPU = "nvidia.com/gpu"
_LOG = re.compile(r'\s*\[\s*\{(?=[^\[]{0,2000}"(?:vc|jobid|attempts)"\s*:)')
_FIELDS = ("jobid", "vc", "attempts")
_LIST = re.compile(r"\s*machineId\s*,\s*number of GPUs\s*,", re.IGNORECASE)
_COLUMNS = ("machineId", "gpus", "memory")
NO_AMOUNTS = InputGap(
    code="GPUS_ALONE",
    plugins=("NodeResourcesFit", "NodeResourcesBalancedAllocation"),
    text="the trace of Philly has GPUs alone: cpu and memory are neither requested nor offered",
)


def _is_log(head: FileHead) -> bool:
    return _LOG.match(head.text) is not None and all(f'"{field}"' in head.text for field in _FIELDS)


def _is_list(head: FileHead) -> bool:
    return _LIST.match(head.text) is not None


def _read_log(source: ManifestSource, limits: Limits) -> FormReading | None:
    try:
        documents = read_json(read_text(source, limits), limits)
    except ValueError as problem:
        raise LoadError(f"this is no JSON: {problem}") from None
    jobs = documents[0].value if documents else None
    if not isinstance(jobs, list) or not all(isinstance(job, dict) and "attempts" in job for job in jobs):
        return None
    items: list[Raw] = []
    n_unknown = 0
    for number_of_job, job in enumerate(jobs):
        pods = list(_pods(job, number_of_job))
        n_unknown += not pods
        items += pods
        if len(items) > limits.max_objects:
            raise LoadError(f"more than {limits.max_objects} pods. Split the import")
    notes = (f"jobs without an attempt on a machine are left out ({n_unknown}): what they request is not known",)
    return FormReading(items, (NO_TIMES, NO_AMOUNTS), notes if n_unknown else ())


def _pods(job: Raw, index: int) -> list[Raw]:
    attempts = [one for one in _list(job.get("attempts")) if isinstance(one, dict)]
    machines = next(filter(None, (_list(one.get("detail")) for one in attempts)), [])
    first, last = (attempts[0], attempts[-1]) if attempts else ({}, {})
    notes = {
        "philly/submitted-time": _text(job.get("submitted_time")),
        "philly/start-time": _text(first.get("start_time")),
        "philly/end-time": _text(last.get("end_time")),
        "philly/status": _text(job.get("status")),
    }
    name = dns_name(_text(job.get("jobid")) or "job", index)
    made = []
    for i, machine in enumerate(machines):
        gpus = len(_list(machine.get("gpus"))) if isinstance(machine, dict) else 0
        made.append(make_pod(f"{name}-{i}", {}, {_GPU: str(gpus)} if gpus else {}, notes))
    return made


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:200] if isinstance(value, str) and value != "None" else ""


def _read_list(source: ManifestSource, limits: Limits) -> FormReading:
    items = []
    for line, row in rows(read_text(source, limits), _COLUMNS, limits):
        amounts = {_GPU: str(int(number(row, "gpus", line)))}
        labels = {"philly/gpu-memory": dns_name(row["memory"])} if row["memory"] else {}
        items.append(make_node(dns_name(row["machineId"]), amounts, labels))
    return FormReading(items, (NO_AMOUNTS,))


FORMS = (
    InputForm("log of jobs of the trace of Philly", _is_log, _read_log),
    InputForm("machines of the trace of Philly", _is_list, _read_list),
)
