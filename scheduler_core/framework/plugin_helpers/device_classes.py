"""Which device class serves an extended resource (KEP 5004)."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.api.devices import DeviceClass

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""Before the name of a class: the resource that it serves without naming one."""


class ClassResolver:
    """The class of an extended resource: the newest that names it, then the first by name."""

    def __init__(self, classes: Mapping[str, DeviceClass]) -> None:
        self._classes = classes
        self._by_resource: dict[str, DeviceClass] = {}
        for one in sorted(classes.values(), key=lambda c: (-(c.creation_timestamp or 0.0), c.name)):
            if one.extended_resource_name:
                self._by_resource.setdefault(one.extended_resource_name, one)

    def class_of(self, resource: str) -> DeviceClass | None:
        """The class that serves the resource, None where none does."""
        if resource.startswith(IMPLICIT):
            return self._classes.get(resource.removeprefix(IMPLICIT))
        return self._by_resource.get(resource)
