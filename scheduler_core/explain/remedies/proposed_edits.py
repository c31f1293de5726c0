"""A trial's changes as edits of objects: set, add and remove at JSON pointers, one for each value that differs.

The objects before and after are written as manifests and compared, so that an edit says exactly what was tried. Lists
are written whole where entries differ, but for entries added at the end. Example: a toleration more is
``{"op": "add", "object": "v1/Pod/shop/web", "path": "/spec/tolerations/0", "value": {...}}``.

A pod that is made of a workload's template, and no object of the input, is edited there. Example: the same toleration
of a pod of Deployment web is added at ``/spec/template/spec/tolerations/-`` of ``apps/v1/Deployment/shop/web``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.kinds import bare_kind
from scheduler_core.api.objects import Pod
from scheduler_core.controllers.owned import workload_key
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.model import ProposedEdit
from scheduler_core.manifests.expansion.made_up_names import is_made_up
from scheduler_core.manifests.kinds.registry import KINDS, ObjectKind
from scheduler_core.manifests.writing.fields import FIELDS
from scheduler_core.manifests.writing.json_edits import ADD, REMOVE, SET, EditOp, JsonEdit
from scheduler_core.manifests.writing.objects import to_body

_WHOLE = frozenset(("labelSelector", "namespaceSelector", "selector"))
"""Fields that are set whole, since manifests may write them as matchLabels too."""


def operations(trials: Trials, pod: Pod, changes: Changes) -> tuple[JsonEdit, ...]:
    """What the changes do to the objects of the state; ``pod`` is the one tried, as it is."""
    return tuple(_all(trials, pod, changes))


def published_edits(
    trials: Trials, pod: Pod, proposed: Sequence[ProposedEdit], changes: Changes
) -> tuple[ProposedEdit, ...]:
    """The proposals with what the changes do to objects, in the template that makes the pod where one does; each
    once, though the pods of a gang are of one template."""
    maker, edits = template_owner(trials.simulation, pod), list[ProposedEdit]()
    for edit in with_operations(proposed, operations(trials, pod, changes)):
        if (made := in_template(_by_keys(edit), maker)) not in edits:
            edits.append(made)
    return tuple(edits)


def _by_keys(edit: ProposedEdit) -> ProposedEdit:
    """matchLabelKeys as people write them: the engine has them in the selector, with the pod's own values."""
    if edit.code != "SPREAD_BY_REVISION" or not edit.path.endswith("/labelSelector"):
        return edit
    path = edit.path.removesuffix("labelSelector") + "matchLabelKeys"
    return replace(edit, path=path, value=[edit.after])


def with_operations(proposed: Sequence[ProposedEdit], made: Sequence[JsonEdit]) -> tuple[ProposedEdit, ...]:
    """The edits in their published form: each operation beside the proposal that it is of; a proposal without an
    operation of its own keeps its words alone."""
    if not proposed:
        return ()
    if any(edit.kind == model.STRATEGY for edit in proposed):
        return tuple(proposed)  # the controller removes the pod, nobody else
    said = {edit.object for edit in proposed if edit.op}
    if said or any(edit.kind == model.PODS_GONE for edit in proposed):
        made = [one for one in made if one.object not in said and not _is_of_claim(one)]
    own: list[list[JsonEdit | None]] = [[] for _ in proposed]
    for one in made:
        kinds = _proposal_kinds(one)
        of = [i for i, edit in enumerate(proposed) if edit.kind in kinds] or list(range(len(proposed)))
        named = [i for i in of if proposed[i].subject and one.object.endswith(f"/{proposed[i].subject}")]
        own[next((i for i in named or of if not own[i]), (named or of)[-1])].append(one)
    return tuple(
        edit if one is None else replace(edit, op=one.op, object=one.object, path=one.path, value=one.value)
        for edit, several in zip(proposed, own, strict=True)
        for one in several or [None]
    )


def _is_of_claim(one: JsonEdit) -> bool:
    """Whether the operation is of a claim for devices: what changes there is said by a proposal itself, at its template
    maybe, or follows by the claim controller."""
    return "/ResourceClaim/" in one.object


_OF_PATHS = (
    ("/spec/tolerations", (model.TOLERATION,)),
    ("/spec/nodeSelector", (model.SELECTOR,)),
    ("/spec/affinity/nodeAffinity", (model.SELECTOR,)),
    ("/spec/affinity/pod", (model.CONSTRAINT,)),
    ("/spec/topologySpreadConstraints", (model.CONSTRAINT,)),
    ("/spec/schedulingGates", (model.GATE,)),
    ("/spec/priority", (model.PRIORITY,)),
    ("/spec/preemptionPolicy", (model.PRIORITY,)),
    ("/spec/schedulerName", (model.SCHEDULER,)),
    ("/spec/volumes", (model.VOLUME, model.DEVICES)),
    ("/spec/resourceClaims", (model.DEVICES, model.VOLUME)),
    ("/spec/taints", (model.TAINT, model.CORDON)),
    ("/spec/unschedulable", (model.CORDON,)),
    ("/metadata/labels", (model.LABEL,)),
    ("/status/allocatable", (model.BIGGER_NODE,)),
    ("/status/capacity", (model.BIGGER_NODE,)),
)
"""Which kinds of proposals change a field."""


