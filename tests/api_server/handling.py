"""Requests to a LiveServer: discovery, lists, single objects and watches, with the faults that are switched on."""

from __future__ import annotations

import json
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.api_server import RESOURCES, discovery
from tests.api_server.live import INITIAL_END, LiveServer, status_body

_BATCH = 500
_SLOW_BYTES = 700


class LiveHandler(BaseHTTPRequestHandler):
    """Answers GET requests of one connection."""

    live: LiveServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Answer one request."""
        live, asked = self.live, urlsplit(self.path)
        path = asked.path.strip("/").split("/")
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        live.n_requests += 1
        live.asked.append(self.path)
        if live.token and self.headers.get("Authorization") != f"Bearer {live.token}":
            return self._answer(401, status_body(401, "Unauthorized", "Unauthorized"))
        if path == ["version"]:
            return self._answer(200, json.dumps({"gitVersion": live.version}).encode())
        listed = discovery(path, live.missing)
        if listed is not None:
            return self._answer(200, json.dumps(listed).encode())
        return self._resource(path, query)

    def _resource(self, path: list[str], query: dict[str, str]) -> None:
        live = self.live
        version, rest = (path[1], path[2:]) if path[0] == "api" else ("/".join(path[1:3]), path[3:])
        namespace = ""
        if rest and rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        resource = RESOURCES.get(rest[0]) if rest else None
        if resource is None or resource.version != version or rest[0] in live.missing:
            return self._answer(404, status_body(404, "NotFound", "the server could not find the requested resource"))
        verb = "get" if len(rest) > 1 else "watch" if query.get("watch") in ("true", "1") else "list"
        if (rest[0], verb) in live.denied or (f"{namespace}/{rest[0]}", verb) in live.denied:
            text = f'{rest[0]} is forbidden: User "someone" cannot {verb} resource "{rest[0]}"'
            return self._answer(403, status_body(403, "Forbidden", text))
        if live.happens(live.faults.too_many):
            return self._answer(
                429, status_body(429, "TooManyRequests", "again"), {"Retry-After": live.faults.retry_after}
            )
        if rest[0] in live.broken or live.happens(live.faults.failing):
            return self._answer(500, status_body(500, "InternalError", "etcdserver: leader changed"))
        if verb == "get":
            with live.changed:
                body = live.bodies.get((rest[0], namespace, rest[1]))
            return self._answer(200, body) if body else self._answer(404, status_body(404, "NotFound", "not found"))
        if verb == "list":
            return self._answer(*live.page(rest[0], namespace, int(query.get("limit", 0)), query.get("continue", "")))
        return self._watch(rest[0], namespace, query)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    # ------------------------------------------------------------ watches

    def _watch(self, resource: str, namespace: str, query: dict[str, str]) -> None:
        live, faults = self.live, self.live.faults
        is_initial = query.get("sendInitialEvents") == "true"
        if is_initial and faults.no_initial_events:
            return self._answer(500, status_body(500, "InternalError", "initial events cannot be sent"))
        since = int(query.get("resourceVersion") or 0)
        is_old = bool(since) and since < live.compacted
        if since and live.happens(faults.watch_gone):
            return self._answer(410, status_body(410, "Expired", "too old resource version"))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._is_slow = live.happens(faults.slow)
        if is_old or (since and live.happens(faults.error_event)):
            error = json.loads(status_body(410, "Expired", "too old resource version"))
            self._chunk(json.dumps({"type": "ERROR", "object": error}).encode() + b"\n")
            return self._chunk(b"")
        if not since:
            since = self._initial(resource, namespace, ends=is_initial)
        return self._send_events(resource, namespace, since, float(query.get("timeoutSeconds", 600)), query)

    def _initial(self, resource: str, namespace: str, *, ends: bool) -> int:
        live = self.live
        with live.changed:
            version = live.resource_version
            bodies = [body for key, body in live.bodies.items() if key[0] == resource and namespace in ("", key[1])]
        for start in range(0, len(bodies), _BATCH):
            self._chunk(b"".join(b'{"type":"ADDED","object":%s}\n' % body for body in bodies[start : start + _BATCH]))
        if ends:
            self._bookmark(resource, version, {INITIAL_END: "true"})
        return version

    def _bookmark(self, resource: str, version: int, annotations: dict[str, str] | None = None) -> None:
        metadata: dict[str, Any] = {"resourceVersion": str(version), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        kind = RESOURCES[resource]
        one = {"kind": kind.kind, "apiVersion": kind.version, "metadata": metadata}
        self._chunk(json.dumps({"type": "BOOKMARK", "object": one}).encode() + b"\n")

    def _send_events(self, resource: str, namespace: str, since: int, seconds: float, query: dict[str, str]) -> None:
        live, faults = self.live, self.live.faults
        ends = time.monotonic() + min(seconds, live.longest_watch)
        is_reset = live.happens(faults.reset)
        left = live.drawn(live.events_at_most) if is_reset or live.happens(faults.silent_end) else 1 << 40
        has_bookmarks = query.get("allowWatchBookmarks") == "true" and not faults.no_bookmarks
        marked = time.monotonic()
        while left and time.monotonic() < ends and not live.is_over:
            with live.changed:
                if since < live.compacted:
                    break
                version, lines = live.since(resource, namespace, since, min(left, _BATCH))
                if version == since:
                    live.changed.wait(min(0.05, live.bookmark_seconds))
                    # Others had the lock meanwhile: what is forgotten may never count as sent.
                    if live.is_over or since < live.compacted:
                        break
                    version, lines = live.since(resource, namespace, since, min(left, _BATCH))
                current = live.resource_version
                is_level = live.since(resource, namespace, version, 1)[0] == version
            if version != since:
                left -= min(left, len(lines))
                if is_reset and not left and lines:
                    self._chunk(b"".join(lines)[: -len(lines[-1]) // 2 or None])
                    return self._reset()
                self._chunk(b"".join(lines))
                since = version
            if has_bookmarks and is_level and time.monotonic() - marked >= live.bookmark_seconds:
                self._bookmark(resource, max(since, current))
                marked = time.monotonic()
        return self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        if not data:
            self.wfile.write(b"0\r\n\r\n")
            return
        step = _SLOW_BYTES if self._is_slow else len(data)
        for start in range(0, len(data), step):
            part = data[start : start + step]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
            if self._is_slow:
                time.sleep(0.0005)

    def _reset(self) -> None:
        """Break the connection off, so that the client is told at once."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


def handler_of(live: LiveServer) -> type[LiveHandler]:
    """The handler of a server."""
    return type("LiveHandlerOfServer", (LiveHandler,), {"live": live, "_is_slow": False})
