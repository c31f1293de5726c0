"""The keys of the page that compares two runs."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand
from dashboard.debugger.keys import BY_NAME, PLACES

CURSORS, DIFFERENCES = "Both cursors", "Differences"

KEYS = (
    KeyCommand("both-over", ("F10", "."), "Step both to the next attempt", CURSORS, foot="step both"),
    KeyCommand("both-back", ("Shift+F10", ","), "Step both to the attempt before", CURSORS, foot="back"),
    KeyCommand("difference", ("n", "]"), "To the next difference", DIFFERENCES, foot="next difference"),
    KeyCommand("difference-back", ("Shift+N", "["), "To the difference before", DIFFERENCES),
    KeyCommand("first-difference", ("1",), "To the first difference", DIFFERENCES, foot="first"),
    KeyCommand("swap", ("x",), "Swap A and B", DIFFERENCES, foot="swap"),
    KeyCommand("differing", ("a",), "Show all pods, or only those that differ", DIFFERENCES, foot="all, or differing"),
    KeyCommand("filter-pods", ("/",), "Filter pods", DIFFERENCES, foot="filter"),
    BY_NAME["link"],
    KeyCommand("copy-text", ("t",), "Copy the comparison as text", DIFFERENCES),
    KeyCommand("copy-markdown", ("m",), "Copy the comparison as Markdown", DIFFERENCES),
    BY_NAME["commands"],
    BY_NAME["help"],
    *(key for key in BY_NAME.values() if key.group == PLACES and key.name in ("search",)),
)
KEYS_BY_NAME = {key.name: key for key in KEYS}
