"""What a change tells the page that asked for it."""

from __future__ import annotations

import json

from dashboard.clusters.drafts.telling import changed_here


def test_a_page_that_stays_is_told_what_was_done_and_how_it_is_undone():
    answer = changed_here("Cordon node-a", "/undo")
    assert answer.status_code == 204
    events = json.loads(answer["HX-Trigger"])
    assert events == {"draftchanged": True, "handdone": {"text": "Cordon node-a", "undo": "/undo"}}
