"""What Kueue says of a Workload that it holds back: the conditions of the Workload, and the quota of its queue.

Source: Kueue's API (apis/kueue/v1beta1 and v1beta2): the conditions QuotaReserved, Admitted, Evicted and Finished, the
states of admission checks, and how queues name each other. Nothing of it is played: these are words of the input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from scheduler_core.api.unplayed import UnplayedObject

KUEUE = "kueue.x-k8s.io/"
_QUOTA = re.compile(r"\bfor (\S+) in flavor ([^\s,;:]+)")
"""Which resource of which flavor is short (flavorassigner.go)."""
_RUNS = ("", "None")
"""Policies of a queue that is not stopped."""


class QueueWords(NamedTuple):
    """``text`` says what the Workload waits for, ``needs`` the same as values."""

    text: str
    needs: dict[str, str]


def workloads(unplayed: Sequence[UnplayedObject]) -> list[UnplayedObject]:
    """The Workloads of Kueue."""
    return [one for one in unplayed if one.kind == "Workload" and one.api_version.startswith(KUEUE)]


def conditions(one: UnplayedObject) -> dict[str, tuple[str, str, str]]:
    """{type: status, reason, message} of an object's conditions."""
    columns = [one.facts.get(name, "").split("\n") for name in ("type", "status", "reason", "says")]
    rows = zip_longest(*columns, fillvalue="")
    return {kind: (status, reason, says) for kind, status, reason, says in rows if kind}


def is_held(workload: UnplayedObject) -> bool:
    """Whether Kueue has neither admitted it, nor is it finished."""
    given = conditions(workload)
    return all(given.get(kind, ("",))[0] != "True" for kind in ("Admitted", "Finished"))


def words_of(workload: UnplayedObject, unplayed: Sequence[UnplayedObject]) -> QueueWords:
    """What the Workload waits for, with its queue as far as the input has it."""
    given = conditions(workload)
    queue = _queue(workload, unplayed)
    text, needs = _state(workload, given)
    reserved = given.get("QuotaReserved", ("", "", ""))
    short = list(_quotas(queue.cluster_queue, reserved[2])) if reserved[0] != "True" else []
    needs = {"workload": workload.reference, **needs, **queue.needs, **({"quota": "; ".join(short)} if short else {})}
    parts = [f"{workload.title} {text}", *queue.texts, *([f"quota of {', '.join(short)}"] if short else [])]
    return QueueWords("; ".join(parts), {name: value for name, value in needs.items() if value})


def _state(workload: UnplayedObject, given: dict[str, tuple[str, str, str]]) -> tuple[str, dict[str, str]]:
    """What the Workload waits for in words, and as values."""
    reserved, evicted = given.get("QuotaReserved", ("", "", "")), given.get("Evicted", ("", "", ""))
    if workload.facts.get("active") == "false":
        why = f" ({evicted[2]})" if evicted[0] == "True" and evicted[2] else ""
        return f"is deactivated{why}", {"state": "deactivated", "says": evicted[2], "reason": evicted[1]}
    if given.get("Admitted", ("",))[0] == "True":
        return "is admitted", {"state": "admitted", "says": given["Admitted"][2], "reason": given["Admitted"][1]}
    if reserved[0] == "True":
        checks = list(_checks(workload))
        waits = f"waits for admission check {', '.join(checks)}" if checks else "is not admitted yet"
        return f"has quota reserved and {waits}", {"state": "checks", "says": "; ".join(checks), "reason": reserved[1]}
    says = reserved[2] or next((text for _, _, text in reversed(given.values()) if text), "")
    needs = {"state": "quota", "says": says, "reason": reserved[1]}
    if evicted[0] != "True":
        return f"{f'({says}) ' if says else ''}waits", needs
    because = ": ".join(part for part in evicted[1:] if part)
    text = f"was evicted ({because}) and waits" if because else "was evicted and waits"
    return f"{text}{f' ({says})' if says and says != evicted[2] else ''}", {**needs, "evicted": evicted[1]}


