"""A user's hypothetical change, as text: "add-node worker-1", "label-node worker-1 disk=ssd", "request cpu=1"; or any
edit of an object as JSON, in the form in which remedies carry theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.quantity import canonical
from scheduler_core.api.resources import pod_requests
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain import edited_objects
from scheduler_core.explain.outcomes.texts import listed, quantity
from scheduler_core.explain.pending.applying_edits import edit_in_state
from scheduler_core.explain.pending.would_help import WouldHelp, would_help
from scheduler_core.explain.remedies.candidates.pod_edits import taint_words
from scheduler_core.manifests.writing.json_edits import EditProblem
from scheduler_core.manifests.writing.objects import NotWritable
from scheduler_core.queue.types import ACTIVE, BACKOFF, ERROR_BACKOFF, GATED, UNSCHEDULABLE

NODE, POD, EDIT = "node", "pod", "edit"
EDIT_EXAMPLE = '{"op": "set", "object": "v1/Node//worker-1", "path": "/spec/unschedulable", "value": false}'
WAITING = (ACTIVE, BACKOFF, ERROR_BACKOFF, UNSCHEDULABLE, GATED)
MOST_AMOUNT = 2**62
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class ChangeProblem(ValueError):
    """A change that cannot be read or made; ``field`` is "change", "name" or "value"."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class OwnChange(msgspec.Struct, frozen=True):
    """A change: its kind (of KINDS), the name of the node or pod (namespace/name) that it affects, and the value."""

    kind: str
    name: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """The change as ``own_change`` reads it."""
        return " ".join(part for part in (self.kind, self.name, self.value) if part)


class ChangeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a change would do for a pod: ``text`` is the change as a sentence part, ``effect`` what came of it. Where
    it cannot be made ``effect`` is None, and ``problem`` says what is wrong with ``field`` ("" for the pod itself)."""

    change: OwnChange
    # The command line's JSON has both under these names.
    text: str = msgspec.field(default="", name="words")
    effect: WouldHelp | None = msgspec.field(default=None, name="found")
    field: str = ""
    problem: str = ""


class ChangeKind(msgspec.Struct, frozen=True):
    """A kind of change: what its ``name`` is of (NODE, POD, "" for the waiting pod itself) and what its ``value`` says
    ("" for none), with an ``example`` of that."""

    title: str
    of: str
    value: str
    example: str
    make: Callable[[Simulation, Pod, OwnChange], tuple[Any, Any, str]]


def usage(kind: str) -> str:
    """How a change of the kind is written: "grow-node NODE cpu=16"."""
    return " ".join(part for part in (kind, KINDS[kind].of.upper(), KINDS[kind].example) if part)


def own_change(text: str) -> OwnChange:
    """The change of a text. Raises ChangeProblem."""
    kind, _, rest = text.strip().partition(" ")
    if kind.startswith("{"):  # an edit in the form in which remedies carry theirs
        kind, rest = EDIT, text
    if kind not in KINDS:
        raise ChangeProblem("change", f'there is no change "{kind[:40]}"; changes are {listed(list(KINDS), "and")}')
    name, value = rest.strip(), ""
    if not KINDS[kind].of:
        name, value = "", name
    elif KINDS[kind].value:
        name, _, value = name.partition(" ")
    return checked(OwnChange(kind, name.strip(), value.strip()))


def checked(change: OwnChange) -> OwnChange:
    """The change, checked for everything that its kind requires. Raises ChangeProblem."""
    kind = KINDS[change.kind]
    if kind.of and not change.name:
        raise ChangeProblem("name", f"name the {kind.of}" + (" as namespace/name" if kind.of == POD else ""))
    if " " in change.name:
        raise ChangeProblem("name", f'the name of a {kind.of} has no space: "{change.name[:60]}"')
    if kind.value and not change.value:
        raise ChangeProblem("value", f"say the {kind.value}, as in {kind.example}")
    return change


def would_change_help(trials: Trials, pod: str, change: OwnChange) -> ChangeAnswer:
    """What the change would do for the pod. Raises ChangeProblem where the state has nothing to make it to, KeyError
    for a pod that does not wait."""
    old, new, description = _made(trials, pod, change)
    return ChangeAnswer(change=change, text=description, effect=would_help(trials, pod, old, new))


def object_change(trials: Trials, pod: str, change: OwnChange) -> WholeObjectChange:
    """The change in the form that a branch from this state takes. Raises as ``would_change_help``."""
    old, new, _ = _made(trials, pod, change)
    return WholeObjectChange.of("delete", old) if new is None else WholeObjectChange.of("put", new)


def _made(trials: Trials, pod: str, change: OwnChange) -> tuple[Any, Any, str]:
    """The object before and after (None: it comes, or goes), and the change as a sentence part."""
    queued = trials.simulation.queue.get(pod)
    if queued is None or queued.lane not in WAITING:
        raise KeyError(pod)
    return KINDS[change.kind].make(trials.simulation, queued.pod, change)


# --- nodes ---------------------------------------------------------------------------------------------------------
def _node(simulation: Simulation, change: OwnChange) -> Node:
    table = simulation.context.cluster.table
    row = table.row_of.get(change.name)
    node = None if row is None else table.nodes[row]
    if node is None:
        raise ChangeProblem("name", f"there is no node {change.name} at this moment")
    return node


def _add_node(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    like, names = _node(simulation, change), simulation.context.cluster.table.row_of
    name = next(name for n in range(1, len(names) + 2) if (name := f"{like.name}-added-{n}") not in names)
    return None, edited_objects.another(like, name), f"a node like {like.name} is added"


def _label_node(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    node, (key, value) = _node(simulation, change), _pair(change.value, "a label")
    if node.labels.get(key) == value:
        raise ChangeProblem("value", f"{node.name} has the label {key}={value} already")
    labelled = msgspec.structs.replace(node, labels={**node.labels, key: value})
    return node, labelled, f"{node.name} gets the label {key}={value}"


def _untaint_node(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    node, asked = _node(simulation, change), _taint(change.value)
    off = [one for one in node.taints if one.key == asked.key and asked.value in ("", one.value)]
    if not off:
        present = listed([taint_words(one) for one in node.taints], "and") or "none"
        raise ChangeProblem("value", f"{node.name} has no taint {asked.key}; its taints: {present}")
    removed = listed([taint_words(one) for one in off], "and")
    return (
        node,
        edited_objects.untainted(node, off),
        f"the taint{'s' if len(off) > 1 else ''} {removed} of {node.name} go" + ("" if len(off) > 1 else "es"),
    )


def _uncordon_node(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    node = _node(simulation, change)
    if not node.unschedulable:
        raise ChangeProblem("name", f"{node.name} is not cordoned")
    return node, msgspec.structs.replace(node, unschedulable=False), f"{node.name} is uncordoned"


def _grow_node(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    node, (resource, amount) = _node(simulation, change), _amount(change.value)
    if node.allocatable.get(resource, 0) == amount:
        raise ChangeProblem("value", f"{node.name} has {quantity(resource, amount)} to allocate already")
    resized = edited_objects.enlarged(node, {resource: amount - node.allocatable.get(resource, 0)})
    return node, resized, f"{node.name} has {quantity(resource, amount)} to allocate"


# --- pods ----------------------------------------------------------------------------------------------------------
def _delete_pod(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    other, node = simulation.world.pods.get(change.name), simulation.context.cluster.node_of(change.name)
    if other is None or other.key == pod.key:
        raise ChangeProblem("name", f"there is no other pod {change.name} at this moment")
    if node is None:
        raise ChangeProblem("name", f"{other.key} is on no node, so it takes no room")
    return msgspec.structs.replace(other, node_name=node), None, f"{other.key} is deleted from {node}"


def _request(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    resource, amount = _amount(change.value)
    before = pod_requests(pod).get(resource, 0)
    if before == amount:
        raise ChangeProblem("value", f"it asks for {quantity(resource, amount)} already")
    edit = edited_objects.asking_for if amount < before else edited_objects.asking_for_more
    edited = edit(pod, resource, amount)
    if edited is None:
        raise ChangeProblem("value", f"its containers cannot be made to ask for {quantity(resource, amount)}")
    return pod, edited, f"the pod asks for {quantity(resource, amount)}"


def _tolerate(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    asked = _taint(change.value)
    toleration = Toleration(asked.key, "Equal" if asked.value else "Exists", asked.value, asked.effect)
    if toleration in pod.tolerations:
        raise ChangeProblem("value", f"it has this toleration already: {change.value}")
    tolerant = msgspec.structs.replace(pod, tolerations=(*pod.tolerations, toleration))
    return pod, tolerant, f"the pod tolerates {change.value}"


def _remove_gates(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    if not pod.scheduling_gates:
        raise ChangeProblem("change", "it has no scheduling gate")
    are = "gates {} are" if len(pod.scheduling_gates) > 1 else "gate {} is"
    description = f"its scheduling {are.format(listed(pod.scheduling_gates, 'and'))} removed"
    return pod, edited_objects.without_gates(pod), description


def _edit(simulation: Simulation, pod: Pod, change: OwnChange) -> tuple[Any, Any, str]:
    try:
        return edit_in_state(simulation, pod, change.value)
    except (EditProblem, NotWritable) as problem:
        raise ChangeProblem("value", str(problem)) from problem


# --- what values say -----------------------------------------------------------------------------------------------
def _pair(text: str, what: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ChangeProblem("value", f'{what} is key=value, not "{text[:60]}"')
    return key.strip(), value.strip()


def _amount(text: str) -> tuple[str, int]:
    resource, amount = _pair(text, "an amount")
    try:
        quantity = canonical(resource, amount)
    except ValueError as error:
        raise ChangeProblem("value", str(error)) from error
    if not 0 <= quantity <= MOST_AMOUNT:
        raise ChangeProblem("value", f"{amount[:60]} is no amount that a pod or node can have")
    return resource, quantity


def _taint(text: str) -> Taint:
    """Read "key" or "key=value", alone or followed by ":effect"; an empty effect matches all."""
    rest, colon, effect = text.rpartition(":")
    if not colon:
        rest, effect = text, ""
    elif effect not in _EFFECTS:
        raise ChangeProblem("value", f'the effect of a taint is {listed(list(_EFFECTS))}, not "{effect[:40]}"')
    key, _, value = rest.partition("=")
    if not key.strip():
        raise ChangeProblem("value", 'name the key of the taint, as in "dedicated=gpu:NoSchedule"')
    return Taint(key.strip(), value.strip(), effect)


KINDS = {
    "add-node": ChangeKind("A node is added like", NODE, "", "", _add_node),
    "grow-node": ChangeKind("A node can allocate", NODE, "amount", "cpu=16", _grow_node),
    "label-node": ChangeKind("A node gets a label", NODE, "label", "disk=ssd", _label_node),
    "untaint-node": ChangeKind("A node loses a taint", NODE, "taint", "dedicated=gpu", _untaint_node),
    "uncordon-node": ChangeKind("A node is uncordoned", NODE, "", "", _uncordon_node),
    "delete-pod": ChangeKind("A placed pod is deleted", POD, "", "", _delete_pod),
    "request": ChangeKind("This pod requests", "", "amount", "cpu=500m", _request),
    "tolerate": ChangeKind("This pod tolerates a taint", "", "taint", "dedicated=gpu:NoSchedule", _tolerate),
    EDIT: ChangeKind("An object is edited", "", "edit", EDIT_EXAMPLE, _edit),
    "remove-gates": ChangeKind("This pod loses its scheduling gates", "", "", "", _remove_gates),
}
