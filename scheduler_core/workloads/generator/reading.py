"""A description's text to what it says, with findings that name file, line and field.

    seed: 7
    pools:
      - {name: web, nodes: 30, shape: m5.xlarge, zones: 3}
      - {name: gpu, nodes: 4, shape: p3.16xlarge, taints: [{key: gpu, effect: NoSchedule}]}
    workloads:
      - {name: shop, pods: 200, sizes: online-boutique, priority: 1000, apartBy: kubernetes.io/hostname}
      - name: train
        pods: 40
        sizes: {cpu: {median: 4, sigma: 0.8}, memory: {perCpu: 4Gi}, nvidia.com/gpu: {choices: {1: 80, 8: 20}}}
        tolerations: [{key: gpu, operator: Exists}]
    arrivals: {process: bursts, over: 30m, pods: 20, every: 5m}
    lifetime: {lognormal: 8m, sigma: 1}

docs/generator.md describes each field. What Kubernetes checks (labels, taints, constraints) is judged by reading a
sample node of each pool and a sample pod of each workload as any other manifest.
"""

from __future__ import annotations

from typing import NamedTuple

from scheduler_core.manifests import Finding, Limits, ManifestSource, load_manifests
from scheduler_core.manifests.checking.raw_values import At, Complaint, Sink
from scheduler_core.manifests.model import LoadError, Path, path_of_text, quoted
from scheduler_core.manifests.parsing.json_values import n_values
from scheduler_core.manifests.text_findings import finding_of_error, findings_of_sink, read_text_documents
from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator import entries, fields, objects

KIND = "Description"
LIMITS = Limits(max_bytes=4 << 20, max_json_values=250_000, max_yaml_nodes=250_000, max_object_values=250_000)
_TOP = ("seed", "namespace", "pools", "workloads", "arrivals", "lifetime")
_MAX_SEED = (1 << 63) - 1


class DescriptionReading(NamedTuple):
    """What a text says, None where it has an error, and what was found."""

    description: d.Description | None
    findings: list[Finding]


def read_description(source: ManifestSource) -> DescriptionReading:
    """The description in a file. Never raises on bad input."""
    try:
        documents, positions = read_text_documents(source, LIMITS)
    except LoadError as problem:
        return DescriptionReading(None, [finding_of_error(problem, source.name, KIND)])
    if len(documents) != 1 or not isinstance(documents[0][1], dict):
        needed = LoadError("one mapping with pools and workloads is needed")
        return DescriptionReading(None, [finding_of_error(needed, source.name, KIND)])
    number, raw = documents[0]
    sink = Sink()
    description = _description(At(raw, (), sink))
    findings = findings_of_sink(sink, source.name, KIND, positions, number)
    return DescriptionReading(None if sink.failed else description, findings)


def _description(at: At) -> d.Description:
    """The description of a raw mapping; what is wrong goes to the sink."""
    fields.only(at, _TOP)
    namespace = entries.read_namespace(at.get("namespace"), "default")
    pools = tuple(entries.pool(item) for item in entries.entries(at.get("pools"), d.MAX_POOLS))
    workloads = tuple(
        entries.workload(item, namespace) for item in entries.entries(at.get("workloads"), d.MAX_WORKLOADS)
    )
    description = d.Description(
        seed=at.get("seed").integer(0, 0, _MAX_SEED),
        pools=pools,
        workloads=workloads,
        arrivals=fields.arrivals(at.get("arrivals")) or d.AT_START,
        lifetime=fields.lifetime(at.get("lifetime")),
    )
    _check_whole(at, description)
    if not at.sink.failed:
        _check_products(at, description)
    if not at.sink.failed:
        _judge_samples(at, description)
    return description


# ---------------------------------------------------------------- the whole


def _check_whole(at: At, description: d.Description) -> None:
    pools, workloads = at.get("pools"), at.get("workloads")
    for field, list_at, n, most in (
        ("nodes", pools, description.n_nodes, d.MAX_NODES),
        ("pods", workloads, description.n_pods, d.MAX_PODS),
    ):
        if n > most:
            list_at.error(f"{n:,} {field} in all are more than the {most:,} allowed")
    _no_twins(pools, [pool.name for pool in description.pools])
    _no_twins(workloads, [f"{one.namespace}/{one.name}" for one in description.workloads])
    _check_priorities(workloads, description)
    _check_lists(at, description)
    _check_replicas(workloads, description)


