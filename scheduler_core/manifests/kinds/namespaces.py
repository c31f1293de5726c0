"""Namespaces from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import Namespace
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata

NAME_LABEL = "kubernetes.io/metadata.name"


def read_namespace(at: At, memo: Memo) -> Namespace:
    """The namespace, with the label that carries its name."""
    meta = read_metadata(at, memo, namespaced=False, rule=dns_label_problem)
    return Namespace(meta.name, {**meta.labels, NAME_LABEL: meta.name})
