"""Preemption's dry run on many nodes at once, for nodes on which filters read nothing of the pods but resources.

Idea. The dry run of one node (dry_run.py, the definition) takes all lower pods off and brings them back one by one, the
most important first, as long as the preemptor still fits. If only resources count, "fits" compares sums with limits. So
step j is done for all nodes together: the j-th pods of all of them are brought back by one operation on columns.

Invariant. Let asked[k, n, j] be what the j-th lower pod of node n asks of resource k (pods count as one more resource,
of which each asks 1), used[k, n] what is used once all lower pods are gone (nominated pods counted in), and limit[k, n]
the allocatable amount less what the preemptor asks. Then

    stays[n, j] = for all k: used[k, n] + sum(asked[k, n, i] for i < j if stays[n, i]) + asked[k, n, j] <= limit[k, n]

and the pods that do not stay are the victims. Those whose eviction violates a budget are brought back first.

Cost. As many steps as the longest node has lower pods, each O(nodes * resources), instead of every filter for each pod
of each node. Nodes with room for all of their lower pods take no step. A few nodes are solved one by one with plain
numbers, which numpy calls would cost more than.

Example. A preemptor that asks 2 cpu, on a node of 4 cpu with lower pods a (1 cpu), b (2), c (1) in order of importance:
    all gone: used 0, limit 4 - 2 = 2      j = 0: 1 <= 2, a stays
    j = 1: 2 + 1 > 2, b goes               j = 2: 1 + 1 <= 2, c stays             victims: b

Where a plugin reads more of the pods (affinity, host ports), the node is left to the dry run, unless a filter before
that plugin refuses the node for a reason that no eviction lifts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.columns.row_block import allocatable_line
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle, NodeFilter
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Code, Status, filter_status
from scheduler_core.framework.preemption.decision import PRIORITY_SHIFT
from scheduler_core.framework.preemption.disruption_budgets import BudgetCache
from scheduler_core.framework.preemption.dry_run import NO_VICTIMS, Candidate, DryRun, start_micros
from scheduler_core.framework.preemption.victim_mask import (
    STAYS,
    VIOLATES,
    VictimMask,
    padded,
    reprieve,
    reprieve_in_step,
)
from scheduler_core.framework.preemption.victim_order import RankedPods, RankedRow
from scheduler_core.framework.runtime.nominations import Nominations

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
Needs = Sequence[tuple[str, int]]
FEW_ROWS = 8
"""Up to this many rows are solved one by one."""
_NEVER = 32767


Answer = VictimMask | Candidate | Status


class AttemptCaches(NamedTuple):
    """State shared between attempts; ``patterns`` has the resource plugin's status for each set of short resources."""

    budgets: BudgetCache
    ranked: RankedPods
    nominations: Nominations
    patterns: dict[int, Status]


class Rivals:
    """Nominated pods of the same or higher priority, which count as if they were on their nodes already."""

    def __init__(self, nominations: Nominations, cluster: Cluster, pod: PodInfo) -> None:
        self._by_node = nominations.nodes()
        self._name_of = cluster.name_of
        self._pod = pod

    def __bool__(self) -> bool:
        """Whether there may be any."""
        return bool(self._by_node)

    def on(self, row: int) -> Sequence[PodInfo]:
        """Those on a row, in order of nomination."""
        nominated = self._by_node.get(self._name_of(row), ()) if self._by_node else ()
        return [n for n in nominated if n.pod.priority >= self._pod.pod.priority and n.key != self._pod.key]


