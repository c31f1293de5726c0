"""A server of extenders that wishes its callers ill: `python -m tests.faults.hostile_server LOG ADDRESS...`.

The first part of a request's path says what is done to it. LOG gets a line for each request, with the address that was
asked. On port 53 of the first address a name server says where `rebinding.test` is: there at first, and from the second
question on at the metadata service.
"""

from __future__ import annotations

import itertools
import json
import socket
import socketserver
import struct
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

METADATA = "169.254.169.254"
SECRET = "AKIA-a-key-of-the-machine"
PORT = 8080
ANSWER = json.dumps({"NodeNames": ["node-0", "node-1"]}).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _redirect(status: str, location: str) -> bytes:
    return f"HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


def _sized(length: int, body: bytes = ANSWER) -> bytes:
    return HEAD + f"Content-Length: {length}\r\n\r\n".encode() + body


SECRETS = f"http://{METADATA}:{PORT}/latest/meta-data"
WHOLE: dict[str, bytes] = {
    "fair": _sized(len(ANSWER)),
    "redirect": _redirect("302 Found", SECRETS),
    "redirect with body": _redirect("307 Temporary Redirect", SECRETS),
    "redirect as number": _redirect("302 Found", f"http://2852039166:{PORT}/latest/meta-data"),
    "redirect as IPv6": _redirect("302 Found", f"http://[::ffff:{METADATA}]:{PORT}/latest/meta-data"),
    "redirect in circles": _redirect("307 Temporary Redirect", "/redirect%20in%20circles/filter"),
    "redirect to a file": _redirect("302 Found", "file:///etc/passwd"),
    "short content": _sized(len(ANSWER) + 1000),
    "long content": _sized(5),
    "negative length": _sized(-1),
    "two lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 500\r\n\r\n" + ANSWER,
    "lengths and chunks": HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + ANSWER,
    "wrong chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + ANSWER,
    "deep answer": _sized(400_000, b'{"a":' * 80_000),
    "many headers": HEAD + b"".join(b"X-%d: y\r\n" % number for number in range(100_000)) + b"\r\n" + ANSWER,
    "closed before": b"",
    "closed in the head": HEAD[:20],
}


def _endless(connection: socket.socket, head: bytes, piece: bytes) -> None:
    connection.sendall(head)
    while True:
        connection.sendall(piece)


def _drip(connection: socket.socket, data: bytes) -> None:
    for number in range(len(data)):
        connection.sendall(data[number : number + 1])
        time.sleep(0.3)


def _reset(connection: socket.socket) -> None:
    connection.sendall(_sized(len(ANSWER), ANSWER[:5]))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


_PIECE = b"x" * (1 << 16)
LASTING = {
    "endless body": lambda one: _endless(one, HEAD + b"\r\n", _PIECE),
    "endless chunks": lambda one: _endless(
        one, HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + _PIECE + b"\r\n"
    ),
    "terabytes": lambda one: _endless(one, HEAD + b"Content-Length: 9999999999999\r\n\r\n", _PIECE),
    "endless header": lambda one: _endless(one, HEAD + b"X-Long: ", _PIECE),
    "endless headers": lambda one: _endless(one, HEAD, b"X-Long: y\r\n" * 5_000),
    "endless 100": lambda one: _endless(one, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "dripping head": lambda one: _drip(one, WHOLE["fair"]),
    "dripping body": lambda one: (one.sendall(HEAD + b"Content-Length: 900\r\n\r\n"), _drip(one, ANSWER * 20)),
    "silence": lambda _one: time.sleep(60),
    "reset": _reset,
}
KINDS = [*WHOLE, *LASTING]


class _Handler(socketserver.StreamRequestHandler):
    timeout = 60

    def handle(self) -> None:
        with suppress(OSError):
            request = self.rfile.readline().decode(errors="replace").split()
            while self.rfile.readline().strip():
                pass
            asked = self.connection.getsockname()[0]
            with self.server.log.open("a") as log:
                log.write(f"{asked} {' '.join(request)}\n")
            if asked.endswith(METADATA):
                self.connection.sendall(_sized(len(SECRET), SECRET.encode()))
                return
            kind = request[1].split("/")[1].replace("%20", " ")
            if kind in LASTING:
                LASTING[kind](self.connection)
            else:
                self.connection.sendall(WHOLE.get(kind, WHOLE["fair"]))


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    address_family = socket.AF_INET6

    def __init__(self, log: Path) -> None:
        self.log = log
        super().__init__(("::", PORT), _Handler, bind_and_activate=False)
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.server_bind()
        self.server_activate()


def name_server(first: str) -> None:
    """Answer questions for addresses (A): the first one with `first`, all others with the metadata service's."""
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asked.bind((first, 53))
    answers = itertools.chain([first], itertools.repeat(METADATA))
    while True:
        question, sender = asked.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        is_address = question[end - 4 : end - 2] == b"\0\x01"
        head = question[:2] + b"\x81\x80\0\x01" + (b"\0\x01" if is_address else b"\0\0") + b"\0\0\0\0"
        record = b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x04"
        body = record + socket.inet_aton(next(answers)) if is_address else b""
        asked.sendto(head + question[12:end] + body, sender)


if __name__ == "__main__":
    threading.Thread(target=name_server, args=(sys.argv[2],), daemon=True).start()
    with _Server(Path(sys.argv[1])) as server:
        print("listening", flush=True)
        server.serve_forever()
