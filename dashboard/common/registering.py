"""Registries: what apps offer each other, such as jobs, counts, metrics and work beside runs.

The config of an app that offers something `Registers` too: it adds to registries in `register`, whose modules import
the scheduler and much else. That waits until somebody reads a registry, or until a process begins to serve pages
or to take tasks: a command that only migrates or signs in does not wait for it.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Generic, TypeVar

from django.apps import apps

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
_lock = RLock()
_begun: list[bool] = []


class Registers:
    """What the config of an app is too that adds to registries."""

    def register(self) -> None:
        """Add to registries; models can be imported."""
        raise NotImplementedError


class Registered(Generic[T]):
    """What apps added, by name; the first read has all apps register."""

    def __init__(self, values: Mapping[str, T] | None = None) -> None:
        self._values = dict(values or {})

    def add(self, name: str, value: T) -> None:
        """Add a value, or replace that of the same name."""
        self._values[name] = value

    def all(self) -> dict[str, T]:
        """Return what every app added."""
        register_all()
        return self._values


def register_all() -> None:
    """Have every app register, once in a process."""
    with _lock:
        if _begun:
            return
        _begun.append(True)  # before: what an app imports may read a registry
        for app in apps.get_app_configs():
            if isinstance(app, Registers):
                app.register()
