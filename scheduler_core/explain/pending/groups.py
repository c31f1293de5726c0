"""The nodes that an attempt refused, by what stands against the pod first, each group with what its nodes share.

Verdicts of plugins after the first refusal are listed with a group and do not split it. Nodes that are short of several
resources are grouped under the one that most of them lack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.resources import PODS
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.facts.model import refused_by_extender
from scheduler_core.explain.outcomes.reasons import FIT, cover, resources_of
from scheduler_core.explain.outcomes.texts import plural, short
from scheduler_core.explain.pending.model import RefusedNodeGroup, ResourceRange
from scheduler_core.explain.pending.nodes import FoundNodes
from scheduler_core.framework.contracts.extending.recorded import is_extender
from scheduler_core.framework.contracts.status import Code
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame

Int64 = NDArray[np.int64]
_NAMED = 3
_OPENINGS = ("node(s) had ", "node(s) were ", "node(s) was ", "node(s) ")
_TITLES = {
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
    "DynamicResources": "The devices that it claims are not there",
}


class _Bunch(msgspec.Struct):
    """Rows with the same first refusal; ``resource`` is the one they are grouped under, "" if it is not about room."""

    plugin: str
    code: int
    reasons: tuple[str, ...]
    rows: list[Int64] = msgspec.field(default_factory=list)
    resource: str = ""

    @property
    def all(self) -> Int64:
        return np.sort(np.concatenate(self.rows))

    @property
    def refusal(self) -> ev.Refusal:
        return ev.Refusal(self.plugin, self.code, self.reasons, sum(len(rows) for rows in self.rows))

    @property
    def is_small(self) -> bool:
        return self.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE


class Terms(msgspec.Struct, frozen=True):
    """What descriptions of groups refer to: the ``nodes`` as found, the pod's ``requests``, and its ``selector`` as
    text."""

    nodes: FoundNodes
    requests: Mapping[str, int]
    selector: str = ""

    def asked(self, resource: str) -> int:
        """How much of a resource the pod asks for."""
        return self.requests.get(resource, 1 if resource == PODS else 0)


def groups_of(frame: Frame, terms: Terms) -> tuple[RefusedNodeGroup, ...]:
    """The groups of a frame: those that events or preemption may resolve come first, and larger ones before smaller."""
    bunches = _merged(_bunches(frame, terms.nodes.names))
    refused = [group for bunch in bunches for group in _groups(frame, bunch, terms)]
    return tuple(sorted(refused, key=lambda group: (group.unresolvable, -group.count, group.plugin, group.title)))


class ShortRows(msgspec.Struct, frozen=True):
    """How many nodes NodeResourcesFit was the first to refuse for one resource, and how much of it is free there."""

    count: int
    free: ResourceRange
    unresolvable: bool


def short_of_room(frame: Frame, terms: Terms) -> list[ShortRows]:
    """The nodes of the groups that are short of a resource, without names and words; amounts have to be known."""
    short_rows = []
    for bunch in _merged(_bunches(frame, terms.nodes.names)):
        if bunch.resource and terms.nodes.amounts is not None:
            rows = bunch.all
            whole, used = terms.nodes.amounts(bunch.resource)
            free = _range(bunch.resource, terms.asked(bunch.resource), (whole - used)[rows])
            short_rows.append(ShortRows(len(rows), free, bunch.is_small))
    return short_rows


def _bunches(frame: Frame, names: Sequence[str]) -> list[_Bunch]:
    """The refused rows by first plugin, code and reasons; a refusal because of nominated pods counts as one of its
    own."""
    there = np.array([bool(name) for name in names[: frame.n_rows]], dtype=np.bool_)
    there = np.concatenate([there, np.zeros(frame.n_rows - len(there), dtype=np.bool_)])
    by_reasons: dict[tuple[str, int, tuple[str, ...]], _Bunch] = {}

    def add(plugin: str, code: int, reasons: tuple[str, ...], some: Int64) -> None:
        bunch = by_reasons.setdefault((plugin, code, reasons), _Bunch(plugin, code, reasons))
        bunch.rows.append(some)

    for entry in frame.overlay:
        if there[entry.row]:
            add(entry.plugin, entry.code, tuple(entry.reasons), np.array([entry.row], dtype=np.int64))
    over = [entry.row for entry in frame.overlay]
    rows: Int64 = np.flatnonzero(there & (frame.decisive >= 0))
    rows = rows[~np.isin(rows, over)] if over else rows
    if len(rows):
        first = frame.decisive[rows].astype(np.int64)
        codes, reasons = frame.codes[first, rows].astype(np.int64), frame.reasons[first, rows].astype(np.int64)
        # One number for the three: codes are small, and so is the table of reasons.
        keys = (first * 256 + codes) * len(frame.reason_table) + reasons
        kinds, of = np.unique(keys, return_inverse=True)
        for i, kind in enumerate(kinds.tolist()):
            (plugin, code), reason = divmod(kind // len(frame.reason_table), 256), kind % len(frame.reason_table)
            add(frame.filter_plugins[plugin], code, tuple(frame.reason_table[reason]), rows[of == i])
    return list(by_reasons.values())


def _merged(bunches: list[_Bunch]) -> list[_Bunch]:
    """Bunches of NodeResourcesFit put under the resource that most of them lack, those too small apart."""
    merged = [bunch for bunch in bunches if bunch.plugin != FIT]
    for is_small in (True, False):
        fit = [bunch for bunch in bunches if bunch.plugin == FIT and bunch.is_small == is_small]
        order = cover([bunch.refusal for bunch in fit])
        by_resource: dict[str, _Bunch] = {}
        for bunch in fit:
            lacking = resources_of(bunch.refusal)
            resource = next((name for name in order if name in lacking), "")
            first = _Bunch(bunch.plugin, bunch.code, bunch.reasons, resource=resource)
            by_resource.setdefault(resource, first).rows.extend(bunch.rows)
        merged.extend(by_resource.values())
    return merged


def _groups(frame: Frame, bunch: _Bunch, terms: Terms) -> Iterator[RefusedNodeGroup]:
    rows, resource = bunch.all, bunch.resource
    if not resource:
        yield _group(frame, bunch, rows, terms, _Words(_title(bunch), _detail(bunch, terms.selector)))
        return
    name, asked = "slot for a pod" if resource == PODS else short(resource), terms.asked(resource)
    if terms.nodes.amounts is None:
        title = f"Too small: {name}" if bunch.is_small else f"Too little {name} left"
        yield _group(frame, bunch, rows, terms, _Words(title, ""))
        return
    whole, used = (column[rows] for column in terms.nodes.amounts(resource))
    free = whole - used
    if bunch.is_small:
        detail = f"{_span(resource, whole)} in all, asks {_span(resource, asked)}"
        yield _group(frame, bunch, rows, terms, _Words(f"Too small: {name}", detail, _range(resource, asked, free)))
        return
    for title, some in ((f"No {name} left", free <= 0), (f"Some {name} left, too little", free > 0)):
        if some.any():
            left, missing = np.maximum(free[some], 0), asked - free[some]
            detail = f"{_span(resource, left)} free, short of {_span(resource, missing)}"
            group_words = _Words(title, detail, _range(resource, asked, free[some]))
            yield _group(frame, bunch, rows[some], terms, group_words)


class _Words(msgspec.Struct, frozen=True):
    title: str
    detail: str
    free: ResourceRange | None = None


def _range(resource: str, asked: int, free: Int64) -> ResourceRange:
    return ResourceRange(resource, asked, int(free.min()), int(free.max()))


def _group(frame: Frame, bunch: _Bunch, rows: Int64, terms: Terms, group_words: _Words) -> RefusedNodeGroup:
    names = sorted(terms.nodes.names[row] for row in rows.tolist())
    only, hidden = _hidden(frame, bunch.plugin, rows)
    return RefusedNodeGroup(
        plugin=bunch.plugin,
        reasons=_reasons(frame, rows),
        nodes=tuple(names),
        title=group_words.title,
        detail=group_words.detail,
        shared=_common(terms.nodes, names),
        unresolvable=bunch.is_small,
        only=only,
        hidden=hidden,
        resource=bunch.resource,
        free=group_words.free,
    )


def _common(nodes: FoundNodes, names: list[str]) -> str:
    if nodes.labels is not None:
        return nodes.labels.common(names)
    return ", ".join(names) if len(names) <= _NAMED else plural(len(names), "node")


def _reasons(frame: Frame, rows: Int64) -> tuple[str, ...]:
    """The reference's own reasons on these nodes, those of most nodes first."""
    counts: Counter[str] = Counter()
    over = {entry.row: entry.reasons for entry in frame.overlay}
    is_over = np.isin(rows, list(over)) if over else np.zeros(len(rows), dtype=np.bool_)
    for row in rows[is_over].tolist():
        counts.update(over[row])
    plain = rows[~is_over]
    if len(plain):
        numbers = frame.reasons[frame.decisive[plain].astype(np.int64), plain]
        for number, count in zip(*np.unique(numbers, return_counts=True), strict=True):
            for reason in frame.reason_table[int(number)]:
                counts[reason] += int(count)
    return tuple(reason for reason, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def plain_reason(reason: str) -> str:
    """A reason without the words that follow a number of nodes: "node(s) had untolerated taint" is "untolerated
    taint"."""
    opening = next((opening_text for opening_text in _OPENINGS if reason.startswith(opening_text)), "")
    return reason.removeprefix(opening) or reason


def _title(bunch: _Bunch) -> str:
    if is_extender(bunch.plugin):
        title = refused_by_extender(bunch.plugin, bunch.reasons)
        return title[:1].upper() + title[1:]
    text = ", ".join(map(plain_reason, bunch.reasons))
    return _TITLES.get(bunch.plugin) or (text[:1].upper() + text[1:] if text else "Refused without a reason")


def _detail(bunch: _Bunch, selector: str) -> str:
    """The pod's selector if NodeAffinity refused it; else the plugin's reasons if the group's title is our own."""
    if bunch.plugin == "NodeAffinity" and selector:
        return f"needs {selector}"
    return ", ".join(map(plain_reason, bunch.reasons)) if bunch.plugin in _TITLES else ""


def _span(resource: str, values: Int64 | int) -> str:
    """ "30 to 120", "0" """
    low, high = int(np.min(values)), int(np.max(values))
    least, most = (_separated(one) for one in amounts(resource, low, high))
    return least if low == high else f"{least} to {most}"


def _separated(text: str) -> str:
    """An integer with its thousands separated; other amounts as they are."""
    return f"{int(text):,}" if text.lstrip("-").isdigit() else text


def _hidden(frame: Frame, plugin: str, rows: Int64) -> tuple[int, tuple[tuple[str, int], ...]]:
    """(how many of the rows no other plugin would refuse, who would refuse how many of the others)."""
    others = [i for i, name in enumerate(frame.filter_plugins) if name != plugin]
    refusing = frame.codes[others][:, rows] != Code.SUCCESS
    counts = [(frame.filter_plugins[i], int(n)) for i, n in zip(others, refusing.sum(axis=1), strict=True) if n]
    return int((~refusing.any(axis=0)).sum()), tuple(sorted(counts, key=lambda item: (-item[1], item[0])))
