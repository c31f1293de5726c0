"""Names of kinds: the bare kind, or ``Kind.group`` where another kind had the bare name before.

``manifests.kinds.registry`` reads the name from what manifests write, kind and apiVersion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Struct = TypeVar("Struct")


def bare_kind(name: str) -> str:
    """The kind as manifests write it: ``PodGroup`` of ``PodGroup.scheduling.k8s.io``."""
    return name.partition(".")[0]


def of_group(group: str) -> Callable[[type[Struct]], type[Struct]]:
    """Name a struct ``Kind.group``: its ``__name__`` is the name of its kind in keys, recordings and the registry."""

    def named(struct: type[Struct]) -> type[Struct]:
        struct.__name__ = f"{struct.__name__}.{group}"
        return struct

    return named
