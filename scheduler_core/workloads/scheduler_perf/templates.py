"""The files that operations name: each object of a template, with the actions of Go's text/template filled in."""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.manifests import Limits, ManifestSource, load_manifests
from scheduler_core.manifests.model import LoadError, quoted
from scheduler_core.manifests.parsing.json_values import n_values
from scheduler_core.manifests.text_findings import read_text_documents
from scheduler_core.workloads.scheduler_perf.benchmark import BenchmarkWorkload

Raw = dict[str, Any]
OpenFile = Callable[[str], ManifestSource]
"""Gives the file at a path relative to the configuration's folder; raises LoadError where there is none."""

LIMITS = Limits(max_bytes=1 << 20, max_json_values=50_000, max_yaml_nodes=50_000, max_object_values=50_000)
MAX_VALUES = 20_000_000
"""Keys, values and entries of all objects of a test case: 200 for each of 100,000 pods."""
_RENDERED = 5
"""What a value costs where actions are filled in, so that the text is read for each object, beside a copied one."""
_ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_FIELD = re.compile(r"\.(\w+)", re.ASCII)

POD: Raw = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "pod-"},
    "spec": {
        "containers": [
            {
                "name": "pause",
                "image": "registry.k8s.io/pause:3.10",
                "ports": [{"containerPort": 80}],
                "resources": {
                    "limits": {"cpu": "100m", "memory": "500Mi"},
                    "requests": {"cpu": "100m", "memory": "500Mi"},
                },
            }
        ]
    },
}
NODE: Raw = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"generateName": "scheduler-perf-"},
    "status": {
        "capacity": {"pods": "110", "cpu": "4", "memory": "32Gi"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}
"""What is made where an operation names no file."""


class TemplateFiles:
    """The templates of one test case, each read once; files without actions are parsed once too."""

    def __init__(self, open_file: OpenFile) -> None:
        self._open = open_file
        self._files: dict[str, ManifestSource] = {}
        self._parsed: dict[str, tuple[Raw, int]] = {}
        self._n_values = 0

    def spend(self, n_values: int) -> None:
        """Count what objects hold; raises LoadError where it is too much in all."""
        self._n_values += n_values
        if self._n_values > MAX_VALUES:
            raise LoadError(f"all objects hold more than {MAX_VALUES:,} keys and values. Make fewer, or smaller ones")

    def fresh(self, path: str, kind: str | None, values: Mapping[str, Any]) -> Raw:
        """A copy of the object in the file; raises LoadError, which names the file.

        ``values`` fill actions such as ``{{.Index}}``. ``kind`` is what the operation makes, None for any.
        """
        name = posixpath.normpath(path)
        if name in self._parsed:
            raw, size = self._parsed[name]
            self.spend(size)
            return copy.deepcopy(raw)
        try:
            source = self._source(name)
            raw = _parsed(source, kind, values)
        except LoadError as problem:
            raise LoadError(f"{quoted(path)}: {problem.message}", problem.line, problem.field) from problem
        size = n_values(raw, MAX_VALUES)
        if b"{{" in source.data:
            self.spend(_RENDERED * size)
            return raw
        self.spend(size)
        self._parsed[name] = raw, size
        return copy.deepcopy(raw)

    def _source(self, name: str) -> ManifestSource:
        if name not in self._files:
            self._files[name] = self._open(name)
        return self._files[name]


def _parsed(source: ManifestSource, kind: str | None, values: Mapping[str, Any]) -> Raw:
    data = source.data
    if b"{{" in data:
        data = _ACTION.sub(lambda match: _filled(match[1], values), data.decode("utf-8", "replace")).encode()
    documents, _ = read_text_documents(ManifestSource(source.name, data), LIMITS)
    if len(documents) != 1 or not isinstance(documents[0][1], dict):
        raise LoadError("one object is needed")
    raw: Raw = documents[0][1]
    if kind is not None and raw.get("kind", kind) != kind:
        raise LoadError(f"holds a {quoted(raw.get('kind'))}. A {kind} is needed")
    raw = {"apiVersion": "v1", **({"kind": kind} if kind else {}), **raw}
    if not isinstance(raw.get("metadata", {}), dict):
        raise LoadError("metadata is no mapping. Write name or generateName")
    _judge(raw)
    return raw


def _judge(raw: Raw) -> None:
    """Raise LoadError for the first thing that Kubernetes refuses; warnings are left to the reader of the result."""
    sample = copy.deepcopy(raw)
    metadata = sample.setdefault("metadata", {}) or {}
    sample["metadata"] = metadata
    if not metadata.get("name"):
        metadata["name"] = f"{metadata.get('generateName', 'object-')}0"
    spec = sample.get("spec")
    if isinstance(spec, dict):
        # Its class may come from another file.
        spec.pop("priorityClassName", None)
    for finding in load_manifests([sample], source="template").errors:
        raise LoadError(f"{finding.field}: {finding.message}" if finding.field else finding.message)


def _filled(action: str, values: Mapping[str, Any]) -> str:
    field = _FIELD.fullmatch(action)
    if field is None or field[1] not in values:
        names = ", ".join(f"{{{{.{name}}}}}" for name in values)
        raise LoadError(f"{quoted('{{' + action + '}}')} is not filled in. Known are {names}")
    return str(values[field[1]])


def template_values(raw: Raw, workload: BenchmarkWorkload) -> Raw:
    """What an operation's templateParams give to templates; ``$name`` is the workload's parameter of that name."""
    values = {}
    for name, value in (raw.get("templateParams") or {}).items():
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in workload.params:
                raise LoadError(f"templateParams.{name}: {quoted(value[1:])} is no parameter of the workload")
            value = workload.params[value[1:]]
        values[name] = value
    return values
