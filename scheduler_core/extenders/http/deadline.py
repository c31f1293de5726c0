"""Sockets whose every operation ends at one moment, so that a server that drips bytes cannot hold a call."""

from __future__ import annotations

import io
import ipaddress
import socket
import ssl
import threading
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

Address = tuple[Any, ...]
"""Family, type, protocol, canonical name and socket address, as getaddrinfo has them."""


NOT_CALLED = "link-local addresses and those of metadata services are not called unless urlPrefix names one"
_METADATA = {ipaddress.ip_address("fd00:ec2::254"), ipaddress.ip_address("100.100.100.200")}
_SENT_AT_ONCE = 1 << 16


class Deadline:
    """A moment; without seconds it never comes."""

    def __init__(self, seconds: float | None) -> None:
        self._at = None if seconds is None else monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left, None where there is no end. Raises TimeoutError at the end."""
        if self._at is None:
            return None
        left = self._at - monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left


class DeadlineSocket:
    """What http.client uses of a socket. ``deadline`` is replaced for each call over a connection that is kept."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self.deadline = deadline

    def sendall(self, data: bytes) -> None:
        """Send all of it before the deadline."""
        left = memoryview(data)
        while left:
            self._sock.settimeout(self.deadline.remaining())
            left = left[self._sock.send(left[:_SENT_AT_ONCE]) :]

    def receive_into(self, buffer: memoryview) -> int:
        """Receive what there is, 0 bytes at the end."""
        self._sock.settimeout(self.deadline.remaining())
        return self._sock.recv_into(buffer)

    def makefile(self, mode: str) -> io.BufferedReader:
        """A file object that reads from the connection."""
        return io.BufferedReader(_Received(self))

    def is_idle(self) -> bool:
        """Whether nothing was received since the last answer, not even that the server closed the connection."""
        self._sock.settimeout(0)
        try:
            self._sock.recv(1)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError as problem:
            return isinstance(problem, ssl.SSLWantReadError)
        return False

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()


class _Received(io.RawIOBase):
    def __init__(self, sock: DeadlineSocket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._sock.receive_into(memoryview(buffer))


def connect(host: str, port: int, deadline: Deadline, named_host: str = "") -> socket.socket:
    """A connection to the first address of the host that accepts one.

    Addresses where clouds keep the credentials of their machines are called only where ``named_host``, the host of the
    configuration, is such an address: neither a redirect nor a name whose address changes leads there.

    Raises the OSError of the first address if none does, with that address as its ``filename``; socket.gaierror;
    TimeoutError.
    """
    first: OSError | None = None
    for family, kind, protocol, _, address in resolve(host, port, deadline):
        sock = socket.socket(family, kind, protocol)
        try:
            if _is_of_the_cloud(address[0]) and named_host.partition("%")[0] != address[0].partition("%")[0]:
                raise OSError(0, NOT_CALLED)
            sock.settimeout(deadline.remaining())
            sock.connect(address)
        except OSError as problem:
            sock.close()
            problem.filename = f"[{address[0]}]:{port}" if ":" in address[0] else f"{address[0]}:{port}"
            first = first or problem
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    assert first is not None, "a host without an address is an error of the lookup"
    raise first


def _is_of_the_cloud(address: str) -> bool:
    """Whether the address, as a socket has it, is link-local or that of a metadata service."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_link_local or ip in _METADATA


def resolve(host: str, port: int, deadline: Deadline) -> list[Address]:
    """The host's addresses. Raises socket.gaierror, TimeoutError."""
    looked_up: SimpleQueue[list[Address] | OSError] = SimpleQueue()

    def look_up() -> None:
        try:
            looked_up.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except OSError as problem:
            looked_up.put(problem)
        except UnicodeError:
            looked_up.put(socket.gaierror(socket.EAI_NONAME, "a label of the name is too long, or empty"))

    # The system's lookup cannot be ended: who waits too long leaves it alone.
    threading.Thread(target=look_up, daemon=True, name=f"lookup of {host}").start()
    try:
        addresses = looked_up.get(timeout=deadline.remaining())
    except Empty:
        raise TimeoutError("timed out") from None
    if isinstance(addresses, OSError):
        raise addresses
    return addresses
