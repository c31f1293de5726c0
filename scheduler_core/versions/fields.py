"""Fields that versions read otherwise (fields.toml): which of them an object has, and a version does not know.

The API server drops such a field, or refuses the object. A path is "KIND field.list[].field"; what is said of a Pod
holds for templates of pods, and what is said of a ResourceClaim for its templates.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from scheduler_core.versions.detecting import ClusterVersion
from scheduler_core.versions.semantics import behaviours_of

FieldPath = tuple[str | int, ...]
_POD_MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController", "Rollout")


class ConfigurationField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of the scheduler's configuration."""

    field: str
    since: str
    what: Literal["new", "other default"]
    sentence: str


class ObjectField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of objects; ``paths`` are where it stands, where that is not ``field`` alone."""

    field: str
    since: str
    behaviour: str
    sentence: str
    paths: tuple[str, ...] = ()


class FieldTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows."""

    configuration: tuple[ConfigurationField, ...]
    object: tuple[ObjectField, ...]


FIELDS = msgspec.convert(tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")), FieldTable)
"""The one table of these fields."""


def _by_kind() -> dict[str, list[tuple[tuple[str, ...], ObjectField]]]:
    places: dict[str, list[tuple[tuple[str, ...], ObjectField]]] = {}
    for row in FIELDS.object:
        for text in row.paths or (row.field,):
            kind, _, path = text.partition(" ")
            steps = tuple(path.replace("[]", ".[]").split("."))
            places.setdefault(kind, []).append((steps, row))
            for other, before in _TEMPLATES.get(kind, ()):
                places.setdefault(other, []).append(((*before, *steps), row))
    return places


_TEMPLATES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "Pod": tuple((kind, ("spec", "template")) for kind in _POD_MAKERS),
    "ResourceClaim": (("ResourceClaimTemplate", ("spec",)),),
}
_PLACES = _by_kind()


class FieldVersion(msgspec.Struct, frozen=True):
    """A version that objects are held against: its behaviours, and who runs it, in words."""

    behaviours: frozenset[str]
    runs: str

    @classmethod
    def of(cls, kubernetes: str, gates: str = "", runs: str = "") -> FieldVersion:
        """A version by its name, with feature gates. Raises VersionError, GateError."""
        switched = f" with {gates}" if gates else ""
        names = behaviours_of(kubernetes, gates).names()
        return cls(names, runs or f"this is held against Kubernetes {kubernetes}{switched}")

    @classmethod
    def of_cluster(cls, cluster: ClusterVersion) -> FieldVersion | None:
        """The version that a cluster runs; None where nothing says it."""
        if cluster.source == "nothing":
            return None
        return cls.of(cluster.train, runs=f"the cluster runs {'.'.join(cluster.version.split('.')[:2])}")

    def lacking(self, kind: str, raw: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
        """(path, message) of each field of the object that the version does not know."""
        for steps, row in _PLACES.get(kind, ()):
            if row.behaviour not in self.behaviours:
                for path in _at(raw, steps):
                    minor = ".".join(row.since.split(".")[:2])
                    yield path, f"needs Kubernetes {minor}; {self.runs}"


def _at(value: Any, steps: tuple[str, ...], before: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of what is given there, and is neither empty nor false."""
    if not steps:
        if value not in (None, False, "", [], {}):
            yield before
    elif steps[0] == "[]":
        for i, one in enumerate(value if isinstance(value, list) else ()):
            yield from _at(one, steps[1:], (*before, i))
    elif isinstance(value, Mapping):
        yield from _at(value.get(steps[0]), steps[1:], (*before, steps[0]))
