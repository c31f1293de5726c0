"""Checks declared extenders as text: their form, and whether they fit the extenders of a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.yaml_text import EDITOR
from scheduler_core.extenders.declared.reading import read_declared
from scheduler_core.manifests import Finding, ManifestSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.api.config import Extender
    from scheduler_core.extenders.declared.rules import DeclaredExtender


def check_declared(text: str) -> list[Finding]:
    """Return the findings of a text by itself: any number of extenders, with any verbs."""
    return read_declared(ManifestSource(EDITOR, text.encode()), None)[1]


def read_rules(
    text: str, extenders: Sequence[Extender], name: str
) -> tuple[tuple[DeclaredExtender, ...] | None, list[Finding]]:
    """Return the rules for these extenders of a configuration, None with an error, and the findings, which call the
    text by this name.
    """
    return read_declared(ManifestSource(name, text.encode()), extenders)
