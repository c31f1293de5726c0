"""What lets pods be made that name a runtime class or a priority class which is not there."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.objects import Pod, PriorityClass
from scheduler_core.api.quotas import RuntimeClass
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.not_created.refused_pods import RefusedPods, in_template, remedy
from scheduler_core.explain.remedies.model import CLASS, ProposedEdit
from scheduler_core.explain.remedies.whole_runs import RunRemedy, with_object, with_pods
from scheduler_core.manifests.kinds.registry import served_version
from scheduler_core.manifests.writing.json_edits import ADD, REMOVE


def of_class(simulation: Simulation, refused: RefusedPods, kind: str, name: str) -> Iterator[RunRemedy]:
    """A class that does not exist: another one that nearly has its name, none, or one made under this name."""
    listers, field = simulation.context.cluster.listers, f"{kind[:1].lower()}{kind[1:]}Name"
    there: dict[str, Any] = dict(listers.runtime_classes if kind == "RuntimeClass" else listers.priority_classes)
    word = "runtime class" if kind == "RuntimeClass" else "priority class"
    for near in get_close_matches(name, sorted(there), 2):
        edit = replace(in_template(refused, CLASS, "NAME_CLASS", f"/spec/{field}", field, near), before=name)
        text = f"name {word} {near} instead of {name} in {refused.title}"
        yield RunRemedy(remedy(text, [edit]), _naming(simulation, refused, kind, there[near]))
    edit = replace(in_template(refused, CLASS, "NAME_CLASS", f"/spec/{field}", field, ""), before=name, op=REMOVE)
    text = f"take {field} off {refused.title}"
    yield RunRemedy(remedy(text, [replace(edit, value=None)]), _naming(simulation, refused, kind, None))
    yield _made(simulation, refused, kind, name)


def _made(simulation: Simulation, refused: RefusedPods, kind: str, name: str) -> RunRemedy:
    """The class made under its name. Nobody tries again to make a pod without an owner: it comes with the class."""
    made: RuntimeClass | PriorityClass
    value: dict[str, Any]
    if kind == "PriorityClass":
        made, value, text = PriorityClass(name=name, value=0), {"value": 0}, f"make priority class {name} with value 0"
    else:
        made, value = RuntimeClass(name=name, handler=name), {"handler": name}
        text = f"make runtime class {name} with handler {name}"
    target = f"{served_version(kind)}/{kind}//{name}"
    edit = ProposedEdit(CLASS, name, "", name, code="MAKE_CLASS", op=ADD, object=target, path="", value=value)
    if refused.title.startswith("Pod "):
        return RunRemedy(remedy(text, [edit]), with_object(simulation.inputs, made))
    return RunRemedy(remedy(text, [edit]), put=made)


def _naming(simulation: Simulation, refused: RefusedPods, kind: str, its_class: Any) -> RunInputs:
    name = "" if its_class is None else its_class.name

    def named(pod: Pod) -> Pod:
        if kind == "RuntimeClass":
            return replace(pod, runtime_class_name=name)
        posted = replace(pod.posted, priority_class_name=name)
        value = 0 if its_class is None else its_class.value
        return replace(pod, priority_class_name=name, priority=value, posted=posted)

    return with_pods(simulation.inputs, refused.title, named)
