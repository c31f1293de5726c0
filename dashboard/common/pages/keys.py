"""Keys of a page, declared once: titles of buttons, the help dialog and the footer are made from the declaration.

A key is written as scripts name it: modifiers with "+" ("Shift+F10"), letters small, and "g o" for one after the other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils.html import format_html

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.utils.safestring import SafeString

SPOKEN = {
    ".": "full stop",
    ",": "comma",
    "/": "slash",
    "?": "question mark",
    "[": "left bracket",
    "]": "right bracket",
    "{": "left brace",
    "}": "right brace",
}
CAPS = {"Shift": "\N{UPWARDS WHITE ARROW}", "Mod": "Ctrl", "Escape": "Esc", "PageUp": "PgUp", "PageDown": "PgDn"}


@dataclass(frozen=True)
class KeyCommand:
    """A command and its keys, the first of which is shown first.

    `foot` is its word in the footer ("" for none), there only while the focus is in one of `panes` (none: always).
    `by_pane` says that the pane with the focus takes the key itself, so that no button has it.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    group: str
    foot: str = ""
    panes: tuple[str, ...] = ()
    by_pane: bool = False

    @property
    def caps(self) -> list[str]:
        """Return what the keys of the first way are marked with: ["⇧", "F10"]."""
        parts = [part for stroke in self.keys[0].split(" ") for part in _parts(stroke)]
        return [CAPS.get(part, part) for part in parts]

    @property
    def spelled(self) -> str:
        """Return the keys as a sentence names them: "Shift F10, or comma"."""
        return ", or ".join(spelled(key) for key in self.keys)

    @property
    def aria(self) -> str:
        """Return the value of aria-keyshortcuts; a sequence has none there."""
        return " ".join(_aria(key) for key in self.keys if " " not in key)


def spelled(key: str) -> str:
    """Return a key's name for a sentence: "Shift F10", "G then O"."""
    strokes = [_stroke(stroke) for stroke in key.split(" ")]
    return " then ".join(strokes)


def _stroke(stroke: str) -> str:
    if stroke in SPOKEN:
        return SPOKEN[stroke]
    return " ".join("Ctrl" if part == "Mod" else part for part in _parts(stroke))


def _parts(stroke: str) -> list[str]:
    return [part.upper() if len(part) == 1 else part for part in stroke.split("+")]


def _aria(key: str) -> str:
    return key.replace("Mod+", "Control+")


@lru_cache(maxsize=1024)
def attributes(key: KeyCommand, label: str = "") -> SafeString:
    """Return the attributes of the element that the key clicks: its keys for scripts and readers, and its title.

    `label` stands in for the key's own where the element can say more.
    """
    twins = format_html(' data-key-twins="{}"', "|".join(key.keys[1:])) if len(key.keys) > 1 else ""
    aria = format_html(' aria-keyshortcuts="{}"', key.aria) if key.aria else ""
    caption = label or key.label
    return format_html(
        'data-key="{}"{} data-key-label="{}"{} title="{} ({})"', key.keys[0], twins, caption, aria, caption, key.spelled
    )


def as_json(keys: Iterable[KeyCommand]) -> list[dict[str, Any]]:
    """Return the declaration as the page's script reads it."""
    return [asdict(key) for key in keys]


def footer_keys(keys: Iterable[KeyCommand]) -> list[KeyCommand]:
    """Return the keys that the footer names, in their order."""
    return [key for key in keys if key.foot]
