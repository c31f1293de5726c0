"""What would let pods be made that admission refuses: a quota raised, a range changed, the requests that a quota asks
for, a class that exists. Made up from the refusal, not tried here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from math import ceil
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_core.admission.amounts import text as amount_text
from scheduler_core.api.objects import Container, Pod, PriorityClass
from scheduler_core.api.quotas import LimitRange, LimitRangeItem, RuntimeClass
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.codes import needed_actor
from scheduler_core.explain.remedies.model import CLASS, LIMITS, QUOTA, REQUEST, ProposedEdit, Remedy
from scheduler_core.explain.remedies.whole_runs import RunRemedy, with_object, with_pods
from scheduler_core.manifests.kinds.registry import KINDS, served_version
from scheduler_core.manifests.writing.json_edits import ADD, REMOVE, SET
from scheduler_core.recording import events as ev

_RATIO_UNIT = 1000
_MUST = re.compile(r"([\w./-]+) for: ([\w.,-]+)")
_MODEST = {"cpu": 100, "memory": 128 << 20}
"""What a container is given at most that says nothing: 100m of cpu, 128Mi."""


class RefusedPods(NamedTuple):
    """Pods that admission refuses: the last refusal, one of them, how many are ``missing``, and whose they are
    ("Deployment team/web", or "Pod team/web-0")."""

    event: ev.CreationRefused
    pod: Pod
    missing: int
    title: str


def proposals(simulation: Simulation, refused: RefusedPods) -> Iterator[RunRemedy]:
    """The remedies, the usual one first; ``simulation`` is the run where they lack."""
    event = refused.event
    kind, _, key = event.by.partition("/")
    if kind == "ResourceQuota":
        yield from _of_quotas(simulation, refused)
    elif kind == "LimitRange":
        one = simulation.context.cluster.listers.limit_ranges.get(key)
        if one is not None:
            yield _widened(simulation, one, refused.pod)
    elif kind in ("RuntimeClass", "PriorityClass") and "found" in event.message:
        yield from _of_class(simulation, refused, kind, key)


# --- quotas ----------------------------------------------------------------------------------------------------------


def _of_quotas(simulation: Simulation, refused: RefusedPods) -> Iterator[RunRemedy]:
    if "must specify" in refused.event.message:
        asked = {
            (name, container)
            for name, containers in _MUST.findall(refused.event.message)
            for container in containers.split(",")
        }
        yield from _with_requests(simulation, refused, asked)
        return
    for book in simulation.aftermath.admission.ledger.of(refused.pod.namespace):
        if (raised := _raised(simulation, refused, book.quota.name)) is not None:
            yield raised


def _raised(simulation: Simulation, refused: RefusedPods, name: str) -> RunRemedy | None:
    """A quota raised to what is used and what the missing pods need; None where it has room for them."""
    admission = simulation.aftermath.admission
    book = next(book for book in admission.ledger.of(refused.pod.namespace) if book.quota.name == name)
    filled = admission.filled(refused.pod)
    counted = book.counted(filled) if filled is not None else None
    if not counted:
        return None
    hard = dict(book.quota.hard)
    for resource, each in counted.items():
        hard[resource] = max(hard[resource], book.used.get(resource, 0) + each * refused.missing)
    before = book.quota.hard
    raised = {resource: value for resource, value in hard.items() if value != before[resource]}
    if not raised:
        return None
    more = listed([f"{amount_text(one, value - before[one])} of {one}" for one, value in raised.items()], "and")
    target = f"v1/ResourceQuota/{book.quota.key}"
    edits = [
        _amount_edit(QUOTA, "RAISE_QUOTA", target, f"/spec/hard/{_escaped(one)}", one, before[one], value)
        for one, value in raised.items()
    ]
    changed = with_object(simulation.inputs, replace(book.quota, hard=hard))
    return RunRemedy(_remedy(f"raise quota {book.quota.key} by {more}", edits), changed)


def _with_requests(simulation: Simulation, refused: RefusedPods, asked: set[tuple[str, str]]) -> Iterator[RunRemedy]:
    """Requests and limits where a quota asks for them, in the template, and as defaults of a new limit range."""
    amounts = {name: _modest(simulation, refused, name, len(asked)) for name, _ in sorted(asked)}
    said = listed([f"{amount_text(name, value)} of {name}" for name, value in amounts.items()], "and")
    edits = [
        edit
        for name, container in sorted(asked)
        for edit in _container_edits(refused, container, name, amount_text(name, amounts[name]))
    ]

    def filled(pod: Pod) -> Pod:
        if pod.node_name:
            return pod
        containers = tuple(_given(one, amounts, asked) for one in pod.containers)
        inits = tuple(_given(one, amounts, asked) for one in pod.init_containers)
        return replace(pod, containers=containers, init_containers=inits)

    who = listed(sorted({container for _, container in asked}), "and")
    text = f"state {said} for {who} in {refused.title}"
    yield RunRemedy(_remedy(text, edits), with_pods(simulation.inputs, refused.title, filled))
    if simulation.policies.limit_ranges == "play":
        yield _defaults(simulation, refused, amounts, said)


def _modest(simulation: Simulation, refused: RefusedPods, name: str, n_asked: int) -> int:
    """An amount that the quotas have for each pod that lacks, and no more than is usual."""
    resource = name.removeprefix("requests.").removeprefix("limits.")
    books = simulation.aftermath.admission.ledger.of(refused.pod.namespace)
    left = [book.quota.hard[name] - book.used.get(name, 0) for book in books if name in book.quota.hard]
    share = min(left, default=0) // max(1, refused.missing * n_asked)
    return max(1, min(_MODEST.get(resource, 1), share))


def _given(container: Container, amounts: dict[str, int], asked: set[tuple[str, str]]) -> Container:
    requests, limits = dict(container.requests), dict(container.limits)
    for name, value in amounts.items():
        if (name, container.name) not in asked:
            continue
        resource = name.removeprefix("requests.").removeprefix("limits.")
        if name.startswith("limits."):
            limits[resource] = max(value, requests.get(resource, 0))
        else:
            requests[resource] = value
    for resource, limit in limits.items():
        requests.setdefault(resource, limit)
    return replace(container, requests=requests, limits=limits)


def _container_edits(refused: RefusedPods, container: str, name: str, value: str) -> Iterator[ProposedEdit]:
    resource = name.removeprefix("requests.").removeprefix("limits.")
    what = "limits" if name.startswith("limits.") else "requests"
    for field, several in (("containers", refused.pod.containers), ("initContainers", refused.pod.init_containers)):
        for i, one in enumerate(several):
            if one.name == container:
                path = f"/spec/{field}/{i}/resources/{what}/{_escaped(resource)}"
                yield _in_template(refused, REQUEST, "SET_REQUESTS", path, resource, value)


def _defaults(simulation: Simulation, refused: RefusedPods, amounts: dict[str, int], said: str) -> RunRemedy:
    default = {name.removeprefix("limits."): value for name, value in amounts.items() if name.startswith("limits.")}
    request = {name.removeprefix("requests."): value for name, value in amounts.items() if "limits." not in name}
    request = {**default, **request}
    limits = {name: max(value, request[name]) for name, value in default.items()}
    taken = {one.name for one in simulation.context.cluster.listers.limit_ranges.values()}
    name = "defaults"
    while name in taken:
        name += "-more"
    made = LimitRange(
        name=name,
        namespace=refused.pod.namespace,
        limits=(LimitRangeItem(type="Container", default=limits, default_request=request),),
    )
    item: dict[str, Any] = {"type": "Container", "defaultRequest": _texts(request)}
    if limits:
        item["default"] = _texts(limits)
    edit = ProposedEdit(
        LIMITS,
        name,
        "",
        said,
        code="CHANGE_LIMIT_RANGE",
        op=ADD,
        object=f"v1/LimitRange/{made.key}",
        path="",
        value={"spec": {"limits": [item]}},
    )
    text = f"make limit range {made.key} with defaults of {said}"
    return RunRemedy(_remedy(text, [edit]), with_object(simulation.inputs, made))


def _texts(amounts: dict[str, int]) -> dict[str, str]:
    return {name: amount_text(name, value) for name, value in amounts.items()}


# --- ranges ----------------------------------------------------------------------------------------------------------


def _widened(simulation: Simulation, one: LimitRange, pod: Pod) -> RunRemedy:
    """A range that lets the pod's containers in as they are, changed by what they exceed."""
    edits: list[ProposedEdit] = []
    target, items = f"v1/LimitRange/{one.key}", list[LimitRangeItem]()
    for index, item in enumerate(one.limits):
        wider = _wider(item, pod)
        items.append(wider)
        for field, name in (
            ("max", "max"),
            ("min", "min"),
            ("default", "default"),
            ("max_ratio", "maxLimitRequestRatio"),
        ):
            before, after = getattr(item, field), getattr(wider, field)
            for resource in after:
                if after[resource] == before.get(resource):
                    continue
                path = f"/spec/limits/{index}/{name}/{_escaped(resource)}"
                of = "cpu" if field == "max_ratio" else resource
                made = _amount_edit(
                    LIMITS, "CHANGE_LIMIT_RANGE", target, path, resource, before.get(resource), after[resource], of
                )
                edits.append(replace(made, subject=f"{name} of {resource}"))
    said = listed([f"{edit.subject} to {edit.after}" for edit in edits], "and")
    changed = with_object(simulation.inputs, replace(one, limits=tuple(items)))
    return RunRemedy(_remedy(f"change limit range {one.key}: {said}", edits, "CHANGE_LIMIT_RANGE"), changed)


