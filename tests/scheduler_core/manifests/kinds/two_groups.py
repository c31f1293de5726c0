"""Two kinds of one word: the PodGroup of the scheduler plugins, and that of Kubernetes as far as tests read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import msgspec

from scheduler_core.api.kinds import of_group
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds import registry
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.readers import READERS
from scheduler_core.manifests.kinds.registry import KINDS, ObjectKind

GROUP = "scheduling.k8s.io"
NAME = f"PodGroup.{GROUP}"
OF_PLUGINS = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata:\n  name: g\nspec: {minMember: 3}\n"
OF_KUBERNETES = (
    f"apiVersion: {GROUP}/v1alpha2\nkind: PodGroup\nmetadata:\n  name: g\n"
    "spec: {schedulingPolicy: {gang: {minCount: 5}}}\n"
)
BOTH = f"{OF_PLUGINS}---\n{OF_KUBERNETES}"


@of_group(GROUP)
class PodGroup(msgspec.Struct, frozen=True):
    """A gang of Kubernetes."""

    name: str
    namespace: str
    min_count: int


def _read(at: At, memo: Memo) -> PodGroup:
    meta = read_metadata(at, memo, namespaced=True)
    gang = at.get("spec").get("schedulingPolicy").get("gang")
    return PodGroup(meta.name, meta.namespace, gang.get("minCount").integer(1, 0))


@contextmanager
def both_registered() -> Iterator[None]:
    """Have both kinds read."""
    kind = ObjectKind(GROUP, ("v1alpha2",), field="gangs")
    with patch.dict(KINDS, {NAME: kind}), patch.dict(READERS, {NAME: _read}):
        _forget()
        yield
    _forget()


def _forget() -> None:
    registry.kind_name.cache_clear()
    registry.version_problem.cache_clear()
