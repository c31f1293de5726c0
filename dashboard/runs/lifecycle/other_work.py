"""Work of other apps that background workers do beside runs: whether it waits, and how it gets a worker.

An app registers its work when Django is set up. Runs make way for work that waits as they do for each other, work that
takes long does runs and other work in between, and the reconciler wakes workers where a message was lost.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class OtherWork:
    """`waits`: whether some has found no worker for a moment. `work` does what waits, `wake` wakes a worker for it."""

    name: str
    waits: Callable[[], bool]
    work: Callable[[], object]
    wake: Callable[[], object]


_registered: Registered[OtherWork] = Registered()
_is_held_back: ContextVar[bool] = ContextVar("held_back", default=False)


def register(work: OtherWork) -> None:
    """Register the work of an app; the name is the app's."""
    _registered.add(work.name, work)


def waits() -> bool:
    """Return whether any work has found no worker."""
    return any(work.waits() for work in _registered.all().values())


def is_held_back() -> bool:
    """Return whether work of this process is interrupted for what it does now, and goes on afterwards."""
    return _is_held_back.get()


@contextmanager
def held_back() -> Iterator[None]:
    """Within the block, what this process does is done in between: `is_held_back`."""
    token = _is_held_back.set(True)
    try:
        yield
    finally:
        _is_held_back.reset(token)


def do_work_except(name: str) -> None:
    """Do what waits of all work but that of this name."""
    for work in _registered.all().values():
        if work.name != name and work.waits():
            work.work()


def wake_all() -> None:
    """Wake workers for all work; each decides whether it needs one."""
    for work in _registered.all().values():
        work.wake()
