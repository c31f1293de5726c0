"""When a request arrived, for answers that say how late they are: it may have waited before its view began."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.http import HttpRequest

KEY = "arrived_at"


class NotedArrivals:
    """ASGI: notes in the scope when the request arrived, by the kernel's steady clock."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope[KEY] = time.monotonic()
        await self.application(scope, receive, send)


def seconds_since_arrival(request: HttpRequest) -> float:
    """Return how long ago the request arrived; 0 where nobody noted it."""
    arrived_at = getattr(request, "scope", {}).get(KEY)
    return 0.0 if arrived_at is None else time.monotonic() - arrived_at
