"""An edit in JSON, as remedies have them, made to an object of a run's state."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.remedies.proposed_edits import in_pod, template_owner
from scheduler_core.manifests.model import shortened
from scheduler_core.manifests.writing.json_edits import REMOVE, EditProblem, JsonEdit, edited, new_object, parse_edit
from scheduler_core.manifests.writing.objects import Writing, read_object, to_manifest


def edit_in_state(simulation: Simulation, pod: Pod, text: str) -> tuple[Any, Any, str]:
    """The object before and after the edit (None: it comes, or goes), and the edit as a sentence part; one of the
    template that ``pod`` is made of is one of the pod. Raises EditProblem, NotWritable."""
    edit = parse_edit(text)
    if edit.path and edit.object == template_owner(simulation, pod):
        edit = in_pod(edit, pod)
    old = _object(simulation, edit)
    new = _after(edit, old)
    where = edit.path or "the object"
    value = "" if edit.op == REMOVE else f" to {shortened(msgspec.json.encode(edit.value).decode(), 80)}"
    return old, new, f"{where} of {'/'.join(filter(None, edit.named))} is {_DONE[edit.op]}{value}"


_DONE = {"set": "set", "add": "added", "remove": "removed"}


def _object(simulation: Simulation, edit: JsonEdit) -> Any:
    """The object of the edit in the state, None where it is not there."""
    kind, namespace, name = edit.named
    if kind == "Pod":
        return simulation.world.pods.get(f"{namespace}/{name}")
    if kind == "Node":
        row = simulation.context.cluster.table.row_of.get(name)
        return None if row is None else simulation.context.cluster.table.nodes[row]
    return simulation.context.cluster.listers.find(kind, f"{namespace}/{name}" if namespace else name)


def _after(edit: JsonEdit, old: Any) -> Any:
    """The object as the edit leaves it, None where it goes."""
    if not edit.path:
        if edit.op == REMOVE:
            return None
        raw = new_object(edit)
    elif old is None:
        raise EditProblem("object", f"there is no {edit.object} at this moment")
    else:
        raw = edited(to_manifest(old, Writing(with_fields_of_a_run=True)), edit)
    new = read_object(raw)
    if new is None:
        raise EditProblem("value", f"the object would not be a valid {edit.named[0]} of this name then")
    return new
