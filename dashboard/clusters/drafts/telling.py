"""What a change of a draft tells the page that asked for it: the draft's own parts follow, and it can be undone."""

from __future__ import annotations

import json

from django.http import HttpResponse

CHANGED = "draftchanged"
"""The event with which a page of the draft hears of a change."""
DONE = "handdone"


def changed_here(text: str, undo: str = "") -> HttpResponse:
    """Return the answer to the script of a page that stays: what was done, and the address that undoes it, if any."""
    response = HttpResponse(status=204)
    response["HX-Trigger"] = json.dumps({CHANGED: True, DONE: {"text": text, "undo": undo}})
    return response
