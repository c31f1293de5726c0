"""A text in the YAML editor of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def put(page: Page, text: str) -> None:
    """Put a text with one | into the editor, the cursor where it stands."""
    before = text.partition("|")[0]
    row, column = before.count("\n"), len(before.rpartition("\n")[2])
    page.evaluate(
        """([text, row, column]) => {
            const editor = window.schedscopeEditor;
            editor.setValue(text, -1);
            editor.moveCursorTo(row, column);
            editor.focus();
        }""",
        [text.replace("|", "", 1), row, column],
    )
