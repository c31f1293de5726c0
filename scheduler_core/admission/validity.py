"""Checks of a pod after admission changed it: a limit that was filled in may lie below a request that was given.

Only what admission can make wrong is checked (core/validation ValidateContainerResourceRequirements); the rest was
checked when the manifest was read.
"""

from __future__ import annotations

from scheduler_core.admission import amounts
from scheduler_core.admission.verdicts import INVALID, Refused
from scheduler_core.api.objects import Pod


def refusal(pod: Pod) -> Refused | None:
    """Why the pod is invalid (422); None where it is not."""
    said = [
        f'spec.{field}[{i}].resources.requests: Invalid value: "{amounts.text(name, request)}": '
        f"must be less than or equal to {name} limit of {amounts.text(name, container.limits[name])}"
        for field, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
        for i, container in enumerate(containers)
        for name, request in sorted(container.requests.items())
        if request > container.limits.get(name, request)
    ]
    if not said:
        return None
    why = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    return Refused(text=f'Pod "{pod.name}" is invalid: {why}', kind="invalid", code=INVALID)
