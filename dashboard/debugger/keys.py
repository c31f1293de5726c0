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
    KeyCommand("review", ("g r",), "Review", PLACES),
    KeyCommand("inbox", ("g n",), "Inbox", PLACES),
    KeyCommand("people", ("g p",), "Who is here", PLACES),
    KeyCommand("commands", ("Mod+k",), "Search and commands", PLACES),
    KeyCommand("help", ("?",), "All keys", PLACES, foot="all keys"),
)

BY_NAME = {key.name: key for key in KEYS}
# What the line of the selection copies, on all pages under the timeline.
COPIES = tuple(BY_NAME[name] for name in ("link", "copy-text", "copy-markdown", "story-text", "story-markdown"))
