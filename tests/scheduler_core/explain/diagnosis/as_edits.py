"""Which atomic edit takes an obstacle of a diagnosis away, by its published fields alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scheduler_core.explain.diagnosis.atomic_edits import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scheduler_core.explain.diagnosis import Obstacle, ObstacleKey
    from tests.scheduler_core.explain.diagnosis.brute_force import Edits

_BY_TOPOLOGY_KEY = {
    "SPREAD_SKEW": "spread",
    "SPREAD_KEY_MISSING": "spread",
    "SPREAD_MIN_DOMAINS": "spread",
    "AFFINITY_NO_POD": "pod affinity",
    "AFFINITY_KEY_MISSING": "pod affinity",
    "ANTI_AFFINITY_OWN": "own anti-affinity",
    "ANTI_AFFINITY_OF_OTHERS": "anti-affinity of others",
}
_ROOM = ("SHORT_CPU", "SHORT_MEMORY", "SHORT_RESOURCE", "SHORT_PODS", "TOO_LARGE", "NOT_OFFERED")
_CLAIMS = (
    "CLAIM_MISSING", "CLAIM_UNBOUND_IMMEDIATE", "VOLUME_TOPOLOGY", "VOLUME_NODE_GONE", "VOLUME_NO_MATCH",
    "VOLUME_EXCLUSIVE",
)  # fmt: skip


def edits_for(obstacles: Iterable[Obstacle | ObstacleKey], possible: Iterable[Edit]) -> Edits:
    """The edits for these obstacles or keys of them; ``possible`` are all of the cluster.

    Raises KeyError for an obstacle that no edit of the cluster takes away.
    """
    return frozenset(_edit_for(one, tuple(possible)) for one in obstacles)


def _edit_for(obstacle: Obstacle | ObstacleKey, possible: tuple[Edit, ...]) -> Edit:
    edit = _edit(obstacle.code, obstacle.subject, dict(obstacle.needs), possible)
    if edit not in possible:
        raise KeyError(f"{obstacle}: no edit {edit} in {possible}")
    return edit


def _edit(code: str, subject: str, needs: Mapping[str, str], possible: tuple[Edit, ...]) -> Edit:
    if code in ("TAINT_UNTOLERATED", "TAINT_NODE_CONDITION"):
        return Edit("taint", next((one for kind, one in possible if kind == "taint" and _is_of(one, subject)), subject))
    if code == "CORDONED":
        return Edit("cordon")
    if code == "SELECTOR_NO_MATCH":
        return Edit("selector", next(iter(needs)))
    if code == "AFFINITY_NO_MATCH":
        key = next(iter(needs))
        return Edit("field requirement" if key == "metadata.name" else "label requirement", key)
    if code in _ROOM:
        return Edit("pods") if subject == "pods" else Edit("request", subject)
    if code == "PORT_TAKEN":
        return Edit("port", subject.rpartition(":")[2])
    if code in _BY_TOPOLOGY_KEY:
        return Edit(_BY_TOPOLOGY_KEY[code], needs["topologyKey"])
    return Edit("claim" if code in _CLAIMS else f"unknown: {code}", subject)


def _is_of(taint: str, subject: str) -> bool:
    """Whether the subject is the taint, or the key alone, which is all that is said of a condition's taints."""
    return subject in (taint, taint.rpartition(":")[0])
