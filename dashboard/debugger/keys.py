"""The keys of a run's pages. Function keys are those of browsers' debuggers; each has a letter beside it, since some
browsers keep F10 and F11 to themselves. F8 is left free for breakpoints."""

from __future__ import annotations

from dashboard.common.pages.keys import Key

STEPS, JUMPS, VIEW, TIMELINE, PLACES = "Steps", "Jumps", "Selection and panes", "Timeline", "Go to"
PANES = ("queues", "cluster", "inspector", "scrubber")

KEYS = (
    Key("over", ("F10", "."), "Step over", STEPS, foot="over"),
    Key("back", ("Shift+F10", ","), "Step back over", STEPS, foot="back"),
    Key("into", ("F11", "i"), "Step into", STEPS, foot="into"),
    Key("out", ("Shift+F11", "o"), "Step out", STEPS, foot="out"),
    Key("play", ("Space",), "Play or pause", STEPS, foot="play"),
    Key("start", ("Home",), "To the start of the run", STEPS),
    Key("head", ("End",), "To the head of the run", STEPS),
    Key("attempt-back", ("[",), "Previous attempt of this pod", JUMPS),
    Key("attempt-next", ("]",), "Next attempt of this pod", JUMPS),
    Key("node-back", ("{",), "Previous decision for the selected node", JUMPS),
    Key("node-next", ("}",), "Next decision for the selected node", JUMPS),
    Key("failure-back", ("Shift+N",), "Previous cycle without a node", JUMPS),
    Key("failure-next", ("n",), "Next cycle without a node", JUMPS),
    Key("preemption-back", ("Shift+P",), "Previous preemption", JUMPS),
    Key("preemption-next", ("p",), "Next preemption", JUMPS),
    Key("filter", ("/",), "Filter nodes by name", VIEW, foot="filter nodes", panes=("inspector",)),
    Key("cell", ("Enter",), "Keep the cell of the matrix in the address", VIEW, "keep cell", ("inspector",), True),
    Key("arrows", ("Arrows",), "Move in lists, the map, the matrix and the timeline", VIEW, "move", PANES, True),
    Key("escape", ("Escape",), "Clear the filter, then the cell, then back to the queues", VIEW, by_pane=True),
    Key("comment", ("c",), "Comment on this cycle", VIEW),
    Key("link", ("y",), "Copy the link to this cursor", VIEW, foot="link"),
    Key("follow", ("l",), "Follow the head", TIMELINE),
    Key("zoom-in", ("w",), "Zoom in", TIMELINE, foot="zoom in", panes=("scrubber",)),
    Key("zoom-out", ("s",), "Zoom out", TIMELINE, foot="zoom out", panes=("scrubber",)),
    Key("pan-back", ("a",), "Earlier", TIMELINE),
    Key("pan-on", ("d",), "Later", TIMELINE),
    Key("fit", ("f",), "The whole run", TIMELINE, foot="whole run", panes=("scrubber",)),
    Key("fold", ("z",), "Fold idle gaps", TIMELINE, foot="fold gaps", panes=("scrubber",)),
    Key("ten-on", ("PageUp",), "Ten cycles on, on the timeline", TIMELINE, "ten on", ("scrubber",), True),
    Key("ten-back", ("PageDown",), "Ten cycles back, on the timeline", TIMELINE, "ten back", ("scrubber",), True),
    Key("outcomes", ("g o",), "Outcomes", PLACES),
    Key("debugger", ("g d",), "Debugger", PLACES),
    Key("events", ("g e",), "Events", PLACES),
    Key("cycles", ("g c",), "Cycles", PLACES),
    Key("review", ("g r",), "Review", PLACES),
    Key("commands", ("Mod+k",), "Search and commands", PLACES),
    Key("help", ("?",), "All keys", PLACES, foot="all keys"),
)

BY_NAME = {key.name: key for key in KEYS}
