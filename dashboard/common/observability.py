"""What machines ask of a running installation: is it well, and what are its figures."""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING

from django.db import DatabaseError, connection
from django.http import HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from dashboard.common.metrics import exposition

if TYPE_CHECKING:
    from django.http import HttpRequest


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Return 200 and {"status": "ok"} when the database answers, 503 and the kind of error when it does not."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError as error:
        # The kind only: the message may name hosts, and this page is open to everybody.
        return JsonResponse({"status": "failing", "database": type(error).__name__}, status=503)
    return JsonResponse({"status": "ok", "database": connection.vendor})


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures in Prometheus' text format; with SCHEDSCOPE_METRICS_TOKEN set only to who bears it."""
    token = os.environ.get("SCHEDSCOPE_METRICS_TOKEN", "")
    if token and not hmac.compare_digest(request.headers.get("Authorization", ""), f"Bearer {token}"):
        return HttpResponse("a bearer token is needed\n", status=401, content_type="text/plain; charset=utf-8")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)
