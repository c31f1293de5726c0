"""Which behaviours hold in a run of a version with its feature gates."""

from __future__ import annotations

from functools import lru_cache

from scheduler_core.versions.behaviours import BEHAVIOURS, Behaviours
from scheduler_core.versions.gates import GateError, read_gates
from scheduler_core.versions.trains import Train, find_train

PLAYED_GATES = {row.gate: row.name for row in BEHAVIOURS.values() if row.gate}
"""{gate: the behaviour that it switches}: of all others only the value that a version has by itself is played."""


@lru_cache(maxsize=256)
def behaviours_of(kubernetes: str, gates: str = "", switched: str = "") -> Behaviours:
    """The behaviours of a version (a train or a patch; "" for runs that name none) with these gates.

    ``switched`` names behaviours that hold, or do not, whatever the version: "balance_by_change=true". Raises
    VersionError, GateError.
    """
    behaviours = Behaviours()
    if kubernetes:
        train = find_train(kubernetes)
        behaviours = Behaviours(**{name: _holds(name, train, read_gates(gates)) for name in BEHAVIOURS})
        check_gates(train, gates)
    elif gates:
        raise GateError("feature gates need the version of Kubernetes that they belong to")
    own = read_gates(switched)
    if unknown := own.keys() - BEHAVIOURS.keys():
        raise GateError(f"there is no behaviour {min(unknown)}; there are {', '.join(BEHAVIOURS)}")
    return behaviours.having(own)


def check_gates(train: Train, text: str) -> None:
    """Raises GateError for a gate that the train does not know, has locked, or that is not played."""
    for name, on in read_gates(text).items():
        gate = train.gates.get(name)
        if gate is None:
            raise GateError(f"kube-scheduler {train.name} has no feature gate {name} that decides about scheduling")
        if on == gate.is_on:
            continue
        if gate.is_locked:
            raise GateError(f"feature gate {name} is locked to {str(gate.is_on).lower()} in {train.name}")
        if name not in PLAYED_GATES:
            raise GateError(f"feature gate {name}={str(on).lower()} is not played")


def _holds(name: str, train: Train, gates: dict[str, bool]) -> bool:
    row = BEHAVIOURS[name]
    if not row.gate:
        return train.name in row.holds_in
    gate = train.gates.get(row.gate)
    return gate is not None and gates.get(row.gate, gate.is_on)
