"""Lists of resources from raw values, and what the API server asks of their names and amounts.

Rules: core/v1 validation.go (validateResourceRequirements and what it calls) and helper/helpers.go. A resource without
a domain is one that Kubernetes knows; one with a domain of kubernetes.io is native; all others are extended ones,
counted in whole numbers. Extended resources and huge pages cannot be overcommitted: their limit is their request.
"""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.api.objects import Resources
from scheduler_core.api.quantity import INT64_MAX, QuantityError, int_value, parse_quantity
from scheduler_core.manifests.checking.names import label_key_problem
from scheduler_core.manifests.checking.raw_values import At, quantity_text
from scheduler_core.manifests.model import quoted

STANDARD = ("cpu", "memory", "ephemeral-storage")
POD_LEVEL = ("cpu", "memory")
HUGE_PAGES = "hugepages-"
_COUNTED = frozenset((
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
    "services.nodeports", "services.loadbalancers",
))  # fmt: skip
_BYTES = ("memory", "ephemeral-storage", "storage")


def read_resources(at: At, rule: Callable[[str], str] | None = None) -> Resources:
    """A resource list as canonical integers; null values count as not given. ``rule`` is for names; nodes have none."""
    out: dict[str, int] = {}
    for name in at.mapping():
        value = at.get(name)
        amount = value.quantity(name)
        if amount is not None:
            out[name] = amount
            _check_amount(value, name, amount)
        problem = rule(name) if rule else ""
        if problem:
            at.refuse(problem, name)
    return out


def _check_amount(at: At, name: str, amount: int) -> None:
    text = quantity_text(at.raw) or ""
    if name in _BYTES and text.endswith("m"):
        at.warn(
            f"{quoted(text)} means thousandths of a byte, that is {amount} bytes. Write {text[:-1]}Mi for mebibytes"
        )
    if (name in _COUNTED or is_extended(name)) and parse_quantity(text) % 1:
        at.error(f"{quoted(text)} is a fraction. {name} is counted in whole numbers")
    if text.isdecimal() and at.raw.__class__ is int and name == "cpu" and amount >= 10_000_000:
        at.warn(f"{text} whole cores are asked for. For thousandths write {text}m")


def is_extended(name: str) -> bool:
    """Whether the resource is an extended one: named by a domain other than kubernetes.io."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def _may_be_overcommitted(name: str) -> bool:
    return ("/" not in name or "kubernetes.io/" in name) and not name.startswith(HUGE_PAGES)


def container_resource_problem(name: str) -> str:
    """What is wrong with the name of a container's resource, empty when nothing is (validateContainerResourceName)."""
    problem = label_key_problem(name)
    if problem:
        return problem
    if "/" not in name and name not in STANDARD and not name.startswith(HUGE_PAGES):
        return (
            f"{quoted(name)} is no resource of containers. Write cpu, memory, ephemeral-storage, hugepages-SIZE, "
            "or a name with a domain such as example.com/gpu"
        )
    if "/" in name and "kubernetes.io/" not in name and not is_extended(name):
        return f"{quoted(name)} is no name of an extended resource: requests. is for quotas"
    return ""


def pod_resource_problem(name: str) -> str:
    """What is wrong with a resource's name for the whole pod (validatePodResourceName), empty when nothing is."""
    if name in POD_LEVEL or name.startswith(HUGE_PAGES):
        return label_key_problem(name)
    return f"{quoted(name)} cannot be given for the whole pod. Give it to a container, or write cpu or memory"


def read_requirements(at: At, rule: Callable[[str], str]) -> tuple[Resources, Resources]:
    """(requests, limits) of ``resources``, checked as the API server does."""
    requests, limits = read_resources(at.get("requests"), rule), read_resources(at.get("limits"), rule)
    for name in {**limits, **requests}:
        if name.startswith(HUGE_PAGES):
            _check_huge_pages(at, name, requests, limits)
    check_requests(at, requests, limits)
    return requests, limits


def _check_huge_pages(at: At, name: str, requests: Resources, limits: Resources) -> None:
    size = _page_size(name)
    for field, amounts in (("limits", limits), ("requests", requests)):
        if name in amounts and (not size or amounts[name] % size):
            what = f"is no multiple of the page size in {name}" if size else f"{name} names no page size"
            at.refuse(f"{what}. Write such as hugepages-2Mi: 4Mi", field, name)
    if not any(r in amounts for r in POD_LEVEL for amounts in (requests, limits)):
        at.refuse("huge pages need cpu or memory beside them")


def _page_size(name: str) -> int:
    """Bytes of a huge page by the resource's name, 0 where the name gives no size."""
    try:
        text = name.removeprefix(HUGE_PAGES)
        return 0 if parse_quantity(text) % 1 else max(0, int_value(text))
    except (QuantityError, ArithmeticError):
        return 0


def check_requests(at: At, requests: Resources, limits: Resources) -> None:
    """Complains of requests above limits, and of what cannot be overcommitted without a limit equal to its request."""
    for name, amount in requests.items():
        limit = limits.get(name)
        if not _may_be_overcommitted(name):
            if limit is None:
                text = f"{name} has no limit. What cannot be overcommitted needs one, equal to the request"
                at.refuse(text, "limits", name)
            elif limit != amount:
                at.error(f"the request must equal the limit of {name}", "requests", name)
        elif limit is not None and amount > limit:
            at.error("the request is above the limit. Lower the request or raise the limit", "requests", name)


def check_overhead(at: At) -> Resources:
    """A pod's overhead, whose resources are judged as a container's limits (validateOverhead)."""
    overhead = read_resources(at, container_resource_problem)
    for name, amount in overhead.items():
        size = _page_size(name) if name.startswith(HUGE_PAGES) else 1
        if not size or amount % size:
            at.refuse(f"is no multiple of the page size in {name}", name)
    return overhead


def check_sums(at: At, totals: Resources) -> None:
    """Complains of what a pod asks for in all where an int64 cannot hold it, which nothing counts with."""
    for name, total in totals.items():
        if total > INT64_MAX:
            at.error(f"the pod's requests of {name} add up to {total}, more than {INT64_MAX} (int64) holds. Lower them")


def check_pod_level(
    at: At,
    requests: Resources,
    limits: Resources,
    together: Resources,
    container_limits: list[Resources],
) -> None:
    """Complains of pod-level requests below those of the containers ``together``, and of containers' limits above the
    pod's (validatePodResourceConsistency). ``at`` is the pod's ``resources``."""
    for name, amount in together.items():
        if name in requests and amount > requests[name]:
            text = "is below what the containers request together. Raise it, or lower theirs"
            at.refuse(text, "requests", name)
    for i, of_one in enumerate(container_limits):
        for name, limit in of_one.items():
            if name in limits and limit > limits[name]:
                at.refuse(f"containers[{i}] has a higher limit than the pod. Lower it, or raise this", "limits", name)
