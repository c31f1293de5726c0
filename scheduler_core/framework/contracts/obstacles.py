"""Obstacles: the published kinds of facts that keep a pod off nodes, and what a plugin declares of its own.

A plugin names the kinds that its facts can have in the class attribute ``obstacles``, and each fact that refuses has
the ``code`` of one of them (facts/base.py). A plugin from outside adds kinds of its own, whose codes begin with its
name: ``ObstacleKind("QUIET_TOO_MANY_PODS", "the node holds too many pods", CLUSTER, remedies=("EVICT_POD",))``. One
that declares none gets ``<Name>_REFUSED`` with its reason. Codes are never renamed or given another meaning.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

WORKLOAD, CLUSTER, STORAGE, NODE_LIFECYCLE = "workload", "cluster", "storage", "node-lifecycle"
HARDWARE, CONTROLLER, OTHER = "hardware", "controller", "other"
ACTORS = (WORKLOAD, CLUSTER, STORAGE, NODE_LIFECYCLE, HARDWARE, CONTROLLER, OTHER)
"""Who can remove an obstacle or carry a remedy out, in the order in which remedies are proposed."""
STAGES = (
    "admission", "queue", "prefilter", "filter", "postfilter", "reserve", "permit", "prebind", "bind", "outside",
)  # fmt: skip
"""Where in the way of a pod an obstacle stands."""
K = TypeVar("K")


class ObstacleKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of obstacle: its ``code``, what it ``means`` as a noun phrase about a node or the pod, who usually can
    remove it (``actor``), its ``stage``, and the codes of the ``remedies`` that may help, the usual one first."""

    code: str
    means: str
    actor: str = WORKLOAD
    stage: str = "filter"
    remedies: tuple[str, ...] = ()


def refused_by(plugin: str) -> ObstacleKind:
    """The kind of a refusal by a plugin that declares none: "QuietNodes" gives QuietNodes_REFUSED."""
    return ObstacleKind(f"{plugin}_REFUSED", f"{plugin} refuses it", OTHER)


def rows_beside(module: str, kind: type[K]) -> dict[str, K]:
    """The rows of the TOML file beside a module (its ``__file__``), by their codes. Raises msgspec.ValidationError."""
    rows = tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
    return {code: msgspec.convert({**row, "code": code}, kind) for code, row in rows.items()}


KINDS = rows_beside(__file__, ObstacleKind)
"""The published kinds by code, the rows of obstacles.toml; plugins from outside may bring more."""


def kinds(*codes: str) -> tuple[ObstacleKind, ...]:
    """The published kinds of these codes, for a plugin's ``obstacles``. Raises KeyError for an unknown code."""
    return tuple(KINDS[code] for code in codes)
