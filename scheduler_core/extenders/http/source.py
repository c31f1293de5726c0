"""Asks the servers of a configuration's extenders, as kube-scheduler's client does."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, HTTPResponse, IncompleteRead
from types import TracebackType
from urllib.parse import urljoin

import msgspec

from scheduler_core.api.config import Extender
from scheduler_core.extenders.calls import (
    CLOSED,
    MAX_ANSWER_BYTES,
    TIMEOUT,
    ExtenderCall,
    ExtenderReply,
    post_error,
)
from scheduler_core.extenders.go_json import GoJsonError, NestedTooDeeplyError, first_value
from scheduler_core.extenders.http.deadline import Deadline, DeadlineSocket
from scheduler_core.extenders.http.exchange import (
    AWAITING,
    END,
    CallError,
    RequestTarget,
    exchange,
    open_connection,
    parse_target,
    read_reason,
)
from scheduler_core.extenders.http.trust import TrustError, tls_context

TOO_LONG = f"the answer has more than {MAX_ANSWER_BYTES:,} bytes, which is the most that is read here"
CUT_OFF = "unexpected EOF"
READING = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"
_REDIRECTS = {301: "GET", 302: "GET", 303: "GET", 307: "", 308: ""}
"""The method that a redirect goes on with; empty: as before, with the body."""
_MOST_REQUESTS = 10
_READ_BYTES = 1 << 16
_SHORT = {AWAITING: TIMEOUT, END: CLOSED}


class HttpSource:
    """One reply to each call; several calls of one ``ask`` go out at the same time. Raises TrustError at the start.

    Connections are kept open between calls. httpTimeout covers a call from the lookup of the host to the last byte of
    the answer, redirects included. These are followed as Go follows them: 307 and 308 send the request again, 301, 302
    and 303 go on with GET, ten requests at most. No proxy is used, whatever the environment says.
    """

    def __init__(self, extenders: Sequence[Extender]) -> None:
        self._clients = []
        for i, extender in enumerate(extenders):
            try:
                self._clients.append(_Client(extender))
            except TrustError as error:
                raise TrustError(f"extenders[{i}].{error}") from error
        self._threads = ThreadPoolExecutor(max(len(self._clients), 1), thread_name_prefix="extender")

    def __enter__(self) -> HttpSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._threads.shutdown()
        for client in self._clients:
            client.close()

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """No call raises: what fails is a reply with a fault."""
        if len(calls) == 1:
            return [self._post(calls[0])]
        return list(self._threads.map(self._post, calls))

    def _post(self, call: ExtenderCall) -> ExtenderReply:
        return self._clients[call.extender].post(call)


class _Client:
    """The connections to one extender."""

    def __init__(self, extender: Extender) -> None:
        self._timeout = extender.http_timeout if extender.http_timeout > 0 else None
        self._server_name = extender.tls.server_name if extender.tls else ""
        self._context: ssl.SSLContext = tls_context(extender)
        self._idle: list[tuple[tuple[str, str, int], DeadlineSocket]] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        for _, connection in self._idle:
            connection.close()
        self._idle.clear()

    def post(self, call: ExtenderCall) -> ExtenderReply:
        """Send the request; follow redirects."""
        deadline, named_host = Deadline(self._timeout), ""
        method, url, body = "POST", call.url, msgspec.json.encode(call.request)
        answered = call.url
        try:
            for _ in range(_MOST_REQUESTS):
                target = parse_target(url)
                named_host = named_host or target.host
                connection = self._connection(target, deadline, named_host)
                response = self._response(connection, method, target, body)
                answered = url
                location = response.getheader("Location", "") if response.status in _REDIRECTS else ""
                if not location:
                    return self._read(connection, response, target)
                connection.close()
                method, url = _REDIRECTS[response.status] or method, urljoin(url, location)
                if method == "GET":
                    body = b""
            raise CallError(f"stopped after {_MOST_REQUESTS} redirects")
        except CallError as error:
            reason = str(error)
            if answered == call.url and reason in _SHORT:
                return ExtenderReply(fault=_SHORT[reason])
            return ExtenderReply(fault=post_error(answered, reason))

    def _connection(self, target: RequestTarget, deadline: Deadline, named_host: str) -> DeadlineSocket:
        """A connection that is idle, or a new one."""
        connection = None
        with self._lock:
            for i, (place, _) in enumerate(self._idle):
                if place == target[:3]:
                    connection = self._idle.pop(i)[1]
                    break
        if connection is not None:
            if connection.is_idle():
                connection.deadline = deadline
                return connection
            connection.close()
        return open_connection(target, self._context, self._server_name, deadline, named_host)

    def _response(self, connection: DeadlineSocket, method: str, target: RequestTarget, body: bytes) -> HTTPResponse:
        try:
            return exchange(connection, method, target, body)
        except BaseException:
            connection.close()
            raise

    def _read(self, connection: DeadlineSocket, response: HTTPResponse, target: RequestTarget) -> ExtenderReply:
        """The reply; the connection is kept where the whole answer was read. Of an error its status alone counts."""
        if response.status != 200:
            connection.close()
            return ExtenderReply(response.status)
        reply, is_whole = _read_body(response, target)
        if is_whole and not response.will_close:
            with self._lock:
                self._idle.append((target[:3], connection))
        else:
            connection.close()
        return reply


def _read_body(response: HTTPResponse, target: RequestTarget) -> tuple[ExtenderReply, bool]:
    """The reply, and whether the answer was read to its end."""
    body = bytearray()
    left = None if response.chunked else response.length
    if left is not None and left > MAX_ANSWER_BYTES:
        return ExtenderReply(fault=TOO_LONG), False
    try:
        while left is None or left > 0:
            data = _next_bytes(response, left)
            if not data:
                break
            body += data
            if left is not None:
                left -= len(data)
            if len(body) > MAX_ANSWER_BYTES:
                return ExtenderReply(fault=TOO_LONG), False
    except TimeoutError:
        return _ended_early(bytes(body), READING), False
    except IncompleteRead:
        return _ended_early(bytes(body), CUT_OFF), False
    except (OSError, HTTPException) as problem:
        return _ended_early(bytes(body), read_reason(problem, target)), False
    if left:
        return _ended_early(bytes(body), CUT_OFF), False
    return ExtenderReply(200, bytes(body)), True


def _next_bytes(response: HTTPResponse, left: int | None) -> bytes:
    """What was received, nothing at the end; at most the expected number of bytes."""
    if response.chunked:
        return response.read1(_READ_BYTES)
    assert response.fp is not None, "a response that is being read"
    data: bytes = response.fp.read1(_READ_BYTES if left is None else min(left, _READ_BYTES))
    return data


def _ended_early(body: bytes, reason: str) -> ExtenderReply:
    """An answer that broke off: Go reads its first JSON value as it comes, and sees the break only where that is not
    over."""
    try:
        first_value(body)
    except GoJsonError as error:
        if str(error) in (END, CUT_OFF):
            return ExtenderReply(fault=reason)
    except NestedTooDeeplyError:
        pass
    return ExtenderReply(200, body)
