"""Pages, parts and exports are sent compressed to those who take it.

What an attacker could learn from lengths (BREACH) needs a secret in an answer beside words of their own. The one secret
in pages is the CSRF token, which Django masks with other random bytes in each answer; Django's middleware also adds up
to 100 random bytes to each compressed answer. Static files are compressed by their build.

A part for a browser on this machine is sent as it is: nothing is gained there, and a step of the debugger would take a
tenth longer (`make bench WORKLOAD=steps`: 13 steps a second with a key held, 10 with compressed parts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.middleware.gzip import GZipMiddleware

from dashboard.common.http.clients import is_this_machine
from dashboard.common.http.htmx import is_htmx

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

TEXTS = ("text/", "application/json", "application/yaml", "image/svg+xml")
"""Beginnings of the types that get smaller; archives and pictures do not."""


class CompressedTextsMiddleware(GZipMiddleware):
    """Compresses answers of text that are not encoded otherwise."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the answer, compressed where that helps."""
        if not response.get("Content-Type", "").startswith(TEXTS) or (is_htmx(request) and is_this_machine(request)):
            return response
        compressed: HttpResponseBase = super().process_response(request, response)
        return compressed