def _no_twins(at: At, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name and name in names[:i]:
            at.error(f"{quoted(name.rpartition('/')[2])} is given twice. Rename one of them", i, "name")


def _check_priorities(at: At, description: d.Description) -> None:
    classes: dict[str, d.PriorityOfWorkload] = {}
    for i, workload in enumerate(description.workloads):
        mine = workload.priority
        if mine is not None and classes.setdefault(mine.name, mine) != mine:
            at.error(f"{quoted(mine.name)} has another value or policy above. One class has one of each", i, "priority")


def _check_replicas(at: At, description: d.Description) -> None:
    """Deployments are in the cluster from the start: a timeline adds and deletes single pods."""
    for i, one in enumerate(description.workloads):
        arrivals, lifetime = one.arrivals or description.arrivals, one.lifetime or description.lifetime
        stays = lifetime is None or lifetime.form == "forever"
        if one.replicas and not (arrivals.process == "at-once" and arrivals.at is None and stays):
            text = "a timeline adds and deletes single pods, no Deployments"
            at.error(f"{text}. Remove replicas, or write arrivals: at-once and lifetime: forever", i, "replicas")


def _check_lists(at: At, description: d.Description) -> None:
    """Complain of each list of arrival times that has not one time for each of its pods."""
    shared = sum(one.units for one in description.workloads if one.arrivals is None)
    chosen: list[tuple[Path, d.ArrivalProcess, int]] = [(("arrivals",), description.arrivals, shared)]
    for i, one in enumerate(description.workloads):
        if one.arrivals is not None:
            chosen.append((("workloads", i, "arrivals"), one.arrivals, one.units))
    for path, arrivals, units in chosen:
        if arrivals.process == "list" and len(arrivals.times) != units:
            n = len(arrivals.times)
            at.error(f"{n:,} time{_s(n)} for {units:,} pod{_s(units)}. Write one for each", *path, "times")


def _check_products(at: At, description: d.Description) -> None:
    """What a few lines multiply: pods by resources, and objects by what each of them holds."""
    sized = [(one.units, one.sizes) for one in description.workloads if isinstance(one.sizes, dict)]
    fixed = d.FixedAmount | d.AmountPerCpu
    drawn = sum(units * sum(not isinstance(one, fixed) for one in sizes.values()) for units, sizes in sized)
    amounts = sum(units * len(sizes) for units, sizes in sized)
    for n, most, what in ((drawn, d.MAX_DRAWN, "drawn amounts"), (amounts, d.MAX_AMOUNTS, "amounts")):
        if n > most:
            text = f"{n:,} {what} (pods times the resources of their sizes) are more than the {most:,} allowed"
            at.get("workloads").error(text)
    for field, values in (
        ("pools", sum(one.nodes * _n_values(objects.node(one, 0)) for one in description.pools)),
        ("workloads", sum(one.units * _n_values(objects.sample_pod(one)) for one in description.workloads)),
    ):
        if values > d.MAX_VALUES:
            text = (
                f"{values:,} keys and values in the objects of all {field} are more than the {d.MAX_VALUES:,} allowed"
            )
            at.get(field).error(text)


def _n_values(manifest: d.Raw) -> int:
    return n_values(manifest, d.MAX_VALUES)


def _s(n: int) -> str:
    return "" if n == 1 else "s"


# ---------------------------------------------------------------- what Kubernetes checks


def _judge_samples(at: At, description: d.Description) -> None:
    for i, pool in enumerate(description.pools):
        _judge(at.get("pools"), i, [objects.node(pool, 0)])
    for i, workload in enumerate(description.workloads):
        context = objects.namespaces_and_priorities([workload])
        _judge(at.get("workloads"), i, [*context, objects.sample_pod(workload)])


def _judge(at: At, index: int, manifests: list[d.Raw]) -> None:
    for finding in load_manifests(manifests, source=KIND).findings:
        inside = path_of_text(finding.field)
        path = _path_in_entry(inside)
        words = finding.message if path else f"{finding.field}: {finding.message}"
        at.sink.add(Complaint(finding.severity, (*at.path, index, *path), words))


def _path_in_entry(path: Path) -> Path:
    """The field of a pool or workload that a field of its sample comes from, () where there is none."""
    if path[:2] == ("spec", "containers") and len(path) > 4 and path[3] == "resources":
        return ("sizes", *path[5:])
    if path[:1] == ("spec",) and path[1:2] and path[1] in (*entries.CONSTRAINTS, "taints"):
        return path[1:]
    if path[:2] == ("metadata", "labels"):
        return path[1:]
    if path[:1] == ("status",) and len(path) > 1:
        return ("resources", *path[2:])
    return ()
