"""The web process of an embedded installation: uvicorn on a socket that the supervisor opened."""

from __future__ import annotations

import os
import socket
import sys

import uvicorn

from dashboard.common.processes.marks import mark, mark_ready


class MarkingServer(uvicorn.Server):
    """A server that reports to the supervisor once it serves."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, and say so."""
        await super().startup(sockets)
        mark_ready()


def main(descriptor: int) -> None:
    """Serve until SIGTERM; open sockets get two seconds, since a client that reconnects misses nothing."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    config = uvicorn.Config(
        "dashboard.asgi:application",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=2,
        server_header=False,
        # The application itself decides whom it believes (dashboard/common/http/clients.py).
        proxy_headers=False,
        ws="websockets-sansio",
        # Each socket would compress the same message again, in the one loop that serves all of them.
        ws_per_message_deflate=False,
        # A person who lost the connection is no longer shown to others after 20 seconds.
        ws_ping_interval=10,
        ws_ping_timeout=10,
    )
    config.load()
    mark("the pages are loaded")
    MarkingServer(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
