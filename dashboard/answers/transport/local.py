"""The socket of an embedded installation's answer worker: a file in the data folder that only its owner may open.

Celery's folder broker looks for messages every 50 ms and has no way back; a question and its answer take about a
millisecond here. One connection carries one question, a line of JSON, and what is said of it, another line.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import socketserver
import time
from typing import TYPE_CHECKING

import msgspec
from django.conf import settings

from dashboard.answers.messages import Ask, AskResult
from dashboard.answers.outcomes import WaitsFor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dashboard.answers.transport.board import Board

log = logging.getLogger(__name__)

NAME = "answers.sock"
# A worker that lives replies at once when the patience is over; one that stands still is not waited for.
LATE_SECONDS = 1.0
# The kernel takes no longer name for a socket (108 bytes on Linux, 104 elsewhere, the last one is 0).
LONGEST_NAME = 103
_decode_ask = msgspec.json.Decoder(Ask).decode
_decode_result = msgspec.json.Decoder(AskResult).decode


def ask(asked: Ask) -> AskResult:
    """Return what the answer worker says now; that it waits for the worker, where none replies."""
    patience = min(asked.patience, asked.seconds)
    deadline = time.monotonic() + patience + LATE_SECONDS
    try:
        with socket.socket(socket.AF_UNIX) as connection, _address() as address:
            connection.settimeout(patience + LATE_SECONDS)
            connection.connect(address)
            connection.sendall(msgspec.json.encode(asked) + b"\n")
            return _decode_result(_line(connection, deadline))
    except (OSError, EOFError):
        return AskResult(waits_for=WaitsFor.WORKER)


def _line(connection: socket.socket, deadline: float) -> bytes:
    """The line that the worker sends; raises EOFError for one that broke off, TimeoutError for one too late."""
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(1 << 16)
        if not part:
            raise EOFError
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def _address() -> Iterator[str]:
    """Yield a path of the socket that fits in an address of a Unix socket.

    Where the real path is too long, the path leads through /proc to the data folder, which is open meanwhile.
    """
    folder: Path = settings.DATA_FOLDER.path
    if len(os.fsencode(folder / NAME)) <= LONGEST_NAME:
        yield str(folder / NAME)
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{NAME}"
    finally:
        os.close(opened)


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Takes questions for a board; each connection has a thread, which waits for its answer.

    The data folder's lock keeps a second installation away, so a socket that is there already is a dead worker's.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, board: Board) -> None:
        self.board = board
        (settings.DATA_FOLDER.path / NAME).unlink(missing_ok=True)
        with _address() as address:
            before = os.umask(0o177)
            try:
                super().__init__(address, Handler)
            finally:
                os.umask(before)


class Handler(socketserver.StreamRequestHandler):
    """One question."""

    server: Server

    def handle(self) -> None:
        """Reply to the line; a page that is gone by now does not get it."""
        line = self.rfile.readline()
        if not line:
            return
        try:
            asked = _decode_ask(line)
        except msgspec.MsgspecError as error:
            log.warning("%d bytes on the answer worker's socket were no question: %s", len(line), error)
            return
        result = self.server.board.ask(asked)
        with contextlib.suppress(OSError):
            self.wfile.write(msgspec.json.encode(result) + b"\n")
