"""Preemption on many nodes at once, where of all that filters ask only resources depend on the pods of a node.

``Solver`` says exactly what the dry run of each node says: of a few nodes by plain numbers, of many by columns, where
the j-th pods of all nodes are brought back in step j. Where a plugin reads more of the pods it leaves the node to the
dry run, unless a refusal that no eviction lifts comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import Cycle, FilterOutcome
from scheduler_core.framework.disruption import KeptBudgets
from scheduler_core.framework.interface import FilterPlugin, Handle
from scheduler_core.framework.preemption_dry_run import NO_VICTIMS, Candidate, DryRun
from scheduler_core.framework.preemption_pods import RankedPods, RankedRow
from scheduler_core.framework.status import Code, Status

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
Needs = Sequence[tuple[str, int]]
FEW_ROWS = 8
"""Up to so many rows are solved one by one."""
_NEVER = 32767


GOES, STAYS, VIOLATES = range(3)


class Fates(NamedTuple):
    """Preemption helps on a row: what becomes of its lower pods (``ranked`` from ``first`` on), a byte for each.

    VIOLATES is a pod that goes though a budget does not allow it.
    """

    ranked: RankedRow
    first: int
    fates: bytes


Answer = Fates | Candidate | Status


class Known(NamedTuple):
    """What is kept between attempts; ``patterns`` are the resource plugin's statuses by what is short, for a class."""

    budgets: KeptBudgets
    ranked: RankedPods
    patterns: dict[int, Status]


class Rivals:
    """Nominated pods of the same or higher priority: they count as if they were on their nodes already."""

    def __init__(self, handle: Handle, pod: PodInfo) -> None:
        self.by_row: dict[int, list[PodInfo]] = {}
        for name in handle.nominated_nodes():
            row = handle.cluster.table.row_of.get(name)
            found = [n for n in handle.nominated_pods(name) if n.pod.priority >= pod.pod.priority and n.key != pod.key]
            if row is not None and found:
                self.by_row[row] = found


