"""The actions on selected objects: their names, kinds and keys."""

from __future__ import annotations

from dataclasses import dataclass

SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job")
"""Kinds with a number of pods."""


@dataclass(frozen=True)
class HandAction:
    """An action: `kinds` it is for (all where empty), the key that starts it, whether a dialog asks for more first.

    `is_rare` ones stand in a menu, so that what is selected has room for its name.
    """

    what: str
    label: str
    key: str
    kinds: tuple[str, ...] = ()
    asks: bool = True
    icon: str = ""
    is_single: bool = False
    is_rare: bool = False

    @property
    def kinds_text(self) -> str:
        """Return the kinds as an attribute of the page."""
        return " ".join(self.kinds)


ACTIONS = (
    HandAction("cordon", "Cordon", "c", ("Node",), asks=False),
    HandAction("uncordon", "Uncordon", "Shift+C", ("Node",), asks=False),
    HandAction("drain", "Drain", "Shift+D", ("Node",)),
    HandAction("taint", "Taint", "t", ("Node",)),
    HandAction("zone", "Zone", "z", ("Node",), is_rare=True),
    HandAction("resize", "Resize", "r", ("Node",), is_rare=True),
    HandAction("bind", "Move", "m", ("Pod",), is_single=True),
    HandAction("unbind", "To pending", "p", ("Pod",), asks=False),
    HandAction("scale", "Scale", "s", SCALED),
    HandAction("label", "Label", "l"),
    HandAction("duplicate", "Duplicate", "d", icon="copy", is_single=True),
    HandAction("delete", "Delete", "Delete", asks=False, icon="trash"),
)
"""In the order of the bar."""
DIRECT = ("cordon", "uncordon", "drain", "taint", "untaint", "label", "unlabel", "zone", "resize", "unbind", "scale")
WHATS = (*DIRECT, "duplicate", "delete", "bind")
"""What a form may ask for."""
