"""Priority (plugin/pkg/admission/priority) and RuntimeClass (plugin/pkg/admission/runtimeclass).

A pod of which no manifest is known (``posted``) got its priority before. Both plugins refuse before a generated name is
there, so their texts have the prefix only: ``name`` is what they call the pod.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from scheduler_core.admission.verdicts import FORBIDDEN, INVALID, RefusedObject, refused
from scheduler_core.api.objects import Pod, PriorityClass
from scheduler_core.api.quotas import RuntimeClass

_POLICY = "PreemptLowerPriority"
_HIGHEST_OF_USERS = 1_000_000_000
_COMPUTED = "must not be provided in pod spec; priority admission controller computed"


def default_class(classes: Iterable[PriorityClass]) -> PriorityClass | None:
    """The class of pods that name none: of several global defaults the one of the lowest value."""
    return min((one for one in classes if one.global_default), key=lambda one: one.value, default=None)


def with_priority(pod: Pod, name: str, classes: Mapping[str, PriorityClass]) -> Pod | RefusedObject:
    """The pod with the priority and the preemption policy of its class, or of the default class."""
    posted = pod.posted
    if not posted.is_known:
        return pod
    asked = posted.priority_class_name
    its_class = classes.get(asked) if asked else default_class(classes.values())
    if asked and its_class is None:
        return refused("pods", name, f"no PriorityClass with name {asked} was found", "priority_class", _named(asked))
    value, policy = (its_class.value, its_class.preemption_policy) if its_class is not None else (0, _POLICY)
    by = _named(its_class.name) if its_class is not None else ""
    if posted.priority is not None and posted.priority != value:
        why = f"the integer value of priority ({posted.priority}) {_COMPUTED} {value} from the given PriorityClass name"
        return refused("pods", name, why, "priority_class", by)
    if posted.preemption_policy and posted.preemption_policy != policy:
        given = posted.preemption_policy
        why = f"the string value of PreemptionPolicy ({given}) {_COMPUTED} {policy} from the given PriorityClass name"
        return refused("pods", name, why, "priority_class", by)
    class_name = its_class.name if its_class is not None else ""
    return replace(pod, priority=value, priority_class_name=class_name, preemption_policy=policy)


def refused_class(
    new: PriorityClass, classes: Iterable[PriorityClass], built_in: Mapping[str, int]
) -> RefusedObject | None:
    """Why a new PriorityClass is refused: a reserved name, too high a value (422), a second global default (403)."""
    head = f'PriorityClass.scheduling.k8s.io "{new.name}" is invalid: '
    if new.name.startswith("system-"):
        if built_in.get(new.name) == new.value and not new.global_default:
            return None
        why = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only."
        why += f" error: {new.name} is not a known system priority class"
        return RefusedObject(text=head + why, kind="invalid", code=INVALID)
    if new.value > _HIGHEST_OF_USERS:
        why = f"value: Forbidden: maximum allowed value of a user defined priority is {_HIGHEST_OF_USERS}"
        return RefusedObject(text=head + why, kind="invalid", code=INVALID)
    other = next((one for one in classes if one.global_default and one.name != new.name), None)
    if not new.global_default or other is None:
        return None
    why = f"PriorityClass {other.name} is already marked as default. Only one default can exist"
    text = f'priorityclasses.scheduling.k8s.io "{new.name}" is forbidden: {why}'
    return RefusedObject(text=text, kind="priority_class", object=_named(other.name), code=FORBIDDEN)


def with_runtime_class(pod: Pod, name: str, classes: Mapping[str, RuntimeClass]) -> Pod | RefusedObject:
    """The pod with overhead, node selector and tolerations of its RuntimeClass."""
    if not pod.runtime_class_name:
        return pod
    its_class, by = classes.get(pod.runtime_class_name), f"RuntimeClass/{pod.runtime_class_name}"
    if its_class is None:
        why = f'pod rejected: RuntimeClass "{pod.runtime_class_name}" not found'
        return refused("pods", name, why, "runtime_class", by)
    if its_class.overhead and pod.overhead and pod.overhead != its_class.overhead:
        why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        return refused("pods", name, why, "runtime_class", by)
    for key, value in its_class.node_selector.items():
        own = pod.node_selector.get(key, value)
        if own != value:
            why = f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = "
            return refused("pods", name, why + own, "runtime_class", by)
    added = tuple([one for one in its_class.tolerations if one not in pod.tolerations])
    return replace(
        pod,
        overhead=its_class.overhead or pod.overhead,
        node_selector={**pod.node_selector, **its_class.node_selector},
        tolerations=pod.tolerations + added,
    )


def refused_overhead(pod: Pod, classes: Mapping[str, RuntimeClass]) -> RefusedObject | None:
    """Why a pod's overhead is refused that no RuntimeClass gives it (validateOverhead)."""
    its_class = classes.get(pod.runtime_class_name)
    if not pod.overhead or (its_class is not None and its_class.overhead):
        return None
    why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
    by = f"RuntimeClass/{pod.runtime_class_name}" if pod.runtime_class_name else ""
    return refused("pods", pod.name, why, "runtime_class", by)


def _named(name: str) -> str:
    return f"PriorityClass/{name}"
