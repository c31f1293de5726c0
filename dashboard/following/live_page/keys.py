"""The keys of the Live page."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand

CAUSES, CHANGES, VIEW = "Causes", "Changes", "View"

KEYS = (
    KeyCommand("cause-next", ("j",), "Next cause", CAUSES, by_pane=True),
    KeyCommand("cause-back", ("k",), "Previous cause", CAUSES, by_pane=True),
    KeyCommand("why", ("Enter",), "Why its first pod waits, as of now", CAUSES, foot="Why as of now", by_pane=True),
    KeyCommand("difference", ("d",), "The difference from the chosen hour", CHANGES, foot="difference"),
    KeyCommand("hour-back", ("[",), "Compare with the hour before", CHANGES, foot="hour before"),
    KeyCommand("hour-next", ("]",), "Compare with the hour after", CHANGES, foot="hour after"),
    KeyCommand("end-back", ("{",), "End with the hour before, in place of now", CHANGES),
    KeyCommand("end-next", ("}",), "End with the hour after, or now", CHANGES),
    KeyCommand("freeze", ("f",), "Freeze the page, or let it go on", VIEW, foot="freeze"),
)
