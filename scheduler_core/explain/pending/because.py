"""The dominant reason for which a pod is pending, with numbers: in the attempt shown, and over all its attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import PODS
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.model import Part
from scheduler_core.explain.outcomes.reasons import FIT, SELECTING, Reason, refused
from scheduler_core.explain.outcomes.texts import amount, listed, plural, short, strong
from scheduler_core.explain.pending.missing import missing_room
from scheduler_core.explain.pending.model import AgainstPod, DominantReason, PendingAttempt, RefusedNodeGroup, Selected
from scheduler_core.explain.pending.shared_labels import SharedLabels
from scheduler_core.framework.runtime.fit_error import NO_NODES

_SHOWN_REASONS, _SHOWN_PLUGINS = 3, 2
_FAILED = "unschedulable"
_NO_STATE = ". not found"


def because(attempts: Sequence[PendingAttempt], shown: PendingAttempt, against: AgainstPod) -> DominantReason:
    """Why the attempt ``shown`` found no node, and which reason dominates among all ``attempts``; ``against`` is what
    the nodes of the shown attempt refused the pod for."""
    groups, requests, about = against.groups, against.requests, against.selected
    reasons = [reason_of(one) for one in attempts if one.outcome == _FAILED]
    commonest, n = _commonest(reasons)
    if groups:
        title = headline(groups, sum(group.count for group in groups), about.name)
        parts = (*_asked(requests), *_best(groups), *_outside(groups, about.selector))
        step = _next_step(groups)
    else:
        title, parts, step = title_without_nodes(shown), _of_pre_filter(shown.message), ""
    plugin = commonest.plugins[0] if commonest is not None and commonest.plugins else ""
    return DominantReason(title, parts, step, plugin, n, len(reasons), over_attempts(reasons))


def selected_by(pod: Pod | None, groups: Sequence[RefusedNodeGroup], labels: SharedLabels | None) -> Selected:
    """The nodes that the pod's selectors allow, as far as the selectors and the nodes' labels are known."""
    name = ""
    if labels is not None and any(group.plugin == "NodeAffinity" for group in groups):
        name = labels.value([node for group in groups if group.plugin != "NodeAffinity" for node in group.nodes])
    return Selected(name, selector_of(pod))


def selector_of(pod: Pod | None) -> str:
    """The node selector as people write it: "disk=ssd, zone=a"."""
    return ", ".join(f"{key}={value}" for key, value in pod.node_selector.items()) if pod is not None else ""


def title_without_nodes(shown: PendingAttempt) -> str:
    """What refused a pod for which no node was looked at: "There is no node", or the plugins that did."""
    if shown.message == NO_NODES:
        return "There is no node"
    plugins = ", ".join(shown.plugins)
    return f"{plugins} refused the pod before any node was looked at" if plugins else "The attempt failed"


def _of_pre_filter(message: str) -> tuple[Part, ...]:
    """What the plugin said. kube-scheduler adds that DynamicResources, which did not run, has no state: "not found"."""
    text = message.removesuffix(_NO_STATE)
    return (Part(text if text == message else f"{text}."),) if message else ()


# --- evidence ------------------------------------------------------------------------------------------------------
def _asked(requests: Mapping[str, int]) -> tuple[Part, ...]:
    amounts = ", ".join(f"{short(name)} {amount(name, requests[name])}" for name in _in_order(requests))
    return (Part("It asks for "), strong(amounts), Part(". ")) if amounts else ()


def _in_order(requests: Mapping[str, int]) -> list[str]:
    """The requests, with scarce resources before cpu and memory."""
    return sorted(requests, key=lambda name: (("cpu", "memory").index(name) if name in ("cpu", "memory") else -1, name))


def _best(groups: Sequence[RefusedNodeGroup]) -> tuple[Part, ...]:
    """The sentence on the best of the nodes: how much it has free of the resource that most of them lack."""
    missing = missing_room(group for group in groups if not group.unresolvable)
    if missing is None:
        return ()
    resource, nodes, most = missing.resource, missing.nodes, missing.asked - missing.least
    name = short(resource)
    if most <= 0:
        who = "The one node that is" if nodes == 1 else f"None of the {nodes:,} nodes that are"
        return (Part(f"{who} short of {name} has {'none' if nodes == 1 else 'any'} of it free. "),)
    who = "The one node that is" if nodes == 1 else f"The best of {nodes:,} nodes that are"
    return Part(f"{who} short of {name} has "), strong(f"{amount(resource, most)} free"), Part(". ")


def _outside(groups: Sequence[RefusedNodeGroup], selector: str) -> tuple[Part, ...]:
    """Nodes that the pod's selector leaves out, and how many of them nothing else refuses."""
    of_affinity = [group for group in groups if group.plugin == "NodeAffinity"]
    count, alone = sum(group.count for group in of_affinity), sum(group.only for group in of_affinity)
    if not count:
        return ()
    mismatch = f" {'does' if count == 1 else 'do'} not match {selector or 'its node affinity'}"
    if not alone:
        return strong(plural(count, "node")), Part(f"{mismatch}.")
    ending = f" of them {'refuses' if alone == 1 else 'refuse'} it for nothing else."
    return strong(plural(count, "node")), Part(f"{mismatch}, and "), strong(f"{alone:,}"), Part(ending)


