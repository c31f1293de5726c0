"""Constraints on the devices of a claim: an attribute that all have in common, or that differs.

matchAttribute counts the devices that it applies to and keeps the value of the first. distinctAttribute keeps one value
for each request, as kube-scheduler does: within a request a device is compared with the one taken just before only.
That is a fault of the reference, and is followed.
"""

from __future__ import annotations

from scheduler_core.api.devices import AttributeValue, Device, DeviceConstraint


def attribute_of(device: Device, driver: str, name: str) -> AttributeValue | None:
    """The attribute of a fully qualified name; names without a domain have the driver's."""
    if name in device.attributes:
        return device.attributes[name]
    domain, slash, identifier = name.partition("/")
    return device.attributes.get(identifier) if slash and domain == driver else None


def same_value(one: AttributeValue, other: AttributeValue) -> bool:
    """Equal, and of one type."""
    return type(one) is type(other) and one == other


class Constraint:
    """One constraint of a claim during a search. ``request`` is the name of the request, ``alternative`` that of the
    chosen alternative or ""."""

    def __init__(self, spec: DeviceConstraint) -> None:
        self._spec = spec

    def applies(self, request: str, alternative: str) -> bool:
        """Whether it says anything about devices of this request."""
        names = self._spec.requests
        return not names or request in names or (bool(alternative) and f"{request}/{alternative}" in names)

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Take the device in; False where it breaks the constraint."""
        raise NotImplementedError

    def remove(self, request: str, alternative: str) -> None:
        """Undo ``add``."""
        raise NotImplementedError


class MatchAttribute(Constraint):
    """All devices have one value."""

    def __init__(self, spec: DeviceConstraint) -> None:
        super().__init__(spec)
        self._value: AttributeValue | None = None
        self._n_devices = 0

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """The first device may have any value."""
        if not self.applies(request, alternative):
            return True
        value = attribute_of(device, driver, self._spec.match_attribute)
        if value is None:
            return False
        if self._n_devices == 0:
            self._value = value
        elif self._value is None or not same_value(value, self._value):
            return False
        self._n_devices += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        """One device less."""
        if self.applies(request, alternative):
            self._n_devices -= 1


class DistinctAttribute(Constraint):
    """Devices have different values."""

    def __init__(self, spec: DeviceConstraint) -> None:
        super().__init__(spec)
        self._values: dict[str, AttributeValue] = {}

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """The value must differ from the last one of each request."""
        if not self.applies(request, alternative):
            return True
        value = attribute_of(device, driver, self._spec.distinct_attribute)
        if value is None or any(same_value(value, other) for other in self._values.values()):
            return False
        self._values[request] = value
        return True

    def remove(self, request: str, alternative: str) -> None:
        """The request's entry goes as a whole."""
        if self.applies(request, alternative):
            self._values.pop(request, None)


def constraint_of(spec: DeviceConstraint) -> Constraint | None:
    """The constraint for a search, None for one of an unknown type."""
    if spec.match_attribute:
        return MatchAttribute(spec)
    return DistinctAttribute(spec) if spec.distinct_attribute else None
