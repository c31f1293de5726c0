"""Names of pods that the input does not hold: as Kubernetes makes them, and the same for the same input."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.names import LONGEST_BASE
from scheduler_core.manifests.kinds.metadata import suffix

_MOST_NUMBERS = 1_000


def made_up_names(base: str, namespace: str, count: int, taken: Container[tuple[str, str]]) -> Iterator[str]:
    """Names that are free; ``taken`` are (namespace, name), and may grow with each of them."""
    made, number = 0, 0
    while made < count:
        name = _numbered_name(base, namespace, number)
        number += 1
        if (namespace, name) not in taken:
            made += 1
            yield name


def is_made_up(workload: Workload, name: str) -> bool:
    """Whether a pod of the workload has a name that is given here, so that the input does not hold it; of sets with
    more than a thousand pods only the first ones are recognised."""
    if workload.kind == "StatefulSet":
        return name in workload.added
    is_indexed = workload.job is not None and workload.job.is_indexed
    return _is_numbered(name.rpartition("-")[0] if is_indexed else workload.name, workload.namespace, name)


@lru_cache(4_096)
def _is_numbered(base: str, namespace: str, name: str) -> bool:
    return any(_numbered_name(base, namespace, number) == name for number in range(_MOST_NUMBERS))


def _numbered_name(base: str, namespace: str, number: int) -> str:
    """The name of a pod that is added; the base is cut as the API server cuts it."""
    return f"{base}-"[:LONGEST_BASE] + suffix(f"{namespace}/{base}/{number}")