class BulkDryRun:
    """Solves rows for one attempt.

    ``cacheable`` tells whether an answer holds for all pods of the class while the row, its nominated pods and the
    budgets of its pods stay the same; apart from rows in ``for_this_pod``.
    """

    def __init__(
        self,
        handle: Handle,
        cycle: CycleState,
        pod: PodInfo,
        outcome: FilterOutcome,
        caches: AttemptCaches,
    ) -> None:
        self._handle = handle
        self._cycle = cycle
        self._pod = pod
        self._outcome = outcome
        self._budgets, self._ranked, nominations, self._patterns = caches
        self._table = handle.cluster.table
        self._rivals = Rivals(nominations, handle.cluster, pod)
        row_of, own = handle.cluster.table.row_of, nominations.node_of(pod.key)
        names = nominations.nodes() if handle.run.nomination_log is None else {own}
        self.for_this_pod = {row_of[name] for name in names if name in row_of}
        self.dry_run = DryRun(handle, cycle, pod, caches.budgets)
        self._read_plugins(handle.active_filters(cycle))

    def _read_plugins(self, plugins: Sequence[NodeFilter]) -> None:
        """Tell plugins apart by what they read of the pods on a node."""
        self._plugins = plugins
        kinds = [p.traits.reads_pods for p in plugins]
        filtered = tuple([p.name for p in plugins]) == self._outcome.plugins
        self.cacheable = filtered and not any(p.traits.across_nodes for p in plugins)
        self._static = [i for i, kind in enumerate(kinds) if kind == "none"] if filtered else []
        self._fit = kinds.index("resources") if filtered and "resources" in kinds else None
        others = [i for i, kind in enumerate(kinds) if kind != "none" and i != self._fit]
        self._first_other = min(others, default=_NEVER) if filtered else -1
        self.by_columns = filtered and not others and self._fit is not None
        self._needs: Needs = () if self._fit is None else self._cycle.filter_state.get(plugins[self._fit].name) or ()
        self._indexes = [self._table.resource(name) for name, _ in self._needs]
        self._amounts = [self._ranked.requests(name) for name, _ in self._needs]

    def solve(self, rows: Sequence[int]) -> Iterator[Answer]:
        """An answer for each row."""
        priority, versions = self._pod.pod.priority, self._table.version.take(rows).tolist()
        lower_on = self._ranked.lower_on
        sorted_rows = [lower_on(row, version, priority) for row, version in zip(rows, versions, strict=True)]
        ranked, firsts = [on_row for on_row, _ in sorted_rows], [first for _, first in sorted_rows]
        by_columns = self.by_columns and not self._budgets.any_disrupted and not self._table.beyond
        if len(rows) > FEW_ROWS and by_columns:
            return self._solve_columns(rows, ranked, firsts)
        return map(self._solve_row, rows, ranked, firsts)

    # --- one row -----------------------------------------------------------------------------------------------------
    def _solve_row(self, row: int, ranked: RankedRow, first: int) -> Answer:
        lower = ranked.infos[first:]
        if not lower:
            return NO_VICTIMS
        refusing = next((i for i in self._static if self._outcome.codes[i, row]), _NEVER)
        if self._fit is not None:
            asked = [[amounts[info.cls.id] for info in lower] for amounts in self._amounts]
            used, limit = self._room(row, asked, len(lower))
            if self._fit < refusing and any(u > most for u, most in zip(used, limit, strict=True)):
                refusing = self._fit
        if refusing < self._first_other:
            return self._fit_status(row, used, limit) if refusing == self._fit else self._static_status(row, refusing)
        if not self.by_columns:
            return self.dry_run.on(row)
        flags = self._budgets.violations(lower) if self._budgets else None
        fates = reprieve(used, limit, [*zip(*asked, [1] * len(lower), strict=True)], flags)
        victims = [info for info, fate in zip(lower, fates, strict=True) if fate != STAYS]
        if not victims:
            return self.dry_run.on(row)
        priorities = [info.pod.priority for info in victims]
        total = sum(priorities) + PRIORITY_SHIFT * len(victims)
        values = (fates.count(VIOLATES), priorities[0], total, len(victims), -start_micros(victims[0]))
        return VictimMask(ranked, first, fates, values)

    def _room(self, row: int, asked: list[list[int]], n_lower: int) -> tuple[list[int], list[int]]:
        """Used amounts without the lower pods, and their upper limits; one entry per resource needed, pods last."""
        table, rivals = self._table, self._rivals.on(row)
        used, limit = [], []
        for index, (name, amount), lower in zip(self._indexes, self._needs, asked, strict=True):
            taken = table.exact(allocatable_line(index) + 1, row) - sum(lower)
            used.append(taken + sum([rival.cls.requests.get(name, 0) for rival in rivals]))
            limit.append(int(table.allocatable[index, row]) - amount)
        used.append(int(table.pod_count[row]) - n_lower + len(rivals))
        limit.append(int(table.allowed_pods[row]) - 1)
        return used, limit

    # --- many rows ---------------------------------------------------------------------------------------------------
    def _solve_columns(self, rows: Sequence[int], ranked: list[RankedRow], firsts: list[int]) -> Iterator[Answer]:
        at, classes = np.array(rows, dtype=np.int64), padded(ranked, firsts)
        present = classes >= 0
        n_lower = present.sum(axis=1)
        asked = np.stack([*(np.array(amounts)[classes] for amounts in self._amounts), present.astype(np.int64)])
        used, limit = self._room_at(at, asked)
        first = np.where(
            (used > limit).any(axis=0), np.int16(_NEVER if self._fit is None else self._fit), np.int16(_NEVER)
        )
        for i in self._static:
            np.minimum(first, i, out=first, where=self._outcome.codes[i].take(at) != 0)
        open_rows = np.flatnonzero((first == _NEVER) & (n_lower > 0))
        columns = self._reprieve_columns(
            classes[open_rows], asked[:, open_rows], used[:, open_rows], limit[:, open_rows]
        )
        solved = zip(*columns, strict=True)
        decided = zip(rows, ranked, firsts, n_lower.tolist(), first.tolist(), strict=True)
        for k, (row, on_row, begin, n, refusing) in enumerate(decided):
            if not n:
                yield NO_VICTIMS
            elif refusing == _NEVER:
                fates, violations, highest, total, n_victims, most = next(solved)
                if n_victims:
                    start = start_micros(on_row.infos[begin + most])
                    yield VictimMask(on_row, begin, fates[:n], (violations, highest, total, n_victims, -start))
                else:  # no pod has to go; the dry run has the status for that
                    yield self.dry_run.on(row)
            elif refusing == self._fit:
                yield self._fit_status(row, used[:, k].tolist(), limit[:, k].tolist())
            else:
                yield self._static_status(row, refusing)

    def _room_at(self, at: Int64, asked: Int64) -> tuple[Int64, Int64]:
        """As ``_room``, int64[needs + 1, rows] each."""
        table = self._table
        used = [table.requested[index].take(at) for index in self._indexes]
        limit = [
            table.allocatable[index].take(at) - amount
            for index, (_, amount) in zip(self._indexes, self._needs, strict=True)
        ]
        taken = np.stack([*used, table.pod_count.take(at)]) - asked.sum(axis=2)
        for k, row in enumerate(at.tolist() if self._rivals else ()):
            for rival in self._rivals.on(row):
                more = [*(rival.cls.requests.get(name, 0) for name, _ in self._needs), 1]
                taken[:, k] = [min(u + m, INT64_MAX) for u, m in zip(taken[:, k].tolist(), more, strict=True)]
        return taken, np.stack([*limit, table.allowed_pods.take(at) - 1])

    def _reprieve_columns(self, classes: Int64, asked: Int64, used: Int64, limit: Int64) -> tuple[list[Any], ...]:
        """Of each row: the fates of its pods, any past its end; violations, highest priority, sum and number of
        victims; and which pod is the most important victim."""
        longest, flags = classes.shape[1], self._flags(classes)
        if flags is None:
            fates = reprieve_in_step(used, limit, asked).view(np.uint8)
        else:
            moved = np.flatnonzero(flags.any(axis=1))
            order = (~flags[moved]).argsort(axis=1, kind="stable")
            asked[:, moved] = np.take_along_axis(asked[:, moved], order[None], axis=2)
            stays = reprieve_in_step(used, limit, asked)
            back = np.empty_like(order)
            np.put_along_axis(back, order, np.arange(longest)[None], axis=1)
            stays[moved] = np.take_along_axis(stays[moved], back, axis=1)
            fates = stays.view(np.uint8) + (flags & ~stays) * np.uint8(VIOLATES)
        if not longest:
            return ([],) * 6
        priorities, going = np.array(self._ranked.priorities())[classes], (fates != STAYS) & (classes >= 0)
        flat, most = fates.tobytes(), going.argmax(axis=1)
        return (
            [flat[i : i + longest] for i in range(0, len(flat), longest)],
            (fates == VIOLATES).sum(axis=1).tolist(),
            np.take_along_axis(priorities, most[:, None], axis=1)[:, 0].tolist(),
            ((priorities + PRIORITY_SHIFT) * going).sum(axis=1).tolist(),
            going.sum(axis=1).tolist(),
            most.tolist(),
        )

    def _flags(self, classes: Int64) -> Mask | None:
        """Which pods' eviction violates a budget; None where none does."""
        violations = self._budgets.violations_in(classes) if self._budgets else None
        return violations if violations is not None and violations.any() else None

    # --- refusals ----------------------------------------------------------------------------------------------------
    def _static_status(self, row: int, i: int) -> Status:
        reasons = self._outcome.reason_table.entries[int(self._outcome.reasons[i, row])]
        return filter_status(Status(Code(int(self._outcome.codes[i, row])), reasons), self._plugins[i].name)

    def _fit_status(self, row: int, used: list[int], limit: list[int]) -> Status:
        """The resource plugin's own status for a node without its lower pods; it depends only on what is short."""
        pattern = int(any(most < 0 for most in limit[:-1]))
        for u, most in zip(used, limit, strict=True):
            pattern = pattern << 1 | (u > most)
        status = self._patterns.get(pattern)
        if status is None:
            status = self._patterns[pattern] = self._ask_fit(row)
        return status

    def _ask_fit(self, row: int) -> Status:
        assert self._fit is not None
        plugin, view = self._plugins[self._fit], self._handle.cluster.view(row)
        for info in list(view.pods.values()):
            if info.pod.priority < self._pod.pod.priority:
                view.remove_pod(info)
        for rival in self._rivals.on(row):
            view.add_pod(rival)
        try:
            status = plugin.filter_node(self._cycle.filter_state.get(plugin.name), self._pod, view)
        except Exception as problem:
            raise raised(plugin.name, "Filter", problem) from problem
        return filter_status(status, plugin.name)
