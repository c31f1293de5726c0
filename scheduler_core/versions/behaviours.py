"""Named behaviours of kube-scheduler: one upstream change each. Plugins, queue and engine read them by name.

behaviours.toml says what each one is, its upstream number, in which versions it holds or which gate switches it, and
whether recorded decisions show it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec


class Behaviours(msgspec.Struct, frozen=True, kw_only=True):
    """Which behaviours hold. The defaults are those of runs that name no version: 1.34.1 with the texts of 1.34.2."""

    taint_is_named: bool = False
    devices: bool = True
    device_ranks_score: bool = False
    too_small_is_unresolvable: bool = True
    merged_selector_stays: bool = True
    terminating_victims_deleted_again: bool = False
    backoff_by_attempts: bool = False
    pods_in_node_order: bool = False
    failure_clears_nomination: bool = False
    binding_sends_no_delete: bool = False
    balance_by_change: bool = False
    image_volumes_count: bool = False
    declared_features: bool = False
    affinity_hints_see_more: bool = False
    pod_level_resources: bool = True
    claim_conflict_says_same_name: bool = False
    preemption_names_placement: bool = False
    claims_get_devices: bool = False
    class_config_names_requests: bool = False
    pools_counted_whole: bool = False
    all_in_later_alternatives: bool = False
    device_taints: bool = False
    device_counters: bool = False
    device_capacity: bool = False
    device_extended_resources: bool = False
    device_binding_conditions: bool = False

    def names(self) -> frozenset[str]:
        """The names of those that hold."""
        return frozenset(name for name in self.__struct_fields__ if getattr(self, name))

    def having(self, switched: Mapping[str, bool]) -> Behaviours:
        """These behaviours with some switched on or off. Raises TypeError for a name that there is not."""
        return msgspec.structs.replace(self, **switched)

    def difference(self, other: Behaviours) -> tuple[str, ...]:
        """The names of those that hold in one of the two alone, in the order of the table."""
        return tuple(name for name in self.__struct_fields__ if getattr(self, name) != getattr(other, name))


class Behaviour(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of behaviours.toml, whose head says what its fields are."""

    name: str
    change: str
    sentence: str
    evidence: Literal["recorded", "derived"]
    test: str
    holds_in: tuple[str, ...] = ()
    gate: str = ""


class _BehaviourTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    behaviour: tuple[Behaviour, ...]


BEHAVIOURS: dict[str, Behaviour] = {
    row.name: row
    for row in msgspec.convert(
        tomllib.loads(Path(__file__).with_name("behaviours.toml").read_text(encoding="utf-8")), _BehaviourTable
    ).behaviour
}
"""The table by name, in its order."""


def rows(names: Iterable[str]) -> tuple[Behaviour, ...]:
    """The rows of these names."""
    return tuple(BEHAVIOURS[name] for name in names)
