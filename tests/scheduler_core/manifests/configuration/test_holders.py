"""Configurations in ConfigMaps are read with the lines of the file; what stands for one is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.manifests import ManifestSource, configuration_text, dump_yaml, load_cluster, read_config

INNER = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packer
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: kube-system}\ndata:\n  other: x\n  s.yaml: |\n"
BLOCK = MAP + "".join(f"    {line}\n" for line in INNER.splitlines())
ROLE = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}\n---\n"


def _read(text: str) -> tuple[Any, list[Any]]:
    reading = read_config(ManifestSource("f", text.encode()))
    return reading.configuration, reading.findings


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        ROLE + BLOCK,
        json.dumps(config_map("m", s=INNER, other="a: b")),
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [config_map("m", s=INNER), config_map("n", s="x")]}),
    ],
    ids=["block", "among others", "json", "list"],
)
def test_the_one_configuration_is_read(text: str) -> None:
    configuration, findings = _read(text)
    assert findings == []
    assert [profile.scheduler_name for profile in configuration.profiles] == ["packer"]
    assert configuration_text(text) == INNER


def test_errors_have_the_line_of_the_file_and_the_name_of_the_object() -> None:
    configuration, (error,) = _read(ROLE + BLOCK.replace("MostAllocated", "MoistAllocated"))
    assert configuration is None
    assert error.line == (ROLE + BLOCK).splitlines().index("        args: {scoringStrategy: {type: MostAllocated}}") + 1
    assert "ConfigMap kube-system/m, data[s.yaml]" in error.object
    assert error.field.endswith("scoringStrategy.type")


def test_of_several_none_is_taken() -> None:
    text = dump_yaml([config_map("m", s=INNER), config_map("n", s=INNER)])
    configuration, (error,) = _read(text)
    assert (configuration, "ConfigMap n, data[s]" in error.message) == (None, True)
    assert configuration_text(text) == text


def pod(*command: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "s", "image": "i", "command": ["/usr/local/bin/kube-scheduler", *command]}
    container["volumeMounts"] = [{"name": "v", "mountPath": "/etc/s/"}]
    metadata = {"name": "kube-scheduler-cp", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


MOUNTED = {"volumes": [{"name": "v", "configMap": {"name": "packer-config"}}]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (pod("--config=/etc/s/c.yaml"), "cat /etc/s/c.yaml"),
        (pod("--config", "/etc/s/c.yaml", **MOUNTED), "kubectl get configmap -n kube-system packer-config -o yaml"),
        (pod("--v=2"), "the default configuration"),
        ({"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": pod("--config=/a/b")}}, "cat /a/b"),
        ({"actions": "enqueue, allocate", "tiers": [{"plugins": []}]}, "Volcano"),
        (config_map("v", **{"volcano-scheduler.conf": 'actions: "a"\ntiers:\n- plugins: []\n'}), "Volcano"),
    ],
)
def test_what_stands_for_one_is_named_with_what_to_fetch(value: dict[str, Any], said: str) -> None:
    configuration, (error,) = _read(dump_yaml([value]))
    assert (configuration, said in error.message) == (None, True)


def test_an_import_of_a_cluster_says_that_it_holds_one() -> None:
    result = load_cluster([ManifestSource("f", BLOCK.encode())])
    (warning,) = result.warnings
    assert (warning.field, result.passed_over) == ("data", {"ConfigMap": 1})