def _wider(item: LimitRangeItem, pod: Pod) -> LimitRangeItem:
    if item.type != "Container":
        return item
    most, least, default, ratio = dict(item.max), dict(item.min), dict(item.default), dict(item.max_ratio)
    for container in (*pod.containers, *pod.init_containers):
        for name, request in container.requests.items():
            limit = container.limits.get(name)
            if limit is None and name in default:
                default[name] = limit = max(default[name], request)
            if name in least:
                least[name] = min(least[name], request)
            if limit is not None and name in most:
                most[name] = max(most[name], limit)
            if limit is not None and request and name in ratio:
                ratio[name] = max(ratio[name], ceil(_RATIO_UNIT * limit / request))
    return replace(item, max=most, min=least, default=default, max_ratio=ratio)


# --- classes ---------------------------------------------------------------------------------------------------------


def _of_class(simulation: Simulation, refused: RefusedPods, kind: str, name: str) -> Iterator[RunRemedy]:
    """A class that does not exist: another one that nearly has its name, none, or one made under this name."""
    listers, field = simulation.context.cluster.listers, f"{kind[:1].lower()}{kind[1:]}Name"
    known: dict[str, Any] = dict(listers.runtime_classes if kind == "RuntimeClass" else listers.priority_classes)
    word = "runtime class" if kind == "RuntimeClass" else "priority class"
    for near in get_close_matches(name, sorted(known), 2):
        edit = replace(_in_template(refused, CLASS, "NAME_CLASS", f"/spec/{field}", field, near), before=name)
        text = f"name {word} {near} instead of {name} in {refused.title}"
        yield RunRemedy(_remedy(text, [edit]), _naming(simulation, refused, kind, known[near]))
    edit = replace(_in_template(refused, CLASS, "NAME_CLASS", f"/spec/{field}", field, ""), before=name, op=REMOVE)
    text = f"take {field} off {refused.title}"
    yield RunRemedy(_remedy(text, [replace(edit, value=None)]), _naming(simulation, refused, kind, None))
    made: RuntimeClass | PriorityClass
    made, value = RuntimeClass(name=name, handler=name), {"handler": name}
    if kind == "PriorityClass":
        made, value = PriorityClass(name=name, value=0), {"value": 0}  # type: ignore[dict-item]
    edit = ProposedEdit(
        CLASS,
        name,
        "",
        name,
        code="MAKE_CLASS",
        op=ADD,
        object=f"{served_version(kind)}/{kind}//{name}",
        path="",
        value=value,
    )
    how = "with value 0" if kind == "PriorityClass" else f"with handler {name}"
    yield RunRemedy(_remedy(f"make {word} {name} {how}", [edit]), with_object(simulation.inputs, made))


