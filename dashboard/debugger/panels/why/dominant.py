"""The answer in a sentence: what refused a pod in most of its attempts, and what stands behind it in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount, grouped
from dashboard.debugger.inputs.grouping import bare
from dashboard.debugger.labels import listed, plural
from dashboard.debugger.panels.missing import RESOURCES
from scheduler_core.explain.outcomes.model import Part
from scheduler_core.explain.outcomes.reasons import SELECTING, refused
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dashboard.debugger.panels.asks import RequestedResource
    from dashboard.debugger.panels.why.refused_groups import RefusedGroup
    from dashboard.runs.models import PluginVerdict
    from scheduler_core.explain.outcomes.reasons import Reason

LIMITED = 3


@dataclass(frozen=True)
class Because:
    """Why the pod is pending: `title`, the evidence in parts, and how that is over all its attempts."""

    title: str
    parts: tuple[Part, ...]
    over_attempts: str = ""


def because(
    title: str, asks: Sequence[RequestedResource], groups: Sequence[RefusedGroup], selector: str, over_attempts: str
) -> Because:
    """Return the answer: `title` is the reason in words, `groups` are who refused in the attempt that is shown."""
    parts = [*_asked(asks), *_best(groups), *_outside(groups, selector)]
    return Because(title, tuple(parts), over_attempts)


def _asked(asks: Sequence[RequestedResource]) -> list[Part]:
    if not asks:
        return []
    return [Part("It asks for "), Part(", ".join(f"{one.name} {one.text}" for one in asks), True), Part(". ")]


def _best(groups: Sequence[RefusedGroup]) -> list[Part]:
    """What the best of the nodes has left of the resource that most of them lack."""
    known = [group for group in groups if group.resource and group.most_free is not None]
    if not known:
        return []
    counts: Counter[str] = Counter()
    for group in known:
        counts[group.resource] += group.count
    resource = counts.most_common(1)[0][0]
    most = max(group.most_free or 0 for group in known if group.resource == resource)
    nodes, name = counts[resource], "slots for pods" if resource == "pods" else bare(resource)
    if not most:
        who = "The one node that is" if nodes == 1 else f"None of the {grouped(nodes)} nodes that are"
        verb = "has none of it free. " if nodes == 1 else "has any of it free. "
        return [Part(f"{who} short of {name} {verb}")]
    who = "The one node that is" if nodes == 1 else f"The best of {grouped(nodes)} nodes that are"
    return [Part(f"{who} short of {name} has "), Part(f"{amount(most, resource)} free", True), Part(". ")]


def _outside(groups: Sequence[RefusedGroup], selector: str) -> list[Part]:
    """Nodes that the pod's selector leaves out, and how many of them nothing else refuses."""
    found = [group for group in groups if group.plugin == "NodeAffinity"]
    count, alone = sum(group.count for group in found), sum(group.alone for group in found)
    if not count:
        return []
    what = selector or "its node affinity"
    parts = [Part(plural(count, "node"), True), Part(f" {'does' if count == 1 else 'do'} not match {what}")]
    if alone:
        refuse = "refuses" if alone == 1 else "refuse"
        return [*parts, Part(", and "), Part(grouped(alone), True), Part(f" of them {refuse} it for nothing else.")]
    return [*parts, Part(".")]


# ---------------------------------------------------------------- over all attempts


def reason_of(verdicts: Iterable[PluginVerdict], plugins: tuple[str, ...] = ()) -> Reason:
    """Return what refused most nodes in one attempt; `plugins` refused it before any node was looked at."""
    refusals = [ev.Refusal(one.plugin, one.code, _reasons(one.reasons), one.nodes) for one in verdicts]
    return refused(refusals, plugins, "")


def _reasons(text: str) -> tuple[str, ...]:
    """The reasons of a row, which joins them; only those of resources are several."""
    return tuple(text.split(", ")) if text.startswith(("Insufficient ", "Too many pods")) else (text,)


def reason_text(reason: Reason) -> str:
    """Return a reason in a few words: "cpu (NodeResourcesFit)", "PodTopologySpread"."""
    if reason.plugins and reason.plugins[0] == RESOURCES:
        what = listed([bare(one) for one in reason.what]) or "resources"
        small = " of larger nodes" if reason.sort == "size" else ""
        return f"{what}{small} ({RESOURCES})"
    return reason.plugins[0] if reason.plugins else "no plugin that is recorded"


def over_attempts(reasons: Sequence[Reason]) -> str:
    """Return which reason dominated over the attempts that found no node, in one sentence; "" for a single one."""
    if len(reasons) < 2:
        return ""
    counts = Counter(reason_text(reason) for reason in reasons).most_common()
    first, n = counts[0]
    if n == len(reasons):
        which = "both" if n == 2 else f"all {grouped(n)}"
        return f"In {which} attempts that found no node most nodes were refused for {first}."
    rest = [f"{grouped(count)} for {words}" for words, count in counts[1 : 1 + LIMITED]]
    return f"Of {grouped(len(reasons))} attempts that found no node, {grouped(n)} failed for {first}, {listed(rest)}."


# ---------------------------------------------------------------- the heading


def headline(groups: Sequence[RefusedGroup], n_refused: int, where: str = "") -> str:
    """Return what refused most of the nodes that the pod's selector leaves it, as a heading.

    `where` names these nodes ("T4"), "" where no label does.
    """
    rest = [group for group in groups if group.plugin not in SELECTING]
    if not rest:
        return f"Its selector or affinity leaves out {_all(n_refused)}"
    by_plugin: Counter[str] = Counter()
    for group in rest:
        by_plugin[group.plugin] += group.count
    plugin, count = by_plugin.most_common(1)[0]
    main = [group for group in rest if group.plugin == plugin]
    others = [(name, n) for name, n in by_plugin.most_common() if name != plugin]
    is_room = plugin == RESOURCES
    told = _of_room(main, where, not others) if is_room else _of_plugin(main, count, by_plugin.total())
    if not others:
        return told
    also = listed([f"{name} {_refuse_other(n)}" for name, n in others[:2]])
    return f"{told}; {also}"


def _all(count: int) -> str:
    return "the one node" if count == 1 else f"all {grouped(count)} nodes"


def _refuse_other(count: int) -> str:
    return f"refuses the other {grouped(count)}"


def _of_plugin(groups: Sequence[RefusedGroup], count: int, total: int) -> str:
    title = groups[0].title
    return f"{title} on {_all(count) if count == total else f'{grouped(count)} of {grouped(total)} nodes'}"


def _of_room(groups: Sequence[RefusedGroup], where: str, is_all: bool) -> str:
    small = sum(group.count for group in groups if group.meaning == "unres")
    full = [group for group in groups if group.meaning != "unres"]
    n_full = sum(group.count for group in full)
    node = f"{where} node" if where else "node"
    counts: Counter[str] = Counter()
    for group in full or groups:
        counts[group.resource] += group.count
    names = [bare(name) for name, _ in counts.most_common()]
    if not full and is_all:
        return f"Larger than any {node}: {listed(names)}"
    if small > n_full and is_all:
        return f"Only {grouped(n_full)} of {grouped(small + n_full)} {node}s are large enough, and none has room"
    if is_all and len(names) == 1:
        return f"No {node} has enough {names[0]} free"
    # Each node lacks one of them; few lack all.
    count = small + n_full
    return f"{' or '.join(names)} is short on {_all(count) if is_all else plural(count, node)}"
