"""How many devices of each class there are, and how many of them claims have, as a run goes on.

A device of which several claims have a part counts once, one that an administrator looks at not at all. A class whose
selectors cannot be evaluated for a device does not count it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from scheduler_core.api.devices import DeviceClass, ResourceSlice
from scheduler_core.api.objects import ClusterObjects, ResourceClaim
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.framework.plugin_helpers.device_totals import DeviceKey, selects_device

Amounts = dict[str, int]
KINDS = frozenset(("ResourceClaim", "ResourceSlice", "DeviceClass"))
_TITLE = "devices of "


def title_of(class_name: str) -> str:
    """What the devices of a class are called among resources."""
    return f"{_TITLE}{class_name}"


def class_of(title: str) -> str:
    """The class of such a title, "" for another resource."""
    return title.removeprefix(_TITLE) if title.startswith(_TITLE) else ""


class DeviceUsage:
    """``allocated`` and ``there`` are numbers of devices by ``title_of`` their class."""

    def __init__(self, objects: ClusterObjects) -> None:
        self.allocated: Amounts = {}
        self._there: Amounts | None = None
        self._classes: dict[str, DeviceClass] = {one.name: one for one in objects.device_classes}
        self._slices: dict[str, ResourceSlice] = {one.name: one for one in objects.resource_slices}
        self._held: dict[str, list[tuple[str, DeviceKey]]] = {}
        self._holders: Counter[tuple[str, DeviceKey]] = Counter()
        for claim in objects.resource_claims:
            self._hold(claim.key, claim)

    @property
    def there(self) -> Amounts:
        """Devices of slices of the newest generation of their pool; computed again where slices or classes changed."""
        if self._there is None:
            self._there = self._count()
        return self._there

    def titles(self) -> list[str]:
        """The classes that there are devices of, or were."""
        return sorted({title for title, n in self.there.items() if n} | self.allocated.keys())

    def take(self, kind: str, key: str, now: Any, *, by_input: bool) -> None:
        """An object of one of KINDS came, changed, or went (None). A claim that an input changes keeps its devices."""
        if kind == "ResourceClaim":
            if now is None or now.allocation is not None or not by_input:
                self._hold(key, now)
            return
        of: dict[str, Any] = self._classes if kind == "DeviceClass" else self._slices
        if now is None:
            of.pop(key, None)
        else:
            of[key] = now
        self._there = None

    def _hold(self, key: str, claim: ResourceClaim | None) -> None:
        for one in self._held.pop(key, ()):
            self._holders[one] -= 1
            if not self._holders[one]:
                self._add(one[0], -1)
        self._held[key] = held = [] if claim is None else list(_held(claim))
        for one in held:
            self._holders[one] += 1
            if self._holders[one] == 1:
                self._add(one[0], 1)

    def _add(self, class_name: str, sign: int) -> None:
        title = title_of(class_name)
        self.allocated[title] = self.allocated.get(title, 0) + sign

    def _count(self) -> Amounts:
        newest: dict[tuple[str, str], int] = {}
        for one in self._slices.values():
            pool = one.driver, one.pool
            newest[pool] = max(newest.get(pool, one.generation), one.generation)
        counted = dict.fromkeys(map(title_of, self._classes), 0)
        for one in self._slices.values():
            if one.generation == newest[one.driver, one.pool]:
                for device in one.devices:
                    for of in self._classes.values():
                        counted[title_of(of.name)] += _is_of(of, one.driver, device)
        return counted


def _held(claim: ResourceClaim) -> Iterator[tuple[str, DeviceKey]]:
    """(class, device) of each device that the claim has."""
    asked = {request.name: request for request in claim.spec.requests}
    for device in () if claim.allocation is None else claim.allocation.devices:
        name, _, alternative = device.request.partition("/")
        request = asked.get(name)
        if request is not None and alternative:
            request = next((one for one in request.alternatives if one.name == alternative), None)
        if request is not None and not device.admin_access:
            yield request.class_name, device.device_key


def _is_of(of: DeviceClass, driver: str, device: Any) -> bool:
    try:
        return selects_device(of, driver, device)
    except (CelError, CompileError):
        return False
