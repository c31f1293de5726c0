"""The keys of the outcomes page; its table takes them itself, charts take the arrows while they have the focus."""

from __future__ import annotations

from dashboard.common.pages.keys import Key
from dashboard.debugger.keys import BY_NAME, PLACES

ROWS = "Rows and charts"

KEYS = (
    Key("next-row", ("j",), "Next row", ROWS, foot="next row", by_pane=True),
    Key("previous-row", ("k",), "Previous row", ROWS, foot="previous row", by_pane=True),
    Key("open-row", ("Right",), "Open the row; in a chart, the next sample", ROWS, foot="open", by_pane=True),
    Key("fold-row", ("Left",), "Fold the row; in a chart, the sample before", ROWS, foot="fold", by_pane=True),
    Key("why", ("Enter",), "The last attempt of the row's pod; in a chart, the moment", ROWS, foot="Why", by_pane=True),
    Key("filter-pods", ("/",), "Filter pods", ROWS, foot="filter"),
    *(key for key in BY_NAME.values() if key.group == PLACES),
)
