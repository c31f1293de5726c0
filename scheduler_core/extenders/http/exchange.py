"""One HTTP request and the head of its answer over a connection that may have been used before.

Whatever fails raises CallError, with the reason in the words of Go's net/http and net as far as they can be had here.
"""

from __future__ import annotations

import base64
import os
import re
import socket
import ssl
from http.client import HTTPException, HTTPResponse, RemoteDisconnected
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit

from scheduler_core.extenders.http.deadline import Deadline, DeadlineSocket, connect

AWAITING = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
END = "EOF"
_PORTS = {"http": 80, "https": 443}
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21})
"""OpenSSL's codes for a chain of certificates that ends at nobody who is trusted."""


class CallError(Exception):
    """A call failed; the text is what Go writes after the address."""


class RequestTarget(NamedTuple):
    """Where a request goes: ``path`` with the query, ``authorization`` of a user in the address."""

    scheme: str
    host: str
    port: int
    authority: str
    path: str
    authorization: str


def parse_target(url: str) -> RequestTarget:
    """The parts of an address. Raises CallError."""
    if re.search(r"[\x00-\x1f\x7f]", url):
        raise CallError("net/url: invalid control character in URL")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise CallError(f"the address cannot be read: {error}") from error
    if parts.scheme not in _PORTS:
        raise CallError(f'unsupported protocol scheme "{parts.scheme}"')
    if not parts.hostname:
        raise CallError("http: no Host in request URL")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~") + (
        f"?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else ""
    )
    authority = parts.netloc.rpartition("@")[2]
    return RequestTarget(
        parts.scheme, parts.hostname, port or _PORTS[parts.scheme], authority, path, _authorization(parts)
    )


def _authorization(parts: SplitResult) -> str:
    if parts.username is None:
        return ""
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(user.encode()).decode()}"


def open_connection(
    target: RequestTarget, context: ssl.SSLContext, server_name: str, deadline: Deadline, named_host: str = ""
) -> DeadlineSocket:
    """A new connection, with TLS where the scheme says so; ``named_host`` is the host of the configuration."""
    try:
        sock = connect(target.host, target.port, deadline, named_host)
        if target.scheme == "https":
            sock = _secured(sock, context, server_name or target.host, deadline)
    except OSError as problem:
        raise CallError(_dial_reason(problem, target.host)) from problem
    return DeadlineSocket(sock, deadline)


def _secured(sock: socket.socket, context: ssl.SSLContext, name: str, deadline: Deadline) -> ssl.SSLSocket:
    try:
        sock.settimeout(deadline.remaining())
        return context.wrap_socket(sock, server_hostname=name)
    except BaseException:
        sock.close()
        raise


def exchange(connection: DeadlineSocket, method: str, target: RequestTarget, body: bytes) -> HTTPResponse:
    """Send a request; the answer's status and headers, its body not yet read."""
    lines = [f"{method} {target.path} HTTP/1.1", f"Host: {target.authority}", "User-Agent: schedscope"]
    if target.authorization:
        lines.append(f"Authorization: {target.authorization}")
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    head = "\r\n".join([*lines, "Accept-Encoding: identity", "", ""]).encode()
    unsent: OSError | None = None
    try:
        connection.sendall(head + body)
    except TimeoutError as problem:
        raise CallError(AWAITING) from problem
    except OSError as problem:
        # A server may answer and close before it has read everything.
        unsent = problem
    response = HTTPResponse(connection, method=method)  # type: ignore[arg-type]
    try:
        response.begin()
    except (OSError, HTTPException) as problem:
        response.close()
        raise CallError(_read_reason(problem if unsent is None else unsent, target)) from problem
    return response


def _dial_reason(problem: OSError, host: str) -> str:
    if isinstance(problem, TimeoutError):
        return AWAITING
    if isinstance(problem, socket.gaierror):
        is_unknown = problem.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None))
        return f"dial tcp: lookup {host}: {'no such host' if is_unknown else _problem_text(problem)}"
    if isinstance(problem, ssl.SSLEOFError):
        return END
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: x509: {_distrust(problem)}"
    if isinstance(problem, ssl.SSLError):
        if problem.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
            return "tls: first record does not look like a TLS handshake"
        return f"tls: {(problem.reason or str(problem)).lower().replace('_', ' ')}"
    if problem.filename:
        return f"dial tcp {problem.filename}: connect: {_problem_text(problem)}"
    return f"tls: {_problem_text(problem)}"


def _distrust(problem: ssl.SSLCertVerificationError) -> str:
    if problem.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    return problem.verify_message[:1].lower() + problem.verify_message[1:].rstrip(".")


def _read_reason(problem: Exception, target: RequestTarget) -> str:
    if isinstance(problem, TimeoutError):
        return AWAITING
    if isinstance(problem, RemoteDisconnected):
        return END
    if isinstance(problem, HTTPException):
        return f"net/http: HTTP/1.x transport connection broken: malformed HTTP response {str(problem)[:200]!r}"
    return read_reason(problem, target)


def read_reason(problem: Exception, target: RequestTarget) -> str:
    """Why bytes could not be received or sent on a connection; without the ports of our own side."""
    said = _problem_text(problem) if isinstance(problem, OSError) else str(problem)
    return f"read tcp {target.host}:{target.port}: read: {said}"


def _problem_text(problem: OSError) -> str:
    text = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else problem.strerror or str(problem)
    return text[:1].lower() + text[1:]
