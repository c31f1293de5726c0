"""Feature gates as kube-scheduler's flag --feature-gates writes them: "A=true,B=false"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Stage = Literal["alpha", "beta", "ga"]


class GateError(ValueError):
    """A gate that a version does not know, has locked, or that is not played; the message names it."""


class Gate(msgspec.Struct, frozen=True):
    """A gate in one version: its stage, whether it is on where nobody says so, and whether that can be changed."""

    stage: Stage
    is_on: bool
    is_locked: bool = False

    @classmethod
    def from_text(cls, text: str) -> Gate:
        """From "beta on" or "ga on locked". Raises ValueError."""
        words = text.split()
        if words[1:] not in (["on"], ["off"], ["on", "locked"]) or words[0] not in ("alpha", "beta", "ga"):
            raise ValueError(f'"{text}" is no gate; write like "beta on" or "ga on locked"')
        return cls(words[0], words[1] == "on", len(words) == 3)  # type: ignore[arg-type]


def read_gates(text: str) -> dict[str, bool]:
    """{name: on} of a flag's value, in its order; the last one of a name counts. Raises GateError."""
    gates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, is_given, value = part.partition("=")
        on = {"true": True, "false": False}.get(value.strip().lower())
        if not is_given or on is None or not name.strip().isidentifier():
            raise GateError(f'"{part[:80]}" is no feature gate; write NAME=true or NAME=false, commas between')
        gates[name.strip()] = on
    return gates


def gates_text(gates: Mapping[str, bool]) -> str:
    """The flag's value, by name: what is stored of a run, so that equal gates are equal texts."""
    return ",".join(f"{name}={'true' if gates[name] else 'false'}" for name in sorted(gates))
