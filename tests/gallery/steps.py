"""Steps from one state of a page to another, for the lists of states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page, expect

Rows = TypeVar("Rows")
Step = Callable[[Page], object]
# What the console says of somebody who is cut off, or refused.
CUT_OFF = ("ERR_INTERNET_DISCONNECTED", "htmx:afterRequest", "htmx:sendError")
REFUSED = ("status of 400",)


def then(state: Callable[[Rows], Page], *steps: Step) -> Callable[[Rows], Page]:
    """Return the state with these steps on its page."""

    def show(all_rows: Rows) -> Page:
        page = state(all_rows)
        for step in steps:
            step(page)
        return page

    return show


def click(selector: str) -> Step:
    """Return a step: a click on the first of these."""
    return lambda page: page.locator(selector).first.click()


def button(name: str) -> Step:
    """Return a step: a click on the first button of this name."""
    return lambda page: page.get_by_role("button", name=name).first.click()


def sees(selector: str, text: str = "") -> Step:
    """Return a step: to wait until one of these is shown, with the text."""
    return lambda page: expect(page.locator(selector, has_text=text or None).first).to_be_visible()


def types(selector: str, text: str) -> Step:
    """Return a step: to type into the first of these fields."""
    return lambda page: page.locator(selector).first.press_sequentially(text)


def presses(*keys: str) -> Step:
    """Return a step: to press these keys, one after the other."""

    def press(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return press
