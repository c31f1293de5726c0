"""Who refused a pod: nodes by what stands against it first, each group with what its nodes have in common.

What other plugins would say behind the first refusal is told beside a group and does not split it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import amount, grouped
from dashboard.debugger.inputs.grouping import bare
from dashboard.debugger.labels import listed
from dashboard.debugger.panels.missing import RESOURCES, MissingOnNodes, plain
from scheduler_core.explain.outcomes.reasons import cover, resources_of
from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FrameView

    Int64 = NDArray[np.int64]

# So many names are listed under an open group, and groups under each other.
SHOWN_NAMES = 120
SHOWN_GROUPS = 24
TITLES = {
    "NodeAffinity": "Labels that its selector or affinity does not match",
    "NodeName": "Not the node that it names",
    "NodeUnschedulable": "Cordoned",
    "TaintToleration": "A taint that it does not tolerate",
    "NodePorts": "A host port that it needs is taken",
    "InterPodAffinity": "Pod affinity or anti-affinity is not met",
    "PodTopologySpread": "Its topology spread constraint is not met",
    "VolumeBinding": "Its volume claims cannot be met there",
    "VolumeZone": "Its volume is in another zone",
    "VolumeRestrictions": "Its volume is in use elsewhere",
    "NodeVolumeLimits": "No more volumes can be attached",
}


@dataclass(frozen=True)
class RefusedGroup:
    """Nodes that refuse for one thing: `title` says it, `detail` with numbers, `shared` what the nodes have in common.

    `alone` of them refuse for nothing else; `hidden` says what other plugins would refuse too. `resource` is the one
    that is short, "" where none is; `most_free` how much of it the best node has left.
    """

    plugin: str
    meaning: str
    title: str
    detail: str
    shared: str
    all_names: list[str]
    alone: int
    hidden: str
    resource: str = ""
    most_free: int | None = None

    @property
    def count(self) -> int:
        """Return how many nodes there are."""
        return len(self.all_names)

    @property
    def names(self) -> list[str]:
        """Return the nodes that are listed, the first by name."""
        return self.all_names[:SHOWN_NAMES]

    @property
    def left_out(self) -> int:
        """Return how many nodes are not named."""
        return self.count - len(self.names)


@dataclass
class _Bunch:
    """Rows with one first refusal; `resource` is the one that they are put under, "" for what is not about room."""

    plugin: str
    code: int
    reasons: tuple[str, ...]
    rows: list[Int64] = field(default_factory=list)
    resource: str = ""

    @property
    def all(self) -> Int64:
        return np.sort(np.concatenate(self.rows))

    @property
    def refusal(self) -> ev.Refusal:
        return ev.Refusal(self.plugin, self.code, self.reasons, sum(len(rows) for rows in self.rows))


@dataclass(frozen=True)
class Terms:
    """In what terms groups are told: what is `missing` for the pod, what nodes have in common (`common`, of names), and
    the pod's node selector as people write it."""

    missing: MissingOnNodes
    common: Callable[[list[str]], str]
    selector: str = ""

    def asked(self, resource: str) -> int:
        """Return how much of a resource the pod asks for."""
        return self.missing.requests.get(resource, 1 if resource == "pods" else 0)


def refused_groups(view: FrameView, terms: Terms) -> list[RefusedGroup]:
    """Return the groups of refused nodes: first those that events or preemption may mend, in each kind the largest."""
    found = [group for bunch in _merged(_bunches(view)) for group in _groups(view, bunch, terms)]
    return sorted(found, key=lambda group: (group.meaning == "unres", -group.count, group.plugin, group.title))


def _bunches(view: FrameView) -> list[_Bunch]:
    """The refused rows by first plugin, code and reasons; a refusal because of nominated pods counts as one of its
    own."""
    frame, rows = view.frame, view.refused
    found: dict[tuple[str, int, tuple[str, ...]], _Bunch] = {}

    def add(plugin: str, code: int, reasons: tuple[str, ...], some: Int64) -> None:
        bunch = found.setdefault((plugin, code, reasons), _Bunch(plugin, code, reasons))
        bunch.rows.append(some)

    for entry in frame.overlay:
        add(entry.plugin, entry.code, tuple(entry.reasons), np.array([entry.row], dtype=np.int64))
    over = [entry.row for entry in frame.overlay]
    rows = rows[~np.isin(rows, over)] if over else rows
    if len(rows):
        first = frame.decisive[rows].astype(np.int64)
        keys = np.stack([first, frame.codes[first, rows].astype(np.int64), frame.reasons[first, rows].astype(np.int64)])
        kinds, of = np.unique(keys, axis=1, return_inverse=True)
        of = of.reshape(-1)
        for i, (plugin, code, reason) in enumerate(kinds.T.tolist()):
            add(frame.filter_plugins[plugin], code, tuple(frame.reason_table[reason]), rows[of == i])
    return list(found.values())