# --- over all attempts ---------------------------------------------------------------------------------------------
def reason_of(attempt: PendingAttempt) -> Reason:
    """The reason that refused most nodes in the attempt."""
    return refused(attempt.refusals, attempt.plugins, "")


def reason_text(reason: Reason) -> str:
    """A reason in a few words: "cpu (NodeResourcesFit)", "PodTopologySpread"."""
    if reason.plugins and reason.plugins[0] == FIT:
        if reason.sort == "size" and not reason.what:
            return f"their size ({FIT})"
        what = listed([short(one) for one in reason.what], "and") or "resources"
        return f"{what}{' of larger nodes' if reason.sort == 'size' else ''} ({FIT})"
    return reason.plugins[0] if reason.plugins else "no plugin that is recorded"


def _commonest(reasons: Sequence[Reason]) -> tuple[Reason | None, int]:
    """(The reason of most attempts, the last of them where several are; of how many)."""
    counts = Counter(map(reason_text, reasons))
    last = {reason_text(reason): i for i, reason in enumerate(reasons)}
    best = max(counts, key=lambda text: (counts[text], last[text]), default=None)
    return (None, 0) if best is None else (reasons[last[best]], counts[best])


def over_attempts(reasons: Sequence[Reason]) -> str:
    """Which reason dominated over the attempts that found no node, in one sentence; "" for a single one."""
    if len(reasons) < 2:
        return ""
    counts = Counter(map(reason_text, reasons)).most_common()
    first, n = counts[0]
    if n == len(reasons):
        which = "both" if n == 2 else f"all {n:,}"
        return f"In {which} attempts that found no node most nodes were refused for {first}."
    rest = [f"{count:,} for {reason}" for reason, count in counts[1 : 1 + _SHOWN_REASONS]]
    return f"Of {len(reasons):,} attempts that found no node, {n:,} failed for {first}, {listed(rest, 'and')}."


# --- the heading ---------------------------------------------------------------------------------------------------
class NodeNoun(NamedTuple):
    """How the heading names the nodes that the pod's selector allows, in singular and plural."""

    one: str
    many: str

    def counted(self, count: int) -> str:
        """A number of them: "2 T4 nodes"."""
        return f"{count:,} {self.one if count == 1 else self.many}"

    def all_of(self, count: int) -> str:
        """All of them: "the one node", "all 9 T4 nodes"."""
        return f"the one {self.one}" if count == 1 else f"all {count:,} {self.many}"


