"""Configurations are read as scheduler_perf reads them; what is wrong is named by line and field."""

from __future__ import annotations

import pytest

from scheduler_core.workloads.scheduler_perf import reading
from scheduler_core.workloads.scheduler_perf.reading import is_benchmark
from tests.scheduler_core.workloads.scheduler_perf.texts import errors, read, source

BASIC = """\
- name: Basic
  schedulerConfigPath: config.yaml
  labels: [fast]
  workloadTemplate:
  - {opcode: createNodes, countParam: $initNodes}
  - {opcode: createPods, count: 5, podTemplatePath: pod.yaml, collectMetrics: true}
  workloads:
  - {name: small, threshold: 100, params: {initNodes: 5}}
  - {name: large, labels: [performance], params: {initNodes: 500}}
"""


def test_test_cases_have_operations_and_workloads() -> None:
    (case,) = read(BASIC).cases
    assert (case.name, case.scheduler_config, case.refusal) == ("Basic", "config.yaml", "")
    assert [one.opcode for one in case.operations] == ["createNodes", "createPods"]
    assert [(one.name, one.labels) for one in case.workloads] == [("small", ()), ("large", ("performance",))]
    assert [case.count(case.operations[0].raw, one) for one in case.workloads] == [5, 500]
    assert case.count(case.operations[1].raw, case.workloads[0]) == 5


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("initNodes: 5}", "initPods: 5}", ":8: [0].workloads[0].params.initNodes: is"),
        ("initNodes: 5}", "initNodes: x}", ':8: [0].workloads[0].params.initNodes: "x"'),
        ("createNodes,", "createNode,", ":5: [0].workloadTemplate[0].opcode: "),
        ("$initNodes", "initNodes", ':5: [0].workloadTemplate[0].countParam: "initNodes"'),
        ("count: 5", "number: 5", ":6: [0].workloadTemplate[1].number: "),
        ("count: 5", "count: -1", ":6: [0].workloadTemplate[1].count: "),
        ("name: large", "name: small", ':9: [0].workloads[1].name: "small" is given twice'),
        ("collectMetrics: true", "collectMetrics: true, skipWaitToCompletion: true", "skipWaitToCompletion: cannot"),
    ],
)  # fmt: skip
def test_an_error_names_line_and_field(old: str, new: str, error: str) -> None:
    assert old in BASIC
    (message,) = errors(BASIC.replace(old, new, 1))
    assert error in message.replace(" scheduler_perf configuration:", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: 1",
        "[]\n---\n[]",
        "- 1",
        "- [",
        "- {workloadTemplate: 1, workloads: {}}",
        "- {name: x, workloads: 7}",
        "- {name: x, workloadTemplate: [7], workloads: []}",
        "- {name: x, workloadTemplate: [{opcode: createPodSets, count: 1, namespacePrefix: a, createPodsOp: 7}]}",
    ],
)
def test_other_texts_are_refused_with_words(text: str) -> None:
    assert errors(text)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("{opcode: createResourceDriver, driverName: x}", "dynamic resource allocation"),
        ("{opcode: createPods, count: 1, steadyState: true, duration: 1m}", "steadyState"),
        (
            "{opcode: createPodSets, count: 1, namespacePrefix: a, createPodsOp: {count: 1, steadyStateParam: $s}}",
            "steadyState",
        ),
        ("{opcode: updateAny, templatePath: x.yaml}", "which objects it changes"),
    ],
)
def test_what_a_timeline_cannot_say_is_named_and_the_other_cases_stay(operation: str, message: str) -> None:
    text = BASIC + f"- name: Other\n  workloadTemplate:\n  - {operation}\n  workloads: [{{name: small}}]\n"
    basic, other = read(text).cases
    assert basic.refusal == ""
    assert message in other.refusal


def test_a_configuration_is_told_from_other_files() -> None:
    assert is_benchmark(source(BASIC))
    assert not is_benchmark(source("apiVersion: v1\nkind: ConfigMap\ndata: {a: workloadTemplate}"))
    assert not is_benchmark(source("- workloadTemplate: ["))


def test_workloads_times_operations_are_counted_in_all_test_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_PAIRS", 4)
    basic = read(BASIC)
    assert basic.cases
    (error,) = errors(BASIC + BASIC.replace("Basic", "Other"))
    assert all(part in error for part in (" 8 in", "4 allowed"))
