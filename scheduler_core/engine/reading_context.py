"""What of a cluster the reading of one object looks at: few namespaces and priority classes, of however many.

A timeline may have 200,000 objects and a cluster as many classes; each object is read beside these few alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

Raw = Mapping[str, Any]


class ReadingContext:
    """The namespaces and priority classes of a cluster, by kind and name."""

    def __init__(self, manifests: Iterable[Raw]) -> None:
        self._by_key = {(one["kind"], object_name(one)): one for one in manifests if one.get("kind") in CONTEXT_KINDS}
        self._default = default_class(one for (kind, _), one in self._by_key.items() if kind == "PriorityClass")

    @property
    def classes(self) -> dict[Any, Any]:
        """{name of a priority class: its value}."""
        return {name: one.get("value", 0) for (kind, name), one in self._by_key.items() if kind == "PriorityClass"}

    def of(self, raw: Raw) -> list[Raw]:
        """The manifests that reading the object looks at, its own among them where the cluster has it."""
        keys = dict.fromkeys(("PriorityClass", name) for name in class_names(raw))
        keys[str(raw.get("kind")), object_name(raw)] = None
        context = [self._by_key[key] for key in keys if key in self._by_key]
        if self._default is not None and not any(one is self._default for one in context):
            context.append(self._default)
        return context


def object_name(raw: Raw) -> str:
    """The name of an object; "" where it has none that is a text."""
    metadata = raw.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return name if isinstance(name, str) else ""


def class_names(raw: Raw) -> list[str]:
    """The priority classes that a pod, or the template of a workload, names."""
    names = []
    spec = raw.get("spec")
    while isinstance(spec, Mapping):
        if isinstance(name := spec.get("priorityClassName"), str):
            names.append(name)
        template = spec.get("template")
        spec = template.get("spec") if isinstance(template, Mapping) else None
    return names


def default_class(classes: Iterable[Raw]) -> Raw | None:
    """The class of pods that name none: of several global defaults the one of the lowest value."""
    defaults = [one for one in classes if one.get("globalDefault") is True]
    return min(defaults, key=_value, default=None)


def _value(priority_class: Raw) -> int:
    value = priority_class.get("value", 0)
    return value if isinstance(value, int) else 0
