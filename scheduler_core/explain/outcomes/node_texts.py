"""Texts about pods that nodes refused: which resource is short on which nodes, and which other nodes have room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes.members import Members, Text
from scheduler_core.explain.outcomes.model import Part, Scarce
from scheduler_core.explain.outcomes.nodes import Mask, NodeColumns, Where
from scheduler_core.explain.outcomes.objects import Requests, counted
from scheduler_core.explain.outcomes.reasons import lacking_resources
from scheduler_core.explain.outcomes.records import PodRecord
from scheduler_core.explain.outcomes.tally import OutcomesTally
from scheduler_core.explain.outcomes.texts import (
    amount,
    fit_error,
    listed,
    most,
    nodes_named,
    plural,
    quantity,
    sentence,
    short,
    strong,
    without_names,
)
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.profiles.names import FIT
from scheduler_core.profiles.obstacle_kinds import plugin_title
from scheduler_core.recording import events as ev


# --- room on nodes -----------------------------------------------------------------------------------------------
def room_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    what, where = members.reason.what, members.where
    if not what:
        return Text(f"{FIT} refuses the nodes", _recorded(members))
    scarce = _scarce(columns, members, what[0], members.mask)
    if _needs_whole_node(columns, members):
        return Text(_whole_title(where), (*_whole_evidence(columns, members), *_outside(columns, members)), scarce)
    evidence = _free(columns, members) if len(what) == 1 else _lacking(members)
    return Text(_room_title(where, what), (*evidence, *_outside(columns, members)), scarce)


def _room_title(where: Where, what: Sequence[str]) -> str:
    if len(what) > 1:
        there = f"{where.name} nodes" if where.name else "The nodes" if where.is_all else "The nodes that they select"
        return f"{there}: {listed([short(one) for one in what])} is short"
    node = nodes_named(where.name, where.is_own)
    if where.is_own:
        return f"The one node that each may have lacks {short(what[0])}"
    selected = " that they select" if not where.is_all and not where.name else ""
    if what[0] == PODS:
        return f"No {node}{selected} has a slot for one more pod"
    return f"No {node}{selected} has enough {short(what[0])} free"


def _free(columns: NodeColumns, members: Members) -> tuple[Part, ...]:
    """The text on how much the nodes have free of the one resource that is short on all of them."""
    resource = members.reason.what[0]
    record = members.latest
    refused = sum(one.count for one in _of_fit(record) if resource in lacking_resources(one))
    total = int(members.mask.sum()) or record.n_nodes
    nodes = f"{members.where.name} nodes".strip()
    said = sentence(strong(f"{refused:,} of {total:,}"), f" {nodes} had too little")
    return (*said, *sentence(f"{_left(columns, members, resource, refused)}. {_asks(members, resource)}."))


def _left(columns: NodeColumns, members: Members, resource: str, refused: int) -> str:
    """What is free on those that have too little now, where they are as many as in the last attempt."""
    asked = min((dict(requests).get(resource, 0) for requests in members.requests), default=0)
    lacking = members.mask & (columns.free(resource) < asked)
    if int(lacking.sum()) != refused or not refused:
        return ""
    free, whole = columns.free(resource)[lacking], columns.allocatable(resource)[lacking]
    at = int(free.argmax())
    return f", at most {amount(resource, max(int(free[at]), 0))} of {quantity(resource, int(whole[at]))} free"


def _asks(members: Members, resource: str) -> str:
    asked = [dict(requests).get(resource, 0) for requests in members.requests]
    low, high = min(asked), max(asked)
    who = "They ask" if len(asked) > 1 else "It asks"
    if low == high:
        return f"{who} {quantity(resource, low)}" + (" each" if len(asked) > 1 else "")
    return f"{who} {amount(resource, low)} to {quantity(resource, high)}"


def _of_fit(record: PodRecord) -> list[ev.Refusal]:
    return [one for one in record.refusals if one.plugin == FIT]


def _lacking(members: Members) -> tuple[Part, ...]:
    """The number of nodes that lack each resource; a node counts once."""
    left, parts = _of_fit(members.latest), list[str]()
    total = sum(one.count for one in left)
    for resource in members.reason.what:
        nodes = sum(one.count for one in left if resource in lacking_resources(one))
        left = [one for one in left if resource not in lacking_resources(one)]
        parts.append(f"{nodes:,} lack {short(resource)}" if not parts else f"the other {nodes:,} {short(resource)}")
    nodes_text = f"{members.where.name} nodes".strip()
    return sentence("Of ", strong(f"{total:,}"), f" {nodes_text}, {listed(parts, 'and')}.")


def _outside(columns: NodeColumns, members: Members) -> tuple[Part, ...]:
    """Nodes with room that the selectors exclude."""
    where = members.where
    if where.is_all:
        return ()
    outside = columns.fits(counted(members.smallest)) & ~members.mask
    n = int(outside.sum())
    if not n:
        return ()
    values = Counter(one for one, is_out in zip(columns.labels(where.label), outside, strict=True) if is_out)
    name = next(iter(values)) if len(values) == 1 else ""
    commonest = [f"{count:,} {value}" for value, count in values.most_common(2) if value] if not name else []
    some = f" ({', '.join(commonest)})" if commonest else ""
    who = f"{plural(n, f'{name} node' if name else 'other node')}{some} {'has' if n == 1 else 'have'} room"
    return sentence(" ", strong(who), f"; {_bare(where)} excludes {'it' if n == 1 else 'them'}.")


def _bare(where: Where) -> str:
    """The selector, a single label without its domain."""
    return f"{short(where.label)}={where.name}" if where.label and where.name else where.text


def _scarce(columns: NodeColumns, members: Members, resource: str, mask: Mask) -> Scarce | None:
    whole = columns.allocatable(resource)[mask]
    if not len(whole):
        return None
    where = members.where
    name = where.name or ("" if where.is_all else "the nodes that they select")
    used = int(np.sum(columns.used(resource)[mask]))
    return Scarce(resource=resource, where=name, requested=used, allocatable=int(np.sum(whole)))


# --- size of nodes -----------------------------------------------------------------------------------------------
def _needs_whole_node(columns: NodeColumns, members: Members) -> bool:
    """Whether the smallest of the pods takes all of some resource of each node that is large enough."""
    large, smallest = _large_enough(columns, members), members.smallest
    takes_all = np.zeros(len(columns), dtype=np.bool_)
    for resource, value in smallest:
        takes_all |= columns.allocatable(resource) == value
    return bool(large.any()) and bool(takes_all[large].all())


def _large_enough(columns: NodeColumns, members: Members) -> Mask:
    large = members.mask.copy()
    for resource, value in members.smallest:
        large &= columns.allocatable(resource) >= value
    return large


def _whole_title(where: Where) -> str:
    node = nodes_named(where.name, where.is_own)
    return f"No {node} is empty, and each pod takes a whole one"


def _whole_evidence(columns: NodeColumns, members: Members) -> tuple[Part, ...]:
    large = _large_enough(columns, members)
    n, held = int(large.sum()), int((columns.used(PODS)[large] > 0).sum())
    asks = listed([quantity(*one) for one in members.smallest], "and")
    nodes = f"{members.where.name} nodes".strip()
    return sentence(f"Each asks at least {asks}. ", strong(f"{held:,} of {n:,}"), f" {nodes} hold at least one pod.")


def size_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    where, what = members.where, members.reason.what
    large = _large_enough(columns, members)
    if not what:
        node = nodes_named(where.name, where.is_own)
        selected = " that they select" if not where.is_all and not where.name and not where.is_own else ""
        name, value, has = _most_beyond(columns, members, members.requests[0])
        resource = name if value > has else ""
        title = f"Larger than any {node}{selected}"
        return Text(title, _too_large(columns, members), None, hopeless=True, too_large=resource)
    n, total = int(large.sum()), int(members.mask.sum())
    nodes = f"{where.name} nodes".strip()
    free = int(columns.free(what[0])[large].max(initial=0))
    some = strong(f"At most {quantity(what[0], max(free, 0))}")
    evidence = sentence(some, f" is free on one that is large enough. {_asks(members, what[0])}.")
    scarce = _scarce(columns, members, what[0], large)
    return Text(f"Only {n:,} of {total:,} {nodes} are large enough, and none has room", evidence, scarce)


def _too_large(columns: NodeColumns, members: Members) -> tuple[Part, ...]:
    examples = []
    for record, requests in list(zip(members.records, members.requests, strict=True))[:2]:
        name, value, has = _most_beyond(columns, members, requests)
        pod = record.pod.rpartition("/")[2]
        if value > has:
            examples.append(f"{pod} asks {quantity(name, value)}, the largest has {amount(name, has)}")
        else:
            has_all = listed([quantity(*one) for one in requests], "and")
            examples.append(f"{'no' if examples else 'No'} node there has {has_all} for {pod}")
    more = len(members.records) - len(examples)
    rest = f"; {plural(more, 'pod')} alike" if more > 0 else ""
    return sentence(f"{'; '.join(examples)}{rest}. Waiting does not help.")


def _most_beyond(columns: NodeColumns, members: Members, requests: Requests) -> tuple[str, int, int]:
    """The resource of which the most is asked beside what the largest node has; the amount, and what that node has."""
    over = [(name, value, _largest(columns, members.mask, name)) for name, value in requests]
    return max(over, key=lambda one: one[1] / max(one[2], 1), default=("", 0, 0))


def _largest(columns: NodeColumns, mask: Mask, resource: str) -> int:
    return int(columns.allocatable(resource)[mask].max(initial=0))


# --- other plugins -----------------------------------------------------------------------------------------------
def plugin_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    plugin = members.reason.what[0]
    more = _taints(tally, columns, members) if plugin == TaintToleration.name else ()
    return Text(_title(plugin, f"{plugin} refuses the nodes"), (*_recorded(members), *more))


def _title(plugin: str, without: str) -> str:
    """What the plugin's refusals are about, or else ``without``."""
    title = plugin_title(plugin)
    return without if title == plugin else title


