"""What plugins say of their refusals: titles, kinds of obstacles and what wakes a pod, by plugin and by code.

Code that words an answer looks them up here instead of knowing plugins by name. Plugins of installed packages count;
those that an embedding program hands in by ``with_plugin`` are known by their registry alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache

from scheduler_core.framework.contracts.obstacles import KINDS, OTHER, ObstacleKind, refused_by
from scheduler_core.profiles.registry import Factory, Registry, installed

_REFUSED = "_REFUSED"


def plugin_title(plugin: str, registry: Registry | None = None) -> str:
    """The heading of nodes that the plugin refuses; its name where it gives none."""
    title = getattr(_factories(registry).get(plugin), "title", "")
    return title if isinstance(title, str) and title else plugin


def waking_events(plugin: str, registry: Registry | None = None) -> tuple[str, ...]:
    """The events that may wake a pod which the plugin refused, in short words; none where it does not say them."""
    return tuple(getattr(_factories(registry).get(plugin), "wakes", ()))


def kinds_by_plugin(registry: Registry | None = None) -> Mapping[str, tuple[ObstacleKind, ...]]:
    """{plugin: the kinds that it declares}, those that declare none left out."""
    declared = {name: getattr(factory, "obstacles", ()) for name, factory in _factories(registry).items()}
    return {name: tuple(kinds) for name, kinds in declared.items() if kinds}


def find_kind(code: str, registry: Registry | None = None) -> ObstacleKind:
    """The kind of a code: published, a plugin's own, or a refusal without one; an unknown code means itself."""
    published = KINDS.get(code)
    if published is not None:
        return published
    if code.endswith(_REFUSED):
        return refused_by(code.removesuffix(_REFUSED))
    own = (kind for kinds in kinds_by_plugin(registry).values() for kind in kinds)
    return next((kind for kind in own if kind.code == code), ObstacleKind(code, code, OTHER))


def _factories(registry: Registry | None) -> Mapping[str, Factory]:
    return _installed(tuple(sys.path)) if registry is None else registry.factories


@lru_cache(maxsize=4)
def _installed(_path: tuple[str, ...]) -> Mapping[str, Factory]:
    return installed().factories