class Solver:
    """Solves rows for one attempt.

    ``lasting`` tells whether an answer holds for all pods of the class while the row, its nominated pods and the
    budgets of its pods stay the same.
    """

    def __init__(
        self,
        handle: Handle,
        cycle: Cycle,
        pod: PodInfo,
        outcome: FilterOutcome,
        known: Known,
    ) -> None:
        self._handle = handle
        self._cycle = cycle
        self._pod = pod
        self._outcome = outcome
        self._budgets, self._ranked, self._patterns = known
        self._table = handle.cluster.table
        self.rivals = Rivals(handle, pod).by_row
        self.dry_run = DryRun(handle, cycle, pod, known.budgets)
        self._read_plugins(handle.active_filters(cycle))

    def _read_plugins(self, plugins: Sequence[FilterPlugin[Any]]) -> None:
        """Tell plugins apart by what they read of the pods on a node."""
        self._plugins = plugins
        kinds = [p.traits.reads_pods for p in plugins]
        known = [p.name for p in plugins] == self._outcome.plugins
        self.lasting = known and all(p.traits.static or p.traits.node_local for p in plugins)
        self._static = [i for i, kind in enumerate(kinds) if kind == "none"] if known else []
        self._fit = kinds.index("resources") if known and "resources" in kinds else None
        others = [i for i, kind in enumerate(kinds) if kind != "none" and i != self._fit]
        self._first_other = min(others, default=_NEVER) if known else -1
        self.by_columns = known and not others and self._fit is not None
        self._needs: Needs = () if self._fit is None else self._cycle.filter_state.get(plugins[self._fit].name) or ()
        self._indexes = [self._table.resource(name) for name, _ in self._needs]
        self._amounts = [self._ranked.requests(name) for name, _ in self._needs]

    def solve(self, rows: Sequence[int]) -> Iterator[Answer]:
        """An answer for each row."""
        priority, versions = self._pod.pod.priority, self._table.version
        ranked = [self._ranked.on(row, int(versions[row])) for row in rows]
        firsts = [on_row.first_below(priority) for on_row in ranked]
        if len(rows) > FEW_ROWS and self.by_columns and not self._budgets.any_disrupted:
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
        fates = _reprieve(used, limit, [*zip(*asked, [1] * len(lower), strict=True)], flags)
        return self._candidate(row, ranked, first, fates)

    def _candidate(self, row: int, ranked: RankedRow, first: int, fates: bytes) -> Answer:
        """What to answer; where no pod has to go the dry run finds the words."""
        return Fates(ranked, first, fates) if fates.count(STAYS) < len(fates) else self.dry_run.on(row)

    def _room(self, row: int, asked: list[list[int]], n_lower: int) -> tuple[list[int], list[int]]:
        """What is used once all lower pods are gone, and the most that may be; by need, pods last."""
        table, rivals = self._table, self.rivals.get(row, ())
        used, limit = [], []
        for index, (name, amount), lower in zip(self._indexes, self._needs, asked, strict=True):
            taken = int(table.requested[index, row]) - sum(lower)
            used.append(taken + sum([rival.cls.requests.get(name, 0) for rival in rivals]))
            limit.append(int(table.allocatable[index, row]) - amount)
        used.append(int(table.pod_count[row]) - n_lower + len(rivals))
        limit.append(int(table.allowed_pods[row]) - 1)
        return used, limit

    # --- many rows ---------------------------------------------------------------------------------------------------
    def _solve_columns(self, rows: Sequence[int], ranked: list[RankedRow], firsts: list[int]) -> Iterator[Answer]:
        at, classes = np.array(rows, dtype=np.int64), _padded(ranked, firsts)
        present = classes >= 0
        n_lower = present.sum(axis=1)
        asked = np.stack([*(np.array(amounts)[classes] for amounts in self._amounts), present.astype(np.int64)])
        used, limit = self._room_of(at, asked)
        first = np.where(
            (used > limit).any(axis=0), np.int16(_NEVER if self._fit is None else self._fit), np.int16(_NEVER)
        )
        for i in self._static:
            np.minimum(first, i, out=first, where=self._outcome.codes[i].take(at) != 0)
        open_rows = np.flatnonzero((first == _NEVER) & (n_lower > 0))
        fates = self._reprieve_columns(classes[open_rows], asked[:, open_rows], used[:, open_rows], limit[:, open_rows])
        solved = dict(zip(open_rows.tolist(), fates, strict=True))
        for k, (row, on_row, begin) in enumerate(zip(rows, ranked, firsts, strict=True)):
            if k in solved:
                yield self._candidate(row, on_row, begin, solved[k][: len(on_row.infos) - begin])
            elif not n_lower[k]:
                yield NO_VICTIMS
            elif first[k] == self._fit:
                yield self._fit_status(row, used[:, k].tolist(), limit[:, k].tolist())
            else:
                yield self._static_status(row, int(first[k]))

    def _room_of(self, at: Int64, asked: Int64) -> tuple[Int64, Int64]:
        """As ``_room``, int64[needs + 1, rows] each."""
        table = self._table
        used = [table.requested[index].take(at) for index in self._indexes]
        limit = [
            table.allocatable[index].take(at) - amount
            for index, (_, amount) in zip(self._indexes, self._needs, strict=True)
        ]
        taken = np.stack([*used, table.pod_count.take(at)]) - asked.sum(axis=2)
        for k, row in enumerate(at.tolist()) if self.rivals else ():
            for rival in self.rivals.get(row, ()):
                taken[:, k] += [*(rival.cls.requests.get(name, 0) for name, _ in self._needs), 1]
        return taken, np.stack([*limit, table.allowed_pods.take(at) - 1])

    def _reprieve_columns(self, classes: Int64, asked: Int64, used: Int64, limit: Int64) -> list[bytes]:
        """The fates of the pods of each row, any past its end."""
        longest, flags = classes.shape[1], self._flags(classes)
        if flags is None:
            fates = _lockstep(used, limit, asked).view(np.uint8)
        else:
            order = (~flags).argsort(axis=1, kind="stable")
            stays = np.zeros_like(flags)
            ordered = np.take_along_axis(asked, order[None], axis=2)
            np.put_along_axis(stays, order, _lockstep(used, limit, ordered), axis=1)
            fates = stays.view(np.uint8) + (flags & ~stays) * np.uint8(VIOLATES)
        flat = fates.tobytes()
        return [flat[i : i + longest] for i in range(0, len(flat), longest)] if longest else []

    def _flags(self, classes: Int64) -> Mask | None:
        """Which pods' eviction violates a budget; None where none does."""
        found = self._budgets.violations_in(classes) if self._budgets else None
        return found if found is not None and found.any() else None

    # --- refusals ----------------------------------------------------------------------------------------------------
    def _static_status(self, row: int, i: int) -> Status:
        reasons = self._outcome.reason_table.entries[int(self._outcome.reasons[i, row])]
        return Status(Code(int(self._outcome.codes[i, row])), reasons, self._plugins[i].name)

    def _fit_status(self, row: int, used: list[int], limit: list[int]) -> Status:
        """The resource plugin's own answer on a node without its lower pods; it depends on what is short alone."""
        pattern = int(any(most < 0 for most in limit[:-1]))
        for u, most in zip(used, limit, strict=True):
            pattern = pattern << 1 | (u > most)
        known = self._patterns.get(pattern)
        if known is None:
            known = self._patterns[pattern] = self._ask_fit(row)
        return known

    def _ask_fit(self, row: int) -> Status:
        assert self._fit is not None
        plugin, view = self._plugins[self._fit], self._handle.cluster.view(row)
        for info in list(view.pods.values()):
            if info.pod.priority < self._pod.pod.priority:
                view.remove_pod(info)
        for rival in self.rivals.get(row, ()):
            view.add_pod(rival)
        status = plugin.filter_node(self._cycle.filter_state.get(plugin.name), self._pod, view)
        return Status(status.code, status.reasons, plugin.name)


