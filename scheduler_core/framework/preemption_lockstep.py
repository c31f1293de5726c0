"""Preemption on many nodes at once, where of all that filters ask only resources depend on the pods of a node.

``Screen`` tells from columns which nodes preemption cannot help, and why; ``Lockstep`` brings pods back on all other
nodes together, the j-th of each in step j. Both say exactly what the dry run of each node says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.framework.cycle import Cycle, FilterOutcome
from scheduler_core.framework.disruption import BudgetBook
from scheduler_core.framework.interface import FilterPlugin, Handle
from scheduler_core.framework.preemption_dry_run import NO_VICTIMS, Candidate, DryRun, importance
from scheduler_core.framework.status import Code, Status

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
Needs = Sequence[tuple[str, int]]
_NEVER = 32767
_MOST_BITS = 60
_MOST_CLASSES = 8
Known = dict[int, tuple[int, Candidate | Status]]
"""By row: the row's version, and the answer at that version."""


class LowerPods:
    """Pods below a priority: how many are on each row and what they request, kept up to date by tallies."""

    def __init__(self, cluster: Cluster, priority: int) -> None:
        self._cluster = cluster
        self._priority = priority

    def count(self) -> Int64:
        """int64[capacity]; live, read-only."""
        return self._cluster.tally(f"pods below {self._priority}", self._is_lower).counts

    def requested(self, resource: str) -> Int64:
        """int64[capacity]; live, read-only."""

        def weight_of(cls: PodClass) -> int:
            return cls.requests.get(resource, 0) if cls.example.priority < self._priority else 0

        return self._cluster.tally(f"{resource} below {self._priority}", weight_of).counts

    def _is_lower(self, cls: PodClass) -> int:
        return int(cls.example.priority < self._priority)


class Rivals:
    """Nominated pods of the same or higher priority: they count as if they were on their nodes already."""

    def __init__(self, handle: Handle, pod: PodInfo) -> None:
        self.by_row: dict[int, list[PodInfo]] = {}
        for name in handle.nominated_nodes():
            row = handle.cluster.table.row_of.get(name)
            found = [n for n in handle.nominated_pods(name) if n.pod.priority >= pod.pod.priority and n.key != pod.key]
            if row is not None and found:
                self.by_row[row] = found

    def count(self, capacity: int) -> Int64 | int:
        """int64[capacity], or 0 where there are none."""
        return self._sum(capacity, lambda info: 1)

    def requested(self, resource: str, capacity: int) -> Int64 | int:
        """int64[capacity], or 0 where there are none."""
        return self._sum(capacity, lambda info: info.cls.requests.get(resource, 0))

    def _sum(self, capacity: int, amount: Any) -> Int64 | int:
        if not self.by_row:
            return 0
        total = np.zeros(capacity, dtype=np.int64)
        for row, infos in self.by_row.items():
            total[row] = sum(map(amount, infos))
        return total


class Room:
    """What must stay free and what is used once all lower pods are gone: int64[needs + 1, len(rows)], pods last.

    The pod fits where ``used <= limit`` in every line.
    """

    def __init__(self, cluster: Cluster, rows: Int64, needs: Needs, lower: LowerPods, rivals: Rivals) -> None:
        table = cluster.table
        used, limit = [], []
        for name, amount in needs:
            index = table.resource(name)
            kept = table.requested[index] - lower.requested(name) + rivals.requested(name, table.capacity)
            used.append(kept[rows])
            limit.append(table.allocatable[index][rows] - amount)
        kept = table.pod_count - lower.count() + rivals.count(table.capacity)
        self.used: Int64 = np.stack([*used, kept[rows]])
        self.limit: Int64 = np.stack([*limit, table.allowed_pods[rows] - 1])
        self.too_small: Mask = np.logical_or.reduce(self.limit[:-1] < 0, axis=0)


