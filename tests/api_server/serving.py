"""Starts a LiveServer on a port of this machine, with or without TLS."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

from tests.api_server import Object
from tests.api_server.handling import handler_of
from tests.api_server.live import LiveServer


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Print nothing: clients go away in the middle of watches."""


@contextmanager
def serving_live(
    objects: Sequence[Object] = (), server: LiveServer | None = None, certificate: tuple[str, str] | None = None
) -> Iterator[LiveServer]:
    """Serve a server that begins with these objects; over TLS with (file of the certificate, file of its key)."""
    server = server or LiveServer()
    for one in objects:
        server.apply("ADDED", one)
    http = _Server(("127.0.0.1", 0), handler_of(server))
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        http.socket = context.wrap_socket(http.socket, server_side=True)
    server.address = f"{'https' if certificate else 'http'}://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        with server.changed:
            server.is_over = True
            server.changed.notify_all()
        http.shutdown()
        http.server_close()
        thread.join()
