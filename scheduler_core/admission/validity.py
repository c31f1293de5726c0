"""Checks of a pod after admission changed it: a limit that was filled in may lie below a request that was given.

Only what admission can make wrong is checked (core/validation ValidateContainerResourceRequirements); the rest was
checked when the manifest was read.
"""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.admission import amounts
from scheduler_core.admission.verdicts import INVALID, RefusedObject
from scheduler_core.api.objects import Pod
from scheduler_core.api.quotas import LimitRange


def refusal(pod: Pod, ranges: Iterable[LimitRange]) -> RefusedObject | None:
    """Why the pod is invalid (422); None where it is not. ``ranges`` are those whose defaults it has."""
    wrong = [
        (
            name,
            f'spec.{field}[{i}].resources.requests: Invalid value: "{amounts.text(name, request)}": '
            f"must be less than or equal to {name} limit of {amounts.text(name, container.limits[name])}",
        )
        for field, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
        for i, container in enumerate(containers)
        for name, request in sorted(container.requests.items())
        if request > container.limits.get(name, request)
    ]
    if not wrong:
        return None
    said = [text for _, text in wrong]
    why = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    by = next((one.key for one in ranges if any(wrong[0][0] in item.default for item in one.limits)), "")
    text = f'Pod "{pod.name}" is invalid: {why}'
    return RefusedObject(text=text, kind="invalid", object=f"LimitRange/{by}" if by else "", code=INVALID)
