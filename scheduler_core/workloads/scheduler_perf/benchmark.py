"""What a performance-config.yaml of scheduler_perf says: test cases, their operations and workloads.

Source of the rules: test/integration/scheduler_perf of kubernetes/kubernetes, `op` and `workload` of its Go types.
"""

from __future__ import annotations

from math import prod
from typing import Any

import msgspec

from scheduler_core.manifests.model import Path

Raw = dict[str, Any]

COUNTED = ("count", "countParam")
TIMED = ("duration", "durationParam")
POD_FIELDS = (
    *COUNTED, "collectMetrics", "namespace", "podTemplatePath", "skipWaitToCompletion", "persistentVolumeTemplatePath",
    "persistentVolumeClaimTemplatePath", "steadyState", "steadyStateParam", *TIMED, "templateParams",
)  # fmt: skip
OPERATIONS: dict[str, tuple[str, ...]] = {
    "createNodes": (
        *COUNTED, "nodeTemplatePath", "nodeAllocatableStrategy", "labelNodePrepareStrategy", "uniqueNodeLabelStrategy",
    ),
    "createNamespaces": (*COUNTED, "prefix", "namespaceTemplatePath"),
    "createPods": POD_FIELDS,
    "createPodSets": (*COUNTED, "namespacePrefix", "createPodsOp"),
    "createAny": (*COUNTED, "namespace", "templatePath", "templateParams"),
    "deletePods": ("namespace", "labelSelector", "deletePodsPerSecond", "skipWaitToCompletion"),
    "churn": ("mode", "number", "intervalMilliseconds", "namespace", "templatePaths"),
    "barrier": ("namespaces", "labelSelector", "stageRequirement"),
    "sleep": TIMED,
    "startCollectingMetrics": ("name", "namespaces", "labelSelector"),
    "stopCollectingMetrics": (),
}  # fmt: skip
NOT_MADE = {
    "allocResourceClaims": "dynamic resource allocation is not there yet",
    "createResourceClaims": "dynamic resource allocation is not there yet",
    "createResourceDriver": "dynamic resource allocation is not there yet",
    "updateAny": "which objects it changes depends on what the scheduler did before",
}
"""Operations that a timeline cannot stand for, and why."""


class Operation(msgspec.Struct, frozen=True):
    """One entry of a workloadTemplate; its fields were checked, and stand at ``path`` of the file."""

    opcode: str
    raw: Raw
    path: Path

    @property
    def parts(self) -> list[Raw]:
        """The operation, and the one within it that createPodSets repeats."""
        inner = self.raw.get("createPodsOp")
        return [self.raw, inner] if self.opcode == "createPodSets" and isinstance(inner, dict) else [self.raw]


class BenchmarkWorkload(msgspec.Struct, frozen=True):
    """The sizes of a test case under a name."""

    name: str
    params: Raw
    labels: tuple[str, ...] = ()

    @property
    def sizes(self) -> str:
        """The parameters as people read them: "initNodes 5, initPods 5"."""
        return ", ".join(f"{name} {value}" for name, value in self.params.items())


class BenchmarkCase(msgspec.Struct, frozen=True, kw_only=True):
    """A sequence of operations, and the sizes at which it is run.

    ``refusal`` says why no cluster and timeline can be made of it, "" where they can. Paths of files are as written:
    relative to the folder of the configuration.
    """

    name: str
    operations: tuple[Operation, ...]
    workloads: tuple[BenchmarkWorkload, ...]
    pod_template: str = ""
    scheduler_config: str = ""
    refusal: str = ""

    def count(self, raw: Raw, workload: BenchmarkWorkload) -> int:
        """How many an operation makes; a parameter takes precedence."""
        named = raw.get("countParam")
        return int(workload.params[named[1:]] if named else raw.get("count", 0))

    def n_objects(self, workload: BenchmarkWorkload) -> int | None:
        """How many objects the operations make at most; None where that depends on time, as churn does."""
        if any(operation.opcode == "churn" for operation in self.operations):
            return None
        counts = ([self.count(raw, workload) for raw in operation.parts] for operation in self.operations)
        return sum(prod(count) for count in counts)


class Benchmark(msgspec.Struct, frozen=True):
    """The test cases of a configuration; names are unique, so are those of a case's workloads."""

    cases: tuple[BenchmarkCase, ...]
