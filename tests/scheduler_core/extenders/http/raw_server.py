"""A server whose every byte the test decides. Requests are read as they come over real sockets."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler_core.api.config import Extender
from scheduler_core.extenders.calls import ExtenderCall
from scheduler_core.extenders.http.source import HttpSource
from tests.patience import PATIENCE

CERTIFICATES = Path(__file__).parent / "certificates"


class RawServer:
    """``answer(connection, request)`` is called for each request, in a thread of the connection's; when it returns
    False, or fails to send, the connection is closed. ``over`` is set at the end of the test."""

    def __init__(self, answer, context=None):
        self._answer = answer
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.requests = []
        self.n_connections = 0
        self.closed = threading.Semaphore(0)
        self.over = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def url(self, path="", host="127.0.0.1"):
        scheme = "https" if self._context else "http"
        return f"{scheme}://{host}:{self.port}{path}"

    def close(self):
        self.over.set()
        # A listener that is only closed leaves its accept() waiting.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.n_connections += 1
            self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection):
        with suppress(OSError), connection:
            connection.settimeout(PATIENCE)
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as reader:
                while (request := self._read(reader)) is not None:
                    self.requests.append(request)
                    if self._answer(connection, request) is False:
                        # Not an end alone: a reader that is still there would hold the socket.
                        connection.shutdown(socket.SHUT_RDWR)
                        break
        self.closed.release()

    def _read(self, reader):
        """Method, path, headers, body; None at the end."""
        line = reader.readline()
        if not line:
            return None
        method, path, _ = line.decode().split()
        headers = {}
        while (line := reader.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        return method, path, headers, reader.read(int(headers.get("content-length", 0)))


@contextmanager
def serving(answer, context=None):
    server = RawServer(answer, context)
    try:
        yield server
    finally:
        server.close()


def respond(body=b"{}", status="200 OK", headers=()):
    """An answer function: a complete answer with these headers."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return raw("\r\n".join(lines).encode() + body)


def raw(data, *, then_close=False):
    """An answer function that sends these bytes."""

    def answer(connection, request):
        connection.sendall(data)
        return not then_close

    return answer


def call(url, extender=0, verb="filter", step=1):
    request = {"Pod": {"metadata": {"name": "p"}}, "Nodes": None, "NodeNames": ["n1"]}
    return ExtenderCall(step=step, extender=extender, verb=verb, url=url, request=request)


def asked(url, timeout=PATIENCE, **settings):
    """The reply of the server at this address."""
    with HttpSource([Extender(http_timeout=timeout, **settings)]) as source:
        return source.ask([call(url)])[0]