class Screen:
    """Judges potential rows by columns alone.

    ``decided`` bool[len(rows)]: preemption cannot help, ``refusals`` says why. ``lockstep`` tells whether the other
    rows may be solved by Lockstep; otherwise they need the dry run.
    """

    def __init__(self, handle: Handle, cycle: Cycle, pod: PodInfo, outcome: FilterOutcome, rows: Int64) -> None:
        self._handle = handle
        self._cycle = cycle
        self._pod = pod
        self._outcome = outcome
        self._rows = rows
        self._fit: int | None = None
        self._first = np.full(len(rows), _NEVER, dtype=np.int16)
        self.lower = LowerPods(handle.cluster, pod.pod.priority)
        self._no_victims: Mask = self.lower.count()[rows] == 0
        self.decided = self._no_victims
        self.lockstep = False
        plugins = handle.active_filters(cycle)
        if [p.name for p in plugins] == outcome.plugins:
            self._judge(plugins)

    def _judge(self, plugins: Sequence[FilterPlugin[Any]]) -> None:
        kinds = [p.traits.reads_pods for p in plugins]
        self._fit = kinds.index("resources") if "resources" in kinds else None
        others = [i for i, kind in enumerate(kinds) if kind != "none" and i != self._fit]
        self.lockstep = not others and self._fit is not None
        self._plugins = plugins
        self._first = self._first_static([i for i, kind in enumerate(kinds) if kind == "none"])
        if self._fit is not None:
            self.rivals = Rivals(self._handle, self._pod)
            self.needs: Needs = self._cycle.filter_state.get(plugins[self._fit].name) or ()
            self.room = Room(self._handle.cluster, self._rows, self.needs, self.lower, self.rivals)
            self._short: Mask = self.room.used > self.room.limit
            self._first = np.where(self._short.any(axis=0), np.minimum(self._first, self._fit), self._first)
        self.decided = self._no_victims | (self._first < min(others, default=_NEVER))

    def _first_static(self, indexes: list[int]) -> NDArray[np.int16]:
        """Index of the first plugin refusing each row whatever pods are on it, _NEVER where none does."""
        first = np.full(len(self._rows), _NEVER, dtype=np.int16)
        for i in reversed(indexes):
            first[self._outcome.codes[i, self._rows] != 0] = i
        return first

    def refusals(self, end: int) -> dict[Status, list[int]]:
        """Rows decided among the first ``end``, by the status that the dry run would give."""
        found: dict[Status, list[int]] = {}
        decided = self.decided[:end]
        if (hopeless := self._rows[:end][self._no_victims[:end]]).size:
            found[NO_VICTIMS] = hopeless.tolist()
        rest = np.flatnonzero(decided & ~self._no_victims[:end])
        if not rest.size:
            return found
        by_fit = self._first[rest] == self._fit if self._fit is not None else np.zeros(len(rest), dtype=bool)
        for position in rest[~by_fit].tolist():
            found.setdefault(self._static_status(position), []).append(int(self._rows[position]))
        for positions in _groups(self._pattern(rest[by_fit]), rest[by_fit]):
            status = self._fit_status(int(positions[0]))
            found.setdefault(status, []).extend(self._rows[positions].tolist())
        return found

    def _static_status(self, position: int) -> Status:
        row, i = int(self._rows[position]), int(self._first[position])
        reasons = self._outcome.reason_table.entries[int(self._outcome.reasons[i, row])]
        return Status(Code(int(self._outcome.codes[i, row])), reasons, self._outcome.plugins[i])

    def _pattern(self, positions: Int64) -> Int64:
        """A number per position that is equal where the same things are short."""
        lines = np.vstack([self._short[:, positions], self.room.too_small[positions]])
        if len(lines) > _MOST_BITS:
            return positions
        bits = np.left_shift(lines.astype(np.int64), np.arange(len(lines))[:, None])
        pattern: Int64 = bits.sum(axis=0)
        return pattern

    def _fit_status(self, position: int) -> Status:
        """The resource plugin's own answer on one node without its lower pods."""
        assert self._fit is not None
        plugin, view = self._plugins[self._fit], self._handle.cluster.view(int(self._rows[position]))
        for info in list(view.pods.values()):
            if info.pod.priority < self._pod.pod.priority:
                view.remove_pod(info)
        for rival in self.rivals.by_row.get(view.row, ()):
            view.add_pod(rival)
        status = plugin.filter_node(self._cycle.filter_state.get(plugin.name), self._pod, view)
        return Status(status.code, status.reasons, plugin.name)


def _groups(keys: Int64, positions: Int64) -> list[Int64]:
    """The positions split by equal keys."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return [positions[inverse == i] for i in range(len(distinct))]


class RankedPods:
    """The pods of each row in order of importance, kept from attempt to attempt while the row's pods are the same."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rows: dict[int, tuple[int, list[PodInfo], list[int]]] = {}
        self._amounts: dict[str, list[int]] = {}

    def below(self, row: int, priority: int) -> list[PodInfo]:
        """Pods of lower priority, most important first."""
        version, known = int(self._cluster.table.version[row]), self._rows.get(row)
        if known is None or known[0] != version:
            ranked = sorted(self._cluster.pods_on(row).values(), key=importance)
            known = self._rows[row] = (version, ranked, [-info.pod.priority for info in ranked])
        return known[1][bisect_right(known[2], -priority) :]

    def requests(self, resource: str) -> Int64:
        """What one pod of each class requests, int64[n classes + 1]; the last entry is 0."""
        amounts, classes = self._amounts.setdefault(resource, []), self._cluster.classes.all
        amounts.extend(cls.requests.get(resource, 0) for cls in classes[len(amounts) :])
        return np.array([*amounts, 0], dtype=np.int64)


_UNKNOWN = (-1, NO_VICTIMS)


