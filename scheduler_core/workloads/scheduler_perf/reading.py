"""A performance-config.yaml to its test cases, with findings that name file, line and field."""

from __future__ import annotations

from typing import NamedTuple

from scheduler_core.manifests import Finding, Limits, ManifestSource
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.model import LoadError, quoted
from scheduler_core.manifests.text_findings import finding_of_error, findings_of_sink, read_text_documents
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.generator.description import MAX_PODS
from scheduler_core.workloads.scheduler_perf import benchmark as b

KIND = "scheduler_perf configuration"
LIMITS = Limits(max_bytes=4 << 20, max_json_values=250_000, max_yaml_nodes=250_000, max_object_values=250_000)
MAX_CASES, MAX_WORKLOADS, MAX_OPERATIONS = 500, 200, 200
MAX_PAIRS = 200_000
"""Workloads times operations, of all test cases: each workload's parameters are held against each operation."""
_CASE = (
    "name", "featureGates", "metricsCollectorConfig", "workloadTemplate", "workloads", "schedulerConfigPath",
    "defaultPodTemplatePath", "labels", "defaultThresholdMetricSelector",
)  # fmt: skip
_WORKLOAD = ("name", "params", "labels", "threshold", "thresholdMetricSelector", "featureGates")
_SIGNS = {"workloadTemplate", "workloads"}


class BenchmarkReading(NamedTuple):
    """What a text says, None where it has an error, and what was found."""

    benchmark: b.Benchmark | None
    findings: list[Finding]


def may_be_benchmark(source: ManifestSource) -> bool:
    """Whether a file has a word that each list of test cases has; it costs no reading."""
    return b"workloadTemplate" in source.data


def is_benchmark(source: ManifestSource) -> bool:
    """Whether the file is a list of test cases, right or wrong; false for what cannot be read."""
    if not may_be_benchmark(source):
        return False
    try:
        documents, _ = read_text_documents(source, LIMITS)
    except LoadError:
        return False
    return len(documents) == 1 and isinstance(documents[0][1], list) and any(map(_is_case, documents[0][1]))


def _is_case(raw: object) -> bool:
    return isinstance(raw, dict) and raw.keys() >= _SIGNS


def read_benchmark(source: ManifestSource) -> BenchmarkReading:
    """The test cases of a file. Never raises on bad input."""
    try:
        documents, positions = read_text_documents(source, LIMITS)
    except LoadError as problem:
        return BenchmarkReading(None, [finding_of_error(problem, source.name, KIND)])
    if len(documents) != 1 or not isinstance(documents[0][1], list):
        needed = LoadError("one list of test cases is needed, each with a workloadTemplate and workloads")
        return BenchmarkReading(None, [finding_of_error(needed, source.name, KIND)])
    number, raw = documents[0]
    sink = Sink()
    n_pairs = sum(_n_entries(one, "workloads") * _n_entries(one, "workloadTemplate") for one in raw)
    if n_pairs > MAX_PAIRS:
        text = f"workloads times operations are {n_pairs:,} in all test cases, more than the {MAX_PAIRS:,} allowed"
        return BenchmarkReading(None, [finding_of_error(LoadError(text), source.name, KIND)])
    cases = tuple(_case(item) for item in _bounded(At(raw, (), sink), MAX_CASES))
    _no_twins(At(raw, (), sink), [one.name for one in cases])
    findings = findings_of_sink(sink, source.name, KIND, positions, number)
    return BenchmarkReading(None if sink.failed else b.Benchmark(cases), findings)


def _n_entries(case: object, field: str) -> int:
    entries = case.get(field) if isinstance(case, dict) else None
    return len(entries) if isinstance(entries, list) else 0


def _bounded(at: At, most: int) -> list[At]:
    items = at.items()
    if len(items) > most:
        at.error(f"has {len(items):,} entries. At most {most} are allowed")
    return items[:most]