def headline(groups: Sequence[RefusedNodeGroup], n_refused: int, where: str = "") -> str:
    """The heading: the reason that refused most of the nodes that the pod's selector allows.

    ``where`` names these nodes ("T4"), "" where no label does.
    """
    rest = [group for group in groups if group.plugin not in SELECTING]
    if not rest:
        return f"Its selector or affinity leaves out {NodeNoun('node', 'nodes').all_of(n_refused)}"
    is_selected = len(rest) < len(groups)
    nodes = _noun(where, is_selected)
    by_plugin: Counter[str] = Counter()
    for group in rest:
        by_plugin[group.plugin] += group.count
    ranked = sorted(by_plugin.items(), key=lambda item: (-item[1], item[0]))
    plugin, count = ranked[0]
    main = [group for group in rest if group.plugin == plugin]
    is_all = len(ranked) == 1
    lead = _of_room(main, nodes, is_all) if plugin == FIT else _of_plugin(main, nodes, count, by_plugin.total())
    if is_all:
        return lead
    # "The other" ones are all that is left of the cluster only where no selector left out more.
    others = "the other {:,}" if len(ranked) == 2 and not is_selected else "{:,} more"
    also = listed([f"{name} refuses {others.format(n)}" for name, n in ranked[1 : 1 + _SHOWN_PLUGINS]], "and")
    return f"{lead}; {also}"


def _noun(where: str, is_selected: bool) -> NodeNoun:
    if where:
        return NodeNoun(f"{where} node", f"{where} nodes")
    ending = " that it selects" if is_selected else ""
    return NodeNoun(f"node{ending}", f"nodes{ending}")


def _of_plugin(groups: Sequence[RefusedNodeGroup], nodes: NodeNoun, count: int, total: int) -> str:
    return f"{groups[0].title} on {nodes.all_of(count) if count == total else f'{count:,} of {total:,} {nodes.many}'}"


def _of_room(groups: Sequence[RefusedNodeGroup], nodes: NodeNoun, is_all: bool) -> str:
    small = sum(group.count for group in groups if group.unresolvable)
    full = [group for group in groups if not group.unresolvable]
    n_full = sum(group.count for group in full)
    counts: Counter[str] = Counter()
    for group in full or groups:
        counts[group.resource] += group.count
    names = [short(name) for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    if not full and is_all:
        return f"Larger than any {nodes.one}: {listed(names, 'and')}"
    if small > n_full and is_all:
        return f"Only {n_full:,} of {nodes.counted(small + n_full)} are large enough, and none has room"
    if is_all and len(names) == 1:
        return f"No {nodes.one} has enough {names[0]} free"
    if not full:
        return f"{nodes.counted(small)} {'is' if small == 1 else 'are'} too small: {listed(names, 'and')}"
    # Each node lacks one of them; few lack all.
    count = small + n_full
    return f"{' or '.join(names)} is short on {nodes.all_of(count) if is_all else nodes.counted(count)}"


# --- the next step -------------------------------------------------------------------------------------------------
def _next_step(groups: Sequence[RefusedNodeGroup]) -> str:
    """A suggestion derived from the numbers alone; the engine has not tried it."""
    rest = [group for group in groups if group.plugin not in SELECTING]
    if not rest:
        return "Label a node so, or widen the selector"
    return _room_step([group for group in rest if group.free is not None])


def _room_step(groups: Sequence[RefusedNodeGroup]) -> str:
    """The suggestion to make room on the node that lacks the smallest share of the request."""
    free_room = [group.free for group in groups if group.free is not None and not group.unresolvable]
    names = listed(list(dict.fromkeys(short(group.resource) for group in groups)), "and")
    if not groups:
        return ""
    if not free_room:
        return f"Ask for less {names}, or add a larger node: even empty, none is large enough"
    best = max(free_room, key=lambda one: one.most_free / max(one.asked, 1))
    resource, free = best.resource, best.most_free
    if free < 0:  # Nominated pods are promised more than is free.
        return f"Free {names} on one of these nodes, or ask for less"
    if resource == PODS:
        return "Let a pod leave one of these nodes"
    missing, at_most = amounts(resource, best.asked - free, free)
    return f"Free {missing} {short(resource)} where most is free" + (f", or ask for at most {at_most}" if free else "")
