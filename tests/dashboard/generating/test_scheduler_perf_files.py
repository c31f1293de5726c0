"""Templates are found by their path in an archive, else by the one file of their name."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.uploads.opening import Upload
from dashboard.common.problems import Problem
from dashboard.generating.scheduler_perf_files import MOST_CONFIGURATIONS, BenchmarkFiles

CONFIG = b"""\
- name: Basic
  workloadTemplate: [{opcode: createPods, count: 1, podTemplatePath: ../templates/pod.yaml}]
  workloads: [{name: small}]
"""


def template(prefix: str) -> bytes:
    return (
        f"{{kind: Pod, metadata: {{generateName: {prefix}}}, spec: {{containers: [{{name: c, image: i}}]}}}}".encode()
    )


def pod_name(*uploads: Upload, configuration: str) -> str:
    value = json.dumps([configuration, "Basic", "small"])
    (entry,) = BenchmarkFiles(uploads).made(value, 0).benchmark.made.entries
    return entry["object"]["metadata"]["name"]


def test_a_path_in_the_archive_goes_before_a_name():
    uploads = (
        Upload("misc/performance-config.yaml", CONFIG),
        Upload("templates/pod.yaml", template("right-")),
        Upload("other/pod.yaml", template("wrong-")),
    )
    assert pod_name(*uploads, configuration="misc/performance-config.yaml") == "right-0"


def test_a_bare_file_is_found_by_its_name():
    uploads = (Upload("performance-config.yaml", CONFIG), Upload("pod.yaml", template("p-")))
    assert pod_name(*uploads, configuration="performance-config.yaml") == "p-0"


def test_too_many_configurations_are_refused():
    uploads = [Upload(f"{i}.yaml", CONFIG) for i in range(MOST_CONFIGURATIONS + 1)]
    with pytest.raises(Problem, match="Send at most"):
        BenchmarkFiles(uploads).configurations()
