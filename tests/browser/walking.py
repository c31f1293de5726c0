"""Somebody new, who goes by what can be seen, and the clicks that this takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


class Walk:
    """A tab whose clicks are counted; typing is left out of the count, and the key that ends it."""

    def __init__(self, tab: Page, home: str) -> None:
        self.tab, self.home, self.clicks = tab, home, 0

    def at(self, path: str) -> Walk:
        """Open a page of the workspace, from which the way begins."""
        self.tab.goto(f"{self.home}{path}")
        self.clicks = 0
        return self

    def click(self, role: str, name: str | re.Pattern[str], **how: bool) -> None:
        """Click on the first control of this name that can be seen."""
        self.on(self.tab.get_by_role(role, name=name, **how).first)  # type: ignore[arg-type]

    def on(self, control: Locator) -> None:
        """Click on a control."""
        control.click()
        self.clicks += 1

    def choose_files(self, name: str, text: str) -> None:
        """Choose a file in the dialog of the browser, which takes a click."""
        file = {"name": name, "mimeType": "text/yaml", "buffer": text.encode()}
        self.tab.set_input_files("input[type=file]", file)
        self.clicks += 1

    def ends(self, address: str, most: int, *, shows: str = "") -> None:
        """The way ends at an address that matches, which shows a text, after so many clicks at most."""
        expect(self.tab).to_have_url(re.compile(address))
        if shows:
            expect(self.tab.get_by_text(re.compile(shows)).filter(visible=True).first).to_be_visible()
        assert self.clicks <= most
