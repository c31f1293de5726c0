"""Filtering again: what changed since the last answer about all rows."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.change_set import FEW_ROWS
from scheduler_core.framework.contracts.plugin import PluginCache
from scheduler_core.framework.contracts.verdicts import ReasonTable, Rows, Verdicts
from scheduler_core.framework.topology.domain_rows import rows_in
from scheduler_core.framework.topology.domains import Counts, Domains, DomainSums
from scheduler_core.plugins.inter_pod_affinity.common import DomainMap
from scheduler_core.plugins.inter_pod_affinity.filtering import (
    PairCounts,
    RequiredTermsState,
    explained,
    held_by,
    rule_broken,
    rules_broken,
    verdicts,
)

_FEW_CHANGES = 16


def verdict_delta(
    state: RequiredTermsState, order: Rows, domains: DomainMap, cache: PluginCache, reasons: ReasonTable
) -> tuple[Rows | None, Verdicts | None]:
    """As FilterPlugin.filter_delta, where ``order`` are all rows."""
    state.sync()
    last: _LastAffinityVerdicts | None = cache.value
    if last is None or not last.holds(state):
        cache.value = _LastAffinityVerdicts(state, domains)
        return None, verdicts(state, order, reasons)
    rows = last.update()
    return rows, explained(last.rules_broken(rows), reasons) if len(rows) else None


class _LastAffinityVerdicts:
    """What was last answered for all rows: for each rule and topology key the domains that hold matches."""

    def __init__(self, state: RequiredTermsState, domains: DomainMap) -> None:
        def answered(pairs: PairCounts) -> list[_AffinityDomains]:
            return [_AffinityDomains(domains.of(key), counts) for key, counts in pairs.by_key.items()]

        self._state = state
        self._first = state.is_first_of_its_kind
        self._capacity = domains.cluster.table.capacity
        self._by_rule = answered(state.affinity), answered(state.anti_affinity), answered(state.existing)
        self._all = [one for rule in self._by_rule for one in rule]

    def holds(self, state: RequiredTermsState) -> bool:
        """Whether nothing changed but the counts of the same keys."""
        return (
            state is self._state
            and len(state.existing.by_key) == len(self._by_rule[2])
            and state.is_first_of_its_kind == self._first
        )

    def update(self) -> Rows:
        """Bring the domains up to date; return the rows of those that got their first match or lost their last one."""
        return rows_in([(answered.domains, answered.update()) for answered in self._all], self._capacity)

    def rules_broken(self, rows: Rows) -> NDArray[np.uint8]:
        """As filtering.rules_broken, by the domains as they are here."""
        affinity, anti_affinity, existing = ([(one.domains, one.held) for one in rule] for rule in self._by_rule)
        held = affinity, anti_affinity, existing
        if len(rows) > FEW_ROWS:
            return rules_broken(rows, held, first=self._first)
        return np.array([rule_broken(row, held, first=self._first) for row in rows.tolist()], dtype=np.uint8)


class _AffinityDomains:
    """Which domains of one key hold matches, ``held`` as of PairCounts.held, as last answered."""

    def __init__(self, domains: Domains, counts: Counts) -> None:
        assert isinstance(counts, DomainSums)
        self.domains = domains
        self._sums = counts
        self.held = held_by(counts)
        self._position = counts.n_changes

    def update(self) -> Collection[int]:
        """Bring ``held`` up to date; the domains that flipped, each once."""
        if self._position == self._sums.n_changes:
            return ()
        changed = self._sums.changed_since(self._position)
        self._position = self._sums.n_changes
        if changed is None or len(changed) > _FEW_CHANGES:
            before, self.held = self.held, held_by(self._sums)
            flipped: list[int] = (before != self.held).nonzero()[0].tolist()
            return flipped
        return [domain for domain in dict.fromkeys(changed) if self._flips(domain)]

    def _flips(self, domain: int) -> bool:
        holds = domain < self.domains.n_values and self._sums.of(domain) > 0
        if self.held[domain] == holds:
            return False
        self.held[domain] = holds
        return True
