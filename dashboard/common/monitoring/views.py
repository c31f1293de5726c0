"""What machines ask of a running installation: is it well, and what are its figures."""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from dashboard.common.http.clients import client_address, is_among, is_this_machine
from dashboard.common.monitoring.arrival import seconds_since_arrival
from dashboard.common.monitoring.metrics import exposition

if TYPE_CHECKING:
    from django.http import HttpRequest

LATE_SECONDS = 1.0


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 and {"status": "ok"} when the database answers and has its tables, otherwise 503 and what is wrong.

    `alive` says that the process answers, `ready` that pages can be made, `late` that this answer took long: a machine
    with much to do is late, and neither dead nor broken.
    """
    said = _database_said()
    is_ready = said["status"] == "ok"
    is_late = seconds_since_arrival(request) > LATE_SECONDS
    return JsonResponse(said | {"alive": True, "ready": is_ready, "late": is_late}, status=200 if is_ready else 503)


def _database_said() -> dict[str, str | bool]:
    """Return how the database is."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
        has_tables = bool(connection.introspection.django_table_names(only_existing=True))
    except DatabaseError as error:
        # The kind only: the message may name hosts, and this page is open to everybody.
        return {"status": "failing", "database": type(error).__name__}
    if not has_tables:
        # Its file was deleted or replaced under the running server: opening it makes an empty one.
        reason = "the database has no tables; put a backup in its place, or start again with an empty one"
        return {"status": "failing", "database": "empty", "reason": reason}
    return {"status": "ok", "database": connection.vendor}


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures in Prometheus' text format, to this machine only unless the settings say otherwise.

    With SCHEDSCOPE_METRICS_TOKEN its bearer may read, with SCHEDSCOPE_METRICS_FROM the addresses named there,
    with both those addresses with the token. Figures name profiles and plugins, so they are not for everybody.
    """
    token = os.environ.get("SCHEDSCOPE_METRICS_TOKEN", "")
    if settings.METRICS_FROM and not is_among(client_address(request), settings.METRICS_FROM):
        return _refusal("SCHEDSCOPE_METRICS_FROM does not name your address", 403)
    if token and not hmac.compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
        return _refusal("a bearer token is needed", 401)
    if not token and not settings.METRICS_FROM and not is_this_machine(request):
        refusal = "figures are for this machine only; SCHEDSCOPE_METRICS_FROM or SCHEDSCOPE_METRICS_TOKEN opens them"
        return _refusal(refusal, 403)
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _refusal(reason: str, status: int) -> HttpResponse:
    return HttpResponse(f"{reason}\n", status=status, content_type="text/plain; charset=utf-8")