def _padded(ranked: list[RankedRow], firsts: list[int]) -> Int64:
    """int64[rows, longest]: class ids of the lower pods in order of importance, -1 past the end."""
    lengths = np.array([len(r.infos) - first for r, first in zip(ranked, firsts, strict=True)], dtype=np.int64)
    classes = np.full((len(ranked), int(lengths.max(initial=0))), -1, dtype=np.int64)
    flat = np.concatenate([r.classes[first:] for r, first in zip(ranked, firsts, strict=True)])
    classes[np.arange(classes.shape[1]) < lengths[:, None]] = flat
    return classes


def _reprieve(used: list[int], limit: list[int], asked: list[tuple[int, ...]], flags: list[bool] | None) -> bytes:
    """Fates of pods when they are brought back one after the other, those whose flag is set first."""
    violates = flags or [False] * len(asked)
    fates = [VIOLATES if flag else GOES for flag in violates]
    order = range(len(asked))
    for j in sorted(order, key=lambda j: not violates[j]) if True in violates else order:
        trial = [u + a for u, a in zip(used, asked[j], strict=True)]
        if all(t <= most for t, most in zip(trial, limit, strict=True)):
            used, fates[j] = trial, STAYS
    return bytes(fates)


def _lockstep(used: Int64, limit: Int64, asked: Int64) -> Mask:
    """bool[rows, longest]: which pods stay; past the end of a row any."""
    _, n_rows, longest = asked.shape
    room = limit - used
    steps = np.ascontiguousarray(asked.transpose(2, 0, 1))
    stays = np.zeros((longest, n_rows), dtype=bool)
    for j in range(longest):
        step = steps[j]
        fits = np.logical_and.reduce(step <= room, axis=0, out=stays[j])
        room -= step * fits
    return np.ascontiguousarray(stays.T)
