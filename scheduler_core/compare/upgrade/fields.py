"""Fields of the configuration and of objects that one of two versions reads otherwise."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from scheduler_core import versions
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.compare.upgrade.model import FieldUpgrade
from scheduler_core.versions.trains import NAMES, Train


class _Configured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    field: str
    since: str
    what: Literal["new", "other default"]
    sentence: str


class _OfObjects(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    field: str
    since: str
    behaviour: str
    sentence: str


class _FieldTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    configuration: tuple[_Configured, ...]
    object: tuple[_OfObjects, ...]


_TABLE = msgspec.convert(
    tomllib.loads(Path(versions.__file__).with_name("fields.toml").read_text(encoding="utf-8")), _FieldTable
)
_COUNT: dict[str, Callable[[ClusterObjects], int]] = {
    "Pod spec.resources": lambda of: sum(p.pod_requests is not None or p.pod_limits is not None for p in of.pods),
    "Pod spec.resourceClaims": lambda of: sum(bool(pod.resource_claims) for pod in of.pods),
    "Pod spec.volumes[].image": lambda of: sum(any(v.source == "image" for v in pod.volumes) for pod in of.pods),
    "Node status.declaredFeatures": lambda of: sum(bool(node.declared_features) for node in of.nodes),
    "Pod spec.containers[].restartPolicyRules, spec.hostUsers on the host network": lambda of: sum(
        bool(pod.features) for pod in of.pods
    ),
}


def field_changes(a: Train, b: Train, objects: ClusterObjects) -> tuple[FieldUpgrade, ...]:
    """What changes from A to B; going back, what is new is removed and what gains meaning loses it."""
    return (*_configured(a, b), *_of_objects(a, b, objects))


def _configured(a: Train, b: Train) -> Iterator[FieldUpgrade]:
    for row in _TABLE.configuration:
        if _holds(row.since, a) == _holds(row.since, b):
            continue
        removed = row.what == "new" and _holds(row.since, a)
        back = row.what == "other default" and _holds(row.since, a)
        sentence = f"no longer: {row.sentence}" if back else row.sentence
        yield FieldUpgrade(field=row.field, what="removed" if removed else row.what, sentence=sentence)


def _of_objects(a: Train, b: Train, objects: ClusterObjects) -> Iterator[FieldUpgrade]:
    for row in _TABLE.object:
        if _holds(row.since, a) == _holds(row.since, b):
            continue
        what: Literal["gains meaning", "loses meaning"] = "gains meaning" if _holds(row.since, b) else "loses meaning"
        yield FieldUpgrade(field=row.field, what=what, sentence=row.sentence, n_objects=_COUNT[row.field](objects))


def _holds(since: str, train: Train) -> bool:
    return NAMES.index(train.name) >= NAMES.index(since)
