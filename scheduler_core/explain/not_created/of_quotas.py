"""What lets pods be made that a quota refuses: the quota raised, or the requests and limits that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from scheduler_core.admission.amounts import text as amount_text
from scheduler_core.admission.ledger import Book
from scheduler_core.api.objects import Container, Pod
from scheduler_core.api.quotas import LimitRange, LimitRangeItem
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.edited_objects import free_name
from scheduler_core.explain.not_created.by_input import numbers
from scheduler_core.explain.not_created.refused_pods import RefusedPods, amount_edit, escaped, in_template, remedy
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.model import LIMITS, QUOTA, REQUEST, ProposedEdit
from scheduler_core.explain.remedies.whole_runs import RunRemedy, with_object, with_pods
from scheduler_core.manifests.writing.json_edits import ADD

_MUST = re.compile(r"([\w./-]+) for: ([\w.,-]+)")
_MODEST = {"cpu": 100, "memory": 128 << 20}
"""What a container is given at most that says nothing: 100m of cpu, 128Mi."""


def of_quotas(simulation: Simulation, refused: RefusedPods) -> Iterator[RunRemedy]:
    """The quotas raised; or, where one wants requests or limits that are not given, these."""
    if "must specify" in refused.event.message:
        asked = {
            (name, container)
            for name, containers in _MUST.findall(refused.event.message)
            for container in containers.split(",")
        }
        yield from _with_requests(simulation, refused, asked)
        return
    if refused.event.kind != "Pod":
        yield from _raised_for_one(simulation, refused)
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
    needs = {resource: each * refused.missing for resource, each in (counted or {}).items()}
    return _raised_by(simulation, book, needs)


def _raised_for_one(simulation: Simulation, refused: RefusedPods) -> Iterator[RunRemedy]:
    """The quota that refuses an object that is no pod, such as a ReplicaSet, raised for it."""
    requested = numbers(refused.event.message).get("requested", "")
    needs = {
        resource: int(count) for resource, _, count in (one.partition("=") for one in requested.split(",")) if count
    }
    for book in simulation.aftermath.admission.ledger.of(refused.pod.namespace):
        if refused.event.by == f"ResourceQuota/{book.quota.key}" and (raised := _raised_by(simulation, book, needs)):
            yield raised


def _raised_by(simulation: Simulation, book: Book, needs: dict[str, int]) -> RunRemedy | None:
    before = book.quota.hard
    hard = {one: max(limit, book.used.get(one, 0) + needs.get(one, 0)) for one, limit in before.items()}
    raised = {one: hard[one] for one in needs if hard.get(one, 0) != before.get(one, 0)}
    if not raised:
        return None
    more = listed([f"{amount_text(one, value - before[one])} of {one}" for one, value in raised.items()], "and")
    target = f"v1/ResourceQuota/{book.quota.key}"
    edits = [
        amount_edit(QUOTA, "RAISE_QUOTA", target, f"/spec/hard/{escaped(one)}", one, before[one], value)
        for one, value in raised.items()
    ]
    changed = with_object(simulation.inputs, replace(book.quota, hard={**before, **raised}))
    return RunRemedy(remedy(f"raise quota {book.quota.key} by {more}", edits), changed)


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
    yield RunRemedy(remedy(text, edits), with_pods(simulation.inputs, refused.title, filled))
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
                path = f"/spec/{field}/{i}/resources/{what}/{escaped(resource)}"
                yield in_template(refused, REQUEST, "SET_REQUESTS", path, resource, value)


def _defaults(simulation: Simulation, refused: RefusedPods, amounts: dict[str, int], said: str) -> RunRemedy:
    default = {name.removeprefix("limits."): value for name, value in amounts.items() if name.startswith("limits.")}
    request = {name.removeprefix("requests."): value for name, value in amounts.items() if "limits." not in name}
    request = {**default, **request}
    limits = {name: max(value, request[name]) for name, value in default.items()}
    taken = {one.name for one in simulation.context.cluster.listers.limit_ranges.values()}
    name = free_name("defaults", taken)
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
    return RunRemedy(remedy(text, [edit]), with_object(simulation.inputs, made))


def _texts(amounts: dict[str, int]) -> dict[str, str]:
    return {name: amount_text(name, value) for name, value in amounts.items()}
