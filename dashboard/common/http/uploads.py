"""The size of a request, refused by its header: nobody has to take in what nobody will read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from dashboard.common.http.problem_pages import problem_response
from dashboard.common.problems import TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

# What a form adds around its files: names, boundaries, other fields.
WRAPPING = 1 << 20


class UploadLimitMiddleware:
    """Answers 413 to a body longer than UPLOAD_MAX_BYTES, before the CSRF check would parse it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        limit = settings.UPLOAD_MAX_BYTES
        if length.isdecimal() and int(length) > limit + WRAPPING:
            refusal = f"This sends {int(length) >> 20} MiB; the limit is {limit >> 20} MiB. Compress or split it."
            return problem_response(request, TooLarge(refusal))
        return self.get_response(request)
