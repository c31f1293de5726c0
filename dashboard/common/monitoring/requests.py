"""Each request has an id, by which its log lines and those of answer workers are found; its seconds are counted."""

from __future__ import annotations

import logging
import re
import time
import uuid
from typing import TYPE_CHECKING

from dashboard.common.monitoring.log_context import logged_with
from dashboard.common.monitoring.metrics import request_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

log = logging.getLogger(__name__)

HEADER = "X-Request-ID"
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PLACE = re.compile(r"/w/([a-z0-9-]{1,50})/(?:runs/(\d{1,9})/)?")
# What machines fetch is neither a page nor an action of somebody.
LEFT_OUT = ("/static/", "/healthz", "/metrics")


class RequestsMiddleware:
    """Takes the id of the request from its header where that is safe to log, or makes one, and returns it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        asked = request.headers.get(HEADER, "")
        request_id = asked if SAFE.fullmatch(asked) else uuid.uuid4().hex
        with logged_with(request_id=request_id, **_place(request.path)):
            response = self.get_response(request)
            response[HEADER] = request_id
            if not request.path.startswith(LEFT_OUT):
                self._count(request, response.status_code, time.perf_counter() - began)
        return response

    def _count(self, request: HttpRequest, status: int, seconds: float) -> None:
        kind = "read" if request.method in ("GET", "HEAD") else "write"
        request_seconds.labels(kind, f"{status // 100}xx").observe(seconds)
        line = {"method": request.method, "path": request.path, "status": status, "seconds": round(seconds, 4)}
        log.info("request", extra=line)


def _place(path: str) -> dict[str, object]:
    """Return the workspace and the run's number that an address names."""
    named = PLACE.match(path)
    if not named:
        return {}
    return {"workspace": named[1]} | ({"run_number": int(named[2])} if named[2] else {})
