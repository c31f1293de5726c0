"""The keys of the outcomes page; its table takes them itself, charts take the arrows while they have the focus."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand
from dashboard.debugger.keys import BY_NAME, PLACES

ROWS = "Rows and charts"

KEYS = (
    KeyCommand("next-row", ("j",), "Next row", ROWS, foot="next row", by_pane=True),
    KeyCommand("previous-row", ("k",), "Previous row", ROWS, foot="previous row", by_pane=True),
    KeyCommand("open-row", ("Right",), "Open the row; in a chart, the next sample", ROWS, foot="open", by_pane=True),
    KeyCommand("fold-row", ("Left",), "Fold the row; in a chart, the sample before", ROWS, foot="fold", by_pane=True),
    KeyCommand(
        "why", ("Enter",), "The last attempt of the row's pod; in a chart, the moment", ROWS, foot="Why", by_pane=True
    ),
    KeyCommand("filter-pods", ("/",), "Filter pods", ROWS, foot="filter"),
    *(key for key in BY_NAME.values() if key.group == PLACES),
)
