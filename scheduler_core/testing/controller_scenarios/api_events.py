"""The events of the API that a history lists, made from what the run says: type, reason and text by object."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.controllers.rollouts.progress import CREATE_ERROR, OwnerCondition
from scheduler_core.testing.controller_scenarios.states import RevisionNames

_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
    "MatchExpressions:[]LabelSelectorRequirement{{}},}}) were found to be unmanaged. As a result, the status of the PDB"
    " cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set"
    ' ".spec.minAvailable" field of the PDB to an integer value.'
)


class ApiEvents:
    """What was said, each text once, in order."""

    def __init__(self, names: RevisionNames) -> None:
        self.names = names
        self._said: dict[str, None] = {}

    def all(self) -> list[str]:
        """The events with the names of the file."""
        return [self.names.plain(text) for text in self._said]

    def say(self, of: str, text: str) -> None:
        """Note an event of an object."""
        self._said[f"{of} {text}"] = None

    def refused(self, owner: str, pod: str, text: str) -> None:
        """A controller asked for a pod in vain."""
        kind, _, name = owner.split("/")
        said = f"Error creating: {text}"
        if kind == "StatefulSet":
            said = f"create Pod {pod} in StatefulSet {name} failed error: {text}"
        self.say(f"{kind}/{name}", f"Warning FailedCreate: {said}")

    def condition(self, of: str, kind: str, condition: OwnerCondition) -> None:
        """A condition that comes with an event."""
        if condition.reason == CREATE_ERROR:
            self.say(of, f"Warning {CREATE_ERROR}: {condition.message}")
        elif of.startswith("Job/") and kind == "FailureTarget":
            self.say(of, f"Warning {condition.reason}: {condition.message}")
        elif kind == "Complete":
            self.say(of, "Normal Completed: Job completed")
        elif kind == "Suspended":
            reason = "Suspended" if condition.status == "True" else "Resumed"
            self.say(of, f"Normal {reason}: {condition.message}")

    def no_pods(self, budget: PodDisruptionBudget) -> None:
        """A budget selects no pod."""
        self.say(f"PodDisruptionBudget/{budget.name}", "Normal NoPods: No matching pods found")

    def unmanaged(self, budget: PodDisruptionBudget, labels: Mapping[str, str]) -> None:
        """A budget of a percentage selects, by these labels, pods that no controller owns."""
        pairs = "".join(f"{key}: {value}," for key, value in labels.items())
        self.say(f"PodDisruptionBudget/{budget.name}", f"Warning UnmanagedPods: {_UNMANAGED.format(pairs=pairs)}")