def _checks(workload: UnplayedObject) -> Iterator[str]:
    """The admission checks that are not ready: name, state and message."""
    columns = [workload.facts.get(f"check{name}", "").split("\n") for name in ("", "State", "Says")]
    for name, state, message in zip_longest(*columns, fillvalue=""):
        if name and state != "Ready":
            yield f"{name} {state or 'Pending'}{f' ({message})' if message else ''}"


class _Queue(NamedTuple):
    """The queue of a Workload as far as the input has it, in words and as values."""

    cluster_queue: UnplayedObject | None
    texts: list[str]
    needs: dict[str, str]


def _queue(workload: UnplayedObject, unplayed: Sequence[UnplayedObject]) -> _Queue:
    """LocalQueue, ClusterQueue and cohort: the input's, by the names that they give each other."""
    ours = [one for one in unplayed if one.api_version.startswith(KUEUE)]
    local = _named(ours, "LocalQueue", workload.namespace, workload.facts.get("queue", ""))
    facts = local.facts if local is not None else {}
    name = workload.facts.get("clusterQueue") or facts.get("clusterQueue", "")
    cluster = _named(ours, "ClusterQueue", "", name)
    of_cluster = cluster.facts if cluster is not None else {}
    cohort = of_cluster.get("cohort") or of_cluster.get("cohortName", "")
    there = "" if cluster is not None else ", which is not in the input"
    texts = [f"its queue is ClusterQueue {name}{f' of cohort {cohort}' if cohort else ''}{there}"] if name else []
    for one in (local, cluster):
        if one is not None and (policy := one.facts.get("stopPolicy", "")) not in _RUNS:
            texts.append(f"{one.title} is stopped (stopPolicy {policy})")
    active = conditions(cluster).get("Active", ("",)) if cluster is not None else ("",)
    if cluster is not None and active[0] == "False":
        texts.append(f"{cluster.title} is not active{f' ({active[-1]})' if active[-1] else ''}")
    return _Queue(
        cluster, texts, {"localQueue": workload.facts.get("queue", ""), "clusterQueue": name, "cohort": cohort}
    )


def _named(objects: Sequence[UnplayedObject], kind: str, namespace: str, name: str) -> UnplayedObject | None:
    named = (one for one in objects if (one.kind, one.namespace, one.name) == (kind, namespace, name))
    return next(named, None) if name else None


def _quotas(cluster_queue: UnplayedObject | None, message: str) -> Iterator[str]:
    """Of the resources that a message names as short: the nominal quota, what is used and what of it is borrowed."""
    if cluster_queue is None:
        return
    nominal, used, borrowed = (
        dict(_by_flavor(cluster_queue.facts, *names))
        for names in (
            ("flavor", "resource", "nominal"),
            ("usedFlavor", "usedResource", "used"),
            ("usedFlavor", "usedResource", "borrowed"),
        )
    )
    for resource, flavor in dict.fromkeys(_QUOTA.findall(message)):
        if not (most := nominal.get((flavor, resource))):
            continue
        amounts = [f"{most} nominal"]
        if taken := used.get((flavor, resource)):
            amounts.append(f"{taken} used")
        if (lent := borrowed.get((flavor, resource), "")) not in ("", "0"):
            amounts.append(f"{lent} of it borrowed")
        yield f"{resource} in flavor {flavor}: {', '.join(amounts)}"


def _by_flavor(facts: dict[str, str], flavor: str, resource: str, value: str) -> Iterator[tuple[tuple[str, str], str]]:
    """((flavor, resource), value) of facts with a flavor a line and its resources with commas."""
    lines = (facts.get(name, "").split("\n") for name in (flavor, resource, value))
    for name, resources, values in zip(*lines, strict=False):
        for one, amount in zip(resources.split(","), values.split(","), strict=False):
            yield (name, one), amount
