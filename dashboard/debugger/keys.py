"""The keys of a run's pages. Function keys are those of browsers' debuggers; each has a letter beside it, since some
browsers keep F10 and F11 to themselves."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand

STEPS, JUMPS, VIEW, TIMELINE, PLACES = "Steps", "Jumps", "Selection and panes", "Timeline", "Go to"
PANES = ("queues", "cluster", "inspector", "scrubber")

KEYS = (
    KeyCommand("over", ("F10", "."), "Step over", STEPS, foot="over"),
    KeyCommand("back", ("Shift+F10", ","), "Step back over", STEPS),
    KeyCommand("into", ("F11", "i"), "Step into", STEPS, foot="into"),
    KeyCommand("out", ("Shift+F11", "o"), "Step out", STEPS, foot="out"),
    KeyCommand("play", ("Space",), "Play or pause", STEPS),
    KeyCommand("hit-next", ("F8", "h"), "Run to the next hit", STEPS, foot="to next hit"),
    KeyCommand("hit-back", ("Shift+F8", "u"), "Run back to the previous hit", STEPS, foot="back to hit"),
    KeyCommand("start", ("Home",), "To the start of the run", STEPS),
    KeyCommand("head", ("End",), "To the head of the run", STEPS),
    KeyCommand("attempt-back", ("[",), "Previous attempt of this pod", JUMPS),
    KeyCommand("attempt-next", ("]",), "Next attempt of this pod", JUMPS),
    KeyCommand("node-back", ("{",), "Previous decision for the selected node", JUMPS),
    KeyCommand("node-next", ("}",), "Next decision for the selected node", JUMPS),
    KeyCommand("failure-back", ("Shift+N",), "Previous cycle without a node", JUMPS),
    KeyCommand("failure-next", ("n",), "Next cycle without a node", JUMPS),
    KeyCommand("preemption-back", ("Shift+P",), "Previous preemption", JUMPS),
    KeyCommand("preemption-next", ("p",), "Next preemption", JUMPS),
    KeyCommand("filter", ("/",), "Filter nodes by name", VIEW, foot="filter nodes", panes=("inspector",)),
    KeyCommand(
        "cell", ("Enter",), "Keep the cell of the matrix in the address", VIEW, "keep cell", ("inspector",), True
    ),
    KeyCommand("arrows", ("Arrows",), "Move in lists, the map, the matrix and the timeline", VIEW, "move", PANES, True),
    KeyCommand("escape", ("Escape",), "Clear the filter, then the cell, then back to the queues", VIEW, by_pane=True),
    KeyCommand("breakpoint", ("b",), "Break here: a breakpoint for what is selected", VIEW, foot="breakpoint"),
    KeyCommand("branch", ("Shift+B",), "Branch from here: a run that goes on with changes", VIEW, foot="branch"),
    KeyCommand("comment", ("c",), "Comment on this cycle, or on the chosen cell or line", VIEW),
    KeyCommand("point", ("q",), "Point others at the node or cell below the pointer, or the selected one", VIEW),
    KeyCommand("link", ("y",), "Copy the link to this cursor", VIEW, foot="link"),
    KeyCommand("copy-text", ("t",), "Copy the decision as text", VIEW),
    KeyCommand("copy-markdown", ("m",), "Copy the decision as Markdown", VIEW),
    KeyCommand("copy-image", ("Shift+Y",), "Copy the decision as an image", VIEW),
    KeyCommand("story-text", ("Shift+T",), "Copy the pod's story as text", VIEW),
    KeyCommand("story-markdown", ("Shift+M",), "Copy the pod's story as Markdown", VIEW),
    KeyCommand("follow", ("l",), "Follow the head", TIMELINE),
    KeyCommand("zoom-in", ("w",), "Zoom in", TIMELINE, foot="zoom in", panes=("scrubber",)),
    KeyCommand("zoom-out", ("s",), "Zoom out", TIMELINE, foot="zoom out", panes=("scrubber",)),
    KeyCommand("pan-back", ("a",), "Earlier", TIMELINE),
    KeyCommand("pan-on", ("d",), "Later", TIMELINE),
    KeyCommand("fit", ("f",), "The whole run", TIMELINE, foot="whole run", panes=("scrubber",)),
    KeyCommand("fold", ("z",), "Fold idle gaps", TIMELINE, foot="fold gaps", panes=("scrubber",)),
    KeyCommand("ten-on", ("PageUp",), "Ten cycles on, on the timeline", TIMELINE, "ten on", ("scrubber",), True),
    KeyCommand(
        "ten-back", ("PageDown",), "Ten cycles back, on the timeline", TIMELINE, "ten back", ("scrubber",), True
    ),
    KeyCommand("outcomes", ("g o",), "Outcomes", PLACES),
    KeyCommand("debugger", ("g d",), "Debugger", PLACES),
    KeyCommand("events", ("g e",), "Events", PLACES),
    KeyCommand("search", ("g s", "g c"), "Search", PLACES),
    KeyCommand("devices", ("g v",), "Devices", PLACES),
    KeyCommand("compare", ("Shift+C",), "Compare with the run that this one left", PLACES),
    KeyCommand("review", ("g r",), "Review", PLACES),
    KeyCommand("inbox", ("g n",), "Inbox", PLACES),
    KeyCommand("people", ("g p",), "Who is here", PLACES),
    KeyCommand("commands", ("Mod+k",), "Search and commands", PLACES),
    KeyCommand("help", ("?",), "All keys", PLACES, foot="all keys"),
)

BY_NAME = {key.name: key for key in KEYS}
# What the line of the selection copies, on all pages under the timeline.
COPIES = tuple(
    BY_NAME[name] for name in ("link", "copy-text", "copy-markdown", "copy-image", "story-text", "story-markdown")
)

ROWS = "Rows and charts"
# The table of the outcomes takes its keys itself; charts take the arrows while they have the focus.
OUTCOMES_KEYS = (
    KeyCommand("next-row", ("j",), "Next row", ROWS, foot="next row", by_pane=True),
    KeyCommand("previous-row", ("k",), "Previous row", ROWS, foot="previous row", by_pane=True),
    KeyCommand("open-row", ("Right",), "Open the row; in a chart, the next sample", ROWS, foot="open", by_pane=True),
    KeyCommand("fold-row", ("Left",), "Fold the row; in a chart, the sample before", ROWS, foot="fold", by_pane=True),
    KeyCommand(
        "why", ("Enter",), "The last attempt of the row's pod; in a chart, the moment", ROWS, foot="Why", by_pane=True
    ),
    KeyCommand("brush", ("Shift+Left", "Shift+Right"), "In a chart, choose a span of time", ROWS, by_pane=True),
    KeyCommand("any-time", ("Escape",), "Drop the span that is chosen", ROWS, by_pane=True),
    KeyCommand("charts", ("w",), "Charts across the page, or beside the table", ROWS, foot="charts"),
    KeyCommand("filter-pods", ("/",), "Filter pods", ROWS, foot="filter"),
    *(key for key in KEYS if key.group == PLACES),
)

PODS, ANSWER, NODES = "Pods of the same reason", "The answer", "Nodes that are compared"
# What the pages that answer why keep of the debugger's keys.
_KEPT = (*COPIES, *(key for key in KEYS if key.group in (STEPS, JUMPS, TIMELINE, PLACES)))
WHY_KEYS = (
    KeyCommand("next-pod", ("j",), "Next pod of this reason", PODS, foot="next pod"),
    KeyCommand("previous-pod", ("k",), "Previous pod of this reason", PODS, foot="previous pod"),
    KeyCommand("back-to-outcomes", ("Escape",), "Back to the outcomes", PODS, foot="outcomes"),
    KeyCommand("try-first", ("r",), "Try the first remedy", ANSWER, foot="try the remedy"),
    KeyCommand("reading-1", ("1",), "Show the nodes without the second reading", ANSWER),
    KeyCommand("reading-2", ("2",), "Show the nodes without the third reading", ANSWER),
    *_KEPT,
)
OWNER_KEYS = (
    KeyCommand("next-owner", ("j",), "Next owner without all its pods", PODS, foot="next"),
    KeyCommand("previous-owner", ("k",), "Previous owner without all its pods", PODS, foot="previous"),
    KeyCommand("back-to-outcomes", ("Escape",), "Back to the outcomes", PODS, foot="outcomes"),
    *(key for key in KEYS if key.group == PLACES),
)
WHY_NODE_KEYS = (
    KeyCommand("node-1", ("1",), "Choose the first node", NODES, foot="first node"),
    KeyCommand("node-2", ("2",), "Choose the second node", NODES, foot="second node"),
    KeyCommand("node-3", ("3",), "Choose the third node", NODES, foot="third node"),
    KeyCommand("swap-nodes", ("x",), "Swap the first two nodes", NODES, foot="swap"),
    KeyCommand(
        "move-weight", ("Left", "Right"), "Move the weight that has the focus", NODES, "move a weight", by_pane=True
    ),
    KeyCommand("undo-weights", ("u",), "Take moved weights back", NODES, foot="undo"),
    *_KEPT,
)
WHY_BY_NAME = {key.name: key for key in (*WHY_KEYS, *OWNER_KEYS, *WHY_NODE_KEYS)}
