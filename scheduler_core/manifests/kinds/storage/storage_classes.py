"""Storage classes and storage capacities from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import CSIStorageCapacity, StorageClass, TopologySelectorTerm
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import label_key_problem, provisioner_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.selectors import label_selector
from scheduler_core.manifests.kinds.storage.volume_rules import RECLAIM_POLICIES, check_class_name

_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def read_storage_class(at: At, memo: Memo) -> StorageClass:
    """The StorageClass; volume binding mode Immediate where none is given."""
    meta = read_metadata(at, memo, namespaced=False)
    provisioner = at.get("provisioner").text()
    problem = provisioner_problem(provisioner) if provisioner else "is missing. Write who makes the volumes"
    if problem:
        at.get("provisioner").refuse(problem)
    at.get("reclaimPolicy").text(choices=RECLAIM_POLICIES[:2])
    _check_alike(at.get("allowedTopologies"))
    return StorageClass(
        name=meta.name,
        provisioner=provisioner,
        volume_binding_mode=at.get("volumeBindingMode").text("Immediate", ("Immediate", "WaitForFirstConsumer")),
        allowed_topologies=tuple(_topology(item) for item in at.get("allowedTopologies").items()),
        is_default=any(meta.annotations.get(a) == "true" for a in _IS_DEFAULT),
    )


def _check_alike(at: At) -> None:
    """Complains of a term that is given twice."""
    terms = [item.raw for item in at.items()]
    for i, term in enumerate(terms):
        if term in terms[:i]:
            at.refuse("another term says the same. Keep one of them", i)


def _topology(at: At) -> TopologySelectorTerm:
    """One of allowedTopologies (ValidateTopologySelectorTerm): each key once, with values that differ."""
    at.mapping(("matchLabelExpressions",))
    values_by_key: dict[str, tuple[str, ...]] = {}
    for item in at.get("matchLabelExpressions").items():
        key, values = item.get("key").text(required=True), item.get("values").texts()
        problem = label_key_problem(key) if key else ""
        if problem or key in values_by_key:
            item.get("key").refuse(problem or f"{key} is given twice. Merge the two")
        if not values or len(set(values)) < len(values):
            item.get("values").refuse("the same value is given twice" if values else "is missing. Write the values")
        values_by_key.setdefault(key, values)
    return TopologySelectorTerm(tuple(values_by_key.items()))


def read_storage_capacity(at: At, memo: Memo) -> CSIStorageCapacity:
    """The CSIStorageCapacity."""
    meta = read_metadata(at, memo, namespaced=True)
    if not at.word("storageClassName"):
        at.get("storageClassName").refuse("is missing. Write the class that the capacity is of")
    check_class_name(at.get("storageClassName"))
    return CSIStorageCapacity(
        name=meta.name,
        namespace=meta.namespace,
        storage_class_name=at.get("storageClassName").text(),
        node_topology=label_selector(at.get("nodeTopology")),
        capacity_bytes=at.get("capacity").quantity("storage"),
        maximum_volume_size_bytes=at.get("maximumVolumeSize").quantity("storage"),
    )
