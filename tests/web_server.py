"""A real server in a thread of this process, so that its pages show the rows of this process's database."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def web_server_in_thread() -> Iterator[str]:
    """Yield the server's address. Raises RuntimeError where it does not start."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        "dashboard.asgi:application", lifespan="off", log_config=None, log_level="warning", ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the web server did not start")
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join(10)
    listener.close()
