"""Objects that an input has several times, shown in part by texts: the fullest counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from scheduler_core.manifests.forms.model import COUNTED, READ_FROM, SHOWN
from scheduler_core.manifests.model import Raw

_RANKS = {SHOWN: 1, COUNTED: 2}


class _Keyed(Protocol):
    """An object of an input."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def key(self) -> tuple[str, str, str]: ...
    @property
    def raw(self) -> Raw: ...


T = TypeVar("T", bound=_Keyed)


def fullest(items: Iterable[T]) -> list[T]:
    """The items without those of which a fuller one is there, or a later one that is as full; objects that are whole
    all stay."""
    items = list(items)
    best: dict[tuple[str, str, str], int] = {}
    for item in items:
        best[item.key] = min(_rank(item), best.get(item.key, len(_RANKS)))
    last = {item.key: item for item in items if _rank(item) and _rank(item) == best[item.key]}
    return [item for item in items if not _rank(item) or last.get(item.key) is item]


def _rank(item: _Keyed) -> int:
    """0 for an object that is whole, more for one of which less is shown."""
    metadata = item.raw.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    read_from = annotations.get(READ_FROM) if isinstance(annotations, dict) else None
    return _RANKS.get(read_from, 0) if isinstance(read_from, str) else 0
