"""What came after a message of the real scheduler: pods bound and nodes made since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.outcomes.texts import plural

MOST_NAMED = 8


class CameLater(msgspec.Struct, frozen=True):
    """``pods`` (namespace/name) that were bound and ``nodes`` that were made after a moment, each sorted by name."""

    pods: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything came."""
        return bool(self.pods or self.nodes)


class DatedObjects:
    """Bound pods and nodes with their times, to look up what came after several moments. An object without a time
    counts as older than every moment."""

    def __init__(self, bound: Iterable[Pod], nodes: Iterable[Node], reports: Mapping[str, SchedulerReport]) -> None:
        self._bound = [(_bound_at(pod, reports), pod.key) for pod in bound]
        self._made = [(node.creation_timestamp, node.name) for node in nodes]

    def after(self, at: float) -> CameLater:
        """What came after the moment, in seconds since the Unix epoch."""
        return CameLater(_later(self._bound, at), _later(self._made, at))


def later_words(n_pods: int, pods: Sequence[str], n_nodes: int, nodes: Sequence[str]) -> str:
    """What came, counted, with the first names: "1 pod bound (default/late) and 2 nodes made (n4, n5)"."""
    came = [f"{plural(n_pods, 'pod')} bound ({_some(pods, n_pods)})"] if n_pods else []
    came += [f"{plural(n_nodes, 'node')} made ({_some(nodes, n_nodes)})"] if n_nodes else []
    return " and ".join(came)


def _bound_at(pod: Pod, reports: Mapping[str, SchedulerReport]) -> float | None:
    report = reports.get(pod.key)
    return pod.creation_timestamp if report is None or report.bound_at is None else report.bound_at


def _later(dated: Sequence[tuple[float | None, str]], at: float) -> tuple[str, ...]:
    return tuple(sorted(name for moment, name in dated if moment is not None and moment > at))


def _some(names: Sequence[str], count: int) -> str:
    return ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")