def _taints(tally: OutcomesTally, columns: NodeColumns, members: Members) -> tuple[Part, ...]:
    """The taints that keep most of the nodes from the pod that was tried last."""
    pod = tally.objects.pods[members.latest.pod]
    taints = [
        f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"
        for node, is_allowed in zip(columns.objects, members.mask, strict=True)
        for taint in (node.taints if node is not None and is_allowed else ())
        if taint.effect != "PreferNoSchedule" and not any(one.tolerates(taint) for one in pod.tolerations)
    ]
    return sentence(f" They have {most(taints)}.") if taints else ()


def _recorded(members: Members) -> tuple[Part, ...]:
    """The refusals of the last attempt, the one of most nodes first."""
    record = members.latest
    refusals = sorted(record.refusals, key=lambda one: (one.plugin != members.reason.plugins[0], -one.count))
    parts: list[str | Part] = []
    for one in refusals[:3]:
        parts += [" " if parts else "", strong(f"{one.count:,} of {record.n_nodes:,}"), f": {', '.join(one.reasons)}."]
    return sentence(*parts)


def selector_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    title = "No node has the labels that they ask for"
    if not members.where.text:
        title = "The node that they name is not there"
    n = members.latest.n_nodes
    asked = members.where.text or "what they name"
    evidence = sentence(strong(f"0 of {n:,}"), f" nodes match {asked}.", *_outside(columns, members))
    return Text(title, evidence, None)


def before_filter_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    plugin = members.reason.plugins[0] if members.reason.plugins else "A plugin"
    title = _title(plugin, f"{plugin} refused before any node was looked at")
    several = {fit_error(record.message) for record in members.records}
    said = fit_error(members.latest.message)
    return Text(title, sentence(said if len(several) == 1 else without_names(said)))
