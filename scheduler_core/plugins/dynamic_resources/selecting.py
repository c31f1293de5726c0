"""Whether a device fulfils selectors; each answer is computed once for a selector and a device."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.devices import Device, DeviceClass
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.cel.selectors import compile_selector, device_value, selects
from scheduler_core.plugins.dynamic_resources.errors import AllocationError

_MOST_DEVICES = 200_000


class SelectorCache:
    """Answers by device and expression. A device object never changes, so an answer holds as long as it is there."""

    def __init__(self) -> None:
        self._devices: dict[int, tuple[Device, dict[str, bool | CelError], list[Any]]] = {}

    def matches_all(self, selectors: tuple[str, ...], driver: str, device: Device, owner: str) -> bool:
        """Whether the device fulfils all selectors of the owner ("claim ns/name" or "class name").

        Raises AllocationError where a selector cannot be evaluated."""
        for i, expression in enumerate(selectors):
            answer = self._answer(expression, driver, device, owner, i)
            if isinstance(answer, CelError):
                raise AllocationError(f"{owner}: selector #{i}: CEL runtime error: {answer}")
            if not answer:
                return False
        return True

    def _answer(self, expression: str, driver: str, device: Device, owner: str, i: int) -> bool | CelError:
        entry = self._devices.get(id(device))
        if entry is None:
            if len(self._devices) >= _MOST_DEVICES:
                self._devices.clear()
            entry = self._devices[id(device)] = device, {}, []
        _, answers, values = entry
        answer = answers.get(expression)
        if answer is None:
            selector = compile_selector(expression)
            if isinstance(selector, CompileError):
                raise AllocationError(f"{owner}: selector #{i}: CEL compile error: {selector}")
            try:
                if not values:
                    values.append(device_value(driver, device))
                answer = selects(selector, values[0])
            except CelError as problem:
                answer = problem
            answers[expression] = answer
        return answer


def class_owner(of: DeviceClass) -> str:
    """How errors name a class."""
    return f"class {of.name}"
