"""The table of outcomes: pods that need a look, pods placed narrowly, bound pods; each row opens those below it.

Grouped by reason, a reason opens to owners and these to pods; grouped by owner or namespace, each opens to reasons.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages.numbers import amount, grouped, plural
from dashboard.debugger.outcomes.labels import (
    LABELS,
    MEANINGS,
    TROUBLE,
    Places,
    RequestWords,
    bare,
    meaning,
    priorities,
    wait,
    wait_of,
)
from dashboard.debugger.outcomes.owners.rows import n_unmade, owner_rows, stuck
from dashboard.debugger.outcomes.passing import passing
from dashboard.debugger.outcomes.rows import (
    DoneRow,
    DoubtRow,
    GroupRow,
    MissingRow,
    MoreRow,
    OutcomePodRow,
    OwnerRow,
    Row,
    ScarceCell,
    SectionRow,
    SubRow,
)
from scheduler_core.explain import outcomes as oc
from scheduler_core.explain.outcomes.model import Part
from scheduler_core.recording.quantities import NARROW, percentile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dashboard.debugger.outcomes.address import OutcomesView
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.model import CloseCall, Group, PodOutcome, Scarce

MOST_GROUPS = 12
MORE = 100
TIE, MARGIN = "tie", "margin"
REASON, OWNER, NAMESPACE = "reason", "owner", "namespace"


class RowKey(NamedTuple):
    """What rows of one level have in common: an id for addresses, a title, and the group where it is a reason."""

    id: str
    title: str
    group: Group | None = None


@dataclass(frozen=True)
class Bunch:
    """Pods below one row, in their order."""

    key: RowKey
    pods: list[PodOutcome]

    @property
    def longest(self) -> PodOutcome:
        """Return the pod that waited longest, the first of equals."""
        return max(self.pods, key=lambda pod: pod.wait)


class OutcomesTable:
    """The rows of one view of a run's outcomes."""

    def __init__(self, outcomes: Outcomes, view: OutcomesView, has_ended: bool) -> None:
        self.outcomes = outcomes
        self.view = view
        self.has_ended = has_ended
        self.requests = RequestWords(outcomes)
        self.places = Places(view.slug, view.number, outcomes.seq)
        self.kinds = [group.kind for group in outcomes.groups]
        self.namespaces = [owner.namespace for owner in outcomes.owners]
        self.pods = passing(outcomes, view)
        self._of_kind: dict[str, list[PodOutcome]] = {kind: [] for kind in oc.KINDS}
        for pod in self.pods:
            self._of_kind[self.kinds[pod.group]].append(pod)
        self._openings = {"reason": (REASON, OWNER), "owner": (OWNER, REASON), "namespace": (NAMESPACE, REASON)}

    def kind(self, pod: PodOutcome) -> str:
        """Return how the pod ended."""
        return self.kinds[pod.group]

    def _why(self, pod: PodOutcome) -> str:
        """What a link to the pod's last attempt is called."""
        group = self.outcomes.groups[pod.group]
        is_why = group.kind in (oc.PENDING, oc.ERROR, oc.PREEMPTED) and not group.under_way
        return "Why" if is_why else "Open"

    # ---------------------------------------------------------------- keys

    def _bunched(self, pods: Iterable[PodOutcome], level: str) -> list[Bunch]:
        """The pods by what they have in common at a level, in order of their first ones."""
        pods_by_key: dict[int | str, list[PodOutcome]] = {}
        of_level: dict[str, Callable[[PodOutcome], int | str]] = {
            REASON: lambda pod: pod.group,
            OWNER: lambda pod: pod.owner,
            NAMESPACE: lambda pod: self.namespaces[pod.owner],
        }
        token_of = of_level[level]
        for pod in pods:
            pods_by_key.setdefault(token_of(pod), []).append(pod)
        return [Bunch(self._key(level, some[0]), some) for some in pods_by_key.values()]

    def _key(self, level: str, pod: PodOutcome) -> RowKey:
        if level == REASON:
            group = self.outcomes.groups[pod.group]
            return RowKey(group.id, group.title, group)
        owner = self.outcomes.owners[pod.owner]
        if level == NAMESPACE:
            return RowKey(_id("n", owner.namespace), owner.namespace)
        title = f"{owner.namespace}/{owner.title}"
        return RowKey(_id("o", title), title)

    # ---------------------------------------------------------------- sections

    def rows(self) -> list[Row]:
        """Return the rows that the view shows."""
        trouble = [pod for kind in oc.KINDS if kind in TROUBLE for pod in self._of_kind[kind]]
        under_way = [pod for pod in trouble if self.outcomes.groups[pod.group].under_way]
        rows = self._trouble([pod for pod in trouble if not self.outcomes.groups[pod.group].under_way])
        if under_way:
            rows += [SectionRow(f"Under way: {plural(len(under_way), 'pod')}"), *self._groups("Under way", under_way)]
        rows += self._narrow()
        for kind in (oc.BOUND, oc.COMPLETED, oc.DELETED):
            rows += self._settled(kind)
        return rows

    def _trouble(self, pods: list[PodOutcome]) -> list[Row]:
        is_whole = not self.view.is_filtered
        missing = self._missing() if is_whole else []
        doubts = self._doubts() if is_whole and self.has_ended else []
        owners = owner_rows(self.outcomes, self.view)
        if is_whole:
            # Pods of a rollout that does not go on are in its row; filters show them as all others.
            of_rollouts = {pod for one in stuck(self.outcomes) for pod in one.pods}
            pods = [pod for pod in pods if pod.pod not in of_rollouts]
        if not pods and not missing and not owners:
            return [*self._nothing(), *doubts] if is_whole else []
        title = SectionRow(f"Needs a look: {', '.join(self._counted(owners, pods))}")
        return [title, *owners, *(self._groups("Needs a look", pods) if pods else []), *missing, *doubts]

    def _counted(self, owners: list[Row], pods: list[PodOutcome]) -> list[str]:
        """How many rollouts, pods that were never made, and pods there are, without what there is none of."""
        rows = [one for one in owners if isinstance(one, OwnerRow)]
        rollouts, unmade = sum(one.unit == "updated" for one in rows), n_unmade(self.outcomes)
        return [
            *([plural(rollouts, "rollout")] if rollouts else []),
            *([f"{plural(unmade, 'pod')} never made"] if len(rows) > rollouts else []),
            *([plural(len(pods), "pod")] if pods or not rows else []),
        ]

    def _doubts(self) -> list[Row]:
        """What is not played and may falsify the other rows."""
        lines = [DoubtRow(one) for one in self.outcomes.doubts]
        return [SectionRow(f"Not played: {plural(len(lines), 'doubt')}"), *lines] if lines else []

    def _groups(self, title: str, pods: list[PodOutcome]) -> list[Row]:
        rows: list[Row] = []
        first, second = self._openings[self.view.by]
        bunches = self._bunched(pods, first)
        if self.view.by != "reason":
            bunches.sort(key=lambda bunch: (-len(bunch.pods), bunch.key.title))
        shown = bunches if self.view.all else bunches[:MOST_GROUPS]
        for bunch in shown:
            rows.append(self._group_row(bunch))
            rows += self._below(bunch, second)
        return rows + self._rest(title, bunches[len(shown) :])

    def _rest(self, name: str, bunches: list[Bunch]) -> list[Row]:
        """A row for what is not shown of a section, none where all is."""
        if not bunches:
            return []
        text = f", {plural(sum(len(bunch.pods) for bunch in bunches), 'pod')}"
        return [MoreRow(f"more.{name}", 0, f"{grouped(len(bunches))} more", text, self.view.url(all=True))]

    def _nothing(self) -> list[Row]:
        if not self.outcomes.pods or not self.has_ended or not self.outcomes.counts[oc.BOUND]:
            return []
        text = plural(self.outcomes.counts[oc.BOUND], "pod")
        if self.outcomes.doubts:
            return [DoneRow(f"{text}, of those that this input says exist.")]
        return [DoneRow(f"{text}, and every workload has the pods that it asks for.")]

    def _missing(self) -> list[Row]:
        rows: list[Row] = [
            MissingRow(
                _id("m", short.workload),
                short.workload,
                short.desired - short.bound,
                short.desired,
                _lacking(short.bound, short.unmade, short.why),
            )
            for short in self.outcomes.short
            if not short.code and short.workload not in {one.state.title for one in stuck(self.outcomes)}
        ]
        if rest := self.outcomes.n_short - len(self.outcomes.short):
            rows.append(MoreRow("m-more", 0, "", f"{plural(rest, 'more workload')} without all their pods", ""))
        return rows

    def _narrow(self) -> list[Row]:
        if self.view.outcome not in ("", oc.BOUND):
            return []
        ties = self._shown(self.outcomes.placements.ties)
        margins = sorted(self._shown(self.outcomes.placements.narrow), key=lambda one: one.margin or 0)
        rows: list[Row] = []
        if ties:
            most = max(one.ties for one in ties)
            rows += self._narrow_row(TIE, "Drawn from a tie", f"up to {plural(most, 'equal node')}", ties)
        if margins:
            closest = margins[0]
            name = _name(self.outcomes.pods[closest.pod])
            sub = f"closest is {name}, {grouped(closest.total)} to {grouped(closest.second)}"
            rows += self._narrow_row(MARGIN, f"Won by fewer than {NARROW} points", sub, margins)
        return [SectionRow("Worked, but narrow"), *rows] if rows else []

    def _shown(self, placements: list[CloseCall]) -> list[CloseCall]:
        """Those of pods that the filters let through; without any, however the pods ended."""
        if self.pods is self.outcomes.pods:
            return placements
        passing = set(map(id, self.pods))
        return [one for one in placements if id(self.outcomes.pods[one.pod]) in passing]

    def _narrow_row(self, name: str, title: str, sub: str, placements: list[CloseCall]) -> list[Row]:
        waits = sorted(self.outcomes.pods[one.pod].wait for one in placements)
        row = SubRow(
            id=name,
            level=0,
            title=title,
            meaning="tie" if name == TIE else "second",
            word="",
            sub=sub,
            pods=len(placements),
            third=f"{100 * len(placements) / self.outcomes.placements.n:.1f} % of placements",
            wait=f"p95 {wait(percentile(waits, 95))}",
            why=self.view.toggled(name),
            why_word="List",
            toggle=self.view.toggled(name),
            is_open=name in self.view.open,
        )
        return [row, *(self._placements(name, placements) if row.is_open else [])]

    def _placements(self, above: str, placements: list[CloseCall]) -> list[Row]:
        shown = placements[: self.view.n]
        return [*(self._placement(above, one) for one in shown), *self._more(above, len(placements) - len(shown))]

    def _settled(self, kind: str) -> list[Row]:
        pods = self._of_kind[kind]
        if not pods:
            return []
        label = LABELS[kind]
        rows: list[Row] = [SectionRow(f"{label[:1].upper()}{label[1:]}: {plural(len(pods), 'pod')}")]
        first = NAMESPACE if self.view.by == "namespace" else OWNER
        bunches = sorted(self._bunched(pods, first), key=lambda bunch: (-len(bunch.pods), bunch.key.title))
        shown = bunches if self.view.all else bunches[:MOST_GROUPS]
        for bunch in shown:
            rows += self._sub(kind, bunch, 0)
        return rows + self._rest(kind, bunches[len(shown) :])

    # ---------------------------------------------------------------- rows

    def _group_row(self, bunch: Bunch) -> GroupRow:
        group, longest = bunch.key.group, bunch.longest
        kind, main = self.kind(longest), group or self._main_reason(bunch.pods)
        return GroupRow(
            id=bunch.key.id,
            title=bunch.key.title,
            meaning=meaning(group) if group else MEANINGS[kind],
            word=LABELS[group.kind] if group else "",
            evidence=group.evidence if group else self._reasons_of(bunch.pods),
            pods=len(bunch.pods),
            scarce=_scarce_cell(main.scarce) if main.scarce else None,
            plugin=main.plugins[0] if main.plugins else "",
            more_plugins=tuple(main.plugins[1:]),
            wait=wait_of(longest),
            why=self.places.pod(longest, kind),
            why_word=self._why(longest),
            toggle=self._toggled(bunch),
            is_open=bunch.key.id in self.view.open,
        )

    def _toggled(self, bunch: Bunch) -> str:
        """The address at which the row is open, or closed if it is open here; a single row below it opens with it."""
        view = self.view
        below = self._bunched(bunch.pods, self._openings[view.by][1])
        if bunch.key.id in view.open or len(below) > 1:
            return view.toggled(bunch.key.id)
        return view.url(open=(*view.open, bunch.key.id, f"{bunch.key.id}.{below[0].key.id}"))

    def _main_reason(self, pods: list[PodOutcome]) -> Group:
        """The group of the commonest reason of some pods, the first of equals."""
        counts = Counter(pod.group for pod in pods)
        return self.outcomes.groups[max(counts, key=lambda group: (counts[group], -group))]

    def _reasons_of(self, pods: list[PodOutcome]) -> tuple[Part, ...]:
        """The commonest reasons of an owner's pods."""
        reasons = sorted(self._bunched(pods, REASON), key=lambda bunch: -len(bunch.pods))
        parts = [
            part
            for i, bunch in enumerate(reasons[:2])
            for part in (Part("; " if i else ""), Part(grouped(len(bunch.pods)), True), Part(f" {bunch.key.title}"))
        ]
        rest = f"; {plural(len(reasons) - 2, 'more reason')}" if len(reasons) > 2 else ""
        return (*parts, Part(f"{rest}."))

    def _below(self, bunch: Bunch, second: str) -> list[Row]:
        if bunch.key.id not in self.view.open:
            return []
        below = sorted(self._bunched(bunch.pods, second), key=lambda one: (-len(one.pods), one.key.title))
        return [row for one in below for row in self._sub(bunch.key.id, one, 1)]

    def _sub(self, above: str, bunch: Bunch, level: int) -> list[Row]:
        row_id, longest, group = f"{above}.{bunch.key.id}", bunch.longest, bunch.key.group
        kind = self.kind(longest)
        row = SubRow(
            id=row_id,
            level=level,
            title=bunch.key.title,
            meaning=meaning(group) if group else "",
            word=LABELS[group.kind] if group else "",
            sub=self.requests.of_pods(bunch.pods),
            pods=len(bunch.pods),
            third=priorities(bunch.pods),
            wait=wait_of(longest),
            why=self.places.pod(longest, kind),
            why_word=self._why(longest),
            toggle=self.view.toggled(row_id),
            is_open=row_id in self.view.open,
        )
        return [row, *(self._pods(row_id, bunch.pods) if row.is_open else [])]

    def _pods(self, above: str, pods: list[PodOutcome]) -> list[Row]:
        shown = pods[: self.view.n]
        return [*(self._pod(above, pod) for pod in shown), *self._more(above, len(pods) - len(shown))]

    def _more(self, above: str, rest: int) -> list[Row]:
        if not rest:
            return []
        url = self.view.url(n=self.view.n + MORE)
        return [MoreRow(f"{above}.more", 2, f"{grouped(min(rest, MORE))} more", f" of {grouped(rest)}", url)]

    def _placement(self, above: str, placement: CloseCall) -> OutcomePodRow:
        pod = self.outcomes.pods[placement.pod]
        drawn, points = (
            f"drawn from {grouped(placement.ties)}",
            f"{grouped(placement.total)} to {grouped(placement.second)}",
        )
        return replace(
            self._pod(above, pod),
            id=f"{above}.{placement.cycle}",
            third=drawn if above == TIE else points,
            why=self.places.rivals(placement.cycle),
            why_word="Why",
        )

    def _pod(self, above: str, pod: PodOutcome) -> OutcomePodRow:
        kind = self.kind(pod)
        return OutcomePodRow(
            id=f"{above}.{pod.pod}.{pod.uid}",
            title=_name(pod),
            namespace=pod.pod.partition("/")[0],
            sub=self.requests.of_pod(pod),
            attempts=plural(pod.attempts, "try", "tries") if pod.attempts else "no try",
            third=_third(pod, kind),
            wait=wait_of(pod),
            why=self.places.pod(pod, kind),
            why_word=self._why(pod),
        )


def _id(kind: str, text: str) -> str:
    return f"{kind}{zlib.crc32(text.encode()):08x}"


def _name(pod: PodOutcome) -> str:
    return pod.pod.partition("/")[2]


def _scarce_cell(scarce: Scarce) -> ScarceCell:
    share = scarce.requested / scarce.allocatable if scarce.allocatable else None
    return ScarceCell(scarce.resource, bare(scarce.resource), scarce.where, share)


def _third(pod: PodOutcome, kind: str) -> str:
    """What is particular about the pod."""
    if pod.nearest is not None:
        near = pod.nearest
        return f"nearest: short {amount(near.missing, near.resource)} on {plural(near.nodes, 'node')}"
    if kind in (oc.PREEMPTED, oc.LOST):
        return f"by {pod.by.rpartition('/')[2]}" if kind == oc.PREEMPTED else f"with {pod.by}"
    return pod.node


def _lacking(bound: int, unmade: int, why: str) -> str:
    unmade_text = f", {grouped(unmade)} not created" if unmade else ""
    return f"{grouped(bound)} bound{unmade_text}{f': {why}' if why else ''}."