def _merged(bunches: list[_Bunch]) -> list[_Bunch]:
    """Bunches of NodeResourcesFit put under the resource that most of them lack, those too small apart."""
    merged = [bunch for bunch in bunches if bunch.plugin != RESOURCES]
    for is_small in (True, False):
        fit = [
            bunch
            for bunch in bunches
            if bunch.plugin == RESOURCES and (bunch.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) == is_small
        ]
        order = cover([bunch.refusal for bunch in fit])
        by_resource: dict[str, _Bunch] = {}
        for bunch in fit:
            lacking = resources_of(bunch.refusal)
            resource = next((name for name in order if name in lacking), "")
            first = _Bunch(bunch.plugin, bunch.code, bunch.reasons, resource=resource)
            by_resource.setdefault(resource, first).rows.extend(bunch.rows)
        merged.extend(by_resource.values())
    return merged


def _groups(view: FrameView, bunch: _Bunch, terms: Terms) -> Iterator[RefusedGroup]:
    rows, resource, missing = bunch.all, bunch.resource, terms.missing
    if not resource:
        yield _group(view, bunch, rows, terms, _Words(_title(bunch), _detail(bunch, terms.selector)))
        return
    name, free = _short(resource), _amounts(view, rows, missing, resource, is_free=True)
    if bunch.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        whole, asks = _amounts(view, rows, missing, resource, is_free=False), amount(terms.asked(resource), resource)
        told = "" if whole is None else f"{_span(whole, resource)} in all, asks {asks}"
        yield _group(view, bunch, rows, terms, _Words(f"Too small: {name}", told))
    elif free is None:
        yield _group(view, bunch, rows, terms, _Words(f"Too little {name} left", ""))
    else:
        for title, some in ((f"No {name} left", free <= 0), (f"Some {name} left, too little", free > 0)):
            if some.any():
                left = np.maximum(free[some], 0)
                told = f"{_span(left, resource)} free, short of {_span(terms.asked(resource) - free[some], resource)}"
                yield _group(view, bunch, rows[some], terms, _Words(title, told, int(left.max())))


@dataclass(frozen=True)
class _Words:
    title: str
    detail: str
    most_free: int | None = None


def _group(view: FrameView, bunch: _Bunch, rows: Int64, terms: Terms, words: _Words) -> RefusedGroup:
    names = np.sort(view.array[rows]).tolist()
    alone, hidden = _hidden(view, bunch.plugin, rows)
    return RefusedGroup(
        plugin=bunch.plugin,
        meaning="unres" if bunch.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE else "unsched",
        title=words.title,
        detail=words.detail,
        shared=terms.common(names),
        all_names=names,
        alone=alone,
        hidden=hidden,
        resource=bunch.resource,
        most_free=words.most_free,
    )


def _title(bunch: _Bunch) -> str:
    text = ", ".join(plain(reason) for reason in bunch.reasons)
    return TITLES.get(bunch.plugin) or (text[:1].upper() + text[1:] if text else "Refused without a reason")


def _detail(bunch: _Bunch, selector: str) -> str:
    """The words of kube-scheduler where the title is ours; the selector itself where there is one."""
    if bunch.plugin == "NodeAffinity" and selector:
        return f"needs {selector}"
    return ", ".join(plain(reason) for reason in bunch.reasons) if bunch.plugin in TITLES else ""


def _short(resource: str) -> str:
    return "slot for a pod" if resource == "pods" else bare(resource)


def _amounts(view: FrameView, rows: Int64, missing: MissingOnNodes, resource: str, is_free: bool) -> Int64 | None:
    """What the rows have of the resource, in all or left: below 0 where pods were promised more than that, as nominated
    ones can be. None where it is not known."""
    usage = missing.usage
    if usage is None:
        return None
    at = [usage.index[view.names[row]] for row in rows.tolist()]
    found: Int64 = usage.whole(resource)[at]
    return found - usage.used(resource)[at] if is_free else found


def _span(values: Int64, resource: str) -> str:
    low, high = amount(int(values.min()), resource), amount(int(values.max()), resource)
    return low if low == high else f"{low} to {high}"


def _hidden(view: FrameView, plugin: str, rows: Int64) -> tuple[int, str]:
    """(how many of the rows no other plugin would refuse, who would refuse how many of the others)."""
    frame = view.frame
    others = [i for i, name in enumerate(frame.filter_plugins) if name != plugin]
    refusing = frame.codes[others][:, rows] != Code.SUCCESS
    counts = refusing.sum(axis=1).tolist()
    by = sorted(((n, frame.filter_plugins[i]) for n, i in zip(counts, others, strict=True) if n), reverse=True)
    alone = int((~refusing.any(axis=0)).sum())
    if not by:
        return alone, ""
    words = listed([f"{name} ({grouped(n)})" if n < len(rows) else name for n, name in by])
    return alone, f"{words} would refuse too"
