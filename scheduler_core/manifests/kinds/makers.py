"""What is read of custom kinds: of those that make pods (makers.toml), and how such paths are a tree of keys."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec


class MakerFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of the table: what is read, and where it is described. ``settings`` are keys of spec.sparkConf."""

    source: str
    reads: tuple[str, ...]
    driver_and_executor: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The paths of all that is read."""
        plain = [tuple(path.split("/")) for path in self.reads]
        for part in ("driver", "executor") if self.driver_and_executor else ():
            plain += [("spec", part, *path.split("/")) for path in self.driver_and_executor]
        return (*plain, *(("spec", "sparkConf", key) for key in self.settings))


MAKERS = msgspec.convert(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")), dict[str, MakerFields]
)
"""The rows by kind."""
Tree = dict[str, Any]
"""Keys to trees; an empty one is the end of a path."""


def tree_of(paths: Iterable[tuple[str, ...]]) -> Tree:
    """The paths as a tree."""
    tree: Tree = {}
    for path in paths:
        below = tree
        for key in path:
            below = below.setdefault(key, {})
    return tree


READS = {kind: tree_of(row.paths) for kind, row in MAKERS.items()}
"""What is read, by kind."""


def read_below(tree: Tree, key: str) -> Tree | None:
    """What is read below a key, None where nothing is."""
    if key in tree:
        own: Tree = tree[key]
        return own
    return next((tree[one] for one in tree if len(one) > 1 and one.endswith("*") and key.startswith(one[:-1])), None)