def _naming(simulation: Simulation, refused: RefusedPods, kind: str, its_class: Any) -> Any:
    name = "" if its_class is None else its_class.name

    def named(pod: Pod) -> Pod:
        if kind == "RuntimeClass":
            return replace(pod, runtime_class_name=name)
        posted = replace(pod.posted, priority_class_name=name)
        value = 0 if its_class is None else its_class.value
        return replace(pod, priority_class_name=name, priority=value, posted=posted)

    return with_pods(simulation.inputs, refused.title, named)


# --- edits -----------------------------------------------------------------------------------------------------------


def _in_template(refused: RefusedPods, kind: str, code: str, path: str, subject: str, value: str) -> ProposedEdit:
    """An edit of the pod, in the template of the workload that makes it."""
    of, _, name = refused.title.partition(" ")
    version = served_version(of) if of in KINDS else ""
    where = path if of == "Pod" else f"/spec/template{path}"
    return ProposedEdit(
        kind, subject, "", value, code=code, op=SET, object=f"{version}/{of}/{name}", path=where, value=value
    )


def _amount_edit(  # noqa: PLR0913
    kind: str, code: str, target: str, path: str, resource: str, before: int | None, after: int, of: str = ""
) -> ProposedEdit:
    was = "" if before is None else amount_text(of or resource, before)
    now = amount_text(of or resource, after)
    return ProposedEdit(kind, resource, was, now, code=code, op=SET, object=target, path=path, value=now)


def _remedy(text: str, edits: Iterable[ProposedEdit], code: str = "") -> Remedy:
    made = tuple(edits)
    first = made[0].code if made else code
    kind = made[0].kind if made else LIMITS
    return Remedy(kind, text, made, float(len(made)), code=first, actor=needed_actor((first,)))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
