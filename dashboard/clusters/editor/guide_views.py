"""The guide of fields for editors of YAML, as JSON that a browser keeps."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from django.http import HttpResponse

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.caching import answer_once
from scheduler_core.manifests.field_guide.guide import guide_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest


@workspace_view(Role.VIEWER)
def field_guide(request: HttpRequest, access: Access) -> HttpResponse:
    """Return all kinds and parts with their fields."""
    return guide_response(request, guide_json)


def guide_response(request: HttpRequest, make: Callable[[], bytes]) -> HttpResponse:
    """Return a guide as JSON that a browser keeps."""
    content, etag = _content(make)
    return answer_once(request, etag, lambda: HttpResponse(content, content_type="application/json"))


@cache
def _content(make: Callable[[], bytes]) -> tuple[bytes, str]:
    content = make()
    return content, f'"guide-{hashlib.sha256(content).hexdigest()[:20]}"'
