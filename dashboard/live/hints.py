"""Hints to look at the database: to the threads of this process, and through the channel layer to those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.lifecycle.wakeups import send

if TYPE_CHECKING:
    from collections.abc import Callable

FEED_GROUP = "live.feeds"
_listeners: list[Callable[[], None]] = []


def on_feed_moved(wake: Callable[[], None]) -> None:
    """Have a thread of this process woken up by what the process itself changes."""
    _listeners.append(wake)


def feed_moved(workspace_id: int) -> None:
    """Say that a workspace's feed has a new version; one that is lost costs the others their pause between looks."""
    for wake in _listeners:
        wake()
    send(FEED_GROUP, {"type": "feed.moved", "workspace": workspace_id})