class Solutions:
    """Candidates found for preemptors of a class, by row, each valid while nothing on its row changes.

    Only such are put here as no budget guards and no nominated pod concerns; the classes used last are kept.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._by_class: OrderedDict[int, Known] = OrderedDict()
        self._stamp = (-1, -1)

    def of(self, pod: PodInfo) -> Known:
        """{row: (version of the row, candidate)} of the pod's class; may be added to."""
        stamp = (self._cluster.table.static_generation, self._cluster.listers.generation)
        if stamp != self._stamp:
            self._by_class.clear()
            self._stamp = stamp
        found = self._by_class.setdefault(pod.cls.id, {})
        self._by_class.move_to_end(pod.cls.id)
        if len(self._by_class) > _MOST_CLASSES:
            self._by_class.popitem(last=False)
        return found


class Lockstep:
    """Solves rows that passed the screen."""

    def __init__(
        self, handle: Handle, pod: PodInfo, budgets: BudgetBook, ranked: RankedPods, solutions: Solutions
    ) -> None:
        self._cluster = handle.cluster
        self._pod = pod
        self._budgets = budgets
        self._ranked = ranked
        self._known = solutions.of(pod)

    def solve(self, rows: Sequence[int], screen: Screen, dry_run: DryRun) -> Iterable[Candidate | Status]:
        """An answer for each row; those of rows that did not change are remembered."""
        versions: list[int] = self._cluster.table.version[np.array(rows, dtype=np.int64)].tolist()
        known, rivals = self._known.get, screen.rivals.by_row
        entries = [known(row, _UNKNOWN) for row in rows]
        missing = [
            i for i, version in enumerate(versions) if entries[i][0] != version or (rivals and rows[i] in rivals)
        ]
        found: list[Candidate | Status] = [answer for _, answer in entries]
        if missing:
            slab = [rows[i] for i in missing]
            for i, answer in zip(missing, self._solve_slab(slab, screen, dry_run), strict=True):
                found[i] = answer
                if isinstance(answer, Candidate) and self._is_lasting(answer, screen):
                    self._known[rows[i]] = (versions[i], answer)
        return found

    def _is_lasting(self, answer: Candidate, screen: Screen) -> bool:
        """Whether the answer follows from what is on the row alone."""
        return answer.row not in screen.rivals.by_row and not self._budgets.guard_any(
            [*answer.victims, *answer.reprieved]
        )

    def _solve_slab(self, rows: list[int], screen: Screen, dry_run: DryRun) -> Iterator[Candidate | Status]:
        cluster, priority = self._cluster, self._pod.pod.priority
        orders = [self._reprieve_order(self._ranked.below(row, priority)) for row in rows]
        room = Room(cluster, np.array(rows, dtype=np.int64), screen.needs, screen.lower, screen.rivals)
        stays = _reprieve(room, self._asked([order for order, _ in orders], screen.needs)).tolist()
        for row, (order, n_violating), kept in zip(rows, orders, stays, strict=True):
            victims = [info for info, stay in zip(order, kept, strict=False) if not stay]
            if not victims:
                yield dry_run.on(row)
                continue
            reprieved = [info for info, stay in zip(order, kept, strict=False) if stay]
            if n_violating:  # else both are in order of importance already
                victims.sort(key=importance)
                staying = {info.key for info in reprieved}
                reprieved = [info for info in self._ranked.below(row, priority) if info.key in staying]
            violations = n_violating - sum(kept[:n_violating])
            yield Candidate(row, cluster.name_of(row), victims, violations, reprieved)

    def _asked(self, orders: list[list[PodInfo]], needs: Needs) -> Int64:
        """int64[needs + 1, longest, len(orders)]: what the j-th pod of each row takes, pods last, 0 past the end."""
        ids = np.full((len(orders), max(map(len, orders))), -1, dtype=np.int64)
        for i, order in enumerate(orders):
            ids[i, : len(order)] = [info.cls.id for info in order]
        ids = ids.T
        return np.stack([*(self._ranked.requests(name)[ids] for name, _ in needs), (ids >= 0).astype(np.int64)])

    def _reprieve_order(self, ranked: list[PodInfo]) -> tuple[list[PodInfo], int]:
        """Pods whose eviction violates a budget first, then the others; and how many the former are."""
        if not self._budgets:
            return ranked, 0
        flags = self._budgets.violations(ranked)
        if not any(flags):
            return ranked, 0
        pairs = list(zip(ranked, flags, strict=True))
        return [info for info, flag in pairs if flag] + [info for info, flag in pairs if not flag], sum(flags)


def _reprieve(room: Room, asked: Int64) -> Mask:
    """bool[len(rows), longest]: which pods stay, when brought back one after the other."""
    _, longest, n_rows = asked.shape
    stays = np.zeros((n_rows, longest), dtype=bool)
    used = room.used
    for j in range(longest):
        trial = used + asked[:, j]
        fits = (trial <= room.limit).all(axis=0)
        stays[:, j] = fits
        used = np.where(fits, trial, used)
    return stays
