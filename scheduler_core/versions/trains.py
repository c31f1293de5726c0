"""The versions that can be chosen, as trains: patches of one minor version that decide alike.

>>> find_train("1.34").name, find_train("v1.34.1+k3s1").name, find_train("1.32.4").name
('1.34', '1.34.0', '1.33')
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import MappingProxyType

import msgspec

from scheduler_core.versions.gates import Gate

NAMES = ("1.33", "1.34.0", "1.34", "1.35", "1.36", "1.37")
"""The trains in order of age. "1.34" is 1.34.2 and later, "1.34.0" the two patches before."""
_VERSION = re.compile(r"v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?")


class VersionError(ValueError):
    """A text that is no version of Kubernetes."""


class Train(msgspec.Struct, frozen=True, kw_only=True):
    """``first`` is its first patch, ``last`` its last one ("" where later ones belong to it). ``measured`` are those
    of its patches whose decisions were recorded; without any it is derived from sources. ``gates`` by name."""

    name: str
    first: str
    last: str = ""
    measured: tuple[str, ...] = ()
    gates: MappingProxyType[str, Gate]

    @property
    def is_measured(self) -> bool:
        """Whether decisions of it were recorded."""
        return bool(self.measured)

    @property
    def evidence(self) -> str:
        """ "measured against 1.36.2", or "derived from sources"."""
        return f"measured against {', '.join(self.measured)}" if self.measured else "derived from sources"

    @property
    def label(self) -> str:
        """ "1.36", "1.34.0 and 1.34.1", "1.34.2 and later"."""
        if self.last:
            return f"{self.first} and {self.last}"
        return self.name if self.first == self.name else f"{self.first} and later"


def _read(name: str) -> Train:
    raw = tomllib.loads((Path(__file__).parent / "trains" / f"{name}.toml").read_text(encoding="utf-8"))
    gates = {gate: Gate.from_text(text) for gate, text in raw.pop("gates").items()}
    return Train(name=name, gates=MappingProxyType(gates), **{**raw, "measured": tuple(raw["measured"])})


TRAINS: dict[str, Train] = {name: _read(name) for name in NAMES}
NEWEST_MEASURED = [name for name in NAMES if TRAINS[name].measured][-1]


def version_numbers(text: str) -> tuple[int, int, int | None]:
    """(major, minor, patch or None) of "1.34", "v1.34.1", "v1.33.4-gke.1036000" or "v1.34.1+k3s1". Raises
    VersionError."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise VersionError(f'"{text[:40]}" is no version of Kubernetes, like 1.34 or 1.34.1')
    major, minor, patch = match.groups()
    return int(major), int(minor), None if patch is None else int(patch)


def find_train(version: str) -> Train:
    """The train of a version; the oldest for one before all trains, the newest for one after. Raises VersionError."""
    major, minor, patch = version_numbers(version)
    if (major, minor) == (1, 34) and patch is not None and patch < 2:
        return TRAINS["1.34.0"]
    if (major, minor) < (1, 33):
        return TRAINS[NAMES[0]]
    return TRAINS.get(f"{major}.{minor}", TRAINS[NAMES[-1]])


def is_outside(version: str) -> str:
    """ "older" or "newer" where the version is before or after all trains, "" where it has one. Raises VersionError."""
    major, minor, _ = version_numbers(version)
    return "older" if (major, minor) < (1, 33) else "newer" if (major, minor) > (1, 37) else ""
