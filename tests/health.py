"""Whether a web server of a test answers."""

from __future__ import annotations

import socket

# On a busy machine; who asks asks again.
ANSWER_SECONDS = 30.0


def answers(address: tuple[str, int]) -> bool:
    """Return whether a web server answers there with any HTTP status; where one listens, its answer is waited for."""
    host, port = address
    try:
        with socket.create_connection((host, port), timeout=ANSWER_SECONDS) as connection:
            connection.sendall(f"GET /healthz HTTP/1.0\r\nHost: {host}\r\n\r\n".encode("ascii"))
            return connection.recv(5) == b"HTTP/"
    except OSError:
        return False
