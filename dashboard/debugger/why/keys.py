"""The keys of the page that says why a pod is pending."""

from __future__ import annotations

from dashboard.common.pages.keys import Key
from dashboard.debugger.keys import BY_NAME, JUMPS, PLACES, STEPS, TIMELINE

PODS = "Pods of the same reason"
NEXT = Key("next-pod", ("j",), "Next pod of this reason", PODS, foot="next pod")
PREVIOUS = Key("previous-pod", ("k",), "Previous pod of this reason", PODS, foot="previous pod")
BACK = Key("back-to-outcomes", ("Escape",), "Back to the outcomes", PODS, foot="outcomes")
_KEPT = (STEPS, JUMPS, TIMELINE, PLACES)

KEYS = (NEXT, PREVIOUS, BACK, BY_NAME["link"], *(key for key in BY_NAME.values() if key.group in _KEPT))
KEYS_BY_NAME = {key.name: key for key in KEYS}