def _no_twins(at: At, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name and name in names[:i]:
            at.error(f"{quoted(name)} is given twice. Rename one of them", i, "name")


# ---------------------------------------------------------------- test cases


def _case(at: At) -> b.BenchmarkCase:
    at.mapping(_CASE)
    operations = [_operation(item) for item in _bounded(at.get("workloadTemplate"), MAX_OPERATIONS)]
    listed = at.get("workloads")
    workloads = tuple(_workload(item) for item in _bounded(listed, MAX_WORKLOADS))
    _no_twins(listed, [one.name for one in workloads])
    for i, workload in enumerate(workloads):
        for operation in operations:
            _check_params(At(workload.params, (*listed.path, i, "params"), at.sink), operation)
    return b.BenchmarkCase(
        name=at.get("name").text(required=True),
        operations=tuple(operations),
        workloads=workloads,
        pod_template=at.get("defaultPodTemplatePath").text(),
        scheduler_config=at.get("schedulerConfigPath").text(),
        refusal=next(filter(None, map(_refusal, operations)), ""),
    )


def _workload(at: At) -> b.BenchmarkWorkload:
    at.mapping(_WORKLOAD)
    return b.BenchmarkWorkload(at.get("name").text(required=True), at.get("params").mapping(), at.get("labels").texts())


def _refusal(operation: b.Operation) -> str:
    """Why the operation cannot be written into a timeline, "" where it can."""
    if any(raw.get("steadyState") or raw.get("steadyStateParam") for raw in operation.parts):
        return f"{operation.opcode} with steadyState: when pods are deleted depends on when others are bound"
    why = b.NOT_MADE.get(operation.opcode)
    return f"{operation.opcode}: {why}" if why else ""


# ---------------------------------------------------------------- operations


def _operation(at: At) -> b.Operation:
    raw = at.mapping()
    opcode = at.get("opcode").text(choices=(*b.OPERATIONS, *b.NOT_MADE), required=True)
    if opcode in b.OPERATIONS:
        fields.only(at, ("opcode", *b.OPERATIONS[opcode]))
        _CHECKS.get(opcode, _check_nothing)(at)
    return b.Operation(opcode, raw, at.path)


def _check_nothing(at: At) -> None:
    """Nothing of the operation is used."""


def _check_count(at: At) -> None:
    at.get("count").integer(0, 0, MAX_PODS)
    _check_parameter(at.get("countParam"))


def _check_parameter(at: At) -> None:
    name = at.text()
    if name and not (name.startswith("$") and len(name) > 1):
        at.error(f"{quoted(name)} is no parameter. Write $ and its name")


def _check_nodes(at: At) -> None:
    _check_count(at)
    at.get("nodeTemplatePath").text()
    strategies = ("nodeAllocatableStrategy", "labelNodePrepareStrategy", "uniqueNodeLabelStrategy")
    for name in [name for name in strategies if at.get(name).present][1:]:
        at.error("is a second strategy. At most one is allowed", name)
    labels = at.get("labelNodePrepareStrategy")
    if labels.present:
        fields.only(labels, ("labelKey", "labelValues"))
        labels.get("labelKey").text(required=True)
        if not labels.get("labelValues").texts():
            labels.error("is missing. Write at least one value", "labelValues")
    if at.get("uniqueNodeLabelStrategy").present:
        at.get("uniqueNodeLabelStrategy").get("labelKey").text(required=True)
    allocatable = at.get("nodeAllocatableStrategy")
    if allocatable.present:
        fields.only(allocatable, ("nodeAllocatable", "csiNodeAllocatable", "migratedPlugins"))
        fields.resources(allocatable.get("nodeAllocatable"))
        drivers = allocatable.get("csiNodeAllocatable")
        for driver in drivers.mapping():
            drivers.get(driver).get("count").integer(0, 0)


def _check_namespaces(at: At) -> None:
    _check_count(at)
    at.get("prefix").text(required=True)
    at.get("namespaceTemplatePath").text()


def _check_pods(at: At) -> None:
    _check_count(at)
    for name in ("namespace", "podTemplatePath", "persistentVolumeTemplatePath", "persistentVolumeClaimTemplatePath"):
        at.get(name).text()
    for name in ("collectMetrics", "skipWaitToCompletion", "steadyState"):
        at.get(name).boolean()
    if at.get("collectMetrics").raw is True and at.get("skipWaitToCompletion").raw is True:
        at.error("cannot be true together with collectMetrics", "skipWaitToCompletion")
    at.get("templateParams").mapping()


def _check_pod_sets(at: At) -> None:
    _check_count(at)
    at.get("namespacePrefix").text(required=True)
    inner = at.get("createPodsOp")
    if not inner.mapping():
        inner.error("is missing. Write the createPods operation of each namespace")
    fields.only(inner, ("opcode", *b.POD_FIELDS))
    _check_pods(inner)


def _check_any(at: At) -> None:
    _check_count(at)
    at.get("templatePath").text(required=True)
    at.get("namespace").text()
    at.get("templateParams").mapping()


def _check_deletion(at: At) -> None:
    at.get("namespace").text(required=True)
    at.get("labelSelector").labels()
    at.get("deletePodsPerSecond").integer(0, 0, 1_000_000)
    at.get("skipWaitToCompletion").boolean()


def _check_churn(at: At) -> None:
    mode = at.get("mode").text(choices=("create", "recreate"), required=True)
    number = at.get("number").integer(0, 0)
    if mode == "recreate" and not number and not at.sink.failed:
        at.error("is missing. Write how many objects are there at most", "number")
    at.get("intervalMilliseconds").integer(500, 1)
    at.get("namespace").text()
    if not at.get("templatePaths").texts():
        at.error("is missing. Write at least one file", "templatePaths")


def _check_sleep(at: At) -> None:
    fields.duration(at.get("duration"))
    _check_parameter(at.get("durationParam"))


_CHECKS = {
    "createNodes": _check_nodes,
    "createNamespaces": _check_namespaces,
    "createPods": _check_pods,
    "createPodSets": _check_pod_sets,
    "createAny": _check_any,
    "deletePods": _check_deletion,
    "churn": _check_churn,
    "sleep": _check_sleep,
}


def _check_params(params: At, operation: b.Operation) -> None:
    """The parameters of a workload that the operation asks for are there, of the right type."""
    for raw in operation.parts:
        for field in ("countParam", "durationParam"):
            name = raw.get(field)
            if not isinstance(name, str) or not name.startswith("$"):
                continue
            value = params.get(name[1:])
            if not value.present:
                value.error(f"is missing. {operation.opcode} asks for it")
            elif field == "countParam":
                value.integer(0, 0, MAX_PODS)
            else:
                fields.duration(value)
