"""LimitRanger (plugin/pkg/admission/limitranger): what limit ranges fill in, and what they refuse.

The ranges of a namespace are gone through in the order in which they were made; upstream's order is that of a hash
table. So of two defaults for one resource the first counts, and of two ranges that refuse a pod the first is named.
Each range fills in what no range before it did, and writes what it set into the annotation, over the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from scheduler_core.admission import amounts
from scheduler_core.admission.verdicts import RefusedObject, refused, together
from scheduler_core.api.objects import Container, Pod, Resources
from scheduler_core.api.quotas import LimitRange, LimitRangeItem

ANNOTATION = "kubernetes.io/limit-ranger"


def with_defaults(pod: Pod, ranges: Iterable[LimitRange]) -> Pod:
    """The pod with requests and limits filled in; the same object where nothing is missing."""
    for one in ranges:
        requests, limits = _defaults(one)
        if requests or limits:
            pod = _merged(pod, requests, limits)
    return pod


def refusal(pod: Pod, ranges: Iterable[LimitRange]) -> RefusedObject | None:
    """What the first range says that does not let the pod in; None where all do."""
    for one in ranges:
        complaints = [said for item in one.limits for said in _complaints(pod, item)]
        if complaints:
            return refused("pods", pod.name, together(complaints), "limit_range", f"LimitRange/{one.key}")
    return None


def _defaults(one: LimitRange) -> tuple[dict[str, int], dict[str, int]]:
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    for item in one.limits:
        if item.type == "Container":
            requests.update(item.default_request)
            limits.update(item.default)
    return requests, limits


def _merged(pod: Pod, requests: Resources, limits: Resources) -> Pod:
    said: list[str] = []
    containers = tuple([_filled(c, requests, limits, "container", said) for c in pod.containers])
    inits = tuple([_filled(c, requests, limits, "init container", said) for c in pod.init_containers])
    if not said:
        return pod
    annotations = {**pod.annotations, ANNOTATION: f"LimitRanger plugin set: {'; '.join(said)}"}
    return replace(pod, containers=containers, init_containers=inits, annotations=annotations)


def _filled(container: Container, requests: Resources, limits: Resources, what: str, said: list[str]) -> Container:
    set_requests = sorted(requests.keys() - container.requests.keys())
    set_limits = sorted(limits.keys() - container.limits.keys())
    if not set_requests and not set_limits:
        return container
    for names, field in ((set_requests, "request"), (set_limits, "limit")):
        if names:
            said.append(f"{', '.join(names)} {field} for {what} {container.name}")
    return replace(container, requests={**requests, **container.requests}, limits={**limits, **container.limits})


def _complaints(pod: Pod, item: LimitRangeItem) -> list[str]:
    if item.type == "Container":
        each = ((c.requests, c.limits) for c in (*pod.containers, *pod.init_containers))
        return [said for requests, limits in each for said in _of_amounts(item, requests, limits)]
    return _of_amounts(item, *amounts.without_overhead(pod)) if item.type == "Pod" else []


def _of_amounts(item: LimitRangeItem, requests: Resources, limits: Resources) -> list[str]:
    said = [_below(item.type, name, least, requests, limits) for name, least in item.min.items()]
    said += [_above(item.type, name, most, requests, limits) for name, most in item.max.items()]
    said += [_ratio(item.type, name, most, requests, limits) for name, most in item.max_ratio.items()]
    return [one for one in said if one]


def _below(of: str, name: str, least: int, requests: Resources, limits: Resources) -> str:
    head = f"minimum {name} usage per {of} is {amounts.text(name, least)}"
    if name not in requests:
        return f"{head}.  No request is specified"
    return _beyond(head, name, (requests, limits), ("request", "limit"), lambda value: value < least)


def _above(of: str, name: str, most: int, requests: Resources, limits: Resources) -> str:
    head = f"maximum {name} usage per {of} is {amounts.text(name, most)}"
    if name not in limits:
        return f"{head}.  No limit is specified"
    return _beyond(head, name, (limits, requests), ("limit", "request"), lambda value: value > most)


def _beyond(
    head: str, name: str, both: Sequence[Mapping[str, int]], words: Sequence[str], is_beyond: Callable[[int], bool]
) -> str:
    for given, word in zip(both, words, strict=True):
        if name in given and is_beyond(given[name]):
            return f"{head}, but {word} is {amounts.text(name, given[name])}"
    return ""


def _ratio(of: str, name: str, most: int, requests: Resources, limits: Resources) -> str:
    head = f"{name} max limit to request ratio per {of} is {amounts.text('cpu', most)}"
    for given, word in ((requests, "request"), (limits, "limit")):
        if not given.get(name):
            return f"{head}, but no {word} is specified or {word} is 0"
    ratio = limits[name] / requests[name]
    return f"{head}, but provided ratio is {ratio:f}" if ratio * 1000 > most else ""
