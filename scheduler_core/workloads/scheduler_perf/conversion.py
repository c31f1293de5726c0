"""A test case at the sizes of one workload, as cluster objects and the entries of a timeline.

scheduler_perf talks to a live cluster: most operations wait until their pods are bound. A timeline cannot wait, it has
times. So each wait is stood in for by a pause; sleeps, churn and rates of deletion keep the times that they have.

    createNodes 500        the cluster, before anything is scheduled
    createPods 500         at 0s, then a pause of 10s
    createPods 1000        at 10s

What is created before the first pods is the cluster. Objects are named in order: `generateName` and a number.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from scheduler_core.manifests.kinds.registry import KINDS, kind_name
from scheduler_core.manifests.model import LoadError, quoted
from scheduler_core.manifests.parsing.json_values import n_values
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.generator.description import MAX_NODES, MAX_PODS, SECOND
from scheduler_core.workloads.generator.generate import ObjectsAndEntries, time_text
from scheduler_core.workloads.generator.objects import deletion
from scheduler_core.workloads.scheduler_perf import templates as t
from scheduler_core.workloads.scheduler_perf.benchmark import BenchmarkCase, BenchmarkWorkload, Operation, Raw
from scheduler_core.workloads.scheduler_perf.prepared_objects import bound_volume, prepared_node
from scheduler_core.workloads.scheduler_perf.templates import NODE, POD, OpenFile, TemplateFiles, template_values

PAUSE = 10 * SECOND
MAX_ENTRIES = 200_000
_CHURN_INTERVAL = 500


class ConvertedBenchmark(NamedTuple):
    """Manifests and entries, how many waits a pause stands in for, and how long all takes in microseconds."""

    made: ObjectsAndEntries
    waits: int
    length: int


def convert(
    case: BenchmarkCase,
    workload: BenchmarkWorkload,
    open_file: OpenFile,
    pause: int = PAUSE,
    report_progress: Callable[[float], None] | None = None,
) -> ConvertedBenchmark:
    """The cluster and the timeline; raises LoadError that names the operation and the file.

    ``pause`` is in microseconds. The callback is given the share of operations that is done.
    """
    if case.refusal:
        raise LoadError(f"{quoted(case.name)} cannot be made: {case.refusal}")
    maker = _Converter(case, workload, TemplateFiles(open_file), pause)
    for i, operation in enumerate(case.operations):
        if report_progress is not None:
            report_progress(i / len(case.operations))
        with _named_operation(case, i):
            maker.do(i, operation)
    return maker.result()


@contextmanager
def _named_operation(case: BenchmarkCase, index: int) -> Iterator[None]:
    try:
        yield
    except LoadError as problem:
        raise LoadError(f"{case.name}: workloadTemplate[{index}]: {problem.message}", problem.line) from problem


class _Converter:
    def __init__(self, case: BenchmarkCase, workload: BenchmarkWorkload, templates: TemplateFiles, pause: int) -> None:
        self._case = case
        self._workload = workload
        self._templates = templates
        self._pause = pause
        self._manifests: list[Raw] = []
        self._entries: list[tuple[int, Raw]] = []
        self._churns: list[tuple[int, int, Operation]] = []
        self._namespaces: set[str] = {"default"}
        self._pods: dict[tuple[str, str], Raw] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._now = 0
        self._n_nodes = 0
        self._n_created = 0
        self._waits = 0
        self._begun = False

    def do(self, index: int, operation: Operation) -> None:
        """Carry one operation out, the ``index``-th."""
        raw = operation.raw
        match operation.opcode:
            case "createNodes":
                self._create_nodes(raw)
            case "createNamespaces":
                self._create_namespaces(raw)
            case "createPods":
                self._create_pods(raw, raw.get("namespace") or f"namespace-{index}")
                if not raw.get("skipWaitToCompletion"):
                    self._wait()
            case "createPodSets":
                inner = raw["createPodsOp"]
                for i in range(self._case.count(raw, self._workload)):
                    self._create_pods(inner, f"{raw['namespacePrefix']}-{i}")
                if not inner.get("skipWaitToCompletion"):
                    self._wait()
            case "createAny":
                self._create_any(raw)
            case "deletePods":
                self._delete_pods(raw)
            case "churn":
                self._namespace(raw.get("namespace") or f"namespace-{index}")
                self._churns.append((self._now, index, operation))
                self._begun = True
            case "barrier":
                self._wait()
            case "sleep":
                self._now += self._duration(raw)

    def result(self) -> ConvertedBenchmark:
        """All that was made; what churns goes on to the end."""
        for begun, index, operation in self._churns:
            with _named_operation(self._case, index):
                self._churn(begun, index, operation.raw)
        self._entries.sort(key=lambda entry: entry[0])
        made = ObjectsAndEntries(self._manifests, [entry for _, entry in self._entries])
        return ConvertedBenchmark(made, self._waits, self._now)

    # ------------------------------------------------------------ what is put and deleted

    def _put(self, manifest: Raw, at: int | None = None) -> None:
        """Into the cluster while nothing was scheduled yet, into the timeline after."""
        if not self._begun and at is None:
            self._manifests.append(manifest)
            return
        when = self._now if at is None else at
        self._add(when, {"at": time_text(when), "action": "add", "object": manifest})

    def _delete(self, manifest: Raw, at: int) -> None:
        self._add(at, {"at": time_text(at), "action": "delete", "object": deletion(manifest)})

    def _add(self, at: int, entry: Raw) -> None:
        if len(self._entries) >= MAX_ENTRIES:
            raise LoadError(f"more than the {MAX_ENTRIES:,} entries of a timeline")
        self._entries.append((at, entry))

    def _named(self, manifest: Raw, namespace: str = "") -> Raw:
        """Give the object a name of its own and its namespace."""
        metadata = manifest["metadata"] = dict(manifest.get("metadata") or {})
        prefix = metadata.pop("generateName", None)
        if not metadata.get("name"):
            if not isinstance(prefix, str) or not prefix:
                raise LoadError("the template has neither name nor generateName")
            number = self._numbers.get((namespace, prefix), 0)
            self._numbers[namespace, prefix] = number + 1
            metadata["name"] = f"{prefix}{number}"
        if namespace:
            metadata["namespace"] = namespace
        return manifest

    def _namespace(self, name: str, manifest: Raw | None = None) -> None:
        if name not in self._namespaces:
            self._namespaces.add(name)
            self._put(manifest or {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def _wait(self) -> None:
        self._now += self._pause
        self._waits += 1

    # ------------------------------------------------------------ operations

    def _from_template(self, path: str | None, kind: str | None, values: Raw, default: Raw | None = None) -> Raw:
        if path:
            return self._templates.fresh(path, kind, values)
        assert default is not None
        return copy.deepcopy(default)

    def _create_nodes(self, raw: Raw) -> None:
        count = self._case.count(raw, self._workload)
        self._n_nodes += count
        if self._n_nodes > MAX_NODES:
            raise LoadError(f"{self._n_nodes:,} nodes in all are more than the {MAX_NODES:,} allowed")
        self._templates.spend(count * n_values(raw, t.MAX_VALUES))
        path = raw.get("nodeTemplatePath")
        names = set()
        for i in range(count):
            node = self._named(self._from_template(path, "Node", {"Index": i, "Count": count}, NODE))
            name = node["metadata"]["name"]
            if name in names:
                raise LoadError(f"{quoted(path)}: {count:,} nodes would all be named {quoted(name)}. Use generateName")
            names.add(name)
            for manifest in prepared_node(node, raw, i):
                self._put(manifest)

    def _create_namespaces(self, raw: Raw) -> None:
        count = self._case.count(raw, self._workload)
        for i in range(count):
            name = f"{raw['prefix']}-{i}"
            default: Raw = {"apiVersion": "v1", "kind": "Namespace", "metadata": {}}
            values = {"Index": i, "Count": count}
            manifest = self._from_template(raw.get("namespaceTemplatePath"), "Namespace", values, default)
            metadata = {**(manifest.get("metadata") or {}), "name": name}
            metadata.pop("generateName", None)
            self._namespace(name, {**manifest, "metadata": metadata})

    def _create_pods(self, raw: Raw, namespace: str) -> None:
        count = self._case.count(raw, self._workload)
        self._n_created += count
        if self._n_created > MAX_PODS:
            raise LoadError(f"{self._n_created:,} pods in all are more than the {MAX_PODS:,} allowed")
        self._namespace(namespace)
        self._begun = True
        path = raw.get("podTemplatePath") or self._case.pod_template
        params = template_values(raw, self._workload)
        for i in range(count):
            values = {"Index": i, "Count": count, **params}
            pod = self._named(self._from_template(path, "Pod", values, POD), namespace)
            self._with_volume(raw, pod, namespace, values)
            key = (namespace, pod["metadata"]["name"])
            if key in self._pods:
                raise LoadError(f"{quoted(path)}: two pods would be named {quoted(key[1])}. Use generateName")
            self._pods[key] = pod
            self._put(pod)

    def _with_volume(self, raw: Raw, pod: Raw, namespace: str, values: Raw) -> None:
        """Make a volume and a claim that are bound to each other, and mount the claim."""
        of_volume, of_claim = raw.get("persistentVolumeTemplatePath"), raw.get("persistentVolumeClaimTemplatePath")
        if not (of_volume and of_claim):
            return
        volume = self._from_template(of_volume, "PersistentVolume", values)
        claim = self._from_template(of_claim, "PersistentVolumeClaim", values)
        for manifest in bound_volume(volume, claim, pod, namespace):
            self._put(manifest)

    def _create_any(self, raw: Raw) -> None:
        counted = "count" in raw or "countParam" in raw
        count = self._case.count(raw, self._workload) if counted else 1
        params = template_values(raw, self._workload)
        namespace = raw.get("namespace") or ""
        if namespace:
            self._namespace(namespace)
        for i in range(count):
            manifest = self._templates.fresh(raw["templatePath"], None, {"Index": i, "Count": count, **params})
            self._put(self._named(manifest, namespace))

    def _delete_pods(self, raw: Raw) -> None:
        """Pods are deleted in the order in which they were created; one that is gone already is no error."""
        namespace, selector = raw["namespace"], raw.get("labelSelector") or {}
        self._templates.spend(len(self._pods))
        chosen = [key for key, pod in self._pods.items() if key[0] == namespace and _matches(pod, selector)]
        per_second = raw.get("deletePodsPerSecond") or 0
        at = self._now
        for key in chosen:
            at += SECOND // per_second if per_second else 0
            self._delete(self._pods.pop(key), at)
        if not raw.get("skipWaitToCompletion"):
            self._now = at

    def _churn(self, begun: int, index: int, raw: Raw) -> None:
        """Create, or create and delete in turn, at each interval until everything else is done."""
        namespace = raw.get("namespace") or f"namespace-{index}"
        interval = (raw.get("intervalMilliseconds") or _CHURN_INTERVAL) * 1_000
        number, recreates = raw.get("number") or 0, raw["mode"] == "recreate"
        there: dict[tuple[str, int], Raw | None] = {}
        tick = 0
        for at in range(begun + interval, self._now + 1, interval):
            if not recreates and number and tick >= number:
                break
            for path in raw["templatePaths"]:
                place = (path, tick % number if recreates else 0)
                if recreates and (old := there.get(place)) is not None:
                    self._delete(old, at)
                    there[place] = None
                    continue
                manifest = self._templates.fresh(path, None, {"Index": tick, "Count": number})
                there[place] = self._named(manifest, "" if _is_of_the_cluster(manifest) else namespace)
                self._put(manifest, at)
            tick += 1

    def _duration(self, raw: Raw) -> int:
        named = raw.get("durationParam")
        value = self._workload.params[named[1:]] if named else raw.get("duration", 0)
        return fields.parse_duration(value)


def _is_of_the_cluster(manifest: Raw) -> bool:
    kind = KINDS.get(kind_name(str(manifest.get("kind")), str(manifest.get("apiVersion"))))
    return kind is not None and not kind.namespaced


def _matches(pod: Raw, selector: Raw) -> bool:
    labels = pod["metadata"].get("labels") or {}
    return all(labels.get(key) == value for key, value in selector.items())
