"""What the real scheduler said of the pods that wait, as the dump has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.explain.agreement import PodTold, told_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_rows import PodRow


@dataclass(frozen=True)
class ToldPod:
    """A pod that waits, and what was said of it; empty where the dump says nothing, or a workload stands for it."""

    row: PodRow
    told: PodTold

    @property
    def key(self) -> str:
        """Return namespace/name."""
        return f"{self.row.namespace}/{self.row.name}"


def told_pods(contents: Contents, rows: Iterable[PodRow]) -> list[ToldPod]:
    """Return these pods with what was said of each; decodes one manifest a pod."""
    return [ToldPod(row, _told(contents, row)) for row in rows]


def _told(contents: Contents, row: PodRow) -> PodTold:
    if row.is_expanded:
        return PodTold()
    raw = contents.by_key.get(Key("Pod", row.namespace, row.name))
    return next(iter(told_by([raw] if raw is not None else []).values()), PodTold())
