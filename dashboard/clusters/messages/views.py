"""The page of a message: the text in the address, or posted where it is long. Nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.messages.page import SHOWN, headline, shown_messages
from dashboard.common.http.params import text_param
from scheduler_core.explain.messages import explain_messages
from scheduler_core.explain.messages.sources import MAX_INPUT
from scheduler_core.manifests import ManifestSource, load_cluster

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access

# At most this many characters of a text go into an address.
IN_ADDRESS = 6_000
# A longer text is an input, whatever it holds.
LONGEST = 200_000


def address_of(slug: str, text: str) -> str:
    """Return the address of the page of a text; of a longer one its beginning."""
    return f"{reverse('clusters:message', args=[slug])}?{urlencode({'text': text[:IN_ADDRESS]})}"


def is_only_messages(text: str) -> bool:
    """Return whether a text is messages of failed scheduling and holds no object."""
    if len(text) > LONGEST or not any(one.nodes is not None for one in explain_messages(text).messages):
        return False
    return not load_cluster([ManifestSource("text", text.encode())]).manifests


@workspace_view(Role.VIEWER, READ + WRITE)
def message(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the messages of a text taken apart, or as JSON (`format=json`) what the command line gives."""
    given = request.POST if request.method == "POST" else request.GET
    text = text_param(given, "text", MAX_INPUT)
    answer = explain_messages(text)
    if text_param(given, "format", 10) == "json":
        return HttpResponse(msgspec.json.encode(answer), content_type="application/json")
    context = {
        "text": text,
        "answer": answer,
        "headline": headline(answer),
        "shown": shown_messages(answer),
        "n_more": max(0, len(answer.messages) - SHOWN),
    }
    return render(request, "clusters/messages/message.html", context)
