"""The keys of the page that says why a pod is pending."""

from __future__ import annotations

from dashboard.common.pages.keys import KeyCommand
from dashboard.debugger.keys import BY_NAME, COPIES, JUMPS, PLACES, STEPS, TIMELINE

PODS = "Pods of the same reason"
NEXT = KeyCommand("next-pod", ("j",), "Next pod of this reason", PODS, foot="next pod")
PREVIOUS = KeyCommand("previous-pod", ("k",), "Previous pod of this reason", PODS, foot="previous pod")
BACK = KeyCommand("back-to-outcomes", ("Escape",), "Back to the outcomes", PODS, foot="outcomes")
TRY = KeyCommand("try-first", ("r",), "Try the first remedy", "The answer", foot="try the remedy")
READING_1 = KeyCommand("reading-1", ("1",), "Show the nodes without the second reading", "The answer")
READING_2 = KeyCommand("reading-2", ("2",), "Show the nodes without the third reading", "The answer")
_KEPT = (STEPS, JUMPS, TIMELINE, PLACES)

KEYS = (
    *(NEXT, PREVIOUS, BACK, TRY, READING_1, READING_2),
    *COPIES,
    *(key for key in BY_NAME.values() if key.group in _KEPT),
)
KEYS_BY_NAME = {key.name: key for key in KEYS}

NODES = "Nodes that are compared"
FIRST = KeyCommand("node-1", ("1",), "Choose the first node", NODES, foot="first node")
SECOND = KeyCommand("node-2", ("2",), "Choose the second node", NODES, foot="second node")
THIRD = KeyCommand("node-3", ("3",), "Choose the third node", NODES, foot="third node")
SWAP = KeyCommand("swap-nodes", ("x",), "Swap the first two nodes", NODES, foot="swap")
WEIGHT = KeyCommand(
    "move-weight", ("Left", "Right"), "Move the weight that has the focus", NODES, "move a weight", by_pane=True
)
UNDO = KeyCommand("undo-weights", ("u",), "Take moved weights back", NODES, foot="undo")
NODE_KEYS = (
    *(FIRST, SECOND, THIRD, SWAP, WEIGHT, UNDO),
    *COPIES,
    *(key for key in BY_NAME.values() if key.group in _KEPT),
)
KEYS_BY_NAME |= {key.name: key for key in NODE_KEYS}
