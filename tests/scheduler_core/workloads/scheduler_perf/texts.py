"""Configurations of scheduler_perf and their templates, as texts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.workloads.scheduler_perf.benchmark import Benchmark
from scheduler_core.workloads.scheduler_perf.conversion import ConvertedBenchmark, convert
from scheduler_core.workloads.scheduler_perf.reading import read_benchmark
from scheduler_core.workloads.scheduler_perf.templates import OpenFile

LIGHT_POD = """
apiVersion: v1
kind: Pod
metadata: {generateName: light-, labels: {app: light}}
spec: {containers: [{name: pause, image: pause, resources: {requests: {cpu: 10m}}}]}
"""


def source(text: str, name: str = "performance-config.yaml") -> ManifestSource:
    return ManifestSource(name, textwrap.dedent(text).encode())


def read(text: str) -> Benchmark:
    benchmark, findings = read_benchmark(source(text))
    assert benchmark is not None, [finding.text() for finding in findings]
    return benchmark


def errors(text: str) -> list[str]:
    benchmark, findings = read_benchmark(source(text))
    assert benchmark is None
    return [finding.text() for finding in findings if finding.severity == "error"]


def files(texts: Mapping[str, str]) -> OpenFile:
    def opened(name: str) -> ManifestSource:
        if name not in texts:
            raise LoadError("is not there")
        return source(texts[name], name)

    return opened


def made(operations: str, params: str = "{}", templates: Mapping[str, str] | None = None) -> ConvertedBenchmark:
    """What one test case of these operations makes; its pods are light ones."""
    head = "- name: Test\n  defaultPodTemplatePath: light.yaml\n  workloadTemplate:\n"
    workloads = f"  workloads: [{{name: small, params: {params}}}]\n"
    (case,) = read(head + textwrap.indent(textwrap.dedent(operations).strip(), "  ") + "\n" + workloads).cases
    return convert(case, case.workloads[0], files({"light.yaml": LIGHT_POD, **(templates or {})}))