def _proposal_kinds(one: JsonEdit) -> tuple[str, ...]:
    """The kinds of proposal that the operation may belong to."""
    if not one.path:
        whole = {"Pod": (model.PODS_GONE if one.op == REMOVE else model.GANG,), "Node": (model.NEW_NODE,)}
        return whole.get(one.object.split("/")[-3], (model.VOLUME, model.DEVICES))
    if "/ports" in one.path:
        return (model.PORT,)
    if "/resources" in one.path:
        return (model.REQUEST,)
    if "/PodGroup/" in one.object:
        return (model.GANG,)
    if not one.object.startswith(("v1/Pod/", "v1/Node/")):
        return (model.VOLUME, model.DEVICES)
    return next((kinds for path, kinds in _OF_PATHS if one.path.startswith(path)), ())


def full_name(obj: Any) -> str:
    """apiVersion/Kind/namespace/name."""
    name = type(obj).__name__
    kind = KINDS.get(name)
    namespaced = kind is not None and kind.namespaced
    version = "v1" if kind is None else _version(kind)
    return f"{version}/{bare_kind(name)}/{obj.namespace if namespaced else ''}/{obj.name}"


def _version(kind: ObjectKind) -> str:
    return "/".join(filter(None, (kind.group, kind.versions[0])))


def _all(trials: Trials, pod: Pod, changes: Changes) -> Iterator[JsonEdit]:
    cluster = trials.simulation.context.cluster
    if changes.pod is not None:
        yield from _between(pod, changes.pod)
    for sibling in changes.siblings:
        yield from _between(trials.pod(sibling.key) if trials.knows(sibling.key) else None, sibling)
    for node in changes.nodes:
        row = cluster.table.row_of.get(node.name)
        yield from _between(None if row is None else cluster.table.nodes[row], node)
    for obj in changes.objects:
        yield from _between(cluster.listers.get(obj), obj)
    for key in changes.gone:
        yield JsonEdit(REMOVE, f"v1/Pod/{key}")


def template_owner(simulation: Simulation, pod: Pod) -> str:
    """The workload of the input whose template the pod is made of, as edits name it, "" where there is none, or where
    the input holds the pod itself."""
    owned = simulation.aftermath.ownership.owned.get(workload_key(pod))
    if owned is None or owned.workload.is_implied:
        return ""
    if pod.key in simulation.start_pods and not is_made_up(owned.workload, pod.name):
        return ""
    made_by = owned.workload.owner if owned.workload.owner is not None else owned.workload
    kind = KINDS.get(made_by.kind)
    return f"{_version(kind)}/{made_by.kind}/{pod.namespace}/{made_by.name}" if kind is not None else ""


def in_template(edit: ProposedEdit, maker: str) -> ProposedEdit:
    """The edit of a pod as one of its maker's template; those stay that are of the pod alone."""
    if not maker or not edit.object.startswith("v1/Pod/") or not edit.path or edit.path.startswith(_OF_POD_ALONE):
        return edit
    path = re.sub(r"/\d+$", "/-", edit.path) if edit.op == ADD else edit.path
    return replace(edit, object=maker, path=f"{_TEMPLATE}{path}")


def in_pod(edit: JsonEdit, pod: Pod) -> JsonEdit:
    """An edit of the template that the pod is made of as one of the pod."""
    return replace(edit, object=full_name(pod), path=edit.path.removeprefix(_TEMPLATE))


_TEMPLATE = "/spec/template"
_OF_POD_ALONE = ("/spec/schedulingGates", "/status")


def _between(before: Any, after: Any) -> Iterator[JsonEdit]:
    name = full_name(after)
    if type(after).__name__ not in FIELDS:
        yield JsonEdit(SET if before is not None else ADD, name)
        return
    new = to_body(after)
    if before is None:
        yield JsonEdit(ADD, name, "", {part: value for part, value in new.items() if value})
        return
    # Parts without a field that the engine knows stay: a manifest may have others, such as a node's podCIDR.
    for op, path, value in _differences(to_body(before), new, ""):
        yield JsonEdit(op, name, path, value)


def _differences(before: Any, after: Any, path: str) -> Iterator[tuple[EditOp, str, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            below = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in after:
                yield REMOVE, below, None
            elif key not in before or (key in _WHOLE and before[key] != after[key]):
                yield SET, below, after[key]
            else:
                yield from _differences(before[key], after[key], below)
    elif isinstance(before, list) and isinstance(after, list) and before != after:
        yield from _of_lists(before, after, path)
    elif before != after:
        yield SET, path, after


def _of_lists(before: list[Any], after: list[Any], path: str) -> Iterator[tuple[EditOp, str, Any]]:
    if len(before) < len(after) and after[: len(before)] == before:
        for i in range(len(before), len(after)):
            yield ADD, f"{path}/{i}", after[i]
    elif len(before) == len(after) and "conditions" not in path and all(isinstance(x, dict) for x in before + after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, f"{path}/{i}")
    else:
        remaining = [one for one in before if one in after]
        if remaining == after:  # entries taken off, from the last on, so that the places of the others stay
            for i in reversed(range(len(before))):
                if before[i] not in after:
                    yield REMOVE, f"{path}/{i}", None
        else:
            yield SET, path, after
