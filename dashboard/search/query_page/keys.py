"""The keys of the page of a query; its table takes those of rows itself."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand
from dashboard.debugger.keys import BY_NAME, PLACES

HITS = "Query and hits"

KEYS = (
    KeyCommand("query", ("/",), "Write a query", HITS, foot="query"),
    KeyCommand("complete", ("Tab",), "Take the completion", HITS, foot="complete", by_pane=True),
    KeyCommand("fields", ("F1",), "All fields", HITS, foot="all fields", by_pane=True),
    KeyCommand("next-hit", ("j", "n"), "Next hit", HITS, foot="next hit", by_pane=True),
    KeyCommand("previous-hit", ("k", "Shift+N"), "Previous hit", HITS, foot="previous hit", by_pane=True),
    KeyCommand("open-hit", ("Enter",), "Open the hit in the debugger", HITS, foot="open", by_pane=True),
    KeyCommand("save", ("Mod+s",), "Save this search", HITS, foot="save"),
    *(key for key in BY_NAME.values() if key.group == PLACES),
)
