"""Changes that the engine proposes itself, holding complete objects, so that a branch has exactly what was tried.

Manifests cannot express them: objects created during a run have none, and trials use the engine's own types.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.api.objects import KubernetesObject
from scheduler_core.engine.inputs import InputChange
from scheduler_core.recording.objects import decode_object, encode_object


class WholeObjectChange(msgspec.Struct, frozen=True):
    """An object that is added or replaced (put) or removed (delete), as recordings hold it (recording/objects.py)."""

    action: Literal["put", "delete"]
    kind: str
    data: bytes

    @classmethod
    def of(cls, action: Literal["put", "delete"], obj: KubernetesObject) -> WholeObjectChange:
        """The change of this object."""
        return cls(action, type(obj).__name__, encode_object(obj))

    def at(self, seq: int) -> InputChange:
        """The change as an input after ``seq`` events. Raises RecordingError for bytes that are no such object."""
        return InputChange(seq=seq, action=self.action, object=decode_object(self.kind, self.data))
