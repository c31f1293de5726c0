"""The objects of a bundle as the engine reads them: at its beginning, and change by change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.unplayed import Unplayed
from scheduler_core.engine.named_objects import named_object
from scheduler_core.manifests import AdmissionContext, InvalidObject, Limits, ObjectReader, load_manifests
from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.bundle.model import Change
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.model import shortened

MOST_PROBLEMS = 100


class TypedChange(NamedTuple):
    """A change whose object was read. ``object`` is None where a run reads none of its kind, and where it could not be
    read (``is_wrong``)."""

    position: int
    change: Change
    object: Any
    is_wrong: bool = False

    @property
    def is_deletion(self) -> bool:
        """Whether the object went."""
        return self.change.type == "DELETED"


class ReadProblems:
    """Objects that could not be read: the first sentences, and how many there are."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.count = 0

    def add(self, text: str) -> None:
        """Note one more."""
        self.count += 1
        if len(self.first) < MOST_PROBLEMS:
            self.first.append(shortened(text, 300))


class ObjectsAtBeginning(NamedTuple):
    """What was there when the collection began: as written, and as the engine reads it."""

    raws: list[msgspec.Raw]
    objects: ClusterObjects
    unplayed: Unplayed


def objects_at_beginning(bundle: Bundle, problems: ReadProblems) -> ObjectsAtBeginning:
    """The objects of the first listing; one that cannot be read is a problem, and left out."""
    raws = [listed.object for listed in bundle.objects()]
    loaded = load_manifests(raws, Limits(), bundle.name, expand=False, as_posted=False)
    for finding in loaded.errors:
        problems.add(finding.text())
    return ObjectsAtBeginning(raws, loaded.objects, loaded.unplayed)


class TypedChanges:
    """Reads the changes of a bundle from any position on."""

    def __init__(self, bundle: Bundle, objects: ClusterObjects, problems: ReadProblems) -> None:
        self._bundle, self._problems = bundle, problems
        self._reader = ObjectReader(AdmissionContext.of(objects.priority_classes))

    def __iter__(self) -> Iterator[TypedChange]:
        return self.beginning_at(0, notes=True)

    def beginning_at(self, position: int, *, notes: bool = False) -> Iterator[TypedChange]:
        """The changes from this position on; ``notes`` has problems noted."""
        changes = self._bundle.changes
        for at in range(position, len(changes)):
            yield self._typed(at, changes[at], notes=notes)

    def _typed(self, position: int, change: Change, *, notes: bool) -> TypedChange:
        if change.type == "DELETED":
            name = name_of(change.object)
            return TypedChange(position, change, named_object(name.kind, name.namespace, name.name))
        try:
            return TypedChange(position, change, self._reader.read(msgspec.json.decode(change.object)))
        except (InvalidObject, RecursionError, msgspec.MsgspecError) as problem:
            if notes:
                name = name_of(change.object)
                line = self._bundle.changes.line_number(position)
                self._problems.add(f"changes.jsonl:{line}: {name.kind} {name.namespace}/{name.name}: {problem}")
            return TypedChange(position, change, None, is_wrong=True)
